"""Questions about what happened: which memories and records passes touched, and why."""

import json
from collections.abc import Mapping, Sequence, Set
from typing import Any

from memcli.core.records import Record
from memcli.store import load
from memcli.store.canonical import from_ranges, parse
from memcli.store.driver import sqlite3
from memcli.store.load import HELD

# Items whose life began or ended after pass :low and up to pass :high, but for records: an ingest
# brings thousands, and none belongs to a memory.
_DERIVED = " UNION ".join(
    f"SELECT l.item FROM life l WHERE l.{end} > :low AND l.{end} <= :high"
    " AND NOT EXISTS (SELECT 1 FROM record r WHERE r.item = l.item)"
    for end in ("from_pass", "to_pass")
)
_OWNERS = f"""
WITH changed AS MATERIALIZED ({_DERIVED})
SELECT c.item, v.memory, 'version' FROM changed c JOIN version v ON v.item = c.item
UNION ALL SELECT c.item, m.id, 'edge' FROM changed c JOIN edge e ON e.item = c.item
    JOIN memory m ON m.node = e.child
UNION ALL SELECT c.item, m.id, 'edge' FROM changed c JOIN quote q ON q.item = c.item
    JOIN edge e ON e.item = q.edge JOIN memory m ON m.node = e.child
UNION ALL SELECT c.item, m.id, 'rating' FROM changed c JOIN rating t ON t.item = c.item
    JOIN memory m ON m.node = t.node
UNION ALL SELECT c.item, m.id, 'validity' FROM changed c JOIN validity t ON t.item = c.item
    JOIN memory m ON m.node = t.node
"""

# Row -> (number of the memory it belongs to, its table).
Owners = Mapping[int, tuple[int, str]]
# (memory id, table) -> (pass, strategy, reason).
Reasons = Mapping[tuple[str, str], tuple[str, str | None, str]]


def owners(connection: "sqlite3.Connection", low: int, high: int) -> Owners:
    """The owners of the rows that came or went after pass `low` and up to `high`."""
    rows = connection.execute(_OWNERS, {"low": low, "high": high})
    return {item: (memory, table) for item, memory, table in rows}


def reasons(connection: "sqlite3.Connection", low: int, high: int, owner: Owners) -> Reasons:
    """Who last opened or closed rows of each table of each memory, and why."""
    if not owner:
        return {}
    out: dict[tuple[str, str], tuple[str, str | None, str]] = {}
    rows = connection.execute(
        "SELECT o.pass, p.strategy, o.skeleton, json_extract(o.content, '$.reason')"
        " FROM op o JOIN pass p ON p.id = o.pass"
        " WHERE o.pass > ? AND o.pass <= ? AND o.type NOT IN ('records', 'run') ORDER BY o.id",
        (low, high),
    )
    for pass_id, strategy, skeleton, reason in rows:
        for item in _items(skeleton):
            if item in owner:
                memory, table = owner[item]
                out[f"m{memory}", table] = (f"p{pass_id}", strategy, reason or "")
    return out


def _items(skeleton: str) -> list[int]:
    ranges = parse(skeleton)
    return [*from_ranges(ranges["opened"]), *from_ranges(ranges["closed"])]


def first_opened(connection: "sqlite3.Connection", memory: int) -> int | None:
    """The pass that first held a version of the memory."""
    row = connection.execute(
        "SELECT min(l.from_pass) FROM version v CROSS JOIN life l ON l.item = v.item WHERE v.memory = ?",
        (memory,),
    ).fetchone()
    return None if row[0] is None else int(row[0])


def held_among(connection: "sqlite3.Connection", at: int, memories: Set[int]) -> set[int]:
    """Those of these memories of which a version is held at pass `at`."""
    rows = connection.execute(
        "SELECT DISTINCT v.memory FROM version v CROSS JOIN life l ON l.item = v.item"
        f" WHERE v.memory IN (SELECT value FROM json_each(:memories)) AND {HELD}",
        {"memories": json.dumps(sorted(memories)), "at": at},
    )
    return {row[0] for row in rows}


def first_opened_among(connection: "sqlite3.Connection", memories: Set[int]) -> dict[int, int]:
    """`first_opened` of each of these memories."""
    rows = connection.execute(
        "SELECT v.memory, min(l.from_pass) FROM version v CROSS JOIN life l ON l.item = v.item"
        " WHERE v.memory IN (SELECT value FROM json_each(?)) GROUP BY v.memory",
        (json.dumps(sorted(memories)),),
    )
    return dict(rows.fetchall())


_RECORDS = "FROM life l CROSS JOIN record r ON r.item = l.item"
_OTHER = "SELECT 1 FROM life o WHERE o.item = l.item AND o.from_pass <="


def records_between(connection: "sqlite3.Connection", start: int, end: int) -> tuple[int, int]:
    """How many records are held at `end` and not at `start`, and the other way round."""
    # A record is held by one row of life at a time, but for passes one by another one.
    (came, went), *_ = connection.execute(
        f"SELECT (SELECT count(*) {_RECORDS}"
        "  WHERE l.from_pass > :low AND l.from_pass <= :high AND coalesce(l.to_pass > :high, 1)"
        f"  AND NOT EXISTS ({_OTHER} :low AND coalesce(o.to_pass > :low, 1))),"
        f" (SELECT count(*) {_RECORDS}"
        "  WHERE l.to_pass > :low AND l.to_pass <= :high AND l.from_pass <= :low"
        f"  AND NOT EXISTS ({_OTHER} :high AND coalesce(o.to_pass > :high, 1)))",
        {"low": min(start, end), "high": max(start, end)},
    )
    return (came, went) if start <= end else (went, came)


