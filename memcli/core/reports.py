"""What commands answer. Each becomes one documented JSON object, and a page for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memcli.core.journal import Pass, Usage
from memcli.core.memories import Memory
from memcli.core.plan import Rejection
from memcli.core.records import Record, Scope, Session

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing an audit check found. `subject` is the id it is about, `hint` what to do."""

    code: str
    severity: Severity
    subject: str
    message: str
    hint: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Findings, and the codes that were checked (a clean report with no code means nothing)."""

    findings: tuple[Finding, ...]
    checked: tuple[str, ...]

    def count(self, severity: Severity) -> int:
        """How many findings have exactly this severity."""
        return sum(finding.severity == severity for finding in self.findings)


@dataclass(frozen=True, slots=True)
class BadUnit:
    """A unit that could not be read, by line (from 1) where the format has lines."""

    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What became of one input file."""

    path: str
    format: str
    records_new: int = 0
    records_known: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    bad: tuple[BadUnit, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest stored, knew already, passed over and could not read."""

    store: str
    pass_id: str | None
    records_new: int = 0
    records_known: int = 0
    records_restored: int = 0
    sessions: int = 0
    superseded: int = 0
    inactive: int = 0
    missing: int = 0
    warnings: tuple[str, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict)
    sources: tuple[SourceReport, ...] = ()
    dry_run: bool = False

    @property
    def partial(self) -> bool:
        """Whether a part of the input could not be read."""
        return any(source.bad for source in self.sources)


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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class DiffReport:
    """What changed between two points (`p3`, `p5`); `p0` is the empty store."""

    start: str
    end: str
    changes: tuple[Change, ...]
    records_added: int = 0
    records_removed: int = 0

    def summary(self) -> dict[str, int]:
        """How many changes there are of each kind, zeros included."""
        counts: dict[str, int] = dict.fromkeys(CHANGES, 0)
        for change in self.changes:
            counts[change.change] += 1
        return counts


Outcome = Literal["applied", "planned", "no-changes", "nothing-due", "partial", "failed"]
OPERATIONS = ("add", "revise", "supersede", "retire", "link", "unlink", "rate")


@dataclass(frozen=True, slots=True)
class ConsolidateReport:
    """How a pass ended (rule C4), with everything that was refused or left for later."""

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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class WhyQuote:
    """Words that a memory rests on, and whether they still stand in the record as quoted."""

    text: str
    start: int | None
    end: int | None
    verified: bool


@dataclass(frozen=True, slots=True)
class WhyNode:
    """A node of a provenance tree: a memory or a record, and what it rests on.

    With `derived` trees, `children` are what was made of the node instead.
    """

    id: str
    text: str
    kind: str = ""
    strategy: str | None = None
    pass_id: str | None = None
    at: str | None = None
    quotes: tuple[WhyQuote, ...] = ()
    said_at: str | None = None
    speaker: str | None = None
    role: str | None = None
    session: str | None = None
    source: str | None = None
    line: int | None = None
    status: str = "current"
    seen_before: bool = False
    children: tuple["WhyNode", ...] = ()


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result. `status`: current, superseded, pending, faded, lapsed, rejected or stale."""

    id: str
    layer: Literal["raw", "derived"]
    kind: str
    text: str
    score: float
    status: str
    valid_from: str | None = None
    valid_to: str | None = None
    said_at: str | None = None
    speaker: str | None = None
    superseded_by: str | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Results, best first. `exact` is False only where candidates were cut before scoring."""

    query: str
    results: tuple[SearchHit, ...]
    exact: bool = True
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a strategy's trigger fires, its value against the threshold, and what waits."""

    strategy: str
    due: bool
    why: str
    value: float
    threshold: float
    warning: str | None = None
    pending: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DigestReport:
    """Hashes (hex) of the logical state at a point."""

    at: str
    records: str
    memories: str
    journal: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One event in the life of a memory: the pass, what it did, and the text then."""

    pass_id: str
    at: str
    event: str
    version: int | None
    text: str | None
    strategy: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HistoryReport:
    """The life of one memory, oldest event first."""

    memory: str
    held: bool
    entries: tuple[HistoryEntry, ...]


@dataclass(frozen=True, slots=True)
class ShowReport:
    """One thing whole. Exactly one of `record`, `memory`, `entry`, `session` is given."""

    id: str
    record: Record | None = None
    memory: Memory | None = None
    entry: Pass | None = None
    session: Session | None = None
    held: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StrategyInfo:
    """What `mem strategies` says of one method."""

    name: str
    aliases: tuple[str, ...]
    source: str
    kinds: tuple[str, ...]
    due: str
    calls: str
    without_model: str
    conflicts: Literal["overwrite", "keep-both", "invalidate", "none"]
    parameters: Mapping[str, Any]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What was rebuilt."""

    texts: int
    vectors: int
    embedder: str


@dataclass(frozen=True, slots=True)
class DoctorLine:
    """One fact about the installation or the store; `ok` False asks for the `hint`."""

    name: str
    ok: bool
    value: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Health, a line each."""

    lines: tuple[DoctorLine, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing needs attention."""
        return all(line.ok for line in self.lines)


@dataclass(frozen=True, slots=True)
class InitReport:
    """A store that was made."""

    store: str
    embedder: str
    scope: Scope = Scope()
