"""Dates as people's programs write them, and which number of them is the day."""

import pytest

from memcli.errors import UsageError
from memcli.kit.daymonth import Evidence, check_order, read_time
from memcli.kit.times import UTC, zone


@pytest.mark.parametrize(
    ("given", "order", "expected"),
    [
        ("5/6/2026 14:30", "dmy", ("2026-06-05T14:30:00Z", "assumed-zone")),
        ("5/6/2026 14:30", "mdy", ("2026-05-06T14:30:00Z", "assumed-zone")),
        ("05.06.26, 14:30:15", "dmy", ("2026-06-05T14:30:15Z", "assumed-zone")),
        ("26-06-05 14:30", "ymd", ("2026-06-05T14:30:00Z", "assumed-zone")),
        ("26/6/5", "ymd", ("2026-06-05T00:00:00Z", "assumed-zone")),
        ("5/6/2026", "ymd", (None, "none")),
        ("26/6/2005", "ymd", (None, "none")),
        ("2026/06/05 14:30", "mdy", ("2026-06-05T14:30:00Z", "assumed-zone")),
        ("2026-06-05", "dmy", ("2026-06-05T00:00:00Z", "assumed-zone")),
        ("5/6/2026 12:09 AM", "dmy", ("2026-06-05T00:09:00Z", "assumed-zone")),
        ("5/6/2026 2:30\u202fp.\u00a0m.", "dmy", ("2026-06-05T14:30:00Z", "assumed-zone")),
        ("5/6/2026 14:30 +02:00", "dmy", ("2026-06-05T12:30:00Z", "exact")),
        ("2026-06-05T14:30:00+02:00", "dmy", ("2026-06-05T12:30:00Z", "exact")),
        ("1780669800", "dmy", ("2026-06-05T14:30:00Z", "exact")),
        ("1780669800000", "dmy", ("2026-06-05T14:30:00Z", "exact")),
        ("31/6/2026", "dmy", (None, "none")),
        ("5/13/2026", "dmy", (None, "none")),
        ("5/6/2026 25:00", "dmy", (None, "none")),
        ("5/6/2026 13:00 PM", "dmy", (None, "none")),
        ("5/6-2026", "dmy", (None, "none")),
        ("5/6/202", "dmy", (None, "none")),
        ("7", "dmy", (None, "none")),
        ("20260605", "dmy", (None, "none")),
        ("soon", "dmy", (None, "none")),
        ("", "dmy", (None, "none")),
    ],
)
def test_each_form(given, order, expected):
    assert read_time(given, UTC, order) == expected


def test_a_time_without_zone_takes_the_one_given():
    assert read_time("5/6/2026 14:30", zone("Europe/Vienna"), "dmy")[0] == "2026-06-05T12:30:00Z"


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (["5/6/2026", "13/6/2026"], "dmy"),
        (["5/6/2026", "5/13/2026"], "mdy"),
        (["5/6/2026", "13/6/2026", "5/14/2026"], "dmy"),
        # Neither is above 12: time must go on.
        (["1/6/2026", "2/6/2026", "1/7/2026"], "dmy"),
        (["6/1/2026", "6/2/2026", "7/1/2026"], "mdy"),
        # Newest first.
        (["1/7/2026", "2/6/2026", "1/6/2026"], "dmy"),
        (["7/1/2026", "6/2/2026", "6/1/2026"], "mdy"),
        # What changes more often is the day.
        (["1/6/2026", "2/6/2026", "3/6/2026"], "dmy"),
        (["6/1/2026", "6/2/2026", "6/3/2026"], "mdy"),
        (["5/6/2026"], "dmy"),
        ([], "dmy"),
        (["2026-05-13", "soon"], "dmy"),
    ],
)
def test_the_order_is_decided_by_the_dates_themselves(dates, order):
    evidence = Evidence()
    for date in dates:
        evidence.note(date)
    found, why = evidence.decide()
    assert found == order
    assert why


def test_an_order_that_there_is_not():
    check_order(None)
    check_order("mdy")
    with pytest.raises(UsageError, match="'ydm'"):
        check_order("ydm")
