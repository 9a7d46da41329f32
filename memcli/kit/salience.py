"""Which items matter most for a question: recency, relevance and importance (`kit.scores`)."""

import math
from collections.abc import Callable, Mapping, Sequence
from operator import mul

from memcli.kit import scores
from memcli.kit.moments import hours_between
from memcli.kit.timeline import Placed

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


class Salience:
    """Scores items as of the end of `items`, which are in time order.

    `recalled`: last uses by id, ISO 8601; an item never recalled counts from its own time. One
    without any time is as old as the oldest. `unrated` is the importance of what nobody rated.
    """

    def __init__(
        self,
        items: Sequence[Placed],
        recalled: Mapping[str, str],
        decay: float,
        weights: scores.Weights,
        unrated: float,
    ) -> None:
        self._ages = _ages(items, recalled)
        self._decay = decay
        self._weights = weights
        self._unrated = unrated

    def best(self, pool: Sequence[Placed], question: str, embed: Embed, count: int) -> list[Placed]:
        """The `count` best of `pool`, in time order; of equal ones the newer."""
        vectors = embed([question, *(placed.item.text for placed in pool)])
        candidates = [
            scores.Candidate(
                self._ages[placed.item.id], cosine(vectors[0], vector), self._importance(placed)
            )
            for placed, vector in zip(pool, vectors[1:], strict=True)
        ]
        marks = scores.generative_agents(candidates, decay=self._decay, weights=self._weights)
        order = sorted(range(len(pool)), key=lambda nth: (-marks[nth], -nth))
        return [pool[nth] for nth in sorted(order[:count])]

    def _importance(self, placed: Placed) -> float:
        rated = placed.item.importance
        return self._unrated if rated is None else float(rated)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Of unit vectors, rounded so that every platform ranks alike (C30)."""
    return round(math.fsum(map(mul, one, other)), 6)


def _ages(items: Sequence[Placed], recalled: Mapping[str, str]) -> dict[str, float]:
    """Hours from the last use to the end of `items`; never below 0."""
    last = {placed.item.id: recalled.get(placed.item.id) or placed.when for placed in items}
    end = max((placed.when for placed in items if placed.when is not None), default=None)
    if end is None:
        return dict.fromkeys(last, 0.0)
    ages = {ref: max(0.0, hours_between(when, end)) for ref, when in last.items() if when}
    oldest = max(ages.values())
    return {ref: ages.get(ref, oldest) for ref in last}
