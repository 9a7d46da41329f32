"""Since when, and until when, a statement says that something is so: plain dates and simple words.

A deadline ("by Friday", "before June", "due in May") is no end. What no pattern reads is None.
"""

import re
from datetime import date

from memcli.kit.dates import absolute
from memcli.kit.signs import MONTHS
from memcli.kit.words import matched

_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_DATE = (
    r"(?P<{0}>(?P<{0}y>\d{{4}})-(?P<{0}m>\d\d)(?:-(?P<{0}d>\d\d))?"
    rf"|(?:(?P<{{0}}d2>\d{{{{1,2}}}})(?:st|nd|rd|th)? (?:of )?)?(?P<{{0}}n>{_MONTH})\.?"
    r"(?: (?P<{0}d3>\d{{1,2}})(?:st|nd|rd|th)?,?)?,? (?P<{0}y2>\d{{4}})"
    r"|(?P<{0}y3>(?:19|20)\d\d))(?![\d-])"
)


def _date(name: str) -> str:
    return _DATE.format(name)


_BETWEEN = re.compile(
    rf"\b(?:from|between) {_date('a')} (?:to|until|till|and|through) {_date('b')}", re.IGNORECASE
)
_SINCE = re.compile(rf"\b(?:since|from|as of|starting(?: in| on)?) {_date('a')}", re.IGNORECASE)
_UNTIL = re.compile(rf"\b(?:until|till|up to|ended (?:in|on)) {_date('a')}", re.IGNORECASE)
_AT = re.compile(rf"\b(?:in|on) {_date('a')}", re.IGNORECASE)
_DEADLINE = re.compile(r"\b(?:by|before|due|deadline)(?: (?:in|on))? \Z", re.IGNORECASE)


def interval(text: str, said_on: str | None) -> tuple[str | None, str | None]:
    """(from, to) as days (YYYY-MM-DD), None for what the text does not say.

    `said_on`: the day (YYYY-MM-DD) that relative words count from.
    """
    plain = absolute(text, frozenset({said_on} if said_on else ())) or text
    between = _BETWEEN.search(plain)
    if between is not None:
        return _day(between, "a"), _day(between, "b")
    start = _first(_SINCE, plain)
    end = _first(_UNTIL, plain)
    if start is None and end is None:
        start = _first(_AT, plain)
    return start, end


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    for found in pattern.finditer(text):
        if _DEADLINE.search(text[: found.start()]) is None:
            return _day(found, "a")
    return None


def _day(found: re.Match[str], name: str) -> str | None:
    """The day that a date names; of a month or year the first. None if the calendar has none."""
    year = found[name + "y"] or found[name + "y2"] or found[name + "y3"]
    worded = found[name + "n"]
    month = found[name + "m"] or (_number(worded) if worded else "1")
    day = found[name + "d"] or found[name + "d2"] or found[name + "d3"] or "1"
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _number(worded: str) -> int:
    return next(n for n, name in enumerate(MONTHS, 1) if name.startswith(matched(worded)[:3]))
