"""The Python interface: `open_store` and `Store`. The command line uses nothing else.

with open_store("memory.db", mode="create") as store:
    store.ingest(["transcripts/"])
    report = store.consolidate("reflect")
    store.rollback(report.pass_id)
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Literal

from memcli.core.journal import Pass
from memcli.core.records import Scope
from memcli.core.reports import (
    AuditReport,
    ConsolidateReport,
    DiffReport,
    DigestReport,
    DoctorReport,
    Due,
    HistoryReport,
    IngestReport,
    InitReport,
    ReindexReport,
    RollbackReport,
    SearchReport,
    ShowReport,
    StrategyInfo,
    WhyNode,
)
from memcli.ports import ReadOptions

Mode = Literal["read", "write", "create"]
# Called with the bytes read so far and their total (None if it is not known).
ProgressCallback = Callable[[int, int | None], None]


class Store:
    """One open store file. Use as a context manager; see `open_store`."""

    path: Path

    def __enter__(self) -> "Store":
        raise NotImplementedError

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        raise NotImplementedError

    def ingest(
        self,
        sources: Sequence[str],
        *,
        format: str | None = None,
        scope: Scope = Scope(),
        options: ReadOptions = ReadOptions(),
        redact: bool = True,
        dry_run: bool = False,
        stdin: BinaryIO | None = None,
        progress: ProgressCallback | None = None,
    ) -> IngestReport:
        """Read transcripts into records, as one pass. A path `-` reads `stdin`."""
        raise NotImplementedError

    def add(
        self,
        text: str,
        *,
        role: str = "user",
        speaker: str | None = None,
        session: str | None = None,
        said_at: str | None = None,
        scope: Scope = Scope(),
        redact: bool = True,
    ) -> IngestReport:
        """Store one record. `said_at` defaults to `now`; `session` to "shell"."""
        raise NotImplementedError

    def consolidate(
        self,
        strategy: str,
        *,
        params: Mapping[str, str] | None = None,
        model: str | None = None,
        since: str | None = None,
        session: str | None = None,
        scope: Scope | None = None,
        dry_run: bool = False,
        if_due: bool = False,
        again: bool = False,
        gate: bool = False,
    ) -> ConsolidateReport:
        """Run one pass. `gate` refuses it if an audit of the result finds an error."""
        raise NotImplementedError

    def due(self, strategy: str | None = None) -> tuple[Due, ...]:
        """Which passes are due, and why."""
        raise NotImplementedError

    def diff(self, start: str | None = None, end: str | None = None) -> DiffReport:
        """What changed between two points; by default what the last pass changed."""
        raise NotImplementedError

    def diff_against(self, other: "Store") -> DiffReport:
        """What `other` holds that this store does not, and the other way round."""
        raise NotImplementedError

    def log(self, limit: int | None = None) -> tuple[Pass, ...]:
        """Passes, newest first."""
        raise NotImplementedError

    def show(self, ident: str) -> ShowReport:
        """One record, memory, memory version, pass or session, whole."""
        raise NotImplementedError

    def history(self, ident: str) -> HistoryReport:
        """The life of one memory."""
        raise NotImplementedError

    def why(self, ident: str, *, derived: bool = False) -> WhyNode:
        """The provenance tree of a memory; with `derived`, what was made of a record."""
        raise NotImplementedError

    def rollback(
        self,
        target: str,
        *,
        cascade: bool = False,
        reject: bool = False,
        dry_run: bool = False,
    ) -> RollbackReport:
        """Take back a memory (`m4`), a version and later ones (`m4@2`) or a pass (`p7`, `last`)."""
        raise NotImplementedError

    def rollback_to(
        self, point: str, *, cascade: bool = False, reject: bool = False, dry_run: bool = False
    ) -> RollbackReport:
        """Take back every pass in force after `point`."""
        raise NotImplementedError

    def undo(self) -> RollbackReport:
        """Take back the newest pass in force that no undo, redo or erase made."""
        raise NotImplementedError

    def redo(self) -> RollbackReport:
        """Take back the newest undo in force, while only undos and redos follow it."""
        raise NotImplementedError

    def rate(self, ident: str, values: Mapping[str, str], *, by: str = "person") -> DiffReport:
        """A person's verdict: importance=1..10, pinned=true|false, status=..."""
        raise NotImplementedError

    def audit(
        self, *, select: Sequence[str] = (), ignore: Sequence[str] = (), deep: bool = False
    ) -> AuditReport:
        """Run the checks whose codes begin with one of `select` (all) and none of `ignore`."""
        raise NotImplementedError

    def audit_self_test(self) -> AuditReport:
        """Plant each defect in a copy; a finding for each check that does not exactly fire."""
        raise NotImplementedError

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        layer: Literal["both", "raw", "derived"] = "both",
        scope: Scope | None = None,
        include: Sequence[str] = (),
    ) -> SearchReport:
        """The best `k` records and memories by text; `include` superseded, faded, lapsed."""
        raise NotImplementedError

    def digest(self, at: str | None = None) -> DigestReport:
        """Hashes of the logical state at a point (default: now)."""
        raise NotImplementedError

    def reindex(self) -> ReindexReport:
        """Build the text and vector indexes anew."""
        raise NotImplementedError


def open_store(
    path: str | Path | None = None, *, mode: Mode = "read", now: str | None = None
) -> Store:
    """Open the store at `path` (else MEM_STORE, mem.toml, ./memory.db).

    `mode`: read, write (must exist), create (made if missing). `now` is the one clock, ISO 8601;
    the system's if None. Raises StoreError, BusyError, UsageError.
    """
    raise NotImplementedError


def init_store(path: str | Path | None = None, *, embedder: str = "hash-1024") -> InitReport:
    """Make an empty store; raises StoreError if there is a file already."""
    raise NotImplementedError


def doctor(path: str | Path | None = None) -> DoctorReport:
    """Health of the installation and, if there is one, of the store."""
    raise NotImplementedError


def strategies(name: str | None = None) -> tuple[StrategyInfo, ...]:
    """What consolidation methods there are; raises UsageError for an unknown name."""
    raise NotImplementedError


def formats() -> tuple[tuple[str, str, str, str], ...]:
    """(name, title, how it is recognised, default scope) of each transcript format."""
    raise NotImplementedError
