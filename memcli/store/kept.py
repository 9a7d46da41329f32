"""The vectors that are held, or of a large store their sketches, in memory for who asks again and again.

One question is answered by SQL faster than NumPy is imported and the vectors are read, so these are
bought when the questions so far have cost about as much: a command that asks once never does. What
is found is the same. Never more than 128 MiB are kept (100,000 vectors of 256 dimensions are 27 MB, a
million sketches 72 MB), beside them of some filters eight bytes for each row that they keep, and all
only as long as the connection is open (connection.py).

What is kept is as fresh as the newest pass: a vector never changes, and which are held is said by `life`.
A pass, of this or of another process, brings what it opened and closed. Vectors that are made apart
from a pass (a reindex; those that take their time) draw a number, at which all are read again, and
so does another schema. Inside a transaction SQL answers, for it alone sees what is not yet there
for others.
"""

import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from memcli.core.values import dataclass, field
from memcli.store import sketches
from memcli.store.driver import sqlite3
from memcli.store.texts import DAMAGED, Among

if TYPE_CHECKING:
    from memcli.store.hamming import Sketches
    from memcli.store.matrix import Matrix, Near, Places

_MOST = 128 << 20  # bytes of vectors, with
_ROW = 16  # those of an item and a length, each
# What NumPy's import costs, in vectors that SQL compares in that time; and reading, in whole scans. Of
# sketches, which SQL compares faster and which are read as slowly, in so many times as many.
_IMPORT = 200_000
_READING = 2
_SKETCHED = 4
# So many filters are remembered; as numbers of rows each takes eight bytes a row.
_FILTERS = 8
_PART = 4_096  # rows read at a time
COUNTER = "vectors"


class _State(NamedTuple):
    """What decides over the vectors that are held."""

    schema: int
    apart: int
    last: int
    hash: bytes | None


@dataclass
class _Held:
    """What is kept; `seen`: when it was last looked whether it is as the store is. `limits`: bounds of
    the sketches, where it is those."""

    matrix: "Matrix | Sketches"
    limits: bytes | None
    state: _State
    seen: tuple[int, int]
    filtered: "dict[Among, Places]" = field(default_factory=dict)
    listed: "tuple[Sequence[int], Places] | None" = None


class Kept:
    """The vectors of one connection's store; nothing before they are worth it."""

    def __init__(self) -> None:
        self._spent = 0  # rows that SQL compared
        self._held: _Held | None = None

    def drop(self) -> None:
        """Forget all."""
        self._spent, self._held = 0, None

    def nearest(
        self, connection: "sqlite3.Connection", query: bytes, k: int, among: Among | Sequence[int]
    ) -> "Near | None":
        """The `k` nearest to `query` of what is held; None where SQL is to answer.

        `among` filters, or lists items; such a list must not change later.
        """
        if connection.in_transaction:
            return None
        try:
            held = self._fresh(connection)
            return None if held is None else _nearest(connection, held, query, k, among)
        except DAMAGED:  # SQL meets it too, and says what is wrong
            self.drop()
            return None

    def _fresh(self, connection: "sqlite3.Connection") -> _Held | None:
        """What is kept, as the store is now."""
        if self._held is not None and self._held.seen == _seen(connection):
            return self._held
        if self._held is None and not self._worth(connection):
            return None
        connection.execute("BEGIN")  # so that all that is read is of one moment
        try:
            self._held = _brought_up(connection, self._held)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        return self._held

    def _worth(self, connection: "sqlite3.Connection") -> bool:
        rows = int(connection.execute("SELECT coalesce(max(key), 0) FROM vector").fetchone()[0])
        cost = _READING * rows + (0 if "numpy" in sys.modules else _IMPORT)
        worth = rows > 0 and self._spent >= cost
        if worth and self._spent < _SKETCHED * cost:
            worth = sketches.bounds(connection) is None
        if not worth:
            self._spent += rows
            return False
        # Where they cannot be kept that is not tried again at each question.
        self._spent = 0
        return find_spec("numpy") is not None


def _nearest(
    connection: "sqlite3.Connection",
    held: _Held,
    query: bytes,
    k: int,
    among: Among | Sequence[int],
) -> "Near | None":
    from memcli.store.matrix import Matrix, UnfitError

    matrix = held.matrix
    if isinstance(matrix, Matrix):
        if matrix.dimensions != len(query):
            return None
        return matrix.nearest(query, k, _places(connection, held, among))
    if held.limits is None or len(held.limits) != 2 * len(query) or not isinstance(among, Among):
        return None
    bits = sketches.sketch(query, held.limits)
    count = max(k, sketches.CANDIDATES)
    try:
        near = matrix.first(bits, count, _places(connection, held, among))
        return of_items(connection, near, query, k)
    except UnfitError:
        return None


