"""What a rollback needs to know: who opened a row, who touched it since, what it rests on."""

import json
from collections.abc import Iterable, Mapping

from memcli.core.values import dataclass
from memcli.kit.nearkey import merge_key
from memcli.store import journal
from memcli.store.canonical import from_ranges, parse, to_ranges
from memcli.store.driver import sqlite3
from memcli.store.ranges import clauses


@dataclass(frozen=True, slots=True)
class OpRow:
    """An operation in numbers: what it opened and closed, and which operations it reverts."""

    id: int
    pass_id: int
    type: str
    opened: tuple[int, ...]
    closed: tuple[int, ...]
    reverts: tuple[int, ...]


def _op(row: tuple[int, int, str, str]) -> OpRow:
    skeleton = parse(row[3])
    return OpRow(
        row[0],
        row[1],
        row[2],
        tuple(from_ranges(skeleton["opened"])),
        tuple(from_ranges(skeleton["closed"])),
        tuple(from_ranges(skeleton.get("reverts", ()))),
    )


# A range that begins inside the one asked for, or a wide one that reaches into it.
_TOUCHING = """
WITH asked (low, high, op) AS MATERIALIZED (
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    FROM json_each(:ranges)
), found (op) AS (
    SELECT t.op FROM asked a CROSS JOIN touch t ON t.lo BETWEEN a.low AND a.high AND t.op > a.op
    UNION
    SELECT t.op FROM asked a CROSS JOIN touch t
        ON t.hi > t.lo AND t.hi >= a.low AND t.lo < a.low AND t.op > a.op
)
SELECT f.op FROM found f JOIN op o ON o.id = f.op WHERE o.type <> 'revert'
"""


class Journal:
    """The operations of a store, asked one by one; `reverted` are those not in force."""

    def __init__(self, connection: "sqlite3.Connection") -> None:
        self.connection = connection
        self.reverted = journal.reverted_ops(connection)
        self._ops: dict[int, OpRow] = {}
        self._passes: dict[int, list[OpRow]] = {}

    def op(self, number: int) -> OpRow:
        """One operation."""
        if number not in self._ops:
            row = self.connection.execute(
                "SELECT id, pass, type, skeleton FROM op WHERE id = ?", (number,)
            ).fetchone()
            self._ops[number] = _op(row)
        return self._ops[number]

    def of_pass(self, pass_id: int) -> list[OpRow]:
        """The operations of a pass that are in force, in their order."""
        if pass_id in self._passes:
            return self._passes[pass_id]
        rows = self.connection.execute(
            "SELECT id, pass, type, skeleton FROM op WHERE pass = ? ORDER BY id", (pass_id,)
        )
        found = [_op(row) for row in rows if row[0] not in self.reverted]
        self._ops.update((op.id, op) for op in found)
        self._passes[pass_id] = found
        return found

    def after(self, pass_id: int) -> list[OpRow]:
        """The operations in force of all passes after `pass_id`."""
        rows = self.connection.execute(
            "SELECT id, pass, type, skeleton FROM op WHERE pass > ? ORDER BY id", (pass_id,)
        )
        return [_op(row) for row in rows if row[0] not in self.reverted]

    def touching(self, ops: Iterable[OpRow]) -> set[int]:
        """Operations in force that name, close or find a row that an earlier one of `ops` opened.

        Reverts are left out: they only move rows between held and not held, and whether that is
        possible is asked of the rows themselves.
        """
        ranges = [[low, high, op.id] for op in ops for low, high in to_ranges(op.opened)]
        rows = self.connection.execute(_TOUCHING, {"ranges": json.dumps(ranges)})
        return {row[0] for row in rows} - self.reverted

    def maker(self, item: int) -> OpRow | None:
        """The operation that first opened a row."""
        row = self.connection.execute(
            "SELECT min(from_pass) FROM life WHERE item = ?", (item,)
        ).fetchone()
        if row[0] is None:
            return None
        rows = self.connection.execute(
            "SELECT id, pass, type, skeleton FROM op WHERE pass = ? ORDER BY id", (row[0],)
        )
        return next((op for op in map(_op, rows) if item in op.opened), None)


def held(connection: "sqlite3.Connection", items: Iterable[int]) -> set[int]:
    """Those of `items` that are held now."""
    out: set[int] = set()
    for where, values in clauses(items, "item"):
        rows = connection.execute(
            f"SELECT item FROM life WHERE {where} AND to_pass IS NULL", values
        )
        out.update(row[0] for row in rows)
    return out


