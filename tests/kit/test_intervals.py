"""Which of two contradicting claims ends: the arithmetic. The table itself is tested on a store, in
tests/strategies/test_invalidate.py."""

import pytest

from memcli.kit.intervals import Span, compared, ended


def test_a_day_is_no_earlier_than_its_hours() -> None:
    assert compared("2026-06-05T00:00:00Z", "2026-06-05T10:00:00Z") == 0
    assert compared("2026-06-05T09:00:00Z", "2026-06-05T10:00:00Z") == -1
    assert compared("2026-06-06", "2026-06-05T10:00:00Z") == 1


def test_what_has_no_start_begins_when_it_was_said() -> None:
    old = Span(None, said="2021-01-01")
    assert ended(old, Span("2022-01-01")).old_end == "2022-01-01"
    assert ended(Span("2020-01-01"), Span(None, said="2022-01-01")).old_end == "2022-01-01"


@pytest.mark.parametrize(
    ("places", "old_end", "new_end"), [((1, 2), None, None), ((2, 1), None, None)]
)
def test_without_any_time_the_end_is_unknown(
    places: tuple[int, int], old_end: str | None, new_end: str | None
) -> None:
    result = ended(Span(None, place=places[0]), Span(None, place=places[1]))
    assert (result.rule, result.old_end, result.new_end) == (0, old_end, new_end)


def test_without_any_time_the_later_in_sequence_stands() -> None:
    dated = Span("2022-01-01", place=1)
    assert ended(Span(None, place=0), dated).old_end == "2022-01-01"
    assert ended(dated, Span(None, place=0)).new_end == "2022-01-01"


def test_a_gap_is_open_where_the_new_one_ends_first() -> None:
    new = Span("2022-01-01", "2023-01-01")
    assert ended(Span("2020-01-01"), new).open_gap
    assert ended(Span("2020-01-01", "2024-01-01"), new).open_gap
    assert not ended(Span("2020-01-01", "2022-06-01"), new).open_gap
