"""Times as people's programs write them: `5/6/2026 2:30 PM`, `05.06.26, 14:30` (formats.md, 6.16).

Whether the day or the month stands first is decided once for a whole input, by its own evidence.
"""

import re
from datetime import datetime, tzinfo

from memcli.core.records import TimeSource
from memcli.core.values import dataclass, field
from memcli.errors import UsageError
from memcli.kit.times import local, to_utc

ORDERS = ("dmy", "mdy", "ymd")
_TIME = re.compile(
    r"(?P<a>\d{1,4})(?P<mark>[/.-])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{1,4})\.?"
    r"(?:(?:,?[ T]+|,)(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d)(?:[.,]\d{1,9})?)?"
    r"(?: ?(?P<half>[ap])\.? ?m\.?)?)?"
    r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d))?",
    re.IGNORECASE | re.ASCII,
)
_BLANKS = re.compile("[\u00a0\u2009\u202f\\s]+")


def check_order(order: str | None) -> None:
    """Raise UsageError for an order of dates that there is not."""
    if order is not None and order not in ORDERS:
        raise UsageError(
            f"There is no order of dates {order!r}.",
            where="--date-order",
            hint=f"one of {', '.join(ORDERS)}",
        )


def read_time(given: str, where: tzinfo, order: str) -> tuple[str | None, TimeSource]:
    """(time, how sure) of a text in ISO form, in seconds since 1970 or so, or as a date in `order`.

    A date without a time of day is its midnight. (None, "none") for all else.
    """
    text = _BLANKS.sub(" ", given).strip()
    said_at, source = to_utc(text, where)
    if said_at is not None:
        return said_at, source
    found = _TIME.fullmatch(text)
    date = None if found is None else _date(found, order)
    if found is None or date is None:
        return None, "none"
    try:
        moment = datetime(*date, *_clock(found))
    except ValueError:  # a 31st of June
        return None, "none"
    name = found["zone"]
    if name is None:
        return local(moment, where)
    # ISO's own reader knows the zones.
    return to_utc(f"{moment.isoformat(' ')}{name}", where)


def _date(found: re.Match[str], order: str) -> tuple[int, int, int] | None:
    a, b, c = found["a"], found["b"], found["c"]
    if len(a) == 4 or (order == "ymd" and len(a) == 2):
        year, month, day = a, b, c
    elif len(a) > 2 or len(c) not in (2, 4) or order == "ymd":
        return None
    else:
        year = c
        day, month = (a, b) if order == "dmy" else (b, a)
    if len(day) > 2:
        return None
    return int(year) + (2000 if len(year) == 2 else 0), int(month), int(day)


def _clock(found: re.Match[str]) -> tuple[int, int, int]:
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of half a day")
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    return hour, minute, second


@dataclass(slots=True)
class Evidence:
    """What the dates of an input say of their own order. Holds numbers only."""

    dates: int = 0
    first_above: bool = False
    second_above: bool = False
    back: dict[str, int] = field(default_factory=lambda: {"dmy": 0, "mdy": 0})
    changes: list[int] = field(default_factory=lambda: [0, 0])
    _last: tuple[int, int, int] | None = None

    def note(self, given: str) -> None:
        """Take one more time, in the order of the input; other forms say nothing."""
        found = _TIME.fullmatch(_BLANKS.sub(" ", given).strip())
        if found is None or len(found["a"]) > 2 or len(found["c"]) not in (2, 4):
            return
        one, two, year = int(found["a"]), int(found["b"]), int(found["c"])
        self.dates += 1
        self.first_above |= one > 12
        self.second_above |= two > 12
        if self._last is not None:
            before = self._last
            self.back["dmy"] += (year, two, one) < (before[2], before[1], before[0])
            self.back["mdy"] += (year, one, two) < (before[2], before[0], before[1])
            self.changes[0] += one != before[0]
            self.changes[1] += two != before[1]
        self._last = (one, two, year)

    def decide(self) -> tuple[str, str]:
        """(order, why): by numbers above 12, else by time that must not go back, else by what
        changes more often, which is the day; else the day first."""
        if self.first_above:
            return "dmy", "a first number is above 12"
        if self.second_above:
            return "mdy", "a second number is above 12"
        # A file may stand newest first: then time goes back all the way in both orders.
        if self.back["dmy"] != self.back["mdy"]:
            best = min(self.back, key=lambda order: min(self.back[order], self._forth(order)))
            return best, "so time goes on in one direction"
        if self.changes[0] != self.changes[1]:
            return ("dmy" if self.changes[0] > self.changes[1] else "mdy"), "the day changes more"
        return "dmy", "nothing in it says which, so this is a guess"

    def _forth(self, order: str) -> int:
        return self.dates - 1 - self.back[order]
