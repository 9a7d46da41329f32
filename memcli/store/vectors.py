"""Vectors: BLOBs in an ordinary table, searched exactly with sqlite-vec's scalar functions.

A vector is stored as int8: a quarter of the size of float32. Three forms, by the embedder (`dtype`):
`int8` has one scale for all its vectors, right for sparse ones; `int8-peak` gives each vector's
largest component 127, since in a dense vector of 1,536 dimensions all are so small that one scale
would leave two or three bits of each; `int8-350` has one scale, too, for dense vectors of which it is
known that hardly a component reaches .36 (a larger one is cut off there): they are all about as long,
so that they are found faster (scanning.py). Cosine does not see the length. Vectors that are zero or
not finite never get in (cosine with a zero vector is NULL).
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, count
from typing import Any

from memcli.store import scanning, sketches
from memcli.store.driver import sqlite3
from memcli.store.kept import COUNTER
from memcli.store.load import HELD
from memcli.store.texts import Among

_MOST = 127.0
PLAIN, PEAK, DENSE = sketches.SPARSE, "int8-peak", "int8-350"
# What 1.0 is stored as; of `int8-peak`: what the largest component is.
SCALES = {PLAIN: _MOST, PEAK: _MOST, DENSE: 350.0}
# Moves 1..255 to -127..127 in two's complement: bytes() takes no negative numbers, and a list of
# 1,024 numbers is packed three times faster this way than by struct.
_TO_SIGNED = bytes((value - 128) & 0xFF for value in range(256))


def encode(vector: Sequence[float], dtype: str = PLAIN) -> bytes | None:
    """A vector of unit length as int8 bytes, one a dimension; None if it is zero or not finite.

    Raises ValueError for a component outside -1..1.
    """
    scale = SCALES[dtype]
    if dtype != PLAIN:
        if not all(map(math.isfinite, vector)):
            return None
        peak = max(map(abs, vector), default=0.0)
        if dtype == PEAK and peak:
            vector = [value / peak for value in vector]
        elif peak * scale > _MOST:
            most = _MOST / scale
            vector = [max(-most, min(most, value)) for value in vector]
    # Hashed vectors are mostly zeros: only the others are worth a turn of the loop.
    shifted = bytearray(b"\x80") * len(vector)
    try:
        for nth in compress(count(), vector):
            shifted[nth] = int(vector[nth] * scale + 128.5)
    except (ValueError, OverflowError):
        if all(map(math.isfinite, vector)):
            raise
        return None
    data = bytes(shifted.translate(_TO_SIGNED))
    return data if any(data) else None


def encode_all(vectors: Sequence[Sequence[float]], dtype: str = PLAIN) -> list[bytes | None]:
    """`encode` of each of them; the same, and faster, where they are a NumPy array."""
    if dtype == PLAIN or not hasattr(vectors, "dtype"):
        return [encode(vector, dtype) for vector in vectors]
    import numpy as np  # whoever made the array has imported it

    given = np.asarray(vectors)
    peaks = np.abs(given).max(axis=1)
    good = np.isfinite(peaks) & (peaks > 0)
    scaled = given[good] / peaks[good, None] if dtype == PEAK else given[good]
    scaled = np.clip(scaled * SCALES[dtype], -_MOST, _MOST) + 128.5
    rows = iter((scaled.astype(np.int16) - 128).astype(np.int8))
    made = [next(rows) if fit else None for fit in good]
    return [row.tobytes() if row is not None and row.any() else None for row in made]


def longest(dtype: str, dimensions: int) -> float:
    """The length that no vector of one scale exceeds: what rounding may add to it. To cut off what
    is too large makes it shorter."""
    return SCALES[dtype] + math.sqrt(dimensions) / 2


def decode(data: bytes) -> tuple[float, ...]:
    """A stored vector, brought to unit length."""
    signed = [byte - 256 if byte > 127 else byte for byte in data]
    length = math.hypot(*signed) or 1.0
    return tuple(value / length for value in signed)


EMBEDDER_COLUMNS = "name, fingerprint, dimensions, dtype, scale, related, near_duplicate"


def embedder_row(
    name: str,
    fingerprint: Mapping[str, Any],
    dimensions: int,
    related: float,
    near_duplicate: float,
    dtype: str = PLAIN,
) -> tuple[Any, ...]:
    """What a store says of its embedder, in the order of EMBEDDER_COLUMNS."""
    printed = json.dumps(dict(fingerprint), sort_keys=True)
    return (name, printed, dimensions, dtype, SCALES[dtype], related, near_duplicate)


def set_embedder(connection: "sqlite3.Connection", row: tuple[Any, ...]) -> None:
    """Make this the store's embedder (its row says what its vectors mean)."""
    connection.execute("DELETE FROM embedder")
    connection.execute(
        f"INSERT INTO embedder (id, {EMBEDDER_COLUMNS}) VALUES (1, ?, ?, ?, ?, ?, ?, ?)", row
    )


