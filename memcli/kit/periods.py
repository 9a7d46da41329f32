"""The times that a question names: "in May 2023", "on 3 June", "last week", "two months ago"."""

import re
from datetime import date, timedelta

from memcli.core.patterns import pattern
from memcli.core.values import dataclass, replace
from memcli.kit.signs import MONTHS, WEEKDAYS
from memcli.kit.words import DIGITS

_MONTH = "|".join(MONTHS[:4] + MONTHS[5:]) + "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
_DAY = r"(?P<{0}>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_COUNT = rf"(?P<count>\d{{1,3}}|an?|{'|'.join(DIGITS)})"
_SEASONS = {
    "spring": (3, 5),
    "summer": (6, 8),
    "autumn": (9, 11),
    "fall": (9, 11),
    "winter": (12, 14),
}

_FIGURES = "0123456789"
_SHORT_MONTHS = tuple(month[:3] for month in MONTHS if month != "may")

# For questions in lower case. In this order: what is found first is cut out, so that "3 June 2024" is no year besides. Before each
# pattern stands what whatever it finds has one of: most questions have none of it, and are spared the
# patterns, which take 2 ms to compile.
_PATTERNS = tuple(
    (needs, pattern(source))
    for needs, source in (
        (_FIGURES, r"\b(?P<y0>(?:19|20)\d\d)-(?P<m0>\d\d)(?:-(?P<d0>\d\d))?\b"),
        (
            _FIGURES,
            rf"\b{_DAY.format('d1')} (?:of )?(?P<m1>{_MONTH}|may)\b\.?,?(?: {_YEAR.format('y1')})?",
        ),
        (
            _FIGURES,
            rf"\b(?P<m2>{_MONTH}|may)\b\.? {_DAY.format('d2')}\b(?!\d),?(?: {_YEAR.format('y2')})?",
        ),
        (_FIGURES, rf"\b(?P<m3>{_MONTH}|may)\b\.?,? (?:of )?{_YEAR.format('y3')}\b"),
        (
            ("last", "past", "previous", "this", "next"),
            r"\b(?P<turn>last|past|previous|this|next) (?P<what>week|weekend|month|year"
            rf"|{'|'.join(WEEKDAYS)}|{'|'.join(_SEASONS)}|{_MONTH}|may)\b",
        ),
        (
            ("ago", "back", "earlier"),
            rf"\b{_COUNT} (?P<unit>day|week|month|year)s? (?:ago|back|earlier)\b",
        ),
        (
            ("last", "past"),
            r"\b(?:in |during |over )?the (?:last|past) "
            rf"{_COUNT.replace('count', 'span')} (?P<spans>day|week|month|year)s?\b",
        ),
        (
            ("today", "yesterday", "tonight", "this"),
            r"\b(?P<near>today|yesterday|the day before yesterday|tonight|this morning)\b",
        ),
        (_FIGURES, rf"\b(?P<season>{'|'.join(_SEASONS)}) (?:of )?{_YEAR.format('y5')}\b"),
        (tuple(_SEASONS), rf"\b(?:in|during|over) (?:the )?(?P<season>{'|'.join(_SEASONS)})\b"),
        (_SHORT_MONTHS, rf"\b(?P<m4>{_MONTH})\b"),
        (("may",), r"\b(?:in|of|on|during|since|until|by) (?P<m5>may)\b"),
        (_FIGURES, rf"\b{_YEAR.format('y4')}\b"),
    )
)

