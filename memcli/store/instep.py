"""Are the indexes in step with what is held? Their rows, their words, their vectors.

Nothing lives in an index alone, so whatever is wrong here `mem reindex` mends.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, NamedTuple

from memcli.errors import GatewayError
from memcli.store import sketches, vectors
from memcli.store.driver import sqlite3

_BATCH = 500
# So few texts without a vector are embedded to see whether they could have one.
_FEW = 100

_HELD = "SELECT s.item, s.text FROM fts_source s CROSS JOIN life l ON l.item = s.item AND l.to_pass IS NULL"
# The index of schema.TABLES without its content.
_FRESH = "CREATE VIRTUAL TABLE fts USING fts5 (text, content='', tokenize='porter unicode61')"


class Embedder(NamedTuple):
    """The program's embedder: the row that a store of it has, and its vectors as stored.

    Not `exact`: another processor adds its numbers up otherwise, so a component may differ by one.
    """

    row: tuple[Any, ...]
    encode: Callable[[Sequence[str]], Mapping[str, bytes]]
    exact: bool = True


# --- texts --------------------------------------------------------------------------------------


def text_errors(connection: "sqlite3.Connection", *, deep: bool) -> Iterator[str]:
    """What the text index misses of what is held, or holds beside it; then its words.

    The words are compared with those of an index made anew in memory: how many a text has, and
    in how many texts a word stands; with `deep` each word at its place.
    """
    held = {row[0] for row in connection.execute(_HELD)}
    indexed = {row[0] for row in connection.execute("SELECT id FROM fts_docsize")}
    if missing := len(held - indexed):
        yield f"{missing} texts that are held are not in it"
    if extra := len(indexed - held):
        yield f"{extra} texts in it are not held"
    if held == indexed:
        yield from _word_errors(connection, deep=deep)


def _word_errors(connection: "sqlite3.Connection", *, deep: bool) -> Iterator[str]:
    fresh = sqlite3.connect(":memory:")
    try:
        fresh.execute(_FRESH)
        fresh.executemany("INSERT INTO fts (rowid, text) VALUES (?, ?)", connection.execute(_HELD))
        sizes = "SELECT id, sz FROM fts_docsize ORDER BY id"
        if wrong := _differing(connection, fresh, sizes):
            yield f"{wrong} texts have not as many words as it says"
            return
        kind = "instance" if deep else "row"
        with _vocabulary(connection, kind), _vocabulary(fresh, kind):
            if _differing(connection, fresh, "SELECT * FROM temp.mem_words", most=1):
                yield "its words are not those of the texts"
    finally:
        fresh.close()


def _differing(
    one: "sqlite3.Connection", other: "sqlite3.Connection", query: str, *, most: int | None = None
) -> int:
    """How many rows of the two answers differ, place by place; counts no further than `most`."""
    left, right = one.cursor(), other.cursor()
    count = 0
    try:
        for mine, theirs in zip_longest(left.execute(query), right.execute(query)):
            count += mine != theirs
            if count == most:
                break
    finally:
        left.close()
        right.close()
    return count


@contextmanager
def _vocabulary(connection: "sqlite3.Connection", kind: str) -> Iterator[None]:
    """The words of the text index as a table `temp.mem_words`.

    `query_only` refuses the statement that makes such a table, although nothing is written but
    memory of the connection's own: so it is off meanwhile.
    """
    before = connection.execute("PRAGMA query_only").fetchone()[0]
    connection.execute("PRAGMA query_only = OFF")
    try:
        connection.execute(
            f"CREATE VIRTUAL TABLE temp.mem_words USING fts5vocab (main, fts, {kind})"
        )
        try:
            yield
        finally:
            connection.execute("DROP TABLE temp.mem_words")
    finally:
        connection.execute(f"PRAGMA query_only = {before}")


# --- vectors ------------------------------------------------------------------------------------


def vector_errors(
    connection: "sqlite3.Connection", embedder: Embedder | None, *, deep: bool
) -> Iterator[str]:
    """What is wrong with the vectors; without `embedder` only what is plain to see."""
    rows = connection.execute(f"SELECT {vectors.EMBEDDER_COLUMNS} FROM embedder").fetchall()
    yield from _stray(connection)
    if len(rows) != 1:
        yield "the store does not say which embedder made them"
        return
    row = tuple(rows[0])
    yield from _malformed(connection, row[2])
    yield from sketches.errors(connection, deep=deep)
    if embedder is not None and row != embedder.row:
        yield f"the store says {row[0]} made them, and not as this program's {embedder.row[0]} does"
        return
    try:
        yield from _missing(connection, embedder)
        if embedder is not None and deep:
            yield from _stale(connection, embedder)
    except GatewayError as error:  # its weights are damaged, which says nothing of the store
        yield f"are not compared with their texts: {error.what}"


def _stray(connection: "sqlite3.Connection") -> Iterator[str]:
    misfiled = connection.execute(
        "SELECT count(*) FROM vector v LEFT JOIN life l ON l.item = abs(v.key)"
        " AND l.to_pass IS NULL WHERE (v.key > 0) <> (l.item IS NOT NULL)"
    ).fetchone()[0]
    if misfiled:
        yield f"{misfiled} are filed as held and are not, or the other way round"
    orphans = connection.execute(
        "SELECT count(*) FROM vector v"
        " WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.item = abs(v.key))"
        " AND NOT EXISTS (SELECT 1 FROM version t WHERE t.item = abs(v.key))"
    ).fetchone()[0]
    if orphans:
        yield f"{orphans} belong to no text"


def _malformed(connection: "sqlite3.Connection", dimensions: Any) -> Iterator[str]:
    # One byte a dimension: what has another length is no vector of this store, whatever numbers
    # it may hold, and none of its bytes can be infinite or not a number.
    count = connection.execute(
        "SELECT count(*) FROM vector WHERE typeof(data) <> 'blob' OR length(data) <> :size"
        " OR data = zeroblob(:size)",
        {"size": dimensions if isinstance(dimensions, int) else -1},
    ).fetchone()[0]
    if count:
        yield f"{count} are all zero or have a wrong length"


def _missing(connection: "sqlite3.Connection", embedder: Embedder | None) -> Iterator[str]:
    # A text without a visible character has no vector, and need not have one.
    lost = [text for _, text in vectors.missing(connection) if text.strip()]
    if embedder is not None and len(lost) <= _FEW:
        made = embedder.encode(lost)
        lost = [text for text in lost if text in made]
    if lost:
        yield f"{len(lost)} are missing"


def _stale(connection: "sqlite3.Connection", embedder: Embedder) -> Iterator[str]:
    rows = connection.execute(
        "SELECT s.text, v.data FROM"
        " (SELECT item, text FROM record UNION ALL SELECT item, text FROM version) s"
        " JOIN vector v ON v.key = s.item ORDER BY s.item"
    )
    wrong = 0
    while part := rows.fetchmany(_BATCH):
        made = embedder.encode([text for text, _ in part])
        wrong += sum(not _same(made.get(text), data, embedder.exact) for text, data in part)
    if wrong:
        yield f"{wrong} are not those of their texts"


def _same(made: bytes | None, stored: bytes, exact: bool) -> bool:
    if exact or made is None or len(made) != len(stored):
        return made == stored
    # As signed bytes; none is -128, so that a difference of 255 is none of one.
    return all((one - other + 1) % 256 <= 2 for one, other in zip(made, stored, strict=True))
