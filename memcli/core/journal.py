"""Passes: the committed transactions that make up a store's history."""

from collections.abc import Mapping
from typing import Literal

from memcli.core.values import dataclass, field

PassKind = Literal[
    "init", "ingest", "consolidate", "forget", "rate", "rollback", "erase", "rebuild"
]
# How a rollback came about. An undo can be redone; a rollback is taken back by another rollback.
Manner = Literal["", "rollback", "undo", "redo"]


@dataclass(frozen=True)
class Usage:
    """What a pass cost: model calls, tokens, US dollars (None: unknown, which is not 0)."""

    calls: int = 0
    calls_recorded: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0

    def plus(self, other: "Usage") -> "Usage":
        """Both together; the cost is unknown if one of them is."""
        costs = (self.cost_usd, other.cost_usd)
        return Usage(
            self.calls + other.calls,
            self.calls_recorded + other.calls_recorded,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            None if None in costs else sum(cost for cost in costs if cost is not None),
        )


@dataclass(frozen=True)
class Pass:
    """One committed transaction. `operations` counts its operations by type.

    `reverts` lists the passes or memories it takes back, `reverted_by` the rollbacks in force
    that take it back. `at` is ISO 8601 UTC. `hash` is hex.
    """

    id: str
    kind: PassKind
    at: str
    strategy: str | None = None
    model: str | None = None
    manner: Manner = ""
    operations: Mapping[str, int] = field(default_factory=dict)
    usage: Usage = Usage()
    reverts: tuple[str, ...] = ()
    reverted_by: tuple[str, ...] = ()
    hash: str = ""


@dataclass(frozen=True)
class OperationEntry:
    """One operation of a pass as the journal holds it: what it opened, closed, found and named."""

    id: int
    type: str
    opened: tuple[int, ...]
    closed: tuple[int, ...]
    found: tuple[int, ...]
    named: tuple[int, ...]
    content: Mapping[str, object] | None
