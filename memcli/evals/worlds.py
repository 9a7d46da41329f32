"""Stores of worlds: records by the engine's own ingest, passes by its own consolidation.

Each world's records are ingested once; what a strategy makes of them lies in a copy of that file,
so that arms which change nothing share one store.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.core.journal import Usage
from memcli.core.memories import Memory
from memcli.core.records import Record, Scope
from memcli.core.reports import ConsolidateReport
from memcli.core.values import dataclass, field
from memcli.engine import consolidating, embedding, revert
from memcli.engine.consolidating import Desk, Tables, Wish
from memcli.engine.embedders import Questions
from memcli.engine.embedding import StoreEmbedder
from memcli.engine.ingest import Embed, Ingest, Input
from memcli.errors import MemError, RefusedError
from memcli.evals.suite import World
from memcli.gateway.settings import Limits
from memcli.ports import CallLog
from memcli.retrieval.view import SearchView
from memcli.store import file, journal
from memcli.store.calls import StoredCalls
from memcli.store.digest import digest
from memcli.store.records import record_uid

if TYPE_CHECKING:
    from memcli.gateway.model import Calls


class Allowance:
    """What all passes and answers of an evaluation may use together; see settings.Limits."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self._limits = limits
        self.used = Usage()

    def spent(self, used: Usage) -> None:
        """Count what a pass used."""
        self.used = self.used.plus(used)

    @property
    def left(self) -> Limits:
        """What the next one may use."""
        calls, tokens, usd = self._limits.max_calls, self._limits.max_tokens, self._limits.max_usd
        used = self.used
        return Limits(
            None if calls is None else max(0, calls - used.calls),
            None if tokens is None else max(0, tokens - used.tokens_in - used.tokens_out),
            None if usd is None else max(0.0, usd - (used.cost_usd or 0.0)),
        )


@dataclass(frozen=True, slots=True)
class Bench:
    """What stores are made with. `vectors`: whether records get any. `log`: where answers of
    models are kept (None: in the store of the world, and gone with it)."""

    folder: Path
    embedder: StoreEmbedder
    vectors: bool = True
    tables: Tables = field(default_factory=Tables)
    model: str | None = None
    calls: "Calls" = "reuse"
    log: CallLog | None = None
    noted: Callable[[Usage], None] | None = None
    allowance: Allowance = field(default_factory=Allowance)

    @property
    def questions(self) -> Questions | None:
        """What questions are embedded with; None where words alone decide."""
        return Questions(self.embedder) if self.vectors else None


