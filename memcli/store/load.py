"""Reading records and memories as they were held at a pass: SQL rows to frozen values."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from memcli.core.memories import Evidence, LinkEnd, Memory, Quote, Slot
from memcli.core.records import Record, Scope
from memcli.store.canonical import parse
from memcli.store.driver import sqlite3

# CROSS JOIN keeps SQLite from walking all lives first: it has no statistics of these tables, and
# takes the range of passes for a narrow one.
# A row is held at pass :at if one of its intervals covers it: from_pass <= :at < to_pass.
HELD = "l.from_pass <= :at AND (l.to_pass IS NULL OR l.to_pass > :at)"


def _among(column: str, given: Sequence[int] | None, values: dict[str, Any]) -> str:
    """A clause that narrows to these numbers, with what it needs added to `values`: not written out,
    so that the statement is the same each time and is prepared once."""
    if given is None:
        return ""
    name = column.replace(".", "_")
    values[name] = json.dumps(list(given))
    return f" AND {column} IN (SELECT value FROM json_each(:{name}))"


def ratings(
    connection: "sqlite3.Connection", at: int, nodes: Sequence[int] | None = None
) -> dict[int, dict[str, Any]]:
    """node -> name -> the value that counts: the newest row held."""
    out: dict[int, dict[str, Any]] = defaultdict(dict)
    values: dict[str, Any] = {"at": at}
    rows = connection.execute(
        "SELECT t.node, t.name, t.value FROM rating t CROSS JOIN life l ON l.item = t.item"
        f" WHERE {HELD}{_among('t.node', nodes, values)} ORDER BY t.item",
        values,
    )
    for node, name, value in rows:
        out[node][name] = parse(value)
    return out


# Within a session the order is that of the source, for clocks go backwards in real files: a
# record's place in time is the latest time said so far in its session. Times of whole seconds are
# written without a fraction and would sort behind those of the same second that have one.
_RECORDS = f"""
SELECT o.id, o.item, o.uid, o.session, o.seq, o.kind, o.role, o.speaker, o.text, o.said_at,
    o.time_source, o.user, o.agent, o.project, o.attributes, f.path, o.line
FROM (
    SELECT r.*, max(
        CASE WHEN length(r.said_at) = 20 THEN substr(r.said_at, 1, 19) || '.000Z' ELSE r.said_at END
    ) OVER (PARTITION BY r.session ORDER BY r.seq) AS place
    FROM record r CROSS JOIN life l ON l.item = r.item
    WHERE {HELD} %s
) o LEFT JOIN source f ON f.id = o.source
ORDER BY o.place, o.session, o.seq
"""


def records(
    connection: "sqlite3.Connection",
    at: int,
    *,
    items: Sequence[int] | None = None,
    scope: Scope | None = None,
) -> list[tuple[int, Record]]:
    """(item, record) of all records held, in time order (see ports.View)."""
    values: dict[str, Any] = {"at": at}
    clause = _among("r.item", items, values)
    if scope is not None:
        clause += " AND r.user = :user AND r.agent = :agent AND r.project = :project"
        values.update(user=scope.user, agent=scope.agent, project=scope.project)
    rows = connection.execute(_RECORDS % clause, values).fetchall()
    rated = ratings(connection, at, items)
    marked = marks(connection, at, items)
    return [(row[1], _record(row, rated.get(row[1], {}), row[1] not in marked)) for row in rows]


def marks(
    connection: "sqlite3.Connection", at: int, items: Sequence[int] | None = None
) -> dict[int, str]:
    """Items of records that are marked inactive or superseded, with the mark."""
    values: dict[str, Any] = {"at": at}
    rows = connection.execute(
        "SELECT t.record, t.mark FROM record_mark t CROSS JOIN life l ON l.item = t.item"
        f" WHERE {HELD}{_among('t.record', items, values)} AND t.mark IN ('inactive', 'superseded')"
        " ORDER BY t.item",
        values,
    )
    return dict(rows.fetchall())


def _record(row: Sequence[Any], rated: dict[str, Any], active: bool) -> Record:
    return Record(
        id=f"r{row[0]}",
        uid=row[2].hex(),
        session=f"s{row[3]}",
        seq=row[4],
        kind=row[5],
        role=row[6],
        speaker=row[7],
        text=row[8],
        said_at=row[9],
        time_source=row[10],
        scope=Scope(row[11], row[12], row[13]),
        attributes=parse(row[14]),
        source=row[15],
        line=row[16],
        active=active,
        importance=rated.get("importance"),
        status=rated.get("status", "active"),
        pinned=bool(rated.get("pinned", False)),
    )


def edges(
    connection: "sqlite3.Connection", at: int, nodes: Sequence[int] | None = None
) -> dict[int, list[tuple[str, str, int]]]:
    """child node -> (role, label of the parent, item of the edge), in the order they were made."""
    out: dict[int, list[tuple[str, str, int]]] = defaultdict(list)
    values: dict[str, Any] = {"at": at}
    rows = connection.execute(
        "SELECT e.child, e.role, e.item, r.id, v.memory, v.number FROM edge e"
        " CROSS JOIN life l ON l.item = e.item"
        " LEFT JOIN record r ON r.item = e.parent"
        " LEFT JOIN version v ON v.item = e.parent"
        f" WHERE {HELD}{_among('e.child', nodes, values)} ORDER BY e.item",
        values,
    )
    for child, role, item, record, memory, number in rows:
        label = f"r{record}" if record is not None else f"m{memory}@{number}"
        if record is None and memory is None:
            label = "nothing"
        out[child].append((role, label, item))
    return out


def quotes(
    connection: "sqlite3.Connection", at: int, edge_items: Iterable[int] | None = None
) -> dict[int, list[Quote]]:
    """edge -> its quotes."""
    given = None if edge_items is None else list(edge_items)
    out: dict[int, list[Quote]] = defaultdict(list)
    values: dict[str, Any] = {"at": at}
    rows = connection.execute(
        "SELECT q.edge, q.text, q.start, q.end FROM quote q CROSS JOIN life l ON l.item = q.item"
        f" WHERE {HELD}{_among('q.edge', given, values)} ORDER BY q.item",
        values,
    )
    for edge, text, start, end in rows:
        out[edge].append(Quote(text, start, end))
    return out


def validities(
    connection: "sqlite3.Connection", at: int, nodes: Sequence[int] | None = None
) -> dict[int, tuple[str | None, str | None, str | None]]:
    """node -> (valid_from, valid_to, id of the successor): the newest row held of each part counts."""
    values: dict[str, Any] = {"at": at}
    rows = connection.execute(
        "SELECT t.node, t.part, t.at, s.id FROM validity t"
        " CROSS JOIN life l ON l.item = t.item LEFT JOIN memory s ON s.node = t.successor"
        f" WHERE {HELD}{_among('t.node', nodes, values)} ORDER BY t.item",
        values,
    )
    out: dict[int, tuple[str | None, str | None, str | None]] = {}
    for node, part, moment, successor in rows:
        start, end, by = out.get(node, (None, None, None))
        if part == "from":
            out[node] = (moment, end, by)
        else:
            out[node] = (start, moment, None if successor is None else f"m{successor}")
    return out


# The pass that made a version is the one that first opened it: an undo that is taken back opens
# it again, and makes nothing.
_VERSIONS = """
SELECT v.item, m.id, m.node, m.uid, m.strategy, v.number, v.kind, v.text, v.attributes, v.user,
    v.agent, v.project, v.subject, v.attribute, v.value, v.made_by,
    (SELECT min(f.from_pass) FROM life f WHERE f.item = v.item)
