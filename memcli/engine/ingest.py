"""Records from what readers found: identity, redaction, marks, one pass in one transaction."""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memcli.core.found import Bad, Found, Skipped, Unit
from memcli.core.records import Scope
from memcli.core.reports import BadUnit, IngestReport
from memcli.core.values import dataclass, field
from memcli.engine.readings import held_of, told
from memcli.engine.redacting import redact, redact_value
from memcli.engine.taking import Prepared, Step, Tally
from memcli.errors import InputError
from memcli.kit.secrets import mask
from memcli.registry import reader_warnings
from memcli.store import ingest as stored
from memcli.store.canonical import sha256
from memcli.store.driver import sqlite3
from memcli.store.records import record_uid, session_uid
from memcli.store.rows import Row, row
from memcli.store.write import PassWriter, transaction

_BATCH = 2_000  # units of one source that are looked up and written together
# Up to here everything is read before the write lock is taken; beyond, it is held while reading.
_BUFFER_UNITS = 10_000
_BUFFER_CHARACTERS = 8_000_000
_NAMES = 1_000  # names and keys whose stored form is remembered, for they come again and again

Embed = Callable[[Sequence[str]], Mapping[str, bytes]]


@dataclass(slots=True)
class Input:
    """One source and what its reader yields; `format` is empty where no reader claims it.

    `whole` says that the source holds all that it ever held: what it lacks is missing.
    """

    path: str
    format: str
    units: Iterable[Unit]
    whole: bool = True


@dataclass(slots=True)
class _Batch:
    """Some units of one source."""

    source: int
    units: list[Prepared] = field(default_factory=list)
    inactive: list[bytes] = field(default_factory=list)
    last: bool = False
    whole: bool = True


class _RolledBackError(Exception):
    """Leaves a transaction that is not to be kept."""