def was_held(connection: "sqlite3.Connection", item: int, pass_id: int) -> bool:
    """Whether a row was held just before pass `pass_id`."""
    found = connection.execute(
        "SELECT 1 FROM life WHERE item = ? AND from_pass < ? AND (to_pass IS NULL OR to_pass >= ?)",
        (item, pass_id, pass_id),
    )
    return found.fetchone() is not None


# What a row rests on, as items; for a memory, its versions (one of them has to be held).
_BASES = (
    "SELECT e.item, e.parent, e.parent_node FROM edge e WHERE e.item IN",
    "SELECT q.item, q.edge, NULL FROM quote q WHERE q.item IN",
    "SELECT t.item, NULL, t.successor FROM validity t WHERE t.successor NOTNULL AND t.item IN",
    "SELECT t.item, t.record, NULL FROM consumed t WHERE t.item IN",
    "SELECT t.item, t.record, NULL FROM record_mark t WHERE t.item IN",
    "SELECT t.item, NULL, t.survivor FROM merge t WHERE t.item IN",
    "SELECT v.item, e.parent, e.parent_node FROM version v JOIN memory m ON m.id = v.memory"
    " JOIN edge e ON e.child = m.node AND e.role = 'evidence'"
    " CROSS JOIN life l ON l.item = e.item AND l.to_pass IS NULL WHERE v.item IN",
)
_GIVEN = " (SELECT value FROM json_each(:items))"


def bases(connection: "sqlite3.Connection", items: Iterable[int]) -> dict[int, list[set[int]]]:
    """What rows rest on: by row, sets of items of which at least one has to be held."""
    given = {"items": json.dumps(list(items))}
    rows = [row for sql in _BASES for row in connection.execute(sql + _GIVEN, given)]
    versions = _versions(connection, {node for _, _, node in rows if node is not None})
    out: dict[int, list[set[int]]] = {}
    for item, base, node in rows:
        found = set(versions.get(node, ()))
        if base is not None:
            found.add(base)
        out.setdefault(item, []).append(found)
    return out


def _versions(connection: "sqlite3.Connection", nodes: set[int]) -> dict[int, set[int]]:
    """By node, the versions of a memory, and of what it was merged into; of a record none."""
    own: dict[int, set[int]] = {}
    into: dict[int, set[int]] = {}
    fresh = nodes
    while fresh:
        given = {"items": json.dumps(sorted(fresh))}
        for node, item in connection.execute(
            "SELECT m.node, v.item FROM version v JOIN memory m ON m.id = v.memory"
            f" WHERE m.node IN{_GIVEN}",
            given,
        ):
            own.setdefault(node, set()).add(item)
        into.update((node, set()) for node in fresh)
        for node, survivor in connection.execute(
            "SELECT t.node, t.survivor FROM merge t"
            " CROSS JOIN life l ON l.item = t.item AND l.to_pass IS NULL"
            f" WHERE t.node IN{_GIVEN}",
            given,
        ):
            into[node].add(survivor)
        fresh = {one for node in fresh for one in into[node]} - into.keys()
    return {
        node: {item for one in _reached(into, node) for item in own.get(one, ())} for node in nodes
    }


def _reached(into: Mapping[int, set[int]], start: int) -> set[int]:
    seen: set[int] = set()
    todo = [start]
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += into[here]
    return seen


# Rows that may be held once only for a key: what the key is, and who holds it now.
_RIVALS = (
    "SELECT v.item, o.item FROM version v JOIN memory m ON m.id = v.memory"
    " JOIN memory n ON n.uid = m.uid JOIN version o ON o.memory = n.id"
    " CROSS JOIN life l ON l.item = o.item AND l.to_pass IS NULL WHERE v.item IN",
    "SELECT c.item, o.item FROM consumed c JOIN consumed o ON o.record = c.record"
    " AND o.strategy = c.strategy CROSS JOIN life l ON l.item = o.item AND l.to_pass IS NULL"
    " WHERE c.item IN",
)


def rivals(connection: "sqlite3.Connection", items: Iterable[int]) -> dict[int, int]:
    """By row, another row, held, that has its key: uid, or (strategy, record) of a mark."""
    given = {"items": json.dumps(list(items))}
    out: dict[int, int] = {}
    for sql in _RIVALS:
        for item, other in connection.execute(sql + _GIVEN, given):
            if other != item:
                out.setdefault(item, other)
    return out


