"""Records from what readers found: identity, redaction, marks, one pass in one transaction."""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memcli.core.found import Bad, Found, Skipped, Unit
from memcli.core.records import Scope
from memcli.core.reports import BadUnit, IngestReport, SourceReport
from memcli.engine.redacting import redact, redact_value
from memcli.errors import InputError
from memcli.kit.secrets import mask
from memcli.registry import reader_warnings
from memcli.store import ingest as stored
from memcli.store.canonical import sha256
from memcli.store.driver import sqlite3
from memcli.store.records import NewRecord, record_uid, session_uid
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
class _Prepared:
    """A found unit with its uid, its texts as they will be stored, and its scope."""

    found: Found
    uid: bytes
    text: str
    speaker: str | None
    scope: Scope
    attributes: dict[str, Any]


@dataclass(slots=True)
class _Batch:
    """Some units of one source."""

    source: int
    units: list[_Prepared] = field(default_factory=list)
    inactive: list[bytes] = field(default_factory=list)
    last: bool = False
    whole: bool = True


class _Tally:
    """Counts of one source."""

    def __init__(self, path: str, format: str) -> None:
        self.path, self.format = path, format
        self.new = self.known = 0
        self.skipped: Counter[str] = Counter()
        self.bad: list[BadUnit] = []

    def report(self) -> SourceReport:
        return SourceReport(
            self.path, self.format, self.new, self.known, dict(self.skipped), tuple(self.bad)
        )


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
        self.tallies: list[_Tally] = []
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
            tally = _Tally(self._shown(given.path), given.format)
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

    def _skipped(self, tally: _Tally, batch: _Batch, unit: Skipped) -> None:
        if unit.count:
            tally.skipped[unit.reason] += unit.count
        if unit.warning is not None:
            self.warnings.append(f"{tally.path}: {self._shown(unit.warning)}")
        if unit.identity is not None:
            batch.inactive.append(record_uid(self.given, unit.identity))

    def _prepare(self, found: Found) -> _Prepared:
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
        return _Prepared(found, uid, text, self._maybe(found.speaker), scope, attributes)

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

    def edited_uid(self, unit: _Prepared) -> bytes:
        """The uid of a unit whose id is known with another text.

        Of the text as the source has it, by the frozen list: so the same edit has the same uid,
        redacted or not, and whatever else a later release finds in it.
        """
        edit = sha256(mask(unit.found.text)[0].encode()).hex()
        return record_uid(self.given, f"{unit.found.identity}@{edit}")

    def _session_uid(self, tally: _Tally, found: Found) -> bytes:
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
        step = _Step(self, writer, batch.source, source_id, rows)
        for unit in batch.units:
            if unit.uid in gone:
                tally.skipped["erased"] += 1
            else:
                step.take(unit, there.get(unit.uid))
        step.write()
        first = [there[uid] for uid in batch.inactive if uid in there]
        # What was edited before its branch was left is left as its newest text.
        left = [stored.newest(connection, known) for known in first]
        self._mark_inactive(writer, left)
        # The source still has them, on a branch that was left.
        if source_id in self.old_sources:
            self.seen_in[batch.source].update(known.item for known in [*first, *left])
        if batch.last and batch.whole and source_id in self.old_sources:
            self.missing += stored.unseen(
                connection, source_id, self.seen_in[batch.source], self.given
            )

    def _source(self, writer: PassWriter, tally: _Tally) -> tuple[int, list[Row]]:
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

    def session_of(
        self, writer: PassWriter, tally: _Tally, unit: _Prepared
    ) -> tuple[int, list[Row]]:
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

    def _session_row(self, number: int, uid: bytes, tally: _Tally, unit: _Prepared) -> Row:
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


def same_text(left: str, right: str) -> bool:
    """Whether two texts are one, redacted or not, and by whichever release of the detectors."""
    return left == right or redact(left)[0] == redact(right)[0]


