"""One thing whole, and the life of a memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memcli.core.values import dataclass, field

if TYPE_CHECKING:
    from memcli.core.journal import Pass
    from memcli.core.memories import Memory
    from memcli.core.records import Record, Session


@dataclass(frozen=True)
class HistoryEntry:
    """One event in the life of a memory: the pass, what it did, and the text then."""

    pass_id: str
    at: str
    event: str
    version: int | None
    text: str | None
    strategy: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class HistoryReport:
    """The life of one memory, oldest event first.

    `state`: what it is now beside held: superseded, and its status where that is not active."""

    memory: str
    held: bool
    entries: tuple[HistoryEntry, ...]
    state: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShowReport:
    """One thing whole. Exactly one of `record`, `memory`, `entry`, `session` is given."""

    id: str
    record: Record | None = None
    memory: Memory | None = None
    entry: Pass | None = None
    session: Session | None = None
    held: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)
