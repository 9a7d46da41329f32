"""Differences between two points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from memcli.core.values import dataclass, field

ChangeKind = Literal[
    "added", "revised", "superseded", "retired", "restored", "linked", "unlinked", "rated"
]


CHANGES: tuple[ChangeKind, ...] = (
    "added",
    "revised",
    "superseded",
    "retired",
    "restored",
    "linked",
    "unlinked",
    "rated",
)


@dataclass(frozen=True)
class Change:
    """One difference between two points. `memory` is `m4` (or `r12`, where a record was rated).

    `before` and `after` are texts, or for ratings and dates the values in words.
    """

    change: ChangeKind
    memory: str
    kind: str
    before: str | None = None
    after: str | None = None
    evidence: tuple[str, ...] = ()
    quotes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pass_id: str | None = None
    strategy: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class DiffReport:
    """What changed between two points (`p3`, `p5`); `p0` is the empty store.

    `valid_at`: only what was true at that time. `known_at`: what was known at that point; then
    `start` and `end` are times in the world.
    """

    start: str
    end: str
    changes: tuple[Change, ...]
    records_added: int = 0
    records_removed: int = 0
    valid_at: str | None = None
    known_at: str | None = None

    def summary(self) -> dict[str, int]:
        """How many changes there are of each kind, zeros included."""
        counts: dict[str, int] = dict.fromkeys(CHANGES, 0)
        for change in self.changes:
            counts[change.change] += 1
        return counts
