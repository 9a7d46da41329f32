"""The one clock: the time of a pass, ISO 8601 in UTC with milliseconds."""

import re
from datetime import datetime, timezone

from memcli.errors import UsageError

_ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?"
    r"\s*(Z|[+-]\d{2}:?\d{2})?"
)


def system_now() -> str:
    """The time of the system's clock."""
    return _text(datetime.now(timezone.utc))


def parse_now(text: str, *, where: str = "--now") -> str:
    """A time given by the user; a date alone means its midnight, no zone means UTC."""
    found = _ISO.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError
        day, minutes, seconds, fraction, zone = found.groups()
        whole = f"{day}T{minutes or '00:00'}:{seconds or '00'}.{(fraction or '0')[:6]:0<6}"
        offset = "+00:00" if zone in (None, "Z") else f"{zone[:3]}:{zone[-2:]}"
        return _text(datetime.fromisoformat(whole + offset).astimezone(timezone.utc))
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is not a time.", where=where, hint="write it as 2026-03-31T09:30:00Z"
        ) from None


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
