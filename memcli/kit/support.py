"""Is what a derived text names to be found in the records it rests on? (rule C17)

Models count, round and mix up. Numbers, identifiers and names can be looked for; a text that
brings one along that no record holds may still be right, but takes part in no automatic merge.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from memcli.core.records import Record
from memcli.core.values import dataclass, field
from memcli.kit import signs
from memcli.kit.dates import absolute, relative_words
from memcli.kit.moments import day_of
from memcli.kit.words import listed, words

_ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)", re.IGNORECASE)
# How a text calls those who speak where nobody has a name.
_ROLES = listed("user assistant system tool human agent")
_DATED = frozenset((*signs.MONTHS, *signs.WEEKDAYS))
_NEAR = 8  # days: "last Friday" may be written as a date, and which one it was is not ours to say


@dataclass
class _Held:
    """What the records hold."""

    numbers: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    text: str = ""


def unsupported(text: str, records: Iterable[Record], *texts: str) -> tuple[str, ...]:
    """Numbers, identifiers and names of `text` that occur in none of `records`, sorted.

    `texts`: more that counts as held. Dates count as held if they can be had from a relative word
    and the record's own date; speakers and scopes are held with their records.
    """
    held = _held(records, texts)
    missing = {value for value, _ in signs.numbers(text)} - held.numbers
    missing |= {one for one in signs.identifiers(text) if not _identified(one, held)}
    missing |= {
        name
        for name in signs.names(text)
        if name.lower() not in _DATED and not set(words(name)) <= held.words
    }
    return tuple(sorted(missing))


def _held(records: Iterable[Record], texts: Sequence[str]) -> _Held:
    held = _Held()
    for text in texts:
        _take(held, text)
    for record in records:
        _take(held, record.text)
        scope = record.scope
        for name in (record.speaker or "", scope.user, scope.agent, scope.project):
            held.words.update(words(name))
        if record.said_at is not None:
            _take_dates(held, record.text, day_of(record.said_at))
    held.words |= _ROLES
    return held


def _take(held: _Held, text: str) -> None:
    held.numbers.update(value for value, _ in signs.numbers(text))
    held.words.update(word.removesuffix("'s") for word in words(text))
    held.text += "\n" + text.lower()


def _take_dates(held: _Held, text: str, said_on: str) -> None:
    dated = absolute(text, frozenset({said_on}))
    days = {said_on, *_ISO_DATE.findall(dated or "")}
    if dated is not None:
        held.numbers.update(value for value, _ in signs.numbers(dated))
    if relative_words(text):
        day = date.fromisoformat(said_on)
        days |= {(day + timedelta(n)).isoformat() for n in range(-_NEAR, _NEAR + 1)}
    for day_text in days:
        year, month, number = day_text.split("-")
        held.numbers |= {day_text, day_text[:7], year, month, number}
        held.numbers |= {str(int(month)), str(int(number))}


def _identified(one: str, held: _Held) -> bool:
    ordinal = _ORDINAL.fullmatch(one)
    if ordinal is not None and ordinal[1] in held.numbers:
        return True
    return one.lower() in held.text or set(words(one)) <= held.words