class WorldStore:
    """A store of one world, open; `refs_of`: record id -> the suite's names for it."""

    def __init__(self, bench: Bench, world: World, path: Path) -> None:
        self.bench = bench
        self.world = world
        self.path = path
        self.connection = file.open_write(path)
        self._closures: dict[str, frozenset[str]] = {}

    def close(self) -> None:
        """Close the file."""
        file.close(self.connection, wrote=True)

    @cached_property
    def view(self) -> SearchView:
        """The store as it is now, as a search sees it."""
        view = SearchView(self.connection, journal.last_pass(self.connection)[0])
        view.comparable = self.bench.vectors
        return view

    def changed(self) -> None:
        """A pass was written: what is seen is another state."""
        self.__dict__.pop("view", None)
        self._closures.clear()

    @cached_property
    def _identities(self) -> dict[str, str]:
        return {
            record_uid(Scope(), unit.identity).hex(): unit.identity for unit in self.world.units
        }

    @cached_property
    def refs_of(self) -> Mapping[str, tuple[str, ...]]:
        """Record id -> refs. An attachment has those of its message."""
        found = {}
        for record in self.view.records(inactive=True):
            identity = self._identities.get(record.uid)
            if identity is not None:
                found[record.id] = self.world.refs.get(identity, ())
        return found

    @cached_property
    def records(self) -> Mapping[str, Record]:
        """Records by id."""
        return {record.id: record for record in self.view.records(inactive=True)}

    @cached_property
    def by_ref(self) -> Mapping[str, tuple[Record, ...]]:
        """Ref -> its records, the message first."""
        found: dict[str, list[Record]] = {}
        for ident, record in self.records.items():
            for ref in self.refs_of.get(ident, ()):
                found.setdefault(ref, []).append(record)
        return {ref: tuple(some) for ref, some in found.items()}

    def sources(self, ident: str) -> frozenset[str]:
        """Ids of the records that a record or memory rests on."""
        if ident.startswith("r"):
            return frozenset((ident,))
        if ident not in self._closures:
            self._closures[ident] = self.view.closure(ident)
        return self._closures[ident]

    def consolidate(self, strategy: str) -> ConsolidateReport | None:
        """Run a pass of a strategy; nothing is done twice. None where it is refused, as forget is
        where no pass has settled anything: then the store is as it was."""
        now = self.world.newest
        desk = Desk(
            connection=self.connection,
            now=max(now, journal.last_pass(self.connection)[1]),
            embedder=self.bench.embedder,
            tables=self.bench.tables,
            log=self.bench.log or StoredCalls(self.connection, lambda: now),
            noted=self.bench.noted,
        )
        limits = self.bench.allowance.left
        wish = Wish(strategy, model=self.bench.model, calls=self.bench.calls, limits=limits)
        try:
            report = consolidating.consolidate(desk, wish)
        except RefusedError as refused:
            self.bench.allowance.spent(used_by(refused))
            return None
        self.bench.allowance.spent(report.usage)
        self.changed()
        return report

    def roll_back(self, point: int) -> None:
        """Take back every pass after `point`."""
        now = max(self.world.newest, journal.last_pass(self.connection)[1])
        revert.rollback_to(self.connection, f"p{point}", now=now)
        self.changed()

    def record_hash(self) -> str:
        """The digest of the records."""
        return digest(self.connection, self.view.at).records

    def memories(self) -> Sequence[Memory]:
        """What is derived, also what is over."""
        return self.view.memories()


class Stores:
    """The stores of a suite's worlds in one folder."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._paths: dict[str, Path] = {}
        self._template = bench.folder / "empty.db"
        file.create(self._template, lambda found: embedding.install(found, bench.embedder))

    @contextlib.contextmanager
    def opened(self, world: World) -> Iterator[WorldStore]:
        """The store with the world's records and nothing else; it is not to be changed."""
        if world.name not in self._paths:
            self._paths[world.name] = self._ingested(world)
        store = WorldStore(self.bench, world, self._paths[world.name])
        try:
            yield store
        finally:
            store.close()

    @contextlib.contextmanager
    def copied(self, world: World) -> Iterator[WorldStore]:
        """A copy of that store, to be changed, and gone afterwards."""
        with self.opened(world):
            pass
        path = self.bench.folder / "copy.db"
        shutil.copyfile(self._paths[world.name], path)
        store = WorldStore(self.bench, world, path)
        try:
            yield store
        finally:
            store.close()
            path.unlink()

    def forget(self, world: World) -> None:
        """Remove the store of a world."""
        path = self._paths.pop(world.name, None)
        if path is not None:
            path.unlink()

    def _ingested(self, world: World) -> Path:
        path = self.bench.folder / f"world-{len(self._paths)}.db"
        shutil.copyfile(self._template, path)
        connection = file.open_write(path)
        try:
            if world.units:
                embed: Embed = _none
                if self.bench.vectors:
                    embed = embedding.embedding(connection, self.bench.embedder)
                run = Ingest(connection, path, given=Scope(), redact=True, embed=embed)
                run.run(
                    [Input(world.name, world.format, world.units)], now=world.newest, dry_run=False
                )
        finally:
            file.close(connection, wrote=True)
        return path


def _none(texts: Sequence[str]) -> Mapping[str, bytes]:
    return {}


def used_by(error: MemError) -> Usage:
    """What a pass used that failed as a whole."""
    told = error.details
    return Usage(
        told.get("calls", 0),
        told.get("calls_recorded", 0),
        told.get("tokens_in", 0),
        told.get("tokens_out", 0),
        told.get("cost_usd", 0.0),
    )
