"""How a pass or a rollback ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from memcli.core.journal import Usage
from memcli.core.values import dataclass, field

if TYPE_CHECKING:
    from memcli.core.plan import Rejection
    from memcli.core.reports.diff import Change

Outcome = Literal["applied", "planned", "no-changes", "nothing-due", "partial", "failed"]


OPERATIONS = ("add", "revise", "supersede", "retire", "link", "unlink", "rate")


@dataclass(frozen=True)
class ConsolidateReport:
    """How a pass ended (rule C4), with everything that was refused or left for later.

    `settled`: how many records it marked as done."""

    pass_id: str | None
    strategy: str
    model: str | None
    outcome: Outcome
    operations: Mapping[str, int]
    changes: tuple[Change, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    pending: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()
    plan: str | None = None
    settled: int = 0


@dataclass(frozen=True)
class RollbackReport:
    """What a rollback took back and put back."""

    pass_id: str | None
    target: str
    retired: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()
    released_records: int = 0
    records_closed: int = 0
    records_restored: int = 0
