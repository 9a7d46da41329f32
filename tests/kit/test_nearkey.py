import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.kit.nearkey import near_key, same_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada lives in Lisbon.", "ada LIVES in lisbon"),
        ("The dog is in the garden!", "A dog was in a garden"),
        ("She walked her dogs", "She walks her dog"),
        ("I don't like tea", "I do not like tea."),
        ("I can't swim", "I cannot swim"),
        ("We're happy here", "We are happy here"),
        ("ﬁne, thanks", "fine thanks"),
        ("“Quoted” – text", "quoted text"),
    ],
)
def test_equal(one, other):
    assert same_key(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use ruff instead of flake8", "use flake8 instead of ruff"),
        ("I like tea", "I do not like tea"),
        ("it has 3.14 litres", "it has 314 litres"),
        ("I write C++", "I write C"),
        ("I write C#", "I write C"),
        ("It grew by 50%", "It grew by 50"),
        ("I love 🍕", "I love 🍔"),
        ("the snake_case name", "the snakecase name"),
    ],
)
def test_different(one, other):
    assert not same_key(one, other)


def test_order_counts():
    assert near_key("use ruff instead of flake8") == "us ruff instead of flake8"
    assert not same_key("use ruff instead of flake8", "use flake8 instead of ruff")


@pytest.mark.parametrize("nothing", ["", "  ", "...", "The", "is a", "\u200b", "—"])
def test_an_empty_key_equals_nothing(nothing):
    assert near_key(nothing) == ""
    assert not same_key(nothing, nothing)


@settings(deadline=None)
@given(st.text())
def test_never_fails_and_does_not_see_case_or_outer_blanks(text):
    key = near_key(text)
    assert key == near_key(f" {text} \n")
    assert key == key.strip()


@settings(deadline=None)
@given(st.text(alphabet="abcdefgh ,.!", max_size=40))
def test_punctuation_at_word_ends_does_not_count(text):
    spaced = text.replace(",", ", ").replace(".", ". ").replace("!", "! ")
    assert near_key(spaced) == near_key("".join(" " if c in ",.!" else c for c in spaced))
