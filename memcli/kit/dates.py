"""Relative words of time ("yesterday") made absolute (C16)."""

import re
from datetime import date, timedelta

from memcli.core.patterns import pattern
from memcli.core.values import dataclass
from memcli.kit.moments import day_of, is_day, parse_time
from memcli.kit.signs import MONTHS, WEEKDAYS
from memcli.kit.words import DIGITS, listed, matched

_COUNTS = {**DIGITS, "a": 1, "an": 1}
_PREPOSITIONS = listed(
    "about after around at before by during for from in of on since than till until"
)


def _amount(count: str, unit: str) -> str:
    """A pattern for "3 days", "a week", "a couple of months", with two named groups."""
    vague = r"(?:a )?(?:few|couple)(?: of)?"
    return (
        rf"(?P<{count}>\d{{1,3}}|an?|{'|'.join(DIGITS)}|{vague}) (?P<{unit}>day|week|month|year)s?"
    )


_RELATIVE = pattern(
    r"\b(?:(?P<word>today|tonight|yesterday|tomorrow|this (?:morning|afternoon|evening)|last night|"
    r"(?:the )?day before yesterday|(?:the )?day after tomorrow)"
    rf"|(?P<ago>{_amount('past', 'past_unit')} ago)"
    rf"|(?P<ahead>in {_amount('future', 'future_unit')}(?! of\b))"
    rf"|(?P<turn>last|next|this) (?P<what>week|weekend|month|year|{'|'.join(WEEKDAYS)}))\b",
    re.IGNORECASE,
)
_DAYS_OFF = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "yesterday": -1,
    "last night": -1,
    "day before yesterday": -2,
    "tomorrow": 1,
    "day after tomorrow": 2,
}


@dataclass(frozen=True, slots=True)
class Relative:
    """A relative time word at `text[start:end]`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Begun:
    """When something began to be true, and when that was said; ISO 8601, None if not known."""

    at: str | None
    said: str | None = None

    def is_before(self, other: "Begun") -> bool:
        """Whether this is the older news of the two; never, where a time is missing.

        Where either says no more than a day, days are compared: midnight would lose against every
        hour of its own day. Of what began on the same such day, what was said first is older.
        """
        if self.at is None or other.at is None:
            return False
        if not is_day(self.at) and not is_day(other.at):
            return parse_time(self.at) < parse_time(other.at)
        if day_of(self.at) != day_of(other.at):
            return day_of(self.at) < day_of(other.at)
        if self.said is None or other.said is None:
            return False
        return parse_time(self.said) < parse_time(other.said)


def relative_words(text: str) -> tuple[Relative, ...]:
    """The words of `text` that mean a time only by when it was said, in order."""
    return tuple(
        Relative(found[0], found.start(), found.end()) for found in _RELATIVE.finditer(text)
    )


def absolute(text: str, days: frozenset[str]) -> str | None:
    """`text` with its relative words replaced by dates, if all evidence is of one day.

    `days`: the dates (YYYY-MM-DD) of the cited records. Returns the text itself if it has no
    relative word, and None if it has one and there is no single day, or none to be computed
    ("a few days ago").
    """
    found = list(_RELATIVE.finditer(text))
    if not found:
        return text
    if len(days) != 1:
        return None
    said_on = date.fromisoformat(next(iter(days)))
    pieces, at = [], 0
    for word in found:
        resolved = _resolve(word, said_on)
        if resolved is None:
            return None
        pieces += [text[at : word.start()], resolved]
        at = word.end()
    return "".join([*pieces, text[at:]])


def _resolve(found: re.Match[str], said_on: date) -> str | None:
    if found["word"]:
        off = _DAYS_OFF[matched(found["word"]).removeprefix("the ")]
        return _placed("on", (said_on + timedelta(days=off)).isoformat(), found)
    if found["turn"]:
        return _turned(found, said_on)
    sign = -1 if found["ago"] else 1
    amount = found["past"] or found["future"]
    unit = matched(found["past_unit"] or found["future_unit"])
    count = int(amount) if amount.isdigit() else _COUNTS.get(matched(amount))
    if count is None:
        return None
    if unit in ("day", "week"):
        off = sign * count * (7 if unit == "week" else 1)
        return _placed("on", (said_on + timedelta(days=off)).isoformat(), found)
    if unit == "month":
        return _placed("in", _month(said_on, sign * count), found)
    return _placed("in", str(said_on.year + sign * count), found)


def _turned(found: re.Match[str], said_on: date) -> str:
    """ "last", "next" or "this" with a week, month, year or weekday."""
    turn, what = matched(found["turn"]), matched(found["what"])
    step = {"last": -1, "next": 1, "this": 0}[turn]
    if what == "year":
        return _placed("in", str(said_on.year + step), found)
    if what == "month":
        return _placed("in", _month(said_on, step), found)
    side = {"last": "before", "next": "after", "this": "of"}[turn]
    name = what.capitalize() if what in WEEKDAYS else what
    return f"the {name} {side} {said_on.isoformat()}"


def _placed(preposition: str, when: str, found: re.Match[str]) -> str:
    """With its preposition, unless one stands there already or a noun follows ("today's run")."""
    before = found.string[: found.start()].split()
    after = found.string[found.end() : found.end() + 2]
    if (before and before[-1].lower() in _PREPOSITIONS) or after in ("'s", "’s"):
        return when
    return f"{preposition if before else preposition.capitalize()} {when}"


def _month(day: date, step: int) -> str:
    number = day.year * 12 + day.month - 1 + step
    return f"{MONTHS[number % 12].capitalize()} {number // 12}"