def embedder(connection: "sqlite3.Connection") -> tuple[str, dict[str, Any]] | None:
    """(name, fingerprint) of the store's embedder; a fingerprint that cannot be read is empty."""
    row = connection.execute("SELECT name, fingerprint FROM embedder").fetchone()
    if row is None:
        return None
    try:
        return row[0], dict(json.loads(row[1]))
    except (TypeError, ValueError):
        return row[0], {}


_HELD = (
    "SELECT s.item, s.text FROM"
    " (SELECT item, text FROM record UNION ALL SELECT item, text FROM version) s"
    " CROSS JOIN life l ON l.item = s.item AND l.to_pass IS NULL "
)


def thresholds(connection: "sqlite3.Connection") -> tuple[float, float]:
    """(related, near_duplicate) of the store's embedder; (1, 1) where nothing usable stands."""
    row = connection.execute("SELECT related, near_duplicate FROM embedder").fetchone()
    if row is None or not all(isinstance(value, float) for value in row):
        return 1.0, 1.0
    return row[0], row[1]


def dtype(connection: "sqlite3.Connection") -> str:
    """The form in which the store's vectors are."""
    row = connection.execute("SELECT dtype FROM embedder").fetchone()
    return row[0] if row is not None and row[0] in SCALES else PLAIN


def known(connection: "sqlite3.Connection", texts: Iterable[str]) -> dict[str, bytes]:
    """text -> its vector, for those of `texts` that the store holds and has one of."""
    rows = connection.execute(
        "SELECT s.text, v.data FROM"
        " (SELECT item, text FROM record UNION ALL SELECT item, text FROM version) s"
        " JOIN vector v ON v.key = s.item"
        " WHERE s.text IN (SELECT value FROM json_each(?)) ORDER BY s.item DESC",
        (json.dumps(list(texts)),),
    )
    return dict(rows.fetchall())


def held(connection: "sqlite3.Connection") -> list[tuple[int, str]]:
    """(item, text) of all that is held and has text."""
    return connection.execute(_HELD + "WHERE s.text <> '' ORDER BY s.item").fetchall()


def missing(connection: "sqlite3.Connection", above: int = 0) -> list[tuple[int, str]]:
    """(item, text) of what is held and has no vector although it has text; items > `above`."""
    rows = connection.execute(
        _HELD
        + " LEFT JOIN vector v ON v.key = s.item"
        + " WHERE v.key IS NULL AND s.text <> '' AND s.item > ? ORDER BY s.item",
        (above,),
    )
    return rows.fetchall()


