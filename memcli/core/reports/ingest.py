"""What became of what was read."""

from __future__ import annotations

from collections.abc import Mapping

from memcli.core.values import dataclass, field


@dataclass(frozen=True)
class BadUnit:
    """A unit that could not be read, by line (from 1) where the format has lines."""

    line: int | None
    reason: str


@dataclass(frozen=True)
class SourceReport:
    """What became of one input file."""

    path: str
    format: str
    records_new: int = 0
    records_known: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    bad: tuple[BadUnit, ...] = ()


@dataclass(frozen=True)
class IngestReport:
    """What an ingest stored, knew already, passed over and could not read.

    New records have the ids `first_record` to `last_record`, without gaps.
    """

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
    first_record: str | None = None
    last_record: str | None = None
    dry_run: bool = False

    @property
    def partial(self) -> bool:
        """Whether a part of the input could not be read."""
        return any(source.bad for source in self.sources)
