"""Rows that point nowhere: the foreign keys that are declared, and those that cannot be.

A node is a record or a memory, an item is a row of any of a dozen tables: SQLite has no foreign
key for such a reference, so it is looked up here.
"""

import json
from collections.abc import Iterator

from memcli.store.canonical import from_ranges
from memcli.store.driver import sqlite3
from memcli.store.rows import LIVING

_RECORDS = ("record.item", "erased.item")
_MEMORIES = ("memory.node",)
_NODES = _RECORDS + _MEMORIES
# (table, its key, the column that points, what it may point to). Where an edge points is the
# business of the checks of provenance.
_POINTERS = (
    ("edge", "item", "child", _MEMORIES),
    ("rating", "item", "node", _NODES),
    ("validity", "item", "node", _MEMORIES),
    ("validity", "item", "successor", _MEMORIES),
    ("merge", "item", "node", _MEMORIES),
    ("merge", "item", "survivor", _MEMORIES),
    ("consumed", "item", "record", _RECORDS),
    ("record_mark", "item", "record", _RECORDS),
    ("record_mark", "item", "other", _RECORDS),
    ("tombstone_record", "tombstone", "record", _RECORDS),
)


def errors(connection: "sqlite3.Connection") -> Iterator[tuple[str, str]]:
    """Rows that point to no row, lives without a row, rows without a life: (row, what)."""
    for table, rowid, target, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        # A table without rowids cannot say which row it is.
        yield table if rowid is None else f"{table} {rowid}", f"points to no row of {target}"
    for table, key, column, targets in _POINTERS:
        names = " or ".join(target.split(".")[0] for target in targets)
        for (number,) in connection.execute(_query(table, key, column, targets)):
            yield f"{table} {number}", f"points to no row of {names}"
    yield from _lives(connection)


def _query(table: str, key: str, column: str, targets: tuple[str, ...]) -> str:
    missing = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {target.split('.')[0]} x WHERE x.{target.split('.')[1]}"
        f" = t.{column})"
        for target in targets
    )
    return f"SELECT t.{key} FROM {table} t WHERE t.{column} IS NOT NULL AND {missing}"


def _lives(connection: "sqlite3.Connection") -> Iterator[tuple[str, str]]:
    lives = {row[0] for row in connection.execute("SELECT DISTINCT item FROM life")}
    rows: dict[int, str] = {}
    for table in (*LIVING, "record", "erased"):
        items = connection.execute(f"SELECT item FROM {table}")
        rows.update((row[0], table) for row in items)
    lost = lives - rows.keys()
    if lost:
        lost -= _blank(connection)
    for item in sorted(lost):
        yield f"row {item}", "is held, or once was, and is in no table"
    for item in sorted(rows.keys() - lives):
        yield f"{rows[item]} {item}", "is there, and no pass ever held it"


def _blank(connection: "sqlite3.Connection") -> set[int]:
    """What operations opened whose content was erased: their rows went with it."""
    found: set[int] = set()
    for (skeleton,) in connection.execute("SELECT skeleton FROM op WHERE content IS NULL"):
        found.update(from_ranges(json.loads(skeleton)["opened"]))
    return found
