"""Times as records keep them: ISO 8601 in UTC with a trailing Z, or None; never a guess."""

import re
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from memcli.core.records import TimeSource
from memcli.errors import UsageError

UTC = timezone.utc
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?"
    r"\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?",
    re.IGNORECASE | re.ASCII,
)
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,12})?", re.ASCII)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)?", re.ASCII)
# Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size: seconds
# reach 1e11 in the year 5138, and milliseconds pass it in 1973.
_UNITS = ((1e11, 1), (1e14, 1_000), (1e17, 1_000_000), (1e20, 1_000_000_000))


def zone(name: str | None) -> tzinfo:
    """The zone of `--tz`: a name such as Europe/Vienna, or an offset such as +02:00; UTC if None.

    Raises UsageError if there is no such zone.
    """
    if name is None or name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    offset = _offset(name)
    if offset is not None:
        return offset
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise UsageError(
            f"There is no time zone {name!r}.",
            where="--tz",
            hint="give a name such as Europe/Vienna, or an offset such as +02:00",
        ) from None


def stamp(moment: datetime) -> str | None:
    """An aware time in the form of records: seconds, milliseconds only if there are any.

    None if it leaves the calendar when turned into UTC.
    """
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:
        return None
    thousandths = moment.microsecond // 1000
    fraction = f".{thousandths:03d}" if thousandths else ""
    return moment.replace(microsecond=0, tzinfo=None).isoformat() + fraction + "Z"


def local(moment: datetime, where: tzinfo) -> tuple[str | None, TimeSource]:
    """A time without zone, taken as `where`."""
    found = stamp(moment.replace(tzinfo=where))
    return found, "none" if found is None else "assumed-zone"


def to_utc(value: Any, where: tzinfo = UTC) -> tuple[str | None, TimeSource]:
    """(time, how sure) of an ISO string or a number since 1970; (None, "none") for all else.

    A string without zone is taken as `where`. Zero is what a program writes that has no time.
    """
    if isinstance(value, str):
        text = value.strip()
        found = _ISO.fullmatch(text)
        if found is not None:
            return _from_iso(found, where)
        if _NUMBER.fullmatch(text):
            return _from_number(float(text))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None, "none"


def _from_iso(found: re.Match[str], where: tzinfo) -> tuple[str | None, TimeSource]:
    year, month, day, hour, minute, second, fraction, name = found.groups()
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        moment = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0), micros
        )
    except ValueError:  # a 31st of June, a leap second
        return None, "none"
    if name is None:
        return local(moment, where)
    exact = stamp(moment.replace(tzinfo=_offset(name) or UTC))
    return exact, "none" if exact is None else "exact"


def _from_number(value: float) -> tuple[str | None, TimeSource]:
    for limit, unit in _UNITS:
        if 0 < value < limit:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value / unit * 1e6)
            return stamp(moment), "exact"
    return None, "none"


def _offset(name: str) -> timezone | None:
    found = _OFFSET.fullmatch(name)
    if found is None:
        return None
    sign, hours, minutes = found.groups()
    size = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if size >= timedelta(hours=24):
        return None
    return timezone(size if sign == "+" else -size)
