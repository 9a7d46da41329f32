"""What an evaluation found (`mem eval`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli.core.journal import Usage
from memcli.core.values import dataclass, field


@dataclass(frozen=True)
class EvalMetric:
    """A metric of one arm: its value, and between what it lies with 95 %.

    `group`: of which questions (`all`, `kind=update`, `category=1`). `interval`: wilson,
    bootstrap, or none. `lower`: less is better.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    interval: str
    lower: bool = False
    group: str = "all"


@dataclass(frozen=True)
class EvalCost:
    """What the results of a question cost on the average: `items` and `tokens` of the first `k`.

    Tokens are characters / 4. `calls`: what the passes asked of models, recorded or not.
    """

    k: int
    items: float
    tokens: float
    packed_tokens: float | None = None
    calls: int = 0


@dataclass(frozen=True)
class EvalIntegrity:
    """What must hold after a pass: (how many held, of how many).

    `sourced`: memories with a living source; `quotes`: found word for word; `records`: worlds whose
    records are unchanged; `restored`: searches that a rollback brought back as they were.
    """

    memories: int
    sourced: int
    quotes: int
    quotes_found: int
    worlds: int
    records_unchanged: int
    searches: int
    searches_restored: int

    @property
    def ok(self) -> bool:
        """Whether all of it held."""
        return (
            self.sourced == self.memories
            and self.quotes_found == self.quotes
            and self.records_unchanged == self.worlds
            and self.searches_restored == self.searches
        )


@dataclass(frozen=True)
class EvalTimings:
    """Seconds of building and consolidating, milliseconds of a search. They differ by run, as do
    the calls of passes that were not recorded yet, and their tokens."""

    build_s: float
    consolidate_s: float
    search_p50_ms: float
    search_p95_ms: float
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True)
class EvalArm:
    """One arm over all questions."""

    name: str
    metrics: tuple[EvalMetric, ...]
    cost: EvalCost | None = None
    integrity: EvalIntegrity | None = None
    outcomes: Mapping[str, int] = field(default_factory=dict)
    timings: EvalTimings | None = None


@dataclass(frozen=True)
class EvalDifference:
    """`arm` minus `against`, question by question. `verdict`: gain, loss, none, unknown, or
    higher: above, and yet no gain (answers that are not above the instruction's)."""

    metric: str
    arm: str
    against: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    verdict: str


@dataclass(frozen=True)
class EvalForm:
    """The evidence that one form of memory brings at a budget. `made`: whether there is any."""

    form: str
    strategies: tuple[str, ...]
    made: bool
    items: int
    tokens: float
    metrics: tuple[EvalMetric, ...] = ()


@dataclass(frozen=True)
class EvalThreshold:
    """What was demanded of a metric, and whether it holds. `source`: --fail-under, or the baseline."""

    metric: str
    arm: str
    least: float
    value: float | None
    low: float | None
    high: float | None
    n: int
    ok: bool
    source: str


@dataclass(frozen=True)
class EvalReport:
    """All of it. What differs by run is in `seconds`, `usage` and the timings of arms alone."""

    suite: Mapping[str, Any]
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    arms: tuple[EvalArm, ...]
    differences: tuple[EvalDifference, ...] = ()
    forms: tuple[EvalForm, ...] = ()
    answers: Mapping[str, Any] | None = None
    findings: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    thresholds: tuple[EvalThreshold, ...] = ()
    seconds: float = 0.0
    usage: Usage = Usage()

    @property
    def ok(self) -> bool:
        """Whether all that was demanded holds."""
        return all(one.ok for one in self.thresholds)