FROM version v JOIN memory m ON m.id = v.memory %s
WHERE 1 %s ORDER BY v.memory, v.number
"""
_LIVE = f"CROSS JOIN life l ON l.item = v.item AND {HELD}"


def memories(
    connection: "sqlite3.Connection",
    at: int,
    *,
    ids: Sequence[int] | None = None,
    items: Sequence[int] | None = None,
    held: bool = True,
) -> list[tuple[int, int, Memory]]:
    """(item, node, memory) of versions held, by memory id; with `held` False also of others.

    What hangs on the memory (evidence, dates, ratings) is always that of `at`.
    """
    values: dict[str, Any] = {"at": at}
    clause = _among("v.memory", ids, values) + _among("v.item", items, values)
    rows = connection.execute(_VERSIONS % (_LIVE if held else "", clause), values).fetchall()
    if not rows:
        return []
    nodes = None if ids is None and items is None else [row[2] for row in rows]
    edge = edges(connection, at, nodes)
    found = quotes(
        connection, at, None if nodes is None else [e[2] for part in edge.values() for e in part]
    )
    rated, valid = ratings(connection, at, nodes), validities(connection, at, nodes)
    return [
        (
            row[0],
            row[2],
            _memory(
                row,
                edge.get(row[2], []),
                found,
                rated.get(row[2], {}),
                valid.get(row[2], (None, None, None)),
            ),
        )
        for row in rows
    ]


def _memory(
    row: Sequence[Any],
    edge: Sequence[tuple[str, str, int]],
    found: dict[int, list[Quote]],
    rated: dict[str, Any],
    valid: tuple[str | None, str | None, str | None],
) -> Memory:
    return Memory(
        id=f"m{row[1]}",
        version=row[5],
        uid=row[3].hex(),
        kind=row[6],
        text=row[7],
        strategy=row[4],
        pass_id=f"p{row[16]}",
        scope=Scope(row[9], row[10], row[11]),
        attributes=parse(row[8]),
        slot=None if row[13] is None else Slot(row[12], row[13], row[14]),
        made_by=row[15],
        valid_from=valid[0],
        valid_to=valid[1],
        superseded_by=valid[2],
        status=rated.get("status", "active"),
        importance=rated.get("importance"),
        pinned=bool(rated.get("pinned", False)),
        evidence=tuple(
            Evidence(label, tuple(found.get(item, ())))
            for role, label, item in edge
            if role == "evidence"
        ),
        links=tuple(
            LinkEnd(label, role)  # type: ignore[arg-type]
            for role, label, _ in edge
            if role != "evidence"
        ),
    )
