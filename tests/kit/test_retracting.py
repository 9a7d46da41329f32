import pytest

from memcli.kit.facts import facts
from memcli.kit.retracting import takes_back


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("That was a joke.", "all"),
        ("Haha, just kidding!", "all"),
        ("I was only joking, sorry.", "all"),
        ("Actually no, it's teal.", "last"),
        ("No wait, scratch that.", "last"),
        ("Oh, that was a typo.", "last"),
        ("I love telling jokes.", None),
        ("Actually, I moved to Porto.", None),
        ("No, thanks.", None),
        ("", None),
    ],
)
def test_what_takes_back(text, back):
    assert takes_back(text) == back


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I live in Hamburg. That was a joke.", []),
        ("I have a dog. I live in Hamburg. Just kidding!", ["I have a dog."]),
        ("My favourite colour is green. Actually no, it's teal.", []),
        ("My friend says I live in Munich, what nonsense.", []),
        ("I live in Hamburg, no, scratch that, in Bremen.", []),
        ("Scratch that, I live in Bremen.", ["Scratch that, I live in Bremen."]),
        ("I have two cats. Actually, I also have a dog.", None),
    ],
)
def test_what_is_taken_back_is_no_fact(text, left):
    found = [fact.text for fact in facts(text)]
    assert found == left if left is not None else len(found) == 2
