"""What hangs on a node: the edges of a memory, their quotes, and the dates of a claim."""

from memcli.store.driver import sqlite3


def edge(
    connection: "sqlite3.Connection", child: int, parent: int, role: str
) -> tuple[int, bool] | None:
    """(item, whether it is held) of the edge from node `child` to item `parent`, if there ever
    was one."""
    found = connection.execute(
        "SELECT e.item, l.item IS NOT NULL FROM edge e"
        " LEFT JOIN life l ON l.item = e.item AND l.to_pass IS NULL"
        " WHERE e.child = :child AND e.parent = :parent AND e.role = :role",
        {"child": child, "parent": parent, "role": role},
    ).fetchone()
    return found and (found[0], bool(found[1]))


def quote(
    connection: "sqlite3.Connection", edge: int, start: int, end: int
) -> tuple[int, bool] | None:
    """(item, whether it is held) of the quote of these characters, if there ever was one."""
    found = connection.execute(
        "SELECT q.item, l.item IS NOT NULL FROM quote q"
        " LEFT JOIN life l ON l.item = q.item AND l.to_pass IS NULL"
        " WHERE q.edge = :edge AND q.start = :start AND q.end = :end"
        " ORDER BY 2 DESC, 1 LIMIT 1",
        {"edge": edge, "start": start, "end": end},
    ).fetchone()
    return found and (found[0], bool(found[1]))


def held_edges(
    connection: "sqlite3.Connection", child: int, role: str, parent: int | None = None
) -> list[int]:
    """Items of the edges of node `child` that are held; with `parent`, of those to that node."""
    rows = connection.execute(
        "SELECT e.item FROM edge e CROSS JOIN life l ON l.item = e.item AND l.to_pass IS NULL"
        " WHERE e.child = :child AND e.role = :role"
        + ("" if parent is None else " AND e.parent_node = :parent"),
        {"child": child, "role": role, "parent": parent},
    )
    return [item for (item,) in rows]


def held_with_quotes(connection: "sqlite3.Connection", edge: int) -> list[int]:
    """Items of an edge and of its quotes, those that are held."""
    rows = connection.execute(
        "SELECT l.item FROM life l WHERE l.to_pass IS NULL AND (l.item = :edge"
        " OR l.item IN (SELECT q.item FROM quote q WHERE q.edge = :edge))",
        {"edge": edge},
    )
    return [item for (item,) in rows]


def held_dates(connection: "sqlite3.Connection", node: int) -> list[int]:
    """Items of the rows that say when a claim holds."""
    rows = connection.execute(
        "SELECT t.item FROM validity t CROSS JOIN life l ON l.item = t.item AND l.to_pass IS NULL"
        " WHERE t.node = :node",
        {"node": node},
    )
    return [item for (item,) in rows]
