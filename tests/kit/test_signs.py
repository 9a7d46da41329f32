import pytest

from memcli.kit import signs
from memcli.kit.rating import rate


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We met Ada in New York", {"Ada", "New", "York"}),
        ("Ada Lovelace wrote it", {"Ada", "Lovelace"}),
        ("Ada's dog barks", {"Ada"}),
        ("Running is fun", set()),
        ("The weather was fine. Then it rained", set()),
        ("i like tea", set()),
    ],
)
def test_names(text, found):
    assert signs.names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("two dogs and 3 cats", (("2", ""), ("3", ""))),
        ("no one came, one of us left", ()),
        ("-5 °C and 20%", (("-5", "°c"), ("20", "%"))),
        ("at 7:30 pm on 2024-05-06", (("2024-05-06", ""), ("7:30", "pm"))),
        ("$2.50", (("2.50", "$"),)),
        ("s\u0131x dogs, F\u0130VE cats", (("5", ""), ("6", ""))),  # as a Turkish keyboard has it
    ],
)
def test_numbers(text, found):
    assert signs.numbers(text) == found


def test_identifiers_and_quotes():
    text = 'run `mem audit` on main.py, see https://a.org/x. "Go", user_id, v1.2 and HTTP'
    assert {"main.py", "https://a.org/x", "v1.2", "HTTP"} <= signs.identifiers(text)
    assert signs.quoted(text) == {"mem audit", "Go"}


def test_negations_and_modals():
    assert signs.negations("I can't and won't, never") == ("never", "not", "not")
    assert signs.modals("I can't and won't, maybe") == ("can", "maybe", "will")


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("", 1),
        ("Hi there!", 1),
        ("Where do you live?", 1),
        ("The weather is nice.", 1),
        ("I like tea.", 3),
        ("I like tea in Lisbon.", 5),
        ("I moved to Lisbon.", 7),
        ("I moved to Lisbon in June with my two cats and all of my books.", 8),
        ("Never push to main.", 3),
        ("It rained yesterday.", 3),
    ],
)
def test_rating(text, rating):
    assert rate(text) == rating
