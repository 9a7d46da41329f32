"""What a pass of forgetting did, or would do, item by item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memcli.core.records import Scope
from memcli.core.values import dataclass

if TYPE_CHECKING:
    from memcli.core.reports.passes import ConsolidateReport


@dataclass(frozen=True)
class ForgetItem:
    """One record or memory, and what the policy says of it.

    `value`: R (0..1), heat, or a time (ISO 8601); None where it has none. `becomes`: its new
    status; None if that stays. `kept`: why it may not fade, in a stable word; "" if it may.
    `days`: since `last_use`, its last recall or else its own time. `strength`: 1 + recalls.
    """

    id: str
    layer: Literal["raw", "derived"]
    kind: str
    text: str
    scope: Scope
    status: str
    value: float | str | None
    becomes: Literal["faded", "active"] | None
    kept: str
    last_use: str | None
    days: float
    strength: int


@dataclass(frozen=True)
class ForgetReport:
    """How a pass ended; `items` of a dry run are all items of the layers that it looked at."""

    policy: str
    now: str
    done: ConsolidateReport
    items: tuple[ForgetItem, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether a pass would be refused: nothing is left but what no pass has settled."""
        return self.done.outcome == "failed"
