import pytest

from memcli.kit.single import says_only

ALONE = [
    ("lives_in", "I live in Lisbon, Portugal."),
    ("lives_in", "I moved from Rome to San Francisco last week!"),
    ("lives_in", "I moved to Rome, but now I live in Oslo."),
    ("lives_in", "I live in Lisbon, near the river and the park."),
    ("lives_in", "Ada moved to Porto in May."),
    ("lives_in", "Since May Ada's home has been Porto."),
    ("prefers_editor", "I switched from Vim to Helix and I love it."),
    ("age", "I'm 34 years old, so time flies."),
    ("language", "Please answer in German."),
]
MORE = [
    ("age", "I'm 34 years old and I have a peanut allergy."),
    ("age", "I'm 34 and allergic to nuts."),
    ("lives_in", "I live in Hamburg and I work at Lufthansa as a dispatcher."),
    ("lives_in", "I live in Hamburg and work at Lufthansa."),
    ("lives_in", "I live in Porto; my cat is called Tom."),
    ("lives_in", "I live in Porto (I also have a cat)."),
    ("lives_in", "I live in Rome. I have a dog."),
    ("lives_in", "I live in Berlin with my wife Ana."),
    ("lives_in", "Ada lives in Rome and works at Globex."),
    ("lives_in", "Ada lives in Rome, and her sister is a nurse."),
    ("name", "I got married, my name is Nora Weiss now."),
    ("language", "Please answer in German and always use metric units."),
]


@pytest.mark.parametrize(("attribute", "text"), ALONE)
def test_what_says_its_slot_alone(attribute, text):
    assert says_only(text, attribute)


@pytest.mark.parametrize(("attribute", "text"), MORE)
def test_what_says_more(attribute, text):
    assert not says_only(text, attribute)
