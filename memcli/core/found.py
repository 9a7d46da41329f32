"""What a reader yields: units found in a source, units passed over, units that are bad."""

from collections.abc import Mapping
from typing import Any

from memcli.core.records import RecordKind, Role, Scope, TimeSource
from memcli.core.values import dataclass, field


@dataclass(frozen=True, slots=True)
class Found:
    """One unit that becomes a record.

    `identity` names it for ever, whatever file it lies in (formats.md, section 4); `session` is
    the key of the conversation; `line` counts from 1 where lines mean something. `native` is the
    id that the source itself gives, if any. `container` is the outer conversation where a source
    has sessions inside one (LoCoMo).
    """

    identity: str
    session: str
    kind: RecordKind
    role: Role
    text: str
    speaker: str | None = None
    said_at: str | None = None
    time_source: TimeSource = "none"
    attributes: Mapping[str, Any] = field(default_factory=dict)
    scope: Scope = Scope()
    line: int | None = None
    active: bool = True
    title: str | None = None
    container: str | None = None
    native: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A unit that becomes no record, with the reason's stable word; `count` units at once.

    `identity` is given for what was left or removed: a record that an earlier ingest made of this
    unit is to be marked inactive. A count of 0 carries an identity or a warning and nothing else.
    """

    reason: str
    line: int | None = None
    count: int = 1
    warning: str | None = None
    identity: str | None = None


@dataclass(frozen=True, slots=True)
class Bad:
    """A unit that should have been a record but cannot be read."""

    reason: str
    line: int | None = None


Unit = Found | Skipped | Bad


@dataclass(frozen=True, slots=True)
class Guess:
    """How sure a reader is that a source is its format: `score` 0..1, and why."""

    score: float
    why: str
