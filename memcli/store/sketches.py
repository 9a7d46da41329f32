"""Sketches: of each vector of a large store two bits a dimension, for low, middle and high there.

Vectors that point the same way are low and high in the same dimensions. So in a store of 150,000
vectors and more the question's sketch is compared with all, by the number of bits that differ, and its
vector with those of the first 2,000 alone; where the cut falls among equals, the lower items are in.
Of a million made-up texts .99 of the ten nearest of all vectors were found so (.966 of those by the
embedder's own numbers, before they are bytes), and all of them of 75,000 sentences of chats; one bit
for above or below the mean found .96. Hashed vectors, which are mostly zeros, have no sketches: .83
would be found, so all of them are compared.

The table is an index as that of vectors is, made by the writer who passes the border, and anew by
`mem reindex`. Triggers keep its rows in step with the vectors, whoever writes: a vector whose sketch
nobody has filled in yet is compared always. Where a part of it is gone, it is of no use until a writer
has made all of it anew.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec

from memcli.store.driver import sqlite3

BORDER = 150_000  # vectors that are held
CANDIDATES = 2_000
SPARSE = "int8"  # the form of vectors that are mostly zeros

# Row 0 has the bounds: for each dimension a byte that what is middle is above, then one that what is
# high is above.
TABLES = {
    "table sketch": "CREATE TABLE sketch (key INTEGER PRIMARY KEY, data BLOB)",
    "index sketch_open": "CREATE INDEX sketch_open ON sketch (key) WHERE data IS NULL",
    # What is in a scope is found in these, and not by reading all texts.
    "index sketch_record": "CREATE INDEX sketch_record ON record (user, agent, project, item)",
    "index sketch_version": "CREATE INDEX sketch_version ON version (user, agent, project, item)",
    "trigger sketch_insert": (
        "CREATE TRIGGER sketch_insert AFTER INSERT ON vector"
        " BEGIN INSERT OR REPLACE INTO sketch (key) VALUES (new.key); END"
    ),
    "trigger sketch_move": (
        "CREATE TRIGGER sketch_move AFTER UPDATE OF key ON vector"
        " BEGIN UPDATE sketch SET key = new.key WHERE key = old.key; END"
    ),
    "trigger sketch_change": (
        "CREATE TRIGGER sketch_change AFTER UPDATE OF data ON vector"
        " BEGIN UPDATE sketch SET data = NULL WHERE key = new.key; END"
    ),
    "trigger sketch_delete": (
        "CREATE TRIGGER sketch_delete AFTER DELETE ON vector"
        " BEGIN DELETE FROM sketch WHERE key = old.key; END"
    ),
}
_WHOLE = json.dumps(list(TABLES.values()))
_PART = 4_096  # vectors at a time
_MANY = 64  # from so many on NumPy makes their sketches
_SAMPLE = 30_000  # vectors that the bounds are made of


def bounds(connection: "sqlite3.Connection") -> bytes | None:
    """What sketches are made by; None where the store has none.

    A table of vectors that was dropped took the triggers with it: what is left is of no use then.
    """
    if not _whole(connection):
        return None
    row = connection.execute("SELECT data FROM sketch WHERE key = 0").fetchone()
    return row[0] if row is not None and type(row[0]) is bytes else None


def _whole(connection: "sqlite3.Connection") -> bool:
    made = "SELECT count(*) FROM sqlite_master WHERE sql IN (SELECT value FROM json_each(?))"
    return int(connection.execute(made, (_WHOLE,)).fetchone()[0]) == len(TABLES)


def sketch(vector: bytes, limits: bytes) -> bytes:
    """Of one vector: a bit a dimension, eight in a byte, for not low; then as many for high."""
    size = len(vector)
    return _above(vector, limits[:size]) + _above(vector, limits[size:])


def _above(vector: bytes, limits: bytes) -> bytes:
    # The bytes are signed: -128 is 0x80.
    bits = "".join(
        "1" if (one ^ 128) > (limit ^ 128) else "0"
        for one, limit in zip(vector, limits, strict=True)
    )
    size = -(-len(bits) // 8)
    return int(bits.ljust(size * 8, "0"), 2).to_bytes(size, "big")


def drop(connection: "sqlite3.Connection") -> None:
    """Do without them."""
    for name in TABLES:
        kind, _, name = name.partition(" ")
        connection.execute(f"DROP {kind} IF EXISTS {name}")


def make_way(connection: "sqlite3.Connection") -> None:
    """Drop what is left of them where a part is gone: without their table the triggers would refuse
    every vector. To be called before vectors are written."""
    if not _whole(connection):
        drop(connection)


def follow(connection: "sqlite3.Connection", new: Sequence[tuple[int, bytes]]) -> None:
    """Fill in the sketches of vectors that were stored, (item, bytes); make the table where the store
    has become so large."""
    limits = bounds(connection)
    if limits is not None:
        _fill(connection, new, limits)
    elif _large(connection):
        _build(connection)


def _large(connection: "sqlite3.Connection") -> bool:
    """Whether there are so many vectors, and not sparse ones."""
    # The last key is had at once, and there are no more than that; to count them takes its time.
    last = connection.execute("SELECT coalesce(max(key), 0) FROM vector").fetchone()[0]
    if last < BORDER or find_spec("numpy") is None:
        return False
    row = connection.execute("SELECT dtype FROM embedder").fetchone()
    if row is None or row[0] == SPARSE:
        return False
    held = connection.execute("SELECT count(*) FROM vector WHERE key > 0").fetchone()[0]
    return int(held) >= BORDER


def _build(connection: "sqlite3.Connection") -> None:
    """Make the table and fill it."""
    from memcli.store.hamming import bounds_of

    drop(connection)
    row = connection.execute("SELECT dimensions FROM embedder").fetchone()
    whole = "SELECT key, data FROM vector WHERE typeof(data) = 'blob' AND length(data) = ?"
    last = connection.execute("SELECT coalesce(max(key), 0) FROM vector").fetchone()[0]
    some = f"{whole} AND key > 0 AND key % ? = 0"
    sample = connection.execute(some, (*row, max(1, last // _SAMPLE))).fetchall()
    if not sample:
        return
    limits = bounds_of([pair[1] for pair in sample], row[0])
    for statement in TABLES.values():
        connection.execute(statement)
    connection.execute("INSERT INTO sketch (key) SELECT key FROM vector")
    connection.execute("INSERT INTO sketch VALUES (0, ?)", (limits,))
    for part in _parts(connection.execute(whole, row)):
        _fill(connection, part, limits)


def _parts(rows: "sqlite3.Cursor") -> Iterable[list[tuple[int, bytes]]]:
    while part := rows.fetchmany(_PART):
        yield part


def _fill(
    connection: "sqlite3.Connection", pairs: Sequence[tuple[int, bytes]], limits: bytes
) -> None:
    # What has another length was put there past the program, and has no sketch.
    pairs = [pair for pair in pairs if 2 * len(pair[1]) == len(limits)]
    if len(pairs) < _MANY:
        made = [sketch(data, limits) for _, data in pairs]
    else:
        from memcli.store.hamming import sketched

        made = sketched([data for _, data in pairs], limits)
    connection.executemany(
        "UPDATE sketch SET data = :data WHERE key IN (:key, -:key) AND data IS NULL",
        ({"key": pair[0], "data": one} for pair, one in zip(pairs, made, strict=True)),
    )


def errors(connection: "sqlite3.Connection", *, deep: bool) -> Iterator[str]:
    """Where they are not in step with the vectors; with `deep` each is made again."""
    limits = bounds(connection)
    if limits is None:
        return
    missing = connection.execute(
        "SELECT count(*) FROM vector v WHERE NOT EXISTS (SELECT 1 FROM sketch s WHERE s.key = v.key)"
    ).fetchone()[0]
    if missing:
        yield f"{missing} are not among the sketches, so that no search finds them"
    if deep and (wrong := _wrong(connection, limits)):
        yield f"{wrong} have a sketch that is another vector's"


def _wrong(connection: "sqlite3.Connection", limits: bytes) -> int:
    from memcli.store.hamming import sketched

    rows = connection.execute(
        "SELECT v.data, s.data FROM vector v JOIN sketch s ON s.key = v.key"
        " WHERE s.data IS NOT NULL AND typeof(v.data) = 'blob' AND 2 * length(v.data) = ?",
        (len(limits),),
    )
    wrong = 0
    while part := rows.fetchmany(_PART):
        made = sketched([vector for vector, _ in part], limits)
        wrong += sum(one != stored for one, (_, stored) in zip(made, part, strict=True))
    return wrong
