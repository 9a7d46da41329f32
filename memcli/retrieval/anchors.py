"""A time that a question names by what happened then: "before the move", "since the new job"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from memcli.kit import stating
from memcli.kit.asked import Asked
from memcli.kit.periods import Period
from memcli.kit.stem import stem
from memcli.retrieval.weights import Weights
from memcli.retrieval.words import word_scores
from memcli.store import turns
from memcli.store.driver import sqlite3
from memcli.store.texts import Among

_FOUND = 5  # records that may tell of the event
_SHARED = 0.6  # of the event's words; with fewer it is another event
_NEAR, _FAR = timedelta(days=7), timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Anchor:
    """The day on which an event was told of, and on which side of it the question asks."""

    day: date
    before: bool

    def __str__(self) -> str:
        return f"{'before' if self.before else 'after'} {self.day.isoformat()}"

    @property
    def period(self) -> Period:
        """About when what is asked for was said."""
        back, ahead = (_FAR, _NEAR) if self.before else (_NEAR, _FAR)
        # Some clients write the year 1 where they know no time.
        return Period(
            self.day - min(back, self.day - date.min), self.day + min(ahead, date.max - self.day)
        )

    def excludes(self, day: date) -> bool:
        """Whether what was said on `day` is on the other side."""
        return day >= self.day if self.before else day < self.day


def anchor(
    connection: "sqlite3.Connection",
    index: "sqlite3.Connection",
    asked: Asked,
    among: Among,
    weights: Weights,
) -> Anchor | None:
    """The event that a question counts from, if it names one and a record tells of it.

    Raises UnusableIndexError.
    """
    if asked.event is None:
        return None
    side, said = asked.event
    scores = word_scores(index, said, Among("raw", among.scope), weights)
    best = sorted(scores, key=lambda item: (-scores[item], item))[:_FOUND]
    days = turns.days_of(connection, best)
    read = turns.texts_of(connection, best)
    for item in best:
        if item in days and _tells(read[item], said):
            return Anchor(date.fromisoformat(days[item]), side == "before")
    return None


def _tells(text: str, said: Sequence[str]) -> bool:
    wanted = frozenset(map(stem, said))
    return len(wanted & stating.stems(text)) >= _SHARED * len(wanted)
