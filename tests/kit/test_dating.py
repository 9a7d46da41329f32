"""Since when and until when: plain dates and simple relative words."""

import pytest

from memcli.kit.dating import interval


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("I have lived in SF since June 2024", "2024-06-01", None),
        ("I lived in NYC from 2018 to 2020", "2018-01-01", "2020-01-01"),
        ("I worked there between May 2019 and 3 June 2021", "2019-05-01", "2021-06-03"),
        ("I moved to SF last month", "2024-05-01", None),
        ("I moved to Rome yesterday", "2024-06-04", None),
        ("I moved two years ago", "2022-01-01", None),
        ("We met on May 7, 2023", "2023-05-07", None),
        ("I worked there until 5 March 2023", None, "2023-03-05"),
        ("Starting 2025-02-03 I work at Acme", "2025-02-03", None),
        ("I moved to SF in May", None, None),
        ("I live in SF", None, None),
        ("I have 2020 books", None, None),
        ("It was on 2023-02-31", None, None),
    ],
)
def test_what_a_text_says(text: str, start: str | None, end: str | None) -> None:
    assert interval(text, "2024-06-05") == (start, end)


@pytest.mark.parametrize("text", ["I will finish by June 2024", "Due in May 2024", "before 2025"])
def test_a_deadline_is_none(text: str) -> None:
    assert interval(text, "2024-01-01") == (None, None)


def test_without_a_day_relative_words_say_nothing() -> None:
    assert interval("I moved yesterday", None) == (None, None)


def test_letters_that_are_other_cases_to_a_pattern() -> None:
    assert interval("I was single until \u017feptember 2022", None) == (None, "2022-09-01")
