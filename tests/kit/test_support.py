import pytest

from memcli.core.records import Scope
from memcli.kit.support import unsupported
from memcli.testing import a_record

MAY = "2024-05-01T10:00:00Z"


def missing(text, said, *texts, at=MAY, **fields):
    record = a_record("r1", said, at=at, **{"speaker": "Ada", **fields})
    return unsupported(text, [record], *texts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ada has 3 dogs", "I have three dogs"),
        ("The user is a pilot", "I am a pilot"),
        ("Ada moved to Porto on 2024-04-30", "I moved to porto yesterday"),
        ("Ada moved to Porto in 2023", "I moved to Porto last year"),
        ("Ada was in Porto on Friday, 2024-04-26", "I was in Porto last Friday"),
        ("Ada wrote this on 1 May 2024", "I am writing this"),
        ("Ada wrote this on May 1st", "I am writing this"),
        ("Ada uses ruff 0.9.1 in main.py", "ruff 0.9.1 for main.py, please"),
        ("Ada's dog is called Rex", "my dog's called Rex"),
    ],
)
def test_what_a_record_holds(text, said):
    assert missing(text, said) == ()


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        ("Ada has 4 dogs", "I have three dogs", ("4",)),
        ("Ada is married to Bob", "I am married", ("Bob",)),
        ("Ada wrote main.rs", "I wrote main.py", ("main.rs",)),
        ("Ada moved on 2024-03-30", "I moved yesterday", ("2024-03-30",)),
        ("Ada has 12 dogs and 4 cats in Rome", "I have pets", ("12", "4", "Rome")),
    ],
)
def test_what_none_holds(text, said, found):
    assert missing(text, said) == found


def test_speakers_scopes_and_other_texts_count():
    text = "Then Ada met Eve in Rome"
    fields = {"scope": Scope(user="eve")}
    assert missing(text, "we met") == ("Eve", "Rome")
    assert missing(text, "we met", **fields) == ("Rome",)
    assert missing(text, "we met", "it was in Rome", **fields) == ()


def test_without_a_date_of_the_record_dates_are_numbers():
    assert missing("Ada left on 2024-04-30", "I left yesterday", at=None) == ("2024-04-30",)


def test_a_letter_behind_a_digit_is_no_name() -> None:
    assert unsupported("Ada ran the 5K in June.", [a_record("r1", "Ada ran the 5K in June.")]) == ()
