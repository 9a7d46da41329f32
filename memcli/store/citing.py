"""Which memories rest on a record, share a slot with a memory, or are said to replace it."""

import json
from collections import defaultdict
from collections.abc import Iterable

from memcli.store.driver import sqlite3
from memcli.store.load import HELD

_CITING = f"""
SELECT e.parent, m.id, e.item FROM json_each(:items) j
CROSS JOIN edge e ON e.parent_node = j.value AND e.role = 'evidence'
CROSS JOIN life l ON l.item = e.item AND {HELD}
CROSS JOIN memory m ON m.node = e.child
ORDER BY e.item
"""
_SLOT = f"""
SELECT v.memory FROM version v CROSS JOIN life l ON l.item = v.item AND {HELD}
WHERE v.attribute = :attribute AND v.subject = :subject
    AND v.user = :user AND v.agent = :agent AND v.project = :project
ORDER BY v.memory
"""
_REPLACING = f"""
SELECT c.id FROM memory p CROSS JOIN edge e ON e.parent_node = p.node AND e.role = 'replaces'
CROSS JOIN life l ON l.item = e.item AND {HELD}
CROSS JOIN memory c ON c.node = e.child
WHERE p.id = :memory ORDER BY e.item
"""


def citing(
    connection: "sqlite3.Connection", at: int, items: Iterable[int]
) -> dict[int, list[tuple[int, int]]]:
    """item of a record -> (number of a memory that rests on it directly, item of the edge)."""
    out: dict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = connection.execute(_CITING, {"items": json.dumps(list(items)), "at": at})
    for parent, memory, edge in rows:
        out[parent].append((memory, edge))
    return dict(out)


def in_slot(
    connection: "sqlite3.Connection",
    at: int,
    subject: str,
    attribute: str,
    scope: tuple[str, str, str],
) -> list[int]:
    """Numbers of the memories that are held in a slot, of any strategy."""
    user, agent, project = scope
    rows = connection.execute(
        _SLOT,
        {
            "subject": subject,
            "attribute": attribute,
            "user": user,
            "agent": agent,
            "project": project,
            "at": at,
        },
    )
    return [number for (number,) in rows]


def replacing(connection: "sqlite3.Connection", at: int, memory: int) -> list[int]:
    """Numbers of the memories that are linked as what replaces the memory of this number."""
    rows = connection.execute(_REPLACING, {"memory": memory, "at": at})
    return [number for (number,) in rows]
