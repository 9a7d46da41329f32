"""Replay the journal and compare: lives from the skeletons, rows from the contents.

This is what makes the journal the truth: the tables are its fold. Contents that were erased
(blank, without salt) leave the lives checked and the rows unchecked.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from memcli.core import ids
from memcli.store import reverts
from memcli.store.canonical import from_ranges
from memcli.store.driver import sqlite3
from memcli.store.rows import COLUMNS, LIVING

Interval = tuple[int, int | None]
Difference = tuple[str, str]

# Whose ids people know: `s3`, `m4`.
_LETTERS = {"session": "s", "memory": "m"}


def fold_errors(connection: "sqlite3.Connection") -> Iterator[Difference]:
    """Differences between a replay of the journal and the tables: (subject, what)."""
    fold = _Fold()
    rows = connection.execute("SELECT id, pass, type, skeleton, content FROM op ORDER BY id")
    for number, pass_id, kind, skeleton, content in rows:
        try:
            fold.take(number, pass_id, kind, json.loads(skeleton), content)
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            fold.errors.append((f"p{pass_id}", f"operation {number} cannot be replayed"))
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
        self.errors: list[Difference] = []

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
            targets = from_ranges(skeleton["reverts"])
            self.reverts.update((number, target) for target in targets)
        if kind == "records":
            self.records.update(opened)
        if content is None:
            self.blank.update(opened)
            return
        for table, values in json.loads(content)["rows"]:
            self.rows[table][_typed(table, values)] = pass_id

    def intervals(self) -> set[tuple[int, int, int | None]]:
        """All lives: (item, from, to)."""
        found: set[tuple[int, int, int | None]] = {
            (item, start, end) for item, lives in self.lives.items() for start, end in lives
        }
        return found | {(item, start, None) for item, start in self.open.items()}


def _typed(table: str, values: list[Any]) -> tuple[Any, ...]:
    """A row of the journal as its table has it: there a uid is a BLOB."""
    columns = COLUMNS[table]
    if "uid" not in columns:
        return tuple(values)
    place = columns.index("uid")
    return (*values[:place], bytes.fromhex(values[place]), *values[place + 1 :])


def _lives(connection: "sqlite3.Connection", fold: _Fold) -> Iterator[Difference]:
    rows = connection.execute("SELECT item, from_pass, to_pass FROM life").fetchall()
    stored, replayed = set(rows), fold.intervals()
    for item, start, end in sorted(stored - replayed, key=str):
        subject, words = _about(connection, item)
        yield subject, f"{words} is held {_span(start, end)}, which the journal denies"
    for item, start, end in sorted(replayed - stored, key=str):
        subject, words = _about(connection, item)
        yield subject, f"{words} should be held {_span(start, end)}, and is not"
    if len(rows) > len(stored):
        yield "life", f"{len(rows) - len(stored)} lives are there twice"
    records = {row[0] for row in connection.execute("SELECT item FROM record")}
    records |= {row[0] for row in connection.execute("SELECT item FROM erased")}
    if records != fold.records:
        count = len(records ^ fold.records)
        yield "records", f"{count} records are not those that the journal names"


def _span(start: int, end: int | None) -> str:
    return f"from p{start} " + ("until now" if end is None else f"to p{end}")


def _about(connection: "sqlite3.Connection", item: int) -> tuple[str, str]:
    """The id that a row belongs to ("m4"), and the row in words ("evidence of m4")."""
    words = reverts.describe(connection, item)
    last = words.rsplit(" ", 1)[-1]
    return (ids.memory_of(last) if ids.try_parse(last) else "life"), words


def _rows(connection: "sqlite3.Connection", fold: _Fold) -> Iterator[Difference]:
    for table, columns in COLUMNS.items():
        stored = set(connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall())
        replayed = fold.rows[table]
        for values in sorted(stored - replayed.keys(), key=str):
            erased = values[0] in fold.blank if table in LIVING else bool(fold.blank)
            if not erased:
                subject, words = _row(connection, table, values[0])
                yield subject, f"{words} is not as the journal has it, or not in the journal"
        for values in sorted(replayed.keys() - stored, key=str):
            subject, words = _row(connection, table, values[0])
            made = f"p{replayed[values]}"
            yield subject, f"{words} is not there as {made} made it"


def _row(connection: "sqlite3.Connection", table: str, number: Any) -> tuple[str, str]:
    if table not in LIVING:
        ident = f"{_LETTERS[table]}{number}" if table in _LETTERS else f"{table} {number}"
        return ident, f"the row of {table} {number}"
    subject, words = _about(connection, number)
    return (f"{table} {number}" if subject == "life" else subject), f"{words} ({table})"


def _side_tables(connection: "sqlite3.Connection", fold: _Fold) -> Iterator[Difference]:
    touch = set(connection.execute("SELECT lo, hi, op FROM touch").fetchall())
    if touch != fold.touch:
        yield "touch", "the index of dependents differs from the journal"
    if set(connection.execute("SELECT op, target FROM revert").fetchall()) != fold.reverts:
        yield "revert", "the list of reverts differs from the journal"