_REACH = 40  # characters
_LEAP = 2024  # stands for any year: it has a 29 February
_SHIFTED = pattern(
    rf"\b(?P<count>the|\d{{1,3}}|an?|{'|'.join(DIGITS)}) (?P<unit>day|week|weekend|month|year)s? "
    r"(?P<side>before|after|prior to|following) (?:the )?\Z"
)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both in it. Without a year (`any_year`) it comes back each year."""

    start: date
    end: date
    any_year: bool = False

    def __str__(self) -> str:
        start, end = self.start.isoformat(), self.end.isoformat()
        if self.any_year:
            start, end = start[5:], end[5:]
        return start if start == end else f"{start} to {end}"

    def likeness(self, day: date) -> float:
        """How well something said on `day` may tell of this time, 0..1.

        1 in it, and up to three days off for what is a day or a week; .5 in the same month, or in
        the month after, for people tell of it later; .5 in the year, where only that is named.
        """
        if self.any_year:
            years = (max(day.year - 1, date.min.year), day.year)
            return max(self.in_year(year).likeness(day) for year in years)
        length = (self.end - self.start).days
        if length > 200:
            return 0.5 if self.start <= day <= self.end else 0.0
        # Differences, and not dates, which end in the years 1 and 9999.
        off = max((self.start - day).days, (day - self.end).days)
        if off <= (3 if length < 16 else 0):
            return 1.0
        first = self.start.replace(day=1)
        months = (day.year - self.end.year) * 12 + day.month - self.end.month
        return 0.5 if first <= day and months <= 1 else 0.0

    def in_year(self, year: int) -> "Period":
        """The same days of another year; what ends with a month ends with it there too.

        Raises ValueError for a year that has no dates.
        """
        ahead = self.end.year - self.start.year
        end = _safe(year + ahead, self.end)
        if self.end == _month_end(self.end):
            end = _month_end(end)
        return Period(_safe(year, self.start), end)


def periods(question: str, now: str | None) -> tuple[Period, ...]:
    """The times that `question` names. `now`: ISO 8601, what "last May" counts from; without it
    such words name nothing."""
    today = None if now is None else date.fromisoformat(now[:10])
    found: list[Period] = []
    rest = question.casefold()
    for needs, written in _PATTERNS:
        if not any(need in rest for need in needs):
            continue
        for match in written.finditer(rest):
            period = _period(match, today)
            # No further back than such words reach: a question may be long, and hold many times.
            before = _SHIFTED.search(rest, max(0, match.start() - _REACH), match.start())
            if period is not None and before is not None:
                period = _shifted(period, before)
            if period is not None:
                found.append(period)
        rest = written.sub(lambda match: "~" * len(match[0]), rest)
    return tuple(dict.fromkeys(found))


def _period(match: "re.Match[str]", today: date | None) -> Period | None:
    got = {name.rstrip("012345"): value for name, value in match.groupdict().items() if value}
    try:
        if "near" in got or "turn" in got or "unit" in got or "span" in got:
            return None if today is None else _relative(got, today)
        if "season" in got:
            named = _season(got["season"], int(got.get("y", _LEAP)))
            return named if "y" in got else replace(named, any_year=True)
        return _absolute(got)
    except (ValueError, OverflowError):
        return None  # "31 June", or before the year 1


def _shifted(period: Period, match: "re.Match[str]") -> Period | None:
    """ "Two weeks before" a day, as far as that is known: a week about it; "the week before" a day
    is the one that ends with it."""
    unit, given = match["unit"], match["count"]
    sign = -1 if match["side"] in ("before", "prior to") else 1
    if period.any_year:
        return period
    try:
        if given == "the":
            days = {"day": 1, "week": 7, "weekend": 8, "month": 31, "year": 365}[unit] * sign
            first, last = sorted((period.start + timedelta(days=days), period.start))
            return Period(first, last)
        there = _back(period.start, -sign * _count(given), "week" if unit == "weekend" else unit)
        slack = timedelta(days={"day": 0, "week": 3, "weekend": 3}.get(unit, 15))
        return Period(there - slack, there + slack)
    except (ValueError, OverflowError):
        return None  # before the year 1


def _absolute(got: dict[str, str]) -> Period:
    year = int(got["y"]) if "y" in got else None
    if "m" not in got:
        assert year is not None
        return Period(date(year, 1, 1), date(year, 12, 31))
    month = _month(got["m"])
    given = _LEAP if year is None else year
    if "d" in got:
        day = date(given, month, int(got["d"]))
        return Period(day, day, any_year=year is None)
    first = date(given, month, 1)
    return Period(first, _month_end(first), any_year=year is None)


def _relative(got: dict[str, str], today: date) -> Period:
    if "near" in got:
        off = {"yesterday": 1, "the day before yesterday": 2}.get(got["near"], 0)
        return _one(today - timedelta(days=off))
    if "span" in got:
        return Period(_back(today, _count(got["span"]), got["spans"]), today)
    if "unit" in got:
        unit = got["unit"]
        there = _back(today, _count(got["count"]), unit)
        if unit == "month":
            return Period(there.replace(day=1), _month_end(there.replace(day=1)))
        if unit == "year":
            return Period(date(there.year, 1, 1), date(there.year, 12, 31))
        return _one(there) if unit == "day" else _week(there)
    return _turned(got["turn"], got["what"], today)


def _turned(turn: str, what: str, today: date) -> Period:
    step = {"this": 0, "next": 1}.get(turn, -1)
    if what in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return Period(
            monday + timedelta(days=5 if what == "weekend" else 0), monday + timedelta(days=6)
        )
    if what == "month":
        first = _months(today.replace(day=1), step)
        return Period(first, _month_end(first))
    if what == "year":
        return Period(date(today.year + step, 1, 1), date(today.year + step, 12, 31))
    if what in WEEKDAYS:
        ahead = (WEEKDAYS.index(what) - today.weekday()) % 7
        if step < 0:
            ahead -= 7
        elif step > 0:
            ahead = ahead or 7
        return _one(today + timedelta(days=ahead))
    period = (
        _season(what, today.year)
        if what in _SEASONS
        else Period(
            date(today.year, _month(what), 1), _month_end(date(today.year, _month(what), 1))
        )
    )
    # "Last May" is the newest that is over; "next May" the first that has not begun; "this winter"
    # in January is the one that began in the year before.
    former = period.in_year(period.start.year - 1)
    if step == 0 and former.end >= today:
        return former
    if step < 0 and period.end >= today:
        period = former
    if step < 0 and period.end >= today:
        period = period.in_year(period.start.year - 1)
    while step > 0 and period.start <= today:
        period = period.in_year(period.start.year + 1)
    return period


def _season(name: str, year: int) -> Period:
    first, last = _SEASONS[name]
    end = _months(date(year, 1, 1), last - 1)
    return Period(date(year, first, 1), _month_end(end))


def _month(name: str) -> int:
    if name.isdigit():
        return int(name)
    lower = name[:3]
    return next(nth for nth, month in enumerate(MONTHS, 1) if month.startswith(lower))


def _count(text: str) -> int:
    if text.isdigit():
        return int(text)
    return 1 if text in ("a", "an") else DIGITS[text]


def _back(day: date, count: int, unit: str) -> date:
    if unit in ("day", "week"):
        return day - timedelta(days=count * (7 if unit == "week" else 1))
    there = _months(day.replace(day=1), -count * (12 if unit == "year" else 1))
    return there.replace(day=min(day.day, _month_end(there).day))


def _months(first: date, step: int) -> date:
    number = first.year * 12 + first.month - 1 + step
    return date(number // 12, number % 12 + 1, 1)


def _month_end(first: date) -> date:
    if first.month == 12:
        return first.replace(day=31)
    return date(first.year, first.month + 1, 1) - timedelta(days=1)


def _one(day: date) -> Period:
    return Period(day, day)


def _week(day: date) -> Period:
    return Period(day - timedelta(days=day.weekday()), day + timedelta(days=6 - day.weekday()))


def _safe(year: int, day: date) -> date:
    return day.replace(year=year, day=min(day.day, _month_end(date(year, day.month, 1)).day))
