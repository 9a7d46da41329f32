"""The nearest vectors of a table: all are compared with the question's, by sqlite-vec or NumPy; in a large
store all sketches, and the vectors of the best (sketches.py).

sqlite-vec takes nearly twice as long for a cosine as for a Euclidean distance d. With a a stored
vector, q the question and c their cosine, d² = |a|² + |q|² - 2 |a| |q| c. Where no vector is longer
than L, one with a cosine of at least c lies no farther away than D, with D² = |q|² + max(0, L² - 2 L
|q| c), for that is convex in |a|. So some of the first by d are read, more than are wanted, and their
cosines; if those of the best as many as wanted are so good that D lies within what was read, no
other can be among them. Else all cosines are compared. Vectors that are nearly as long as L make it
likely that few more need to be read.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from memcli.core.values import dataclass
from memcli.errors import StoreError
from memcli.store import sketches
from memcli.store.connection import kept
from memcli.store.driver import sqlite3
from memcli.store.kept import of_items
from memcli.store.texts import DAMAGED, Among

Near = list[tuple[int, float]]  # item, cosine rounded to 6 decimals; best first, ties by item

# How many are read by distance: so many times as many as are wanted. Of 100,000 vectors twice as many
# were too few for every second question, four times for every seventh; more cost more than they save.
_READ = 4
# Distances come as float32: what lies nearer to D than that may be within it.
_ROUNDING = 1 + 1e-6
# A cosine that is less by no more than this may be equal when it is rounded.
_ROUNDED = 2e-6
# So many are read beyond those that are wanted: they may be equal to the last.
_EQUAL = 16


@dataclass(frozen=True, slots=True)
class Scan:
    """What is looked for: the `k` nearest to `query` among the rows that `where` keeps, with
    `values`. `longest`: the length that no stored vector exceeds, where all are about as long. `among`:
    what `where` keeps of what is held, where it keeps no more than that."""

    query: bytes
    k: int
    where: str
    values: Mapping[str, object]
    extension: bool = True
    longest: float | None = None
    among: Among | Sequence[int] | None = None


def nearest(connection: "sqlite3.Connection", scan: Scan) -> Near:
    """The `k` nearest; raises StoreError where the vectors cannot be used."""
    if scan.among is not None and (keeper := kept(connection)) is not None:
        found = keeper.nearest(connection, scan.query, scan.k, scan.among)
        if found is not None:
            return found
    try:
        if isinstance(scan.among, Among):
            limits = sketches.bounds(connection)
            if limits is not None and len(limits) == 2 * len(scan.query):
                return _by_sketches(connection, scan, limits)
        if not scan.extension:
            return _by_numpy(connection, scan)
        found = None if scan.longest is None else _by_distance(connection, scan, scan.longest)
        return _by_cosine(connection, scan) if found is None else found
    except DAMAGED as error:
        if "locked" in str(error) or "busy" in str(error):
            raise
        raise _unusable(str(error) or "they are damaged") from error


def _by_cosine(connection: "sqlite3.Connection", scan: Scan) -> Near:
    """Those at the end that are equal when rounded come by item, so some more are read. Rounded here
    and not in SQL: that would take a fifth of the time of the whole scan."""
    most = scan.k + _EQUAL
    while True:
        rows = connection.execute(
            "SELECT abs(key), vec_distance_cosine(vec_int8(data), vec_int8(:query)) AS distance"
            f" FROM vector WHERE {scan.where} ORDER BY distance LIMIT :most",
            {"query": scan.query, "most": most, **scan.values},
        ).fetchall()
        near = _sorted(rows)
        if len(near) < most or scan.k < 1 or near[-1][1] < near[scan.k - 1][1]:
            return near[: max(0, scan.k)]
        most *= _READ


def _by_distance(connection: "sqlite3.Connection", scan: Scan, longest: float) -> Near | None:
    """See above; None where too few were read to be sure."""
    most = _READ * scan.k
    rows = connection.execute(
        "SELECT abs(v.key), vec_distance_cosine(vec_int8(v.data), vec_int8(:query)), f.distance FROM ("
        "SELECT key, vec_distance_L2(vec_int8(data), vec_int8(:query)) AS distance"
        f" FROM vector WHERE {scan.where} ORDER BY distance LIMIT :most"
        ") f CROSS JOIN vector v ON v.key = f.key",
        {"query": scan.query, "most": most, **scan.values},
    ).fetchall()
    near = _sorted([row[:2] for row in rows])[: scan.k]
    if len(rows) == most and near:
        length = math.hypot(*(byte - 256 if byte > 127 else byte for byte in scan.query))
        least = near[-1][1] - _ROUNDED
        beyond = longest * (longest - 2 * length * least)
        within = math.sqrt(length * length + max(0.0, beyond)) * _ROUNDING
        if max(row[2] for row in rows) <= within:
            return None
    return near


def _sorted(found: list[tuple[int, float | None]]) -> Near:
    # The distance to a vector that is zero is NULL, which sorts first: the limit hides none.
    near = [(item, round(1 - distance, 6)) for item, distance in found if distance is not None]
    if len(near) < len(found):
        raise _unusable("one is zero")
    return sorted(near, key=lambda pair: (-pair[1], pair[0]))


def _unusable(why: str) -> StoreError:
    return StoreError(
        f"the vectors cannot be used ({why}): mem reindex makes them anew",
        where="the table of vectors",
        hint="mem reindex",
    )


def _by_sketches(connection: "sqlite3.Connection", scan: Scan, limits: bytes) -> Near:
    if scan.k < 1:
        return []
    values = {
        "query": scan.query,
        "sketch": sketches.sketch(scan.query, limits),
        "most": max(scan.k, sketches.CANDIDATES),
        **scan.values,
    }
    if not scan.extension:
        return _by_sketches_in_numpy(connection, scan, values)
    cosine = "abs(v.key), vec_distance_cosine(vec_int8(v.data), vec_int8(:query))"
    rows = connection.execute(
        f"SELECT {cosine} FROM (SELECT key FROM sketch WHERE data IS NOT NULL AND {scan.where}"
        " ORDER BY vec_distance_hamming(vec_bit(data), vec_bit(:sketch)), key LIMIT :most"
        ") f CROSS JOIN vector v ON v.key = f.key"
        f" UNION ALL SELECT {cosine} FROM"
        f" (SELECT key FROM sketch WHERE data IS NULL AND {scan.where}) f"
        " CROSS JOIN vector v ON v.key = f.key",
        values,
    )
    return _sorted(rows.fetchall())[: scan.k]


def _by_sketches_in_numpy(
    connection: "sqlite3.Connection", scan: Scan, values: dict[str, Any]
) -> Near:
    from memcli.store.hamming import sketches as sketches_of
    from memcli.store.matrix import UnfitError

    size = len(values["sketch"])
    rows = connection.execute(
        f"SELECT key, data FROM sketch WHERE data IS NOT NULL AND {scan.where}", values
    ).fetchall()
    if any(type(row[1]) is not bytes or len(row[1]) != size for row in rows):
        raise _unusable("one has no sketch of its length")
    made = sketches_of([row[0] for row in rows], b"".join([row[1] for row in rows]), size)
    near = made.first(values["sketch"], values["most"])
    still_open = connection.execute(
        f"SELECT key FROM sketch WHERE data IS NULL AND {scan.where}", values
    )
    near += [row[0] for row in still_open]
    try:
        return of_items(connection, near, scan.query, scan.k)
    except UnfitError as error:
        raise _unusable(str(error)) from error


def _by_numpy(connection: "sqlite3.Connection", scan: Scan) -> Near:
    # Only where SQLite cannot load sqlite-vec: NumPy's import takes 100 ms.
    from memcli.store.matrix import UnfitError, matrix

    rows = connection.execute(
        f"SELECT abs(key), data FROM vector WHERE {scan.where}", dict(scan.values)
    ).fetchall()
    size = len(scan.query)
    if any(type(row[1]) is not bytes or len(row[1]) != size for row in rows):
        raise _unusable(f"one has not {size} dimensions")
    try:
        made = matrix([row[0] for row in rows], b"".join([row[1] for row in rows]), size)
    except UnfitError as error:
        raise _unusable(str(error)) from error
    return made.nearest(scan.query, scan.k)
