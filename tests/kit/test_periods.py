"""The times that a question names, and how well a day fits them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.kit import periods as module
from memcli.kit.periods import Period, periods

NOW = "2024-05-15T09:30:00Z"  # a Wednesday


def named(question: str, now: str | None = NOW) -> list[str]:
    return [str(period) for period in periods(question, now)]


def likeness(question: str, day: str, now: str | None = NOW) -> float:
    """How well `day` fits the one time that the question names."""
    (period,) = periods(question, now)
    return period.likeness(date.fromisoformat(day))


class TestAbsolute:
    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("on 2023-07-04", "2023-07-04"),
            ("in 2023-07", "2023-07-01 to 2023-07-31"),
            ("on 4 July 2023", "2023-07-04"),
            ("on the 4th of July, 2023", "2023-07-04"),
            ("on July 4, 2023", "2023-07-04"),
            ("on July 4th 2023", "2023-07-04"),
            ("on Jul. 4 2023", "2023-07-04"),
            ("in July 2023", "2023-07-01 to 2023-07-31"),
            ("in July of 2023", "2023-07-01 to 2023-07-31"),
            ("in july, 2023", "2023-07-01 to 2023-07-31"),
            ("in Sept 2023", "2023-09-01 to 2023-09-30"),
            ("in 2023", "2023-01-01 to 2023-12-31"),
            ("back in 1987", "1987-01-01 to 1987-12-31"),
            ("in the summer of 2023", "2023-06-01 to 2023-08-31"),
            ("in autumn 2023", "2023-09-01 to 2023-11-30"),
            ("in fall 2023", "2023-09-01 to 2023-11-30"),
            ("in spring 2023", "2023-03-01 to 2023-05-31"),
            ("in winter 2022", "2022-12-01 to 2023-02-28"),
            ("in winter 2023", "2023-12-01 to 2024-02-29"),
            ("in February 2023", "2023-02-01 to 2023-02-28"),
            ("in February 2024", "2024-02-01 to 2024-02-29"),
            ("on 29 February 2024", "2024-02-29"),
            ("on 31 December 1999", "1999-12-31"),
            ("in May 2023", "2023-05-01 to 2023-05-31"),
            ("on May 3", "05-03"),
            ("on 3 May", "05-03"),
            ("on the 29th of February", "02-29"),
            ("in July", "07-01 to 07-31"),
            ("in February", "02-01 to 02-29"),
            ("by May", "05-01 to 05-31"),
            ("until May", "05-01 to 05-31"),
        ],
    )
    @pytest.mark.parametrize("now", [None, NOW])
    def test_named(self, words: str, found: str, now: str | None) -> None:
        assert named(f"Where were we {words}?", now) == [found]

    @pytest.mark.parametrize(
        "question",
        [
            "May I go?",
            "it may rain",
            "What may that be",
            "room 1804",
            "12023 boats",
            "20245",
            "the marching band",
            "a decade",
            "every day",
            "this is it",
            "summer",
            "",
            "\x00",
        ],
    )
    def test_nothing_named(self, question: str) -> None:
        assert named(question) == []

    @pytest.mark.parametrize(
        "words",
        ["31 June 2023", "June 31", "29 February 2023", "2023-13-01", "2023-02-30", "0 May"],
    )
    def test_a_day_that_there_is_not(self, words: str) -> None:
        assert named(f"on {words}") == []

    def test_what_is_named_twice_counts_once_and_a_date_is_no_year_besides(self) -> None:
        assert named("3 June 2024, June 3 2024 or 2024-06-03") == ["2024-06-03"]
        assert named("in May 2023 or in 2021") == [
            "2023-05-01 to 2023-05-31",
            "2021-01-01 to 2021-12-31",
        ]


class TestRelative:
    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("today", "2024-05-15"),
            ("tonight", "2024-05-15"),
            ("this morning", "2024-05-15"),
            ("yesterday", "2024-05-14"),
            ("the day before yesterday", "2024-05-13"),
            ("three days ago", "2024-05-12"),
            ("a day ago", "2024-05-14"),
            ("a week ago", "2024-05-06 to 2024-05-12"),
            ("2 weeks ago", "2024-04-29 to 2024-05-05"),
            ("two months ago", "2024-03-01 to 2024-03-31"),
            ("five months back", "2023-12-01 to 2023-12-31"),
            ("a year ago", "2023-01-01 to 2023-12-31"),
            ("ten years earlier", "2014-01-01 to 2014-12-31"),
            ("last week", "2024-05-06 to 2024-05-12"),
            ("this week", "2024-05-13 to 2024-05-19"),
            ("next week", "2024-05-20 to 2024-05-26"),
            ("last weekend", "2024-05-11 to 2024-05-12"),
            ("this weekend", "2024-05-18 to 2024-05-19"),
            ("last month", "2024-04-01 to 2024-04-30"),
            ("next month", "2024-06-01 to 2024-06-30"),
            ("last year", "2023-01-01 to 2023-12-31"),
            ("this year", "2024-01-01 to 2024-12-31"),
            ("last Monday", "2024-05-13"),
            ("last Wednesday", "2024-05-08"),
            ("next Wednesday", "2024-05-22"),
            ("next Friday", "2024-05-17"),
            ("this Friday", "2024-05-17"),
            ("this Wednesday", "2024-05-15"),
            ("in the last two weeks", "2024-05-01 to 2024-05-15"),
            ("over the past 3 months", "2024-02-15 to 2024-05-15"),
            ("the last 10 days", "2024-05-05 to 2024-05-15"),
            ("last June", "2023-06-01 to 2023-06-30"),
            ("next June", "2024-06-01 to 2024-06-30"),
            ("this June", "2024-06-01 to 2024-06-30"),
            ("next April", "2025-04-01 to 2025-04-30"),
            ("last summer", "2023-06-01 to 2023-08-31"),
            ("last spring", "2023-03-01 to 2023-05-31"),
            ("this spring", "2024-03-01 to 2024-05-31"),
            ("last winter", "2023-12-01 to 2024-02-29"),
            ("next winter", "2024-12-01 to 2025-02-28"),
        ],
    )
    def test_counted_from_now(self, words: str, found: str) -> None:
        assert named(f"Where were we {words}?") == [found]
        assert named(f"WHERE WERE WE {words.upper()}?") == [found]
        assert named(f"Where were we {words}?", None) == []

    @pytest.mark.parametrize("turn", ["last", "past", "previous"])
    @pytest.mark.parametrize(
        ("now", "year"),
        [
            ("2024-03-10", 2023),
            ("2024-05-01", 2023),
            ("2024-05-31", 2023),
            ("2024-06-01", 2024),
            ("2024-12-31", 2024),
            ("2025-01-01", 2024),
        ],
    )
    def test_last_may_is_the_newest_that_is_over(self, turn: str, now: str, year: int) -> None:
        assert named(f"{turn} May", now) == [f"{year}-05-01 to {year}-05-31"]

    @pytest.mark.parametrize(
        ("words", "now", "found"),
        [
            ("this winter", "2024-01-20", "2023-12-01 to 2024-02-29"),
            ("this winter", "2024-07-20", "2024-12-01 to 2025-02-28"),
            ("last winter", "2024-01-20", "2022-12-01 to 2023-02-28"),
            ("last winter", "2024-12-01", "2023-12-01 to 2024-02-29"),
            ("next winter", "2024-01-20", "2024-12-01 to 2025-02-28"),
            ("last February", "2025-01-20", "2024-02-01 to 2024-02-29"),
            ("last February", "2024-01-20", "2023-02-01 to 2023-02-28"),
            ("yesterday", "2024-03-01", "2024-02-29"),
            ("yesterday", "2023-03-01", "2023-02-28"),
            ("yesterday", "2024-01-01", "2023-12-31"),
            ("last month", "2024-01-31", "2023-12-01 to 2023-12-31"),
            ("next month", "2023-12-31", "2024-01-01 to 2024-01-31"),
            ("a month ago", "2024-03-31", "2024-02-01 to 2024-02-29"),
            ("the last two months", "2024-04-30", "2024-02-29 to 2024-04-30"),
            ("last week", "2024-01-03", "2023-12-25 to 2023-12-31"),
            ("a year ago", "2024-02-29", "2023-01-01 to 2023-12-31"),
        ],
    )
    def test_at_the_ends_of_months_and_years(self, words: str, now: str, found: str) -> None:
        assert named(words, now) == [found]

    @pytest.mark.parametrize("now", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    @pytest.mark.parametrize(
        "words",
        [
            *("yesterday", "next week", "last week", "next month", "last month", "this month"),
            *("next year", "last year", "last May", "next May", "this winter", "last winter"),
            *("next Friday", "last Friday", "999 years ago", "the last 999 years", "in May"),
            *("this weekend", "the day before yesterday", "next winter"),
        ],
    )
    def test_where_the_years_end(self, words: str, now: str) -> None:
        """What there is no date for is not named; nothing raises."""
        for period in periods(words, now):
            assert period.start <= period.end
            for day in (date.min, date(2024, 2, 29), date.max):
                assert 0 <= period.likeness(day) <= 1

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ("two weeks before 20 July 2023", "2023-07-03 to 2023-07-09"),
            ("a month before 20 July 2023", "2023-06-05 to 2023-07-05"),
            ("two days after 2023-07-20", "2023-07-22"),
            ("the week before 20 July 2023", "2023-07-13 to 2023-07-20"),
            ("the day after 2023-07-20", "2023-07-20 to 2023-07-21"),
            ("the week before yesterday", "2024-05-07 to 2024-05-14"),
            ("a week before 20 July", "07-20"),
        ],
    )
    def test_so_long_before_a_day(self, words: str, found: str) -> None:
        assert named(words) == [found]

    @pytest.mark.parametrize("now", ["0001-01-01", "9999-12-31"])
    @pytest.mark.parametrize("side", ["before", "after"])
    @pytest.mark.parametrize("count", ["the year", "999 years", "two days", "the day", "a month"])
    def test_so_long_before_where_the_years_end(self, count: str, side: str, now: str) -> None:
        for period in periods(f"{count} {side} today", now):
            assert period.start <= period.end


class TestLikeness:
    @pytest.mark.parametrize(
        ("day", "wanted"),
        [
            ("2023-07-04", 1.0),
            ("2023-07-01", 1.0),
            ("2023-07-07", 1.0),
            ("2023-06-30", 0.0),
            ("2023-07-08", 0.5),
            ("2023-07-31", 0.5),
            ("2023-08-31", 0.5),
            ("2023-09-01", 0.0),
            ("2022-07-04", 0.0),
            ("2024-07-04", 0.0),
        ],
    )
    def test_of_a_day(self, day: str, wanted: float) -> None:
        assert likeness("on 4 July 2023", day) == wanted

    @pytest.mark.parametrize(
        ("day", "wanted"),
        [
            ("2023-12-01", 1.0),
            ("2023-12-31", 1.0),
            ("2023-11-30", 0.0),
            ("2024-01-01", 0.5),
            ("2024-01-31", 0.5),
            ("2024-02-01", 0.0),
        ],
    )
    def test_of_a_month_and_the_one_after(self, day: str, wanted: float) -> None:
        assert likeness("in December 2023", day) == wanted

    @pytest.mark.parametrize(
        ("day", "wanted"),
        [("2023-01-01", 0.5), ("2023-12-31", 0.5), ("2022-12-31", 0.0), ("2024-01-01", 0.0)],
    )
    def test_of_a_year_alone(self, day: str, wanted: float) -> None:
        assert likeness("in 2023", day) == wanted

    @pytest.mark.parametrize(
        ("day", "wanted"),
        [
            ("2019-12-24", 1.0),
            ("2023-12-21", 1.0),
            ("2023-12-01", 0.5),
            ("2024-01-05", 0.5),
            ("2024-02-05", 0.0),
            ("0001-12-24", 1.0),
            ("0001-01-01", 0.0),
            ("9999-12-24", 1.0),
        ],
    )
    def test_of_a_day_of_any_year(self, day: str, wanted: float) -> None:
        assert likeness("on 24 December", day) == wanted

    @pytest.mark.parametrize(
        ("question", "day", "wanted"),
        [
            ("on 29 February", "2023-02-28", 1.0),
            ("on 29 February", "2024-02-29", 1.0),
            ("in February", "2024-02-29", 1.0),
            ("in February", "2023-02-28", 1.0),
            ("last week", "2024-05-15", 1.0),  # up to three days off
            ("last week", "2024-05-16", 0.5),
            ("last winter", "2024-02-29", 1.0),
            ("last winter", "2024-03-31", 0.5),
        ],
    )
    def test_of_others(self, question: str, day: str, wanted: float) -> None:
        assert likeness(question, day) == wanted

    @given(st.dates(), st.dates(), st.dates(), st.booleans())
    def test_never_raises(self, one: date, two: date, day: date, any_year: bool) -> None:
        period = Period(min(one, two), max(one, two), any_year)
        if not any_year or period.start.year == period.end.year:
            assert period.likeness(day) in (0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    "piece",
    [
        *("3 ", "may ", "last ", "the last 3 ", "1 May 2020 ", "2020-", "20", "a ", "in ", "3rd "),
        *("jan", "\n", ".", "the ", "the day before ", "summer of ", "May 3, ", "日"),
    ],
)
def test_a_long_question_comes_back(piece: str) -> None:
    found = periods(piece * (100_000 // len(piece)), NOW)
    assert len(found) <= 2


_SAID = (
    *(
        "who went with Ada",
        "in",
        "on",
        "the",
        "of",
        "a",
        "two",
        "twenty",
        "3",
        "2023",
        "2024-02-01",
    ),
    *("day", "days", "weeks", "month", "year", "weekend", "ago", "back", "earlier", "last", "past"),
    *("previous", "this", "next", "morning", "tonight", "yesterday", "today", "the day before"),
    *(
        "spring",
        "fall",
        "monday",
        "May",
        "may",
        "june",
        "Sept",
        "dec",
        "before",
        "maybe",
        "marching",
    ),
)


@given(st.lists(st.sampled_from(_SAID), max_size=8))
def test_a_question_that_is_spared_a_pattern_has_nothing_for_it(said: list[str]) -> None:
    question = " ".join(said)
    with pytest.MonkeyPatch.context() as patch:
        all_asked = tuple((("",), pattern) for _, pattern in module._PATTERNS)
        patch.setattr(module, "_PATTERNS", all_asked)
        wanted = periods(question, NOW)
    assert periods(question, NOW) == wanted


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("in \u017feptember 2023", "2023-09-01 to 2023-09-30"),  # a long s
        ("la\u017ft \u017funday", "2024-05-12"),
        ("LAST WEE\u212a", "2024-05-06 to 2024-05-12"),  # the sign of kelvin
    ],
)
def test_letters_of_other_cases(words: str, found: str) -> None:
    assert named(words) == [found]