def describe(connection: "sqlite3.Connection", item: int) -> str:
    """A row in words that people know: `m4@2`, `r12`, or the memory it belongs to."""
    row = connection.execute(
        "SELECT 'r' || id FROM record WHERE item = :item"
        " UNION ALL SELECT 'm' || memory || '@' || number FROM version WHERE item = :item"
        " UNION ALL SELECT 'evidence of m' || m.id FROM edge e JOIN memory m ON m.node = e.child"
        "  WHERE e.item = :item"
        " UNION ALL SELECT 'a date of m' || m.id FROM validity t JOIN memory m ON m.node = t.node"
        "  WHERE t.item = :item"
        " UNION ALL SELECT 'the mark of ' || c.strategy || ' on r' || r.id FROM consumed c"
        "  JOIN record r ON r.item = c.record WHERE c.item = :item",
        {"item": item},
    ).fetchone()
    return row[0] if row else f"row {item}"


def memory_versions(connection: "sqlite3.Connection", memory: int) -> Mapping[int, int]:
    """Version number -> item, of all versions that ever were."""
    rows = connection.execute("SELECT number, item FROM version WHERE memory = ?", (memory,))
    return dict(rows.fetchall())


def cited_records(
    connection: "sqlite3.Connection", items: Iterable[int], *, live: bool = False
) -> set[int]:
    """Items of records that evidence edges among `items` cite; with `live`, of held memories.

    An entity does not count among these: a record that only names somebody has nothing settled.
    """
    held = (
        " AND EXISTS (SELECT 1 FROM memory m JOIN version v ON v.memory = m.id"
        " CROSS JOIN life l ON l.item = v.item AND l.to_pass IS NULL"
        " WHERE m.node = e.child AND v.kind <> 'entity')"
    )
    out: set[int] = set()
    for low, high in to_ranges(items):
        rows = connection.execute(
            "SELECT e.parent FROM edge e JOIN record r ON r.item = e.parent"
            f" WHERE e.role = 'evidence' AND e.item BETWEEN ? AND ?{held if live else ''}",
            (low, high),
        )
        out.update(row[0] for row in rows)
    return out


def consumed_by(connection: "sqlite3.Connection", items: Iterable[int]) -> dict[int, int]:
    """Consumed mark -> the record it is on, for marks among `items`."""
    out: dict[int, int] = {}
    for low, high in to_ranges(items):
        rows = connection.execute(
            "SELECT item, record FROM consumed WHERE item BETWEEN ? AND ?", (low, high)
        )
        out.update(rows.fetchall())
    return out


def versions_among(connection: "sqlite3.Connection", items: Iterable[int]) -> list[tuple[int, int]]:
    """(memory, number) of the versions among `items`."""
    out: list[tuple[int, int]] = []
    for low, high in to_ranges(items):
        out += connection.execute(
            "SELECT memory, number FROM version WHERE item BETWEEN ? AND ? ORDER BY item",
            (low, high),
        ).fetchall()
    return out


def evidence_among(connection: "sqlite3.Connection", items: Iterable[int]) -> bool:
    """Whether one of `items` is an edge of evidence from a memory to a memory."""
    return any(
        connection.execute(
            "SELECT 1 FROM edge e JOIN memory m ON m.node = e.parent_node"
            " WHERE e.role = 'evidence' AND e.item BETWEEN ? AND ? LIMIT 1",
            (low, high),
        ).fetchone()
        for low, high in to_ranges(items)
    )


def rejected_version(
    connection: "sqlite3.Connection", memory: int, number: int
) -> tuple[object, ...]:
    """Columns of a tombstone for a version: strategy to value."""
    row = connection.execute(
        "SELECT m.strategy, v.kind, v.near_key, v.user, v.agent, v.project, v.subject,"
        " v.attribute, v.value FROM version v JOIN memory m ON m.id = v.memory"
        " WHERE v.memory = ? AND v.number = ?",
        (memory, number),
    ).fetchone()
    return tuple(row)


def rejected_merges(
    connection: "sqlite3.Connection", items: Iterable[int]
) -> list[tuple[int, tuple[object, ...]]]:
    """(memory merged, columns of a tombstone for the pair) of the merges among `items`."""
    out: list[tuple[int, tuple[object, ...]]] = []
    for low, high in to_ranges(items):
        rows = connection.execute(
            "SELECT m.id, m.strategy, lower(hex(m.uid)), lower(hex(s.uid)), v.user, v.agent,"
            " v.project FROM merge t JOIN memory m ON m.node = t.node"
            " JOIN memory s ON s.node = t.survivor"
            " JOIN version v ON v.memory = m.id AND v.number = 1"
            " WHERE t.item BETWEEN ? AND ?",
            (low, high),
        )
        for memory, strategy, uid, survivor, *scope in rows:
            key = merge_key(uid, survivor)
            out.append((memory, (strategy, "merge", key, *scope, None, None, None)))
    return out
