"""What was rejected, and from which records: the questions of rule C23."""

from collections.abc import Mapping
from typing import Any

from memcli.core.records import Scope
from memcli.store.driver import sqlite3
from memcli.store.load import HELD

_HELD_IN_SCOPE = f"""
SELECT t.item FROM tombstone t CROSS JOIN life l ON l.item = t.item
WHERE t.kind = :kind AND t.user = :user AND t.agent = :agent AND t.project = :project AND {HELD}
"""


def any_at_all(connection: "sqlite3.Connection") -> bool:
    """Whether the store ever had one: most have none, and each statement is asked about."""
    return connection.execute("SELECT 1 FROM tombstone LIMIT 1").fetchone() is not None


def of_text(
    connection: "sqlite3.Connection", at: int, scope: Scope, kind: str, near: str
) -> list[frozenset[str]]:
    """For each rejection of this text (its near key): ids of the records that it rested on."""
    return _found(connection, at, scope, kind, " AND t.near_key = :near", {"near": near})


def of_slot(
    connection: "sqlite3.Connection", at: int, scope: Scope, kind: str, slot: tuple[str, str, str]
) -> list[frozenset[str]]:
    """The same for the value of a slot: (subject, attribute, value)."""
    clause = " AND t.subject = :subject AND t.attribute = :attribute AND t.value = :value"
    subject, attribute, value = slot
    values = {"subject": subject, "attribute": attribute, "value": value}
    return _found(connection, at, scope, kind, clause, values)


def of_kind(
    connection: "sqlite3.Connection", at: int, scope: Scope, kind: str
) -> list[frozenset[str]]:
    """The same for whatever was rejected of a kind."""
    return _found(connection, at, scope, kind, "", {})


def _found(
    connection: "sqlite3.Connection",
    at: int,
    scope: Scope,
    kind: str,
    clause: str,
    values: Mapping[str, Any],
) -> list[frozenset[str]]:
    within = {"user": scope.user, "agent": scope.agent, "project": scope.project}
    rows = connection.execute(
        f"{_HELD_IN_SCOPE}{clause} ORDER BY t.item",
        {"at": at, "kind": kind, **within, **values},
    ).fetchall()
    return [_records(connection, item) for (item,) in rows]


def _records(connection: "sqlite3.Connection", tombstone: int) -> frozenset[str]:
    rows = connection.execute(
        "SELECT r.id FROM tombstone_record t JOIN record r ON r.item = t.record"
        " WHERE t.tombstone = ?",
        (tombstone,),
    )
    return frozenset(f"r{row[0]}" for row in rows)
