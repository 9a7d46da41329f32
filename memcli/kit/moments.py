"""Arithmetic on ISO 8601 times."""

import re
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache


def parse_time(iso: str) -> datetime:
    """The time of an ISO 8601 text, in UTC (also where it names no zone).

    Raises ValueError. Python 3.10 reads neither the Z nor odd fractions, so they are put in form.
    """
    text = iso.strip()
    if text.endswith(("Z", "z")):
        text = text[:-1] + "+00:00"
    text = re.sub(r"\.(\d+)", lambda found: "." + (found[1] + "000000")[:6], text, count=1)
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        return found.replace(tzinfo=timezone.utc)
    return found.astimezone(timezone.utc)


@lru_cache(maxsize=4096)
def known_time(iso: str | None) -> str | None:
    """The time itself; None for none, and for what is no time: a file may be damaged anywhere."""
    try:
        if iso is not None:
            parse_time(iso)
            date.fromisoformat(iso[:10])
        return iso
    except (ValueError, OverflowError):
        return None


def format_time(moment: datetime) -> str:
    """ISO 8601 in UTC with a trailing Z; microseconds only if there are any."""
    return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def hours_between(start: str, end: str) -> float:
    """Hours from `start` to `end`, both ISO 8601; negative if `end` is earlier."""
    return (parse_time(end) - parse_time(start)) / timedelta(hours=1)


def days_between(start: str, end: str) -> float:
    """Days from `start` to `end`, both ISO 8601; negative if `end` is earlier."""
    return hours_between(start, end) / 24


def add_days(iso: str, count: float) -> str:
    """The time `count` days later, in the same form as the times of a store."""
    return format_time(parse_time(iso) + timedelta(days=count))


def day_of(iso: str) -> str:
    """The UTC date of a time: `2026-01-31`."""
    return parse_time(iso).date().isoformat()


def later(first: str, second: str | None) -> str:
    """The later of two times, in its own form; the first if there is no second."""
    return second if second is not None and parse_time(second) > parse_time(first) else first


def is_day(iso: str) -> bool:
    """Whether a time says no more than its day: that is kept as midnight (`2026-01-31`)."""
    moment = parse_time(iso)
    return moment == moment.replace(hour=0, minute=0, second=0, microsecond=0)