def of_items(
    connection: "sqlite3.Connection", items: Sequence[int], query: bytes, k: int
) -> "Near":
    """The `k` nearest to `query` of the vectors of these items; raises UnfitError where one of them is
    none of this length."""
    from memcli.store.matrix import UnfitError, matrix

    rows = connection.execute(
        "SELECT key, data FROM vector WHERE key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(items)),),
    ).fetchall()
    if any(type(row[1]) is not bytes or len(row[1]) != len(query) for row in rows):
        raise UnfitError(f"one has not {len(query)} dimensions")
    found = matrix([row[0] for row in rows], b"".join([row[1] for row in rows]), len(query))
    return found.nearest(query, k)


def _places(
    connection: "sqlite3.Connection", held: _Held, among: Among | Sequence[int]
) -> "Places | None":
    """Where the vectors lie that are looked among; None where that is all."""
    if not isinstance(among, Among):
        if held.listed is None or held.listed[0] is not among:
            held.listed = (among, held.matrix.places(among))
        return held.listed[1]
    wanted = among.items()
    if wanted is None:
        return None
    if among not in held.filtered:
        found = [row[0] for row in connection.execute(*wanted)]
        while len(held.filtered) >= _FILTERS:
            del held.filtered[next(iter(held.filtered))]
        held.filtered[among] = held.matrix.places(found)
    return held.filtered[among]


def _brought_up(connection: "sqlite3.Connection", old: _Held | None) -> _Held | None:
    """What is to be kept now; inside a transaction."""
    state, seen = _state(connection), _seen(connection)
    if old is not None:
        if old.state == state:
            old.seen = seen
            return old
        changes = _changes(connection, old.state, state)
        if changes is not None and len(changes) <= len(old.matrix) // 4:
            new = _read(connection, changes, old.limits)
            # It is of the same kind: another one would come with another schema.
            grown = None if new is None else old.matrix.changed(changes, new)  # type: ignore[arg-type]
            fits = grown is not None and grown.nbytes <= _MOST
            return _Held(grown, old.limits, state, seen) if grown is not None and fits else None
    limits = sketches.bounds(connection)
    made = _read(connection, None, limits)
    return None if made is None else _Held(made, limits, state, seen)


def _seen(connection: "sqlite3.Connection") -> tuple[int, int]:
    """Differs when anything was committed, here or by others."""
    return _pragma(connection, "data_version"), connection.total_changes


def _pragma(connection: "sqlite3.Connection", name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _state(connection: "sqlite3.Connection") -> _State:
    apart = connection.execute("SELECT value FROM counter WHERE name = ?", (COUNTER,)).fetchone()
    last = connection.execute("SELECT id, hash FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    schema = _pragma(connection, "schema_version")
    return _State(schema, 0 if apart is None else apart[0], *(last or (0, None)))


def _changes(connection: "sqlite3.Connection", old: _State, new: _State) -> set[int] | None:
    """The items that passes opened or closed in between; None where that does not tell all."""
    if old[:2] != new[:2] or old.last > new.last:
        return None
    found = connection.execute("SELECT hash FROM pass WHERE id = ?", (old.last,)).fetchone()
    if found != (old.hash,):
        return None
    rows = connection.execute(
        "SELECT item FROM life WHERE from_pass > :last"
        " UNION SELECT item FROM life WHERE to_pass > :last",
        {"last": old.last},
    )
    return {row[0] for row in rows}


def _read(
    connection: "sqlite3.Connection", items: set[int] | None, limits: bytes | None
) -> "Matrix | Sketches | None":
    """The vectors that are held, or with `limits` their sketches, of all or of these items; None
    where they cannot be kept."""
    from memcli.store.hamming import sketches as sketches_of
    from memcli.store.matrix import UnfitError, matrix

    row = connection.execute("SELECT dimensions FROM embedder").fetchone()
    if row is None:
        return None
    if limits is not None:
        # For each bit of a dimension; a sketch that is still open does not fit, and SQL answers.
        size = 2 * (-(-row[0] // 8))
        found = _bytes(connection, "sketch", size, items)
        return None if found is None else sketches_of(*found, size)
    found = _bytes(connection, "vector", row[0], items)
    try:
        return None if found is None else matrix(*found, row[0])
    except UnfitError:
        return None


def _bytes(
    connection: "sqlite3.Connection", table: str, size: int, items: set[int] | None
) -> tuple[list[int], bytearray] | None:
    """Items and data, one after another; None if one has another size or they are too many."""
    where = "key > 0"
    if items is not None:
        where += " AND key IN (SELECT value FROM json_each(:items))"
    values = {"items": None if items is None else json.dumps(sorted(items))}
    count = connection.execute(f"SELECT count(*) FROM {table} WHERE {where}", values).fetchone()[0]
    if count * (size + _ROW) > _MOST:
        return None
    rows = connection.execute(f"SELECT key, data FROM {table} WHERE {where}", values)
    keys: list[int] = []
    data = bytearray()
    while part := rows.fetchmany(_PART):
        if any(type(row[1]) is not bytes or len(row[1]) != size for row in part):
            return None
        keys += [row[0] for row in part]
        data += b"".join([row[1] for row in part])
    return keys, data
