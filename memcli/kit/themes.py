"""Themes: what somebody speaks of again and again, found by grouping statements (no model).

A theme's text is one of its statements, word for word. Grouping may use cosine (rule C21), for
nothing is merged: each statement stays evidence of its own.
"""

import re
from collections.abc import Callable, Sequence

from memcli.core.memories import Memory
from memcli.core.plan import Cite
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit import signs
from memcli.kit.cluster import average_link, cosines
from memcli.kit.dates import relative_words
from memcli.kit.keywords import Corpus, keywords
from memcli.kit.moments import day_of
from memcli.kit.rating import rate
from memcli.kit.sentences import statements
from memcli.kit.words import COMMON_WORDS, content_words, listed, words
from memcli.ports import View

MIN_STATEMENTS = 3
MIN_DAYS = 2
_MIN_WORDS, _MAX_WORDS = 5, 60
# A statement almost as central as the most central one may stand for the theme if it tells more.
_NEARLY = 0.8

_ADDRESSED = listed("you your yours yourself you're you've you'll you'd y'all")
_OPENERS = COMMON_WORDS | listed("and but so well yeah also by speaking since")

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Said:
    """A statement in a record, without the white space around."""

    record: Record
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from all others: record id and words."""
        return self.record.id, self.text

    @property
    def day(self) -> str:
        """Its date; for a record without time its session, which is one undated unit."""
        return day_of(self.record.said_at) if self.record.said_at else self.record.session


@dataclass(frozen=True, slots=True)
class Topics:
    """How texts are compared: embedder, threshold, and names that are no topic."""

    embed: Embed
    related: float
    names: frozenset[str]
    corpus: Corpus

    def vectors(self, said: Sequence[Said]) -> Sequence[Sequence[float]]:
        """A vector for each statement, taken without the names of those who speak."""
        return self.embed([self._bare(one.text) for one in said])

    def _bare(self, text: str) -> str:
        if not self.names:
            return text
        pattern = "|".join(re.escape(name) for name in sorted(self.names, key=len, reverse=True))
        return re.sub(rf"\b(?:{pattern})\b", "", text)


def tellings(records: Sequence[Record], most: int, names: frozenset[str]) -> list[Said]:
    """Statements that tell of their speaker, from the newest records, oldest first.

    Taken from what people say and from facts; at most `most`, and each wording once a record.
    `names`: of those who speak.
    """
    called = frozenset(word for name in names for word in words(name))
    found: list[Said] = []
    for record in reversed(records):
        if record.role != "user" and record.kind != "fact":
            continue
        texts = dict.fromkeys(statement.text for statement in statements(record.text))
        told = [text for text in texts if record.kind == "fact" or tells(text, called)]
        found += [Said(record, text) for text in reversed(told)]
        if len(found) >= most:
            break
    return found[:most][::-1]


def tells(statement: str, names: frozenset[str] = frozenset()) -> bool:
    """Whether a statement is about its speaker, or a standing order, and says what about.

    `names`, in lower case, say nothing: "Hey Ada, something happened".
    """
    said = words(statement)
    if not _MIN_WORDS <= len(said) <= _MAX_WORDS or statement.rstrip().endswith(":"):
        return False  # a fragment, a flood, or the announcement of something else
    if names.issuperset(content_words(statement)):
        return False
    if signs.is_order(statement):
        return True
    return signs.first_person(statement) and _ADDRESSED.isdisjoint(said)


def themes(said: Sequence[Said], topics: Topics) -> list[tuple[Said, ...]]:
    """Groups of related statements of one speaker that make a theme, the most lasting first.

    By number of days, then of statements, then the earlier first.
    """
    by_speaker: dict[str, list[Said]] = {}
    for one in said:
        by_speaker.setdefault(one.record.speaker or one.record.role, []).append(one)
    found = []
    for speaker in sorted(by_speaker):
        theirs = by_speaker[speaker]
        for group in average_link(topics.vectors(theirs), topics.related):
            members = tuple(theirs[index] for index in group)
            if is_theme(members):
                found.append(members)
    order = {one.key: place for place, one in enumerate(said)}
    return sorted(found, key=lambda group: (-_days(group), -len(group), order[group[0].key]))


def is_theme(said: Sequence[Said]) -> bool:
    """Whether there are enough statements, from enough days."""
    return len(said) >= MIN_STATEMENTS and _days(said) >= MIN_DAYS


def central(said: Sequence[Said], topics: Topics) -> Said:
    """The statement that stands for all: nearest to the others, and among near equals the one
    that tells most and is least bound to the moment."""
    rows = cosines(topics.vectors(said))
    # Whole numbers, so that the order of additions does not matter.
    sums = [sum(round(value * 10_000) for value in row) for row in rows]
    best = max(sums)
    fit = [index for index, value in enumerate(sums) if value >= min(best, _NEARLY * best)]
    return said[max(fit, key=lambda index: (_lasting(said[index].text), sums[index], -index))]


def described(said: Sequence[Said], topics: Topics) -> dict[str, object]:
    """The attributes of a theme: count, first and last (dates), keywords, speaker."""
    dated = sorted(day_of(one.record.said_at) for one in said if one.record.said_at)
    found: dict[str, object] = {"count": len(said)}
    if dated:
        found |= {"first": dated[0], "last": dated[-1]}
    terms = keywords([one.text for one in said], topics.corpus, least=2, without=topics.names)
    found["keywords"] = list(terms)
    if said[0].record.speaker:
        found["speaker"] = said[0].record.speaker
    return found


def cited(said: Sequence[Said]) -> list[Cite]:
    """Each record with the statements quoted from it."""
    quotes: dict[str, list[str]] = {}
    for one in said:
        quotes.setdefault(one.record.id, []).append(one.text)
    return [Cite(ref, tuple(texts)) for ref, texts in quotes.items()]


def statements_of(view: View, theme: Memory) -> list[Said]:
    """The statements that a stored theme rests on, as quoted."""
    found = []
    for evidence in theme.evidence:
        record = view.get(evidence.ref)
        if isinstance(record, Record):
            found += [Said(record, quote.text) for quote in evidence.quotes]
    return found


def _days(said: Sequence[Said]) -> int:
    return len({one.day for one in said})


def _lasting(text: str) -> int:
    opens = words(text)[:1]
    return rate(text) - 2 * len(relative_words(text)) - any(word in _OPENERS for word in opens)
