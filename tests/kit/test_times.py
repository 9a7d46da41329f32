"""Times in UTC, or none."""

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import UsageError
from memcli.kit.times import UTC, local, stamp, to_utc, zone


@pytest.mark.parametrize(
    ("given_time", "expected"),
    [
        ("2026-03-02T09:00:30.500Z", "2026-03-02T09:00:30.500Z"),
        ("2026-03-02T09:21:04.000Z", "2026-03-02T09:21:04Z"),
        ("2026-03-02T09:21:04z", "2026-03-02T09:21:04Z"),
        ("2026-03-02 09:21:04 UTC", "2026-03-02T09:21:04Z"),
        ("2026-03-02T09:21:04.5+02:00", "2026-03-02T07:21:04.500Z"),
        ("2026-03-02T09:21:04-0330", "2026-03-02T12:51:04Z"),
        ("2026-03-02T09:21+01", "2026-03-02T08:21:00Z"),
        ("2026-03-02T09:21:04.123456789Z", "2026-03-02T09:21:04.123Z"),
        ("2024-02-29T23:59:58,25Z", "2024-02-29T23:59:58.250Z"),
        (" 2026-03-02T09:21:04Z ", "2026-03-02T09:21:04Z"),
        (1748736000, "2025-06-01T00:00:00Z"),
        (1748736000.25, "2025-06-01T00:00:00.250Z"),
        (1748736000250, "2025-06-01T00:00:00.250Z"),
        (1748736000250000, "2025-06-01T00:00:00.250Z"),
        (1748736000250000000, "2025-06-01T00:00:00.250Z"),
        ("1748736000", "2025-06-01T00:00:00Z"),
    ],
)
def test_exact_times(given_time, expected):
    assert to_utc(given_time) == (expected, "exact")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "yesterday",
        "2026-02-30T10:00:00Z",
        "2026-03-02T25:00:00Z",
        "2026-03-02",
        0,
        -5,
        0.0,
        float("nan"),
        float("inf"),
        10**30,
        [],
        {"t": 1},
        "0001-01-01T00:00:00+10:00",
        "9999-12-31T23:00:00-10:00",
    ],
)
def test_no_time_is_none_and_never_now(value):
    assert to_utc(value) == (None, "none")


def test_time_without_zone_is_assumed():
    assert to_utc("2026-07-01 12:00:00") == ("2026-07-01T12:00:00Z", "assumed-zone")
    vienna = zone("Europe/Vienna")
    assert to_utc("2026-07-01 12:00:00", vienna) == ("2026-07-01T10:00:00Z", "assumed-zone")
    assert to_utc("2026-01-01T12:00", vienna) == ("2026-01-01T11:00:00Z", "assumed-zone")
    assert to_utc("2026-07-01T12:00:00Z", vienna) == ("2026-07-01T12:00:00Z", "exact")


def test_zone_takes_names_and_offsets():
    assert zone(None) is UTC
    assert zone("utc") is UTC
    assert zone("+05:30") == timezone(timedelta(hours=5, minutes=30))
    assert zone("-0800") == timezone(timedelta(hours=-8))


@pytest.mark.parametrize(
    "name", ["Middle/Earth", "", "../etc/passwd", "+99:00", "a\x00b", "Europe"]
)
def test_zone_that_is_none_is_refused(name):
    with pytest.raises(UsageError, match="no time zone") as caught:
        zone(name)
    assert caught.value.where == "--tz"


def test_local_time_beyond_the_calendar_is_none():
    assert local(datetime(1, 1, 1), zone("+10:00")) == (None, "none")


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))
def test_stamp_reads_back(moment):
    text = stamp(moment.replace(tzinfo=UTC))
    assert text is not None
    assert to_utc(text) == (text, "exact")


@given(st.text(max_size=30) | st.floats() | st.integers() | st.none())
def test_any_value_gives_a_time_or_none(value):
    found, source = to_utc(value)
    assert (found is None) == (source == "none")
    assert json.dumps(found)
