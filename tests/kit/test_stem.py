import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.kit.stem import stem


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        # Examples of the paper, a few a step.
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"),
        ("feed", "feed"), ("agreed", "agre"), ("plastered", "plaster"), ("sing", "sing"),
        ("conflated", "conflat"), ("troubling", "troubl"), ("hopping", "hop"), ("falling", "fall"),
        ("filing", "file"), ("happy", "happi"), ("sky", "sky"),
        ("relational", "relat"), ("conditional", "condit"), ("digitizer", "digit"),
        ("triplicate", "triplic"), ("formalize", "formal"), ("goodness", "good"),
        ("adjustment", "adjust"), ("adoption", "adopt"), ("replacement", "replac"),
        ("probate", "probat"), ("rate", "rate"), ("controll", "control"), ("roll", "roll"),
    ],
)  # fmt: skip
def test_as_in_the_paper(word, stemmed):
    assert stem(word) == stemmed


@pytest.mark.parametrize("word", ["", "a", "is", "Über", "naïve", "flake8", "don't", "日本"])
def test_leaves_the_rest_alone(word):
    assert stem(word) == word


@settings(deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_never_longer_by_more_than_the_e_it_puts_back(word):
    assert len(stem(word)) <= len(word)
    assert bool(stem(word)) == bool(word)