class Ingest:
    """One run of `mem ingest`. Without a connection (a dry run on no store) all is new."""

    def __init__(
        self,
        connection: "sqlite3.Connection | None",
        path: Path,
        *,
        make: Callable[[], "sqlite3.Connection"] | None = None,
        given: Scope,
        redact: bool,
        embed: Embed,
    ) -> None:
        self.connection = connection
        self.path = path
        self.make = make
        self.given = given
        self.redact = redact
        self.embed = embed
        self.tallies: list[Tally] = []
        self.redacted: Counter[str] = Counter()
        self.names: dict[str, str] = {}
        self.warnings: list[str] = []
        self.restored = self.superseded = self.inactive = self.missing = 0
        self.sessions: set[bytes] = set()
        self.seen: dict[bytes, int] = {}
        self.seen_in: dict[int, set[int]] = defaultdict(set)
        self.vectors: dict[str, bytes] = {}
        self.next_seq: dict[int, int] = {}
        self.session_ids: dict[bytes, int] = {}
        self.session_uids: dict[tuple[str, str], bytes] = {}
        self.source_ids: dict[tuple[str, str], int] = {}
        self.old_sources: dict[int, int] = {}
        self.first_id = self.last_id = 0
        self.changed = False

    def run(self, inputs: Iterable[Input], *, now: str, dry_run: bool) -> IngestReport:
        """Read all of `inputs` and write one pass, or none if there is nothing new."""
        pass_id: int | None = None
        if self.connection is None and dry_run:
            for batch in self._batches(inputs):
                self._count_all(batch)
        else:
            with contextlib.suppress(_RolledBackError):
                pass_id = self._write_all(inputs, now, dry_run)
            if not self.changed or dry_run:
                pass_id = None
        self._refuse_if_all_is_bad()
        return self._report(pass_id, dry_run)

    def _refuse_if_all_is_bad(self) -> None:
        """Where there is no good part that could be stored, the input as a whole is unreadable."""
        bad = [(tally.path, unit) for tally in self.tallies for unit in tally.bad]
        if not bad or any(tally.new or tally.known or tally.skipped for tally in self.tallies):
            return
        if self.restored:
            return
        path, first = bad[0]
        raise InputError(
            f"Nothing of this could be read: {first.reason}.",
            where=path if first.line is None else f"{path}:{first.line}",
            hint="correct the source, or name its format (mem ingest --list-formats)",
            details={"bad": [{"path": p, "line": u.line, "reason": u.reason} for p, u in bad]},
        )

    # --- reading --------------------------------------------------------------------------------

    def _batches(self, inputs: Iterable[Input]) -> Iterator[_Batch]:
        for nth, given in enumerate(inputs):
            tally = Tally(self._shown(given.path), given.format)
            self.tallies.append(tally)
            batch = _Batch(nth)
            for unit in given.units:
                if isinstance(unit, Found):
                    batch.units.append(self._prepare(unit))
                elif isinstance(unit, Skipped):
                    self._skipped(tally, batch, unit)
                else:
                    assert isinstance(unit, Bad)
                    tally.bad.append(BadUnit(unit.line, self._shown(unit.reason)))
                if len(batch.units) >= _BATCH:
                    yield batch
                    batch = _Batch(nth)
            batch.last, batch.whole = True, given.whole
            yield batch

    def _skipped(self, tally: Tally, batch: _Batch, unit: Skipped) -> None:
        if unit.count:
            tally.skipped[unit.reason] += unit.count
        if unit.warning is not None:
            self.warnings.append(f"{tally.path}: {self._shown(unit.warning)}")
        if unit.identity is not None:
            batch.inactive.append(record_uid(self.given, unit.identity))

    def _prepare(self, found: Found) -> Prepared:
        text, attributes = found.text, dict(found.attributes)
        if self.redact:
            text, counts = redact(text)
            attributes, more = redact_value(attributes)
            self.redacted.update(counts)
            self.redacted.update(more)
        default = found.scope
        scope = Scope(
            self.given.user or self._named(default.user),
            self.given.agent or self._named(default.agent),
            self.given.project or self._named(default.project),
        )
        uid = record_uid(self.given, found.identity)
        return Prepared(found, uid, text, self._maybe(found.speaker), scope, attributes)

    def _shown(self, text: str) -> str:
        """A path, a key or a reason as it is stored and told."""
        return redact(text)[0] if self.redact else text

    def _named(self, name: str) -> str:
        """A name as it is stored. There are few, and they come again with each record."""
        if not name or not self.redact:
            return name
        if name not in self.names:
            if len(self.names) >= _NAMES:
                self.names.clear()
            self.names[name], counts = redact(name)
            self.redacted.update(counts)
        return self.names[name]

    def _maybe(self, name: str | None) -> str | None:
        return None if name is None else self._named(name)

    def _count_all(self, batch: _Batch) -> None:
        tally = self.tallies[batch.source]
        for unit in batch.units:
            self.sessions.add(self._session_uid(tally, unit.found))
            said = hash(unit.text)
            uid = unit.uid
            if self.seen.get(uid, said) != said:
                uid = self.edited_uid(unit)
            if uid in self.seen:
                tally.known += 1
            else:
                self.seen[uid] = said
                tally.new += 1

    def edited_uid(self, unit: Prepared) -> bytes:
        """The uid of a unit whose id is known with another text.

        Of the text as the source has it, by the frozen list: so the same edit has the same uid,
        redacted or not, and whatever else a later release finds in it.
        """
        edit = sha256(mask(unit.found.text)[0].encode()).hex()
        return record_uid(self.given, f"{unit.found.identity}@{edit}")

    def _session_uid(self, tally: Tally, found: Found) -> bytes:
        key = (tally.format, found.session)
        if key not in self.session_uids:
            if len(self.session_uids) >= _NAMES:
                self.session_uids.clear()
            self.session_uids[key] = session_uid(self.given, *key)
        return self.session_uids[key]

    # --- writing --------------------------------------------------------------------------------

    def _write_all(self, inputs: Iterable[Input], now: str, dry_run: bool) -> int:
        waiting: list[_Batch] = []
        units = characters = 0
        batches = self._batches(inputs)
        for batch in batches:
            self._embed_new(self.connection, batch)
            waiting.append(batch)
            units += len(batch.units)
            characters += sum(len(unit.text) for unit in batch.units)
            if units >= _BUFFER_UNITS or characters >= _BUFFER_CHARACTERS:
                break
        connection = self._store(waiting)
        with transaction(connection, relaxed=True):
            writer = PassWriter(connection, "ingest", now)
            for batch in waiting:
                self._write(writer, batch)
            waiting.clear()
            for batch in batches:
                self._embed_new(connection, batch)
                self._write(writer, batch)
            if not self.changed:
                raise _RolledBackError
            pass_id = writer.finish()
            if dry_run:
                raise _RolledBackError
        return pass_id

    def _store(self, waiting: Sequence[_Batch]) -> "sqlite3.Connection":
        """The store to write to; made only now that there is something to put into it."""
        if self.connection is None:
            if self.make is None or not any(batch.units for batch in waiting):
                raise _RolledBackError
            self.connection = self.make()
        return self.connection

    def _embed_new(self, connection: "sqlite3.Connection | None", batch: _Batch) -> None:
        uids = [unit.uid for unit in batch.units]
        there = {} if connection is None else stored.known(connection, uids)
        texts = [unit.text for unit in batch.units if unit.uid not in there and unit.text]
        self.vectors.update(self.embed(texts))

    def _write(self, writer: PassWriter, batch: _Batch) -> None:
        connection, tally = writer.connection, self.tallies[batch.source]
        uids = [unit.uid for unit in batch.units]
        there = stored.known(connection, [*uids, *batch.inactive])
        gone = stored.erased(connection, uids)
        source_id, rows = self._source(writer, tally)
        step = Step(self, writer, batch.source, source_id, rows)
        for unit in batch.units:
            if unit.uid in gone:
                tally.skipped["erased"] += 1
            else:
                step.take(unit, there.get(unit.uid))
        step.write()
        first = [
            known
            for uid in batch.inactive
            if (known := held_of(connection, uid, there.get(uid))) is not None
        ]
        # What was edited before its branch was left is left as its newest text.
        left = [stored.newest(connection, known) for known in first]
        self._mark_inactive(writer, left)
        # The source still has them, on a branch that was left.
        if source_id in self.old_sources:
            self.seen_in[batch.source].update(known.item for known in [*first, *left])
        if batch.last:
            self.warnings += told(connection, tally)
        if batch.last and batch.whole and source_id in self.old_sources:
            self.missing += stored.unseen(
                connection, source_id, self.seen_in[batch.source], self.given
            )

    def _source(self, writer: PassWriter, tally: Tally) -> tuple[int, list[Row]]:
        key = (tally.path, tally.format)
        if key in self.source_ids:
            return self.source_ids[key], []
        found = stored.source_number(writer.connection, *key)
        if found is not None:
            self.old_sources[found] = found
            self.source_ids[key] = found
            return found, []
        number = self.source_ids[key] = writer.draw("source")
        return number, [row("source", id=number, path=tally.path, format=tally.format)]

    def session_of(self, writer: PassWriter, tally: Tally, unit: Prepared) -> tuple[int, list[Row]]:
        """The number of the unit's session, and its row if it is new."""
        uid = self._session_uid(tally, unit.found)
        self.sessions.add(uid)
        if uid in self.session_ids:
            return self.session_ids[uid], []
        number = stored.session_number(writer.connection, uid)
        rows: list[Row] = []
        if number is None:
            number = writer.draw("session")
            rows.append(self._session_row(number, uid, tally, unit))
        self.session_ids[uid] = number
        self.next_seq.setdefault(number, stored.next_seq(writer.connection, number))
        return number, rows

    def _session_row(self, number: int, uid: bytes, tally: Tally, unit: Prepared) -> Row:
        found, scope = unit.found, unit.scope
        return row(
            "session",
            id=number,
            uid=uid,
            key=self._shown(found.session),
            format=tally.format,
            container=self._maybe(found.container),
            title=self._maybe(found.title),
            user=scope.user,
            agent=scope.agent,
            project=scope.project,
        )

    def _mark_inactive(self, writer: PassWriter, found: list[stored.Known]) -> None:
        items = sorted({known.item for known in found if known.held and known.inactive is None})
        if items:
            self.mark(writer, [(item, "inactive", None) for item in items])
            self.inactive += len(items)

    def mark(self, writer: PassWriter, marks: Sequence[tuple[int, str, int | None]]) -> None:
        """Put a mark beside records: (item, inactive or superseded, item of what replaces it)."""
        rows = [
            row("record_mark", item=writer.draw(), record=item, mark=mark, other=other)
            for item, mark, other in marks
        ]
        named = [number for mark in marks for number in (mark[0], mark[2]) if number is not None]
        writer.op("mark", rows=rows, named=named)
        self.changed = True

    def _report(self, pass_id: int | None, dry_run: bool) -> IngestReport:
        return IngestReport(
            store=str(self.path),
            pass_id=None if pass_id is None else f"p{pass_id}",
            records_new=sum(tally.new for tally in self.tallies),
            records_known=sum(tally.known for tally in self.tallies),
            records_restored=self.restored,
            sessions=len(self.sessions),
            superseded=self.superseded,
            inactive=self.inactive,
            missing=self.missing,
            warnings=(*reader_warnings(), *self.warnings),
            redacted=dict(sorted(self.redacted.items())),
            sources=tuple(tally.report() for tally in self.tallies),
            dry_run=dry_run,
            first_record=f"r{self.first_id}" if pass_id is not None and self.first_id else None,
            last_record=f"r{self.last_id}" if pass_id is not None and self.first_id else None,
        )
