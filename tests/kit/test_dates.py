import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.kit import dates, moments

DAY = frozenset({"2023-05-08"})


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("She moved yesterday.", "She moved on 2023-05-07."),
        ("Yesterday she moved.", "On 2023-05-07 she moved."),
        ("They talk since yesterday.", "They talk since 2023-05-07."),
        ("She liked today's run.", "She liked 2023-05-08's run."),
        ("He leaves tomorrow.", "He leaves on 2023-05-09."),
        ("It rained last night.", "It rained on 2023-05-07."),
        ("He left 3 days ago.", "He left on 2023-05-05."),
        ("He left two weeks ago.", "He left on 2023-04-24."),
        ("He left a month ago.", "He left in April 2023."),
        ("He left 2 years ago.", "He left in 2021."),
        ("She sings in 10 days.", "She sings on 2023-05-18."),
        ("They met last week.", "They met the week before 2023-05-08."),
        ("They meet next Friday.", "They meet the Friday after 2023-05-08."),
        ("He retires next year.", "He retires in 2024."),
        ("It opened in last month.", "It opened in April 2023."),
    ],
)
def test_becomes_absolute(text, fixed):
    assert dates.absolute(text, DAY) == fixed


def test_stays_as_it_is_without_relative_words():
    assert (
        dates.absolute("Nowadays she lives in Rome.", frozenset()) == "Nowadays she lives in Rome."
    )


@pytest.mark.parametrize("days", [frozenset(), frozenset({"2023-05-08", "2023-05-09"})])
def test_cannot_be_absolute_without_one_day(days):
    assert dates.absolute("She moved yesterday.", days) is None


def test_cannot_be_absolute_without_a_count():
    assert dates.absolute("She moved a few days ago.", DAY) is None


def test_finds_the_words_where_they_stand():
    text = "Yesterday I ran, and in 3 days of rain I rest."
    assert [(w.text, w.start, w.end) for w in dates.relative_words(text)] == [("Yesterday", 0, 9)]


def test_between_times():
    assert moments.hours_between("2024-01-01T00:00:00Z", "2024-01-02T12:00:00Z") == 36
    assert moments.days_between("2024-01-01T00:00:00Z", "2024-01-02T12:00:00Z") == 1.5
    assert moments.hours_between("2024-01-02T00:00:00Z", "2024-01-01T00:00:00Z") == -24


def test_forms_of_times():
    assert moments.add_days("2024-02-28T10:00:00Z", 2) == "2024-03-01T10:00:00Z"
    assert moments.day_of("2024-01-01T23:30:00-02:00") == "2024-01-02"
    assert moments.parse_time("2024-01-01T00:00:00.123456789Z").microsecond == 123456
    assert moments.day_of("2024-01-31") == "2024-01-31"
    with pytest.raises(ValueError, match="Invalid isoformat"):
        moments.parse_time("soon")


@settings(deadline=None)
@given(st.text())
def test_never_fails(text):
    found = dates.relative_words(text)
    assert all(text[one.start : one.end] == one.text for one in found)
    dates.absolute(text, DAY)


@pytest.mark.parametrize(
    ("one", "other", "before"),
    [
        (("2024-06-05T09:00:00Z", None), ("2024-06-05T10:00:00Z", None), True),
        (("2024-06-05T10:00:00.5Z", None), ("2024-06-05T10:00:00Z", None), False),
        # A day only: of the same day what was said first is the older.
        (("2024-06-05T00:00:00Z", "2024-06-06T08:00:00Z"), ("2024-06-05T09:00:00Z",) * 2, False),
        (("2024-06-05T09:00:00Z",) * 2, ("2024-06-05T00:00:00Z", "2024-06-06T08:00:00Z"), True),
        (("2024-06-05T00:00:00Z", None), ("2024-06-05T09:00:00Z", None), False),
        (("2024-06-05T09:00:00Z", None), ("2024-06-05T00:00:00Z", None), False),
        (("2024-06-04T09:00:00Z", "2024-06-09T08:00:00Z"), ("2024-06-05T00:00:00Z", None), True),
        ((None, "2024-06-04T09:00:00Z"), ("2024-06-05T00:00:00Z", None), False),
    ],
)
def test_what_began_before_what(one, other, before):
    assert dates.Begun(*one).is_before(dates.Begun(*other)) == before


def test_the_later_of_two_times():
    assert moments.later("2024-06-05T00:00:00Z", None) == "2024-06-05T00:00:00Z"
    assert moments.later("2024-06-05T00:00:00Z", "2024-06-05T09:00:00Z") == "2024-06-05T09:00:00Z"
    assert moments.later("2024-06-05T00:00:00Z", "2024-06-04T09:00:00Z") == "2024-06-05T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "absolute"),
    [
        ("ton\u0131ght", "On 2024-06-05"),
        ("th\u0130s weekend", "the weekend of 2024-06-05"),
        ("la\u017ft wee\u212a", "the week before 2024-06-05"),
        ("\u0131n f\u0131ve days", "On 2024-06-10"),
    ],
)
def test_letters_that_are_other_cases_to_a_pattern(text, absolute):
    assert dates.absolute(text, frozenset({"2024-06-05"})) == absolute
