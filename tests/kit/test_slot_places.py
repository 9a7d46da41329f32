import pytest

from memcli.kit.facts import facts, slot_of

PASSING = [
    "I live in Lisbon this week.",
    "This week I live in Lisbon.",
    "I live in Lisbon for the next three weeks.",
    "I'm based in Rome for a month.",
    "I'm living in Rome during my trip.",
    "I'm living in Rome temporarily.",
    "I moved to Bremen for the weekend.",
    "I moved to Rome for the summer.",
    "I moved to Rome until May.",
]
ELSEWHERE = [
    "I moved to Finance last month.",
    "I moved to Engineering.",
    "I moved to Platform Engineering in May.",
    "I moved to Sales at Globex.",
    "I moved to the Payments team.",
    "I moved to Kestrel 2.1 for this project.",
    "I moved to Kestrel for all our builds.",
]
HOME = [
    ("I moved to Bremen for a new job.", "Bremen"),
    ("I moved to Bremen for good.", "Bremen"),
    ("I moved to Rome this week.", "Rome"),
    ("I live in Rome at the moment.", "Rome"),
    ("As of this week I live in Rome.", "Rome"),
    ("I'm living in Rome for two months now.", "Rome"),
    ("I live in Rome, and this week my sister is here.", "Rome"),
    ("We moved to Engineering Road.", "Engineering Road"),
]


@pytest.mark.parametrize("text", [*PASSING, *ELSEWHERE])
def test_no_home(text):
    assert slot_of(text) is None
    assert all(fact.slot is None for fact in facts(text))


def test_a_tool_with_a_version_is_the_tool():
    found = slot_of("I moved to Python 3.12 for this project.")
    assert found is None or found[0] != "lives_in"


@pytest.mark.parametrize(("text", "place"), HOME)
def test_home(text, place):
    assert slot_of(text) == ("lives_in", place)


def test_a_new_name_after_a_wedding():
    (fact,) = facts("I got married, my name is Nora Weiss now.")
    assert fact.slot is not None
    assert (fact.slot.attribute, fact.slot.value) == ("name", "Nora Weiss")
    assert slot_of("I got married.") == ("marital_status", "married")