class _Step:
    """One batch on its way into the store: what is new, what comes back, what is marked."""

    def __init__(
        self, run: Ingest, writer: PassWriter, nth: int, source: int, rows: list[Row]
    ) -> None:
        self.run, self.writer, self.nth, self.source = run, writer, nth, source
        self.tally = run.tallies[nth]
        self.rows = rows
        self.new: list[NewRecord] = []
        self.new_units: list[_Prepared] = []
        self.replaces: list[tuple[int, bytes]] = []
        self.found: list[int] = []
        self.reopen: list[int] = []
        self.unmark: list[int] = []
        self.late_marks: list[bytes] = []
        self.texts: dict[bytes, str] = {}  # of what is new

    def take(self, unit: _Prepared, known: stored.Known | None) -> None:
        """Decide what becomes of one unit."""
        if unit.uid in self.run.seen:
            unit, known = self._twice(unit, known)
        elif known is not None:
            current = stored.newest(self.writer.connection, known)
            if not same_text(known.text, unit.text) or current.item != known.item:
                unit, known = self._edited(unit, known, current)
        if unit.uid in self.run.seen:
            self.tally.known += 1
            self._saw(self.run.seen[unit.uid])
        elif known is not None:
            self._again(unit, known)
        else:
            self._add(unit)

    def _twice(
        self, unit: _Prepared, known: stored.Known | None
    ) -> tuple[_Prepared, stored.Known | None]:
        """One reading has an id twice: with another text it is a record of its own.

        Which of the two texts is the newer one nothing says, so neither supersedes the other.
        """
        text = self.texts[unit.uid] if known is None else known.text
        if same_text(text, unit.text):
            return unit, known
        return self._renamed(unit)

    def _renamed(self, unit: _Prepared) -> tuple[_Prepared, stored.Known | None]:
        """A unit under the uid of its own text, and what is known of that one."""
        uid = self.run.edited_uid(unit)
        return replace(unit, uid=uid), stored.known(self.writer.connection, [uid]).get(uid)

    def _edited(
        self, unit: _Prepared, first: stored.Known, current: stored.Known
    ) -> tuple[_Prepared, stored.Known | None]:
        """The source changed a text under its id: each text is a record, the newest one counts.

        Returns the unit under the uid of its own text, and what is known of that one.
        """
        target: stored.Known | None = first
        if not same_text(first.text, unit.text):
            self.run.seen[unit.uid] = first.item  # so that the same edit is not made twice
            unit, target = self._renamed(unit)
        for older in (first, current):
            self._saw(older.item)
        if target is None or target.item != current.item:
            if current.held:
                self.replaces.append((current.item, unit.uid))
            if target is not None and target.superseded is not None:
                self.unmark.append(target.superseded)
        return unit, target

    def _saw(self, item: int) -> None:
        # Only of a source that was read before can anything be missing.
        if self.source in self.run.old_sources:
            self.run.seen_in[self.nth].add(item)

    def _again(self, unit: _Prepared, known: stored.Known) -> None:
        self.run.seen[unit.uid] = known.item
        self._saw(known.item)
        if known.held:
            self.tally.known += 1
            self.found.append(known.item)
        else:
            self.run.restored += 1
            self.reopen.append(known.item)
        if not unit.found.active and known.inactive is None:
            self.late_marks.append(unit.uid)
        elif unit.found.active and known.inactive is not None:
            self.unmark.append(known.inactive)

    def _add(self, unit: _Prepared) -> None:
        found = unit.found
        session, rows = self.run.session_of(self.writer, self.tally, unit)
        self.rows += rows
        self.run.seen[unit.uid] = -1
        self.texts[unit.uid] = unit.text
        self.tally.new += 1
        self.new_units.append(unit)
        self.new.append(
            NewRecord(
                unit.uid,
                session,
                found.kind,
                found.role,
                unit.speaker,
                unit.text,
                found.said_at,
                found.time_source,
                unit.scope,
                unit.attributes,
                self.source,
                found.line,
            )
        )
        if not found.active:
            self.late_marks.append(unit.uid)

    def write(self) -> None:
        """Write what was decided, an operation for each kind of thing."""
        run, writer = self.run, self.writer
        content = {"path": self.tally.path, "format": self.tally.format}
        if scope := run.given.as_dict():
            content |= {f"scope_{key}": value for key, value in scope.items()}
        if self.new:
            self._store(content)
        elif self.found or self.rows:
            writer.op("known", rows=self.rows, found=self.found, content=content)
        if self.reopen:
            writer.op("restore", reopen=self.reopen, content=content)
            run.changed = True
        if self.unmark:
            writer.op("mark", close=sorted(set(self.unmark)))
            run.changed = True
        self._marks()

    def _store(self, content: dict[str, str]) -> None:
        run, writer = self.run, self.writer
        first_id, first = writer.stored_records(
            self.new, run.next_seq, rows=self.rows, found=self.found, content=content
        )
        run.changed = True
        run.first_id = run.first_id or first_id
        run.last_id = first_id + len(self.new) - 1
        missing = [u.text for u in self.new_units if u.text and u.text not in run.vectors]
        run.vectors.update(run.embed(missing))
        vectors = []
        for nth, unit in enumerate(self.new_units):
            item = run.seen[unit.uid] = first + nth  # one number, kept in several places
            self._saw(item)
            data = run.vectors.get(unit.text)
            if data is not None:
                vectors.append((item, data))
        writer.vectors(vectors)
        for unit in self.new_units:
            run.vectors.pop(unit.text, None)

    def _marks(self) -> None:
        run = self.run
        marks: list[tuple[int, str, int | None]] = []
        for older, uid in self.replaces:
            marks.append((older, "superseded", run.seen[uid]))
            self._saw(older)
        run.superseded += len(self.replaces)
        late = [run.seen[uid] for uid in dict.fromkeys(self.late_marks)]
        run.inactive += len(late)
        marks += [(item, "inactive", None) for item in late]
        if marks:
            run.mark(self.writer, marks)
