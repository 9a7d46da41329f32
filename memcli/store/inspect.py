"""The bare facts of a store file, for audit checks."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from memcli.core.calls import DamagedCall
from memcli.core.edges import EdgeRow
from memcli.errors import MemError
from memcli.kit.slots import SINGLE_VALUED
from memcli.store import calls, fold, instep, journal, records, references, schema, sketches
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView

# SQLite's own tables, those of the text index, and those that the replicator Litestream adds.
_NOT_LISTED = frozenset({"fts_data", "fts_idx", "fts_content", "fts_docsize", "fts_config"})
_PREFIXES = ("sqlite_", "_litestream_")


class InspectView(StoreView):
    """A view for checks: what SQLite, the guards, the hashes and the indexes say.

    `embedder` is the program's; without it vectors are looked at and not compared.
    """

    deep = False
    single_valued = SINGLE_VALUED
    embedder: instep.Embedder | None = None

    def sqlite_errors(self) -> Sequence[str]:
        """What SQLite's own integrity check reports; empty when sound."""
        # What is wrong inside the text index is said by `index_errors`: it can be built anew.
        return [line for line in self._sqlite_says if "fts5" not in line.lower()]

    @cached_property
    def _sqlite_says(self) -> list[str]:
        said: list[str] = []
        # Older versions give up the whole check at a page that the quick one can name.
        for pragma in ("integrity_check", "quick_check"):
            try:
                rows = self.connection.execute(f"PRAGMA {pragma}(20)").fetchall()
            except sqlite3.DatabaseError as error:
                if not means_damage(error):
                    raise
                said.append(str(error))
            else:
                return [*said, *(row[0] for row in rows if row[0] != "ok")]
        return said

    def foreign_key_errors(self) -> Sequence[tuple[str, str]]:
        """Rows that point nowhere, lives without a row, rows without a life: (row, what)."""
        return list(references.errors(self.connection))

    def guard_errors(self) -> Sequence[tuple[str, str]]:
        """Triggers, views and tables that are missing, extra or not as we make them."""
        wanted, found = expected_schema(), schema_of(self.connection)
        # Of these all are there, or none: a store has them once it is large.
        if found.keys() & sketches.TABLES.keys():
            wanted |= sketches.TABLES
        out = [(name, "is missing") for name in sorted(wanted.keys() - found.keys())]
        out += [(name, "is not ours") for name in sorted(found.keys() - wanted.keys())]
        out += [
            (name, "was changed")
            for name in sorted(wanted.keys() & found.keys())
            if wanted[name] != found[name]
        ]
        if self.connection.execute("SELECT 1 FROM erasing").fetchone():
            out.append(("table erasing", "has a row, so the guards are off: no erase is at work"))
        return out

    def record_hash_errors(self) -> Sequence[tuple[str, str]]:
        """Records that do not match their commitment, and ingests that lost or swapped some."""
        return [*records.hash_errors(self.connection), *records.batch_errors(self.connection)]

    def chain_errors(self) -> Sequence[tuple[str, str]]:
        """Passes whose hash or commitments do not hold, and traces of passes that are gone."""
        chain = journal.chain_errors(self.connection)
        return [*chain, *journal.counter_errors(self.connection)]

    def fold_errors(self) -> Sequence[tuple[str, str]]:
        """Differences between a replay of the journal and the tables."""
        return list(fold.fold_errors(self.connection))

    def index_errors(self) -> Sequence[tuple[str, str]]:
        """What the indexes miss, hold without need or hold otherwise: (index, what)."""
        # New versions of SQLite look into the text index, old ones do not.
        said = [f"SQLite reports {line}" for line in self._sqlite_says if "fts5" in line.lower()]
        texts = instep.text_errors(self.connection, deep=self.deep)
        vectors = instep.vector_errors(self.connection, self.embedder, deep=self.deep)
        return [
            *(("text index", what) for what in (*said, *_readable(texts))),
            *(("vectors", what) for what in _readable(vectors)),
        ]

    def call_errors(self) -> Sequence[tuple[str, str]]:
        """Recorded calls that cannot be read, or are not filed under their request: (call, what)."""
        return [
            (f"call {found.id}", f"is damaged: {found.why}")
            for found in calls.rows(self.connection)
            if isinstance(found, DamagedCall)
        ]

    def edges(self) -> Iterator[EdgeRow]:
        """All edges held, whose child is held. Many checks ask, so the answer is kept."""
        return iter(self._edges)

    @cached_property
    def _edges(self) -> list[EdgeRow]:
        return list(super().edges())


def _readable(found: Iterator[str]) -> Iterator[str]:
    """What is found, up to the place where nothing more can be read."""
    try:
        yield from found
    except sqlite3.DatabaseError as error:
        if not means_damage(error):
            raise
        yield f"cannot be read: {error}"
    except MemoryError:  # garbage in it was taken for a length
        yield "cannot be read: it is damaged"


# What SQLite says of the disk, the rights and other processes, and of a connection.
_PASSING = (
    *("locked", "busy", "interrupted", "full", "disk I/O", "unable to open", "readonly"),
    *("closed database", "out of memory"),
)


def means_damage(error: Exception) -> bool:
    """Whether a failure while reading may come from what the file holds.

    So may any that is neither ours on purpose nor SQLite's word of something passing: a value of
    a wrong kind, in a row that was forged, fails wherever it is used.
    """
    if isinstance(error, sqlite3.Error):
        return not any(word in str(error) for word in _PASSING)
    return not isinstance(error, MemError | MemoryError)


def schema_of(connection: "sqlite3.Connection") -> dict[str, str]:
    """`type name` -> SQL, of everything that was made by a statement of ours."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {
        f"{kind} {name}": " ".join(sql.split())
        for kind, name, sql in rows
        if not (kind == "table" and name in _NOT_LISTED) and not name.startswith(_PREFIXES)
    }


def expected_schema() -> dict[str, str]:
    """The same of an empty store of this program."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema.script())
        return schema_of(connection)
    finally:
        connection.close()