def any_held(connection: "sqlite3.Connection") -> bool:
    """Whether there is a vector of anything that is held. Where the table is gone there may have
    been: who looks for the nearest is told."""
    try:
        found = connection.execute("SELECT 1 FROM vector WHERE key > 0 LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        return True
    return found is not None


def size(connection: "sqlite3.Connection") -> int:
    """How many vectors there are."""
    return int(connection.execute("SELECT count(*) FROM vector").fetchone()[0])


def newest(connection: "sqlite3.Connection") -> int:
    """The last item number that was drawn."""
    row = connection.execute("SELECT value FROM counter WHERE name = 'item'").fetchone()
    return 0 if row is None else int(row[0])


# As in the schema: an index may be dropped by anybody and is made again.
_TABLE = "CREATE TABLE IF NOT EXISTS vector (key INTEGER PRIMARY KEY, data BLOB NOT NULL)"


def clear(connection: "sqlite3.Connection") -> None:
    """Drop all vectors."""
    sketches.drop(connection)
    connection.execute("DROP TABLE IF EXISTS vector")
    connection.execute(_TABLE)


def _make_ready(connection: "sqlite3.Connection") -> None:
    # Both tables may have been dropped by anybody.
    connection.execute(_TABLE)
    sketches.make_way(connection)


def refile(connection: "sqlite3.Connection") -> None:
    """File each vector by whether its row is held; make the table if it is gone."""
    _make_ready(connection)
    connection.execute(
        "UPDATE vector SET key = -key WHERE (key > 0) <> EXISTS"
        " (SELECT 1 FROM life l WHERE l.item = abs(vector.key) AND l.to_pass IS NULL)"
    )


def mark_changed(connection: "sqlite3.Connection") -> None:
    """Say that vectors are changed apart from a pass: who keeps some in memory reads them anew."""
    connection.execute(
        "INSERT INTO counter (name, value) VALUES (?, 1)"
        " ON CONFLICT (name) DO UPDATE SET value = value + 1",
        (COUNTER,),
    )


def put(connection: "sqlite3.Connection", vectors: Iterable[tuple[int, bytes]]) -> None:
    """Store vectors of held rows."""
    made = list(vectors)
    _make_ready(connection)
    connection.executemany("INSERT INTO vector (key, data) VALUES (?, ?)", made)
    sketches.follow(connection, made)


def put_late(connection: "sqlite3.Connection", vectors: Iterable[tuple[int, bytes]]) -> None:
    """Store vectors of rows that may have got one, or be held no more, since they were looked up."""
    made = list(vectors)
    _make_ready(connection)
    mark_changed(connection)
    connection.executemany(
        "INSERT INTO vector (key, data) SELECT CASE WHEN EXISTS"
        " (SELECT 1 FROM life WHERE item = :item AND to_pass IS NULL) THEN :item ELSE -:item END,"
        " :data WHERE NOT EXISTS (SELECT 1 FROM vector WHERE key IN (:item, -:item))"
        " AND (EXISTS (SELECT 1 FROM record WHERE item = :item)"
        " OR EXISTS (SELECT 1 FROM version WHERE item = :item))",
        ({"item": item, "data": data} for item, data in made),
    )
    sketches.follow(connection, made)


def sweep(connection: "sqlite3.Connection", dimensions: int) -> None:
    """Make the table if it is gone; file what is in it rightly, and drop what is no vector of
    this length or belongs to no text. What is left gets its sketches anew, if it is so much."""
    sketches.drop(connection)
    refile(connection)
    mark_changed(connection)
    connection.execute(
        "DELETE FROM vector WHERE typeof(data) <> 'blob' OR length(data) <> :size"
        " OR data = zeroblob(:size)"
        " OR NOT EXISTS (SELECT 1 FROM record WHERE item = abs(vector.key))"
        " AND NOT EXISTS (SELECT 1 FROM version WHERE item = abs(vector.key))",
        {"size": dimensions},
    )
    sketches.follow(connection, ())


def exact(connection: "sqlite3.Connection", at: int | None = None) -> bool:
    """Whether `nearest_in` compares all vectors, or those alone whose sketches are the nearest."""
    return at is not None or sketches.bounds(connection) is None


def nearest(
    connection: "sqlite3.Connection",
    query: bytes,
    k: int,
    *,
    extension: bool,
    among: Sequence[int],
) -> list[tuple[int, float]]:
    """(item, cosine -1..1) of the `k` held rows of these items nearest to `query`, best first,
    ties by item; see `nearest_in`."""
    where = "key IN (SELECT value FROM json_each(:among))"
    listed = {"among": json.dumps(list(among))}
    scan = scanning.Scan(query, k, where, listed, extension=extension, among=among)
    return scanning.nearest(connection, scan)


def nearest_in(
    connection: "sqlite3.Connection",
    query: bytes,
    k: int,
    *,
    extension: bool,
    among: Among = Among(),
    at: int | None = None,
    dtype: str = PLAIN,
) -> list[tuple[int, float]]:
    """(item, cosine -1..1) of the `k` rows nearest to `query`, best first, ties by item: of what is
    held, or was at pass `at`. `dtype`: the form in which they and `query` are.

    With `extension` SQL does it (sqlite-vec), without it NumPy, with the same results: distances are
    rounded to six decimals before ties are broken.
    """
    where, item = "key > 0", "key"
    if at is not None:
        item = "abs(key)"
        where = f"EXISTS (SELECT 1 FROM life l WHERE l.item = {item} AND {HELD})"
    select, values = among.items() or ("", {})
    if select:
        where += f" AND {item} IN ({select})"
    scan = scanning.Scan(
        query,
        k,
        where,
        {**values, "at": at},
        extension=extension,
        longest=longest(dtype, len(query)) if dtype == DENSE else None,
        among=among if at is None else None,
    )
    return scanning.nearest(connection, scan)
