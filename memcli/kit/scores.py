"""Scoring as in generative agents: recency, relevance and importance, each scaled to 0..1.

Source: Park et al. 2023, Generative Agents, section 4.1 (arXiv:2304.03442). Unlike its code, age
is hours since the last use and not the rank in a list.
"""

from collections.abc import Sequence

from memcli.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is scored: hours since the last use (0 or more), cosine -1..1, importance 1..10."""

    age_hours: float
    relevance: float
    importance: float


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each scaled part counts."""

    recency: float = 1.0
    relevance: float = 1.0
    importance: float = 1.0


def recency(age_hours: float, decay: float = 0.995) -> float:
    """`decay ** age_hours`, 0..1; an age below 0 counts as 0."""
    return float(decay ** max(age_hours, 0.0))


def min_max(values: Sequence[float]) -> list[float]:
    """Values scaled to 0..1; all 0.5 where they are equal."""
    if not values:
        return []
    low, high = min(values), max(values)
    if low == high:
        return [0.5] * len(values)
    return [(value - low) / (high - low) for value in values]


def generative_agents(
    candidates: Sequence[Candidate], *, decay: float = 0.995, weights: Weights = Weights()
) -> list[float]:
    """A score for each candidate, in their order, rounded to 6 decimals so that ties are ties."""
    fresh = min_max([recency(candidate.age_hours, decay) for candidate in candidates])
    relevant = min_max([candidate.relevance for candidate in candidates])
    important = min_max([candidate.importance for candidate in candidates])
    return [
        round(weights.recency * one + weights.relevance * two + weights.importance * three, 6)
        for one, two, three in zip(fresh, relevant, important, strict=True)
    ]