# Item of a record, name of the rating -> the pass that last said or took back something, and its
# strategy.
Raters = Mapping[tuple[int, str], tuple[int, str | None]]


def records_rated(connection: "sqlite3.Connection", low: int, high: int) -> Raters:
    """Records on which a rating came or went after pass `low` and up to `high`, and who did it."""
    rows = connection.execute(
        f"WITH changed AS MATERIALIZED ({_DERIVED})"
        " SELECT t.node, t.name, max(CASE WHEN l.to_pass > :low AND l.to_pass <= :high"
        "  THEN l.to_pass ELSE l.from_pass END) AS pass"
        " FROM changed c JOIN rating t ON t.item = c.item JOIN record r ON r.item = t.node"
        " CROSS JOIN life l ON l.item = c.item AND l.from_pass <= :high"
        " GROUP BY t.node, t.name",
        {"low": low, "high": high},
    ).fetchall()
    names = dict(connection.execute("SELECT id, strategy FROM pass").fetchall())
    return {(node, name): (number, names[number]) for node, name, number in rows}


def record_ratings(
    connection: "sqlite3.Connection", at: int, items: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """Record number -> name -> value, for the records of these items."""
    if not items:
        return {}
    rated = load.ratings(connection, at, items)
    numbers = record_numbers(connection, items)
    return {numbers[item]: values for item, values in rated.items()}


def record_numbers(connection: "sqlite3.Connection", items: Sequence[int]) -> dict[int, int]:
    """Item -> number of the records of these items."""
    listed = ",".join(map(str, items))
    rows = connection.execute(f"SELECT item, id FROM record WHERE item IN ({listed})")
    return dict(rows.fetchall())


def former_record(connection: "sqlite3.Connection", number: int) -> Record | None:
    """A record that was taken back, as it was when it was last held; None if it never was."""
    row = connection.execute(
        "SELECT r.item, max(l.to_pass) - 1 FROM record r CROSS JOIN life l ON l.item = r.item"
        " WHERE r.id = ? AND l.to_pass > l.from_pass",
        (number,),
    ).fetchone()
    if row[0] is None:
        return None
    found = load.records(connection, row[1], items=[row[0]])
    return found[0][1] if found else None


def last_held(connection: "sqlite3.Connection", memory: int, version: int | None) -> int | None:
    """The last pass during which a memory (or one version of it) was held; None if it never was."""
    row = connection.execute(
        "SELECT max(coalesce(l.to_pass - 1, (SELECT max(id) FROM pass))) FROM version v"
        " CROSS JOIN life l ON l.item = v.item AND (l.to_pass IS NULL OR l.to_pass > l.from_pass)"
        " WHERE v.memory = :memory AND (:version IS NULL OR v.number = :version)",
        {"memory": memory, "version": version},
    ).fetchone()
    return None if row[0] is None else int(row[0])


def pass_time(connection: "sqlite3.Connection", pass_id: str) -> str | None:
    """When a pass was."""
    row = connection.execute("SELECT at FROM pass WHERE id = ?", (int(pass_id[1:]),)).fetchone()
    return None if row is None else str(row[0])


def resting_on(connection: "sqlite3.Connection", at: int, ident: str) -> list[int]:
    """Numbers of memories held that cite a record or memory directly as evidence."""
    table, column = ("record", "item") if ident.startswith("r") else ("memory", "node")
    rows = connection.execute(
        f"SELECT DISTINCT m.id FROM {table} t JOIN edge e ON e.parent_node = t.{column}"
        " AND e.role = 'evidence' CROSS JOIN life l ON l.item = e.item"
        " JOIN memory m ON m.node = e.child"
        f" WHERE t.id = :id AND {load.HELD} ORDER BY m.id",
        {"id": int(ident[1:]), "at": at},
    )
    return [row[0] for row in rows]


def memory_passes(connection: "sqlite3.Connection", memory: int) -> list[int]:
    """Passes in which some row of a memory came or went, oldest first."""
    rows = connection.execute(
        "WITH mine AS MATERIALIZED ("
        " SELECT v.item FROM version v WHERE v.memory = :memory"
        " UNION SELECT e.item FROM edge e JOIN memory m ON m.node = e.child WHERE m.id = :memory"
        " UNION SELECT t.item FROM rating t JOIN memory m ON m.node = t.node WHERE m.id = :memory"
        " UNION SELECT t.item FROM validity t JOIN memory m ON m.node = t.node"
        "  WHERE m.id = :memory)"
        " SELECT l.from_pass FROM mine CROSS JOIN life l ON l.item = mine.item"
        " UNION SELECT l.to_pass FROM mine CROSS JOIN life l ON l.item = mine.item"
        "  WHERE l.to_pass IS NOT NULL ORDER BY 1",
        {"memory": memory},
    )
    return [row[0] for row in rows]


def record_sessions(connection: "sqlite3.Connection", session: int, at: int) -> list[str]:
    """Ids of the records held of a session, in their order."""
    rows = connection.execute(
        "SELECT r.id FROM record r CROSS JOIN life l ON l.item = r.item"
        f" WHERE r.session = :session AND {load.HELD} ORDER BY r.seq",
        {"session": session, "at": at},
    )
    return [f"r{row[0]}" for row in rows]
