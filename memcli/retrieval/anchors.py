"""A time that a question names by what happened then: "before the move", "since the new job"."""

from collections.abc import Sequence
from datetime import date, timedelta

from memcli.core.values import dataclass
from memcli.kit.asked import Asked
from memcli.kit.moments import known_time
from memcli.kit.periods import Period
from memcli.kit.stem import stem, stems
from memcli.retrieval.weights import RECIPE, Weights
from memcli.retrieval.words import word_scores
from memcli.store import turns
from memcli.store.driver import sqlite3
from memcli.store.texts import Among


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
        near, far = timedelta(days=RECIPE.event_near), timedelta(days=RECIPE.event_far)
        back, ahead = (far, near) if self.before else (near, far)
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
    best = sorted(scores, key=lambda item: (-scores[item], item))[: weights.event_records]
    days = turns.days_of(connection, best)
    read = turns.texts_of(connection, best)
    for item in best:
        if known_time(days.get(item)) and _tells(read[item], said, weights.event_words):
            return Anchor(date.fromisoformat(days[item]), side == "before")
    return None


def _tells(text: str, said: Sequence[str], share: float) -> bool:
    wanted = frozenset(map(stem, said))
    return len(wanted & stems(text)) >= share * len(wanted)
