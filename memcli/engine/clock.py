"""The one clock: the time of a pass, ISO 8601 in UTC with milliseconds."""

from datetime import datetime, timedelta, timezone

from memcli.core.patterns import pattern
from memcli.errors import UsageError

_ISO = pattern(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?"
    r"\s*(Z|[+-][0-9]{2}:?[0-9]{2})?"
)


def system_now() -> str:
    """The time of the system's clock."""
    return _text(datetime.now(timezone.utc))


def parse_now(text: str, *, where: str = "--now") -> str:
    """A time given by the user; a date alone means its midnight, no zone means UTC."""
    found = _parse(text)
    if found is None:
        raise UsageError(
            f"{text!r} is not a time.", where=where, hint="write it as 2026-03-31T09:30:00Z"
        )
    return _text(found[0])


_SHORT = pattern(r"([0-9]{4})(?:-([0-9]{2}))?")


def normalised(text: str) -> str | None:
    """A time as records and memories have it (UTC, no needless fraction); None if it is none."""
    short = _SHORT.fullmatch(text)
    found = _parse(f"{short[1]}-{short[2] or '01'}-01" if short else text)
    return None if found is None else _text(found[0]).replace(".000Z", "Z")


def end_of(text: str) -> str | None:
    """The last moment of the day, minute or second that `text` names; None if it is no time."""
    found = _parse(text)
    if found is None:
        return None
    return _text(found[0] + (found[1] - timedelta(milliseconds=1)))


def _parse(text: str) -> tuple[datetime, timedelta] | None:
    """The moment, and how long the unit is that it was given in."""
    found = _ISO.fullmatch(text.strip())
    if found is None:
        return None
    day, minutes, seconds, fraction, zone = found.groups()
    whole = f"{day}T{minutes or '00:00'}:{seconds or '00'}.{(fraction or '0')[:6]:0<6}"
    offset = "+00:00" if zone in (None, "Z") else f"{zone[:3]}:{zone[-2:]}"
    try:
        moment = datetime.fromisoformat(whole + offset).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None
    if minutes is None:
        return moment, timedelta(days=1)
    if seconds is None:
        return moment, timedelta(minutes=1)
    return moment, timedelta(seconds=1) if fraction is None else timedelta(milliseconds=1)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def not_before(now: str, last: str, *, explicit: bool) -> str:
    """The later of `now` and the last pass's time; raises UsageError if the user chose `now`."""
    if explicit and now < last:
        raise UsageError(
            f"--now {now} lies before the last pass of this store ({last}).",
            where="--now",
            hint="leave --now out, or give a later time",
        )
    return max(now, last)
