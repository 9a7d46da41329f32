"""Replay the journal and compare: lives from the skeletons, rows from the contents.

This is what makes the journal the truth: the tables are its fold. Contents that were erased
(blank, without salt) leave the lives checked and the rows unchecked.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from memcli.store.canonical import from_ranges
from memcli.store.driver import sqlite3
from memcli.store.rows import COLUMNS, LIVING

Interval = tuple[int, int | None]


def fold_errors(connection: "sqlite3.Connection") -> Iterator[tuple[str, str]]:
    """Differences between a replay of the journal and the tables: (subject, what)."""
    fold = _Fold()
    rows = connection.execute("SELECT id, pass, type, skeleton, content FROM op ORDER BY id")
    for number, pass_id, kind, skeleton, content in rows:
        fold.take(number, pass_id, kind, json.loads(skeleton), content)
    yield from fold.errors
    yield from _lives(connection, fold)
    yield from _rows(connection, fold)
    yield from _side_tables(connection, fold)


class _Fold:
    def __init__(self) -> None:
        self.open: dict[int, int] = {}
        self.lives: dict[int, list[Interval]] = defaultdict(list)
        self.rows: dict[str, dict[tuple[Any, ...], int]] = {table: {} for table in COLUMNS}
        self.touch: set[tuple[int, int, int]] = set()
        self.reverts: set[tuple[int, int]] = set()
        self.blank: set[int] = set()
        self.records: set[int] = set()
        self.errors: list[tuple[str, str]] = []

    def take(
        self, number: int, pass_id: int, kind: str, skeleton: dict[str, Any], content: str | None
    ) -> None:
        """Replay one operation."""
        opened = list(from_ranges(skeleton["opened"]))
        for item in opened:
            if item in self.open:
                self.errors.append((f"p{pass_id}", f"opens row {item}, which is held already"))
            self.open[item] = pass_id
        for item in from_ranges(skeleton["closed"]):
            start = self.open.pop(item, None)
            if start is None:
                self.errors.append((f"p{pass_id}", f"closes row {item}, which is not held"))
            else:
                self.lives[item].append((start, pass_id))
        for how in ("closed", "found", "named"):
            self.touch.update((low, high, number) for low, high in skeleton[how])
        if "reverts" in skeleton:
            self.reverts.add((number, skeleton["reverts"]))
        if kind == "records":
            self.records.update(opened)
        if content is None:
            self.blank.update(opened)
            return
        for table, values in json.loads(content)["rows"]:
            self.rows[table][tuple(values)] = pass_id

    def intervals(self) -> set[tuple[int, int, int | None]]:
        """All lives: (item, from, to)."""
        found: set[tuple[int, int, int | None]] = {
            (item, start, end) for item, lives in self.lives.items() for start, end in lives
        }
        return found | {(item, start, None) for item, start in self.open.items()}


def _lives(connection: "sqlite3.Connection", fold: _Fold) -> Iterator[tuple[str, str]]:
    stored = set(connection.execute("SELECT item, from_pass, to_pass FROM life").fetchall())
    replayed = fold.intervals()
    for item, start, end in sorted(stored - replayed, key=str):
        yield f"p{start}", f"row {item} is held until {end or 'now'}, which the journal denies"
    for item, start, end in sorted(replayed - stored, key=str):
        yield f"p{start}", f"row {item} should be held until {end or 'now'}, and is not"
    held = {row[0] for row in connection.execute("SELECT item FROM record")}
    held |= {row[0] for row in connection.execute("SELECT item FROM erased")}
    if held != fold.records:
        count = len(held ^ fold.records)
        yield "records", f"{count} records are not those that the journal names"


def _rows(connection: "sqlite3.Connection", fold: _Fold) -> Iterator[tuple[str, str]]:
    for table, columns in COLUMNS.items():
        stored = {
            tuple(value.hex() if isinstance(value, bytes) else value for value in row)
            for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}")
        }
        replayed = fold.rows[table]
        for values in sorted(stored - replayed.keys(), key=str):
            erased = values[0] in fold.blank if table in LIVING else bool(fold.blank)
            if not erased:
                yield f"{table} {values[0]}", "is not what the journal says, or not in it"
        for values in sorted(replayed.keys() - stored, key=str):
            yield f"p{replayed[values]}", f"made {table} {values[0]}, which is not there as made"


def _side_tables(connection: "sqlite3.Connection", fold: _Fold) -> Iterator[tuple[str, str]]:
    touch = set(connection.execute("SELECT lo, hi, op FROM touch").fetchall())
    if touch != fold.touch:
        yield "touch", "the index of dependents differs from the journal"
    if set(connection.execute("SELECT op, target FROM revert").fetchall()) != fold.reverts:
        yield "revert", "the list of reverts differs from the journal"
