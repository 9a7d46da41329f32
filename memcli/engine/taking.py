"""What becomes of each unit of an ingest: new, known, edited, taken up again, on a branch that was left."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from memcli.core.found import Found
from memcli.core.records import Scope
from memcli.core.reports import BadUnit, SourceReport
from memcli.core.values import dataclass, replace
from memcli.engine.readings import other_time, reading_of, same_text
from memcli.store import ingest as stored
from memcli.store.records import NewRecord
from memcli.store.rows import Row
from memcli.store.write import PassWriter

if TYPE_CHECKING:
    from memcli.engine.ingest import Ingest


@dataclass(slots=True)
class Prepared:
    """A found unit with its uid, its texts as they will be stored, and its scope."""

    found: Found
    uid: bytes
    text: str
    speaker: str | None
    scope: Scope
    attributes: dict[str, Any]


class Tally:
    """Counts of one source."""

    def __init__(self, path: str, format: str) -> None:
        self.path, self.format = path, format
        self.new = self.known = 0
        self.skipped: Counter[str] = Counter()
        self.bad: list[BadUnit] = []
        self.other_times = 0
        self.other_time: tuple[int, str | None, str | None] = (0, None, None)  # the first
        self.came_back: list[int] = []

    def note_time(self, item: int, old: str | None, new: str | None) -> None:
        """A known record has another time in the source now."""
        self.other_time = self.other_time if self.other_times else (item, old, new)
        self.other_times += 1

    def report(self) -> SourceReport:
        return SourceReport(
            self.path, self.format, self.new, self.known, dict(self.skipped), tuple(self.bad)
        )


class Step:
    """One batch on its way into the store: what is new, what comes back, what is marked."""

    def __init__(
        self, run: "Ingest", writer: PassWriter, nth: int, source: int, rows: list[Row]
    ) -> None:
        self.run, self.writer, self.nth, self.source = run, writer, nth, source
        self.tally = run.tallies[nth]
        self.rows = rows
        self.new: list[NewRecord] = []
        self.new_units: list[Prepared] = []
        self.replaces: list[tuple[int, bytes]] = []
        self.found: list[int] = []
        self.reopen: list[int] = []
        self.unmark: list[int] = []
        self.late_marks: list[bytes] = []
        self.texts: dict[bytes, str] = {}  # of what is new

    def take(self, unit: Prepared, known: stored.Known | None) -> None:
        """Decide what becomes of one unit."""
        unit, known = reading_of(self.writer.connection, unit, known, self.run.seen)
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
        self, unit: Prepared, known: stored.Known | None
    ) -> tuple[Prepared, stored.Known | None]:
        """One reading has an id twice: with another text it is a record of its own.

        Which of the two texts is the newer one nothing says, so neither supersedes the other.
        """
        text = self.texts[unit.uid] if known is None else known.text
        if same_text(text, unit.text):
            return unit, known
        return self._renamed(unit)

    def _renamed(self, unit: Prepared) -> tuple[Prepared, stored.Known | None]:
        """A unit under the uid of its own text, and what is known of that one."""
        uid = self.run.edited_uid(unit)
        connection = self.writer.connection
        known = stored.one(connection, uid)
        return reading_of(connection, replace(unit, uid=uid), known, self.run.seen)

    def _edited(
        self, unit: Prepared, first: stored.Known, current: stored.Known
    ) -> tuple[Prepared, stored.Known | None]:
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
                self.tally.came_back.append(
                    stored.held_since(self.writer.connection, target.superseded)
                )
        return unit, target

    def _saw(self, item: int) -> None:
        # Only of a source that was read before can anything be missing.
        if self.source in self.run.old_sources:
            self.run.seen_in[self.nth].add(item)

    def _again(self, unit: Prepared, known: stored.Known) -> None:
        self.run.seen[unit.uid] = known.item
        self._saw(known.item)
        if known.held:
            self.tally.known += 1
            self.found.append(known.item)
            if other_time(known.said_at, unit.found.said_at):
                self.tally.note_time(known.item, known.said_at, unit.found.said_at)
        else:
            self.run.restored += 1
            self.reopen.append(known.item)
        if not unit.found.active and known.inactive is None:
            self.late_marks.append(unit.uid)
        elif unit.found.active and known.inactive is not None:
            self.unmark.append(known.inactive)

    def _add(self, unit: Prepared) -> None:
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
