"""What became of records and memories: who settled them, when they came, when they were recalled."""

import json
from collections import defaultdict
from collections.abc import Iterable

from memcli.store import journal, load
from memcli.store.driver import sqlite3


def last_pass(connection: "sqlite3.Connection", at: int, strategy: str) -> tuple[str, str] | None:
    """(id, time) of the newest pass of a strategy up to pass `at` that was not taken back."""
    gone = journal.passes_not_in_force(connection)
    rows = connection.execute(
        "SELECT id, at FROM pass WHERE strategy = :strategy AND kind = 'consolidate' AND id <= :at"
        " ORDER BY id DESC",
        {"strategy": strategy, "at": at},
    )
    for number, time in rows:
        # A rollback that came after `at` had taken back nothing yet.
        if not number < gone.get(number, number) <= at:
            return f"p{number}", str(time)
    return None


def settled(connection: "sqlite3.Connection", at: int) -> dict[str, frozenset[str]]:
    """Strategy -> ids of the records that it has settled."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = connection.execute(
        "SELECT c.strategy, r.id FROM consumed c CROSS JOIN life l ON l.item = c.item"
        f" JOIN record r ON r.item = c.record WHERE {load.HELD}",
        {"at": at},
    )
    for strategy, record in rows:
        found[strategy].add(f"r{record}")
    return {strategy: frozenset(refs) for strategy, refs in sorted(found.items())}


def recalls(connection: "sqlite3.Connection") -> dict[str, tuple[str, ...]]:
    """Id of a record or memory -> the times at which it was recalled, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    rows = connection.execute(
        "SELECT coalesce('r' || r.id, 'm' || v.memory), c.at FROM recall c"
        " LEFT JOIN record r ON r.item = c.item LEFT JOIN version v ON v.item = c.item"
        " ORDER BY c.at, c.id"
    )
    for ref, at in rows:
        if ref is not None:
            found[ref].append(at)
    return {ref: tuple(times) for ref, times in found.items()}


def stored(connection: "sqlite3.Connection", refs: Iterable[str] | None = None) -> dict[str, str]:
    """Id of a record or memory -> the time of the pass that first stored it. `refs`: only of these."""
    found: dict[str, str] = {}
    for letter, table, number in (("r", "record", "id"), ("m", "version", "memory")):
        only = None if refs is None else [int(ref[1:]) for ref in refs if ref.startswith(letter)]
        if only == []:
            continue
        where = "" if only is None else f"WHERE t.{number} IN (SELECT value FROM json_each(:only))"
        rows = connection.execute(
            f"SELECT '{letter}' || t.{number}, min(p.at) FROM {table} t"
            " JOIN life l ON l.item = t.item JOIN pass p ON p.id = l.from_pass"
            f" {where} GROUP BY t.{number}",
            {"only": json.dumps(only)},
        )
        found.update(rows.fetchall())
    return found


def log_recalls(connection: "sqlite3.Connection", refs: Iterable[str], at: str) -> None:
    """Note that these records and memories (of a memory its newest version) were recalled.

    The caller holds a write transaction. Ids of what is not there are passed over.
    """
    records = [int(ref[1:]) for ref in refs if ref.startswith("r")]
    memories = [int(ref[1:]) for ref in refs if ref.startswith("m")]
    connection.executemany(
        "INSERT INTO recall (item, at) SELECT item, ? FROM record WHERE id = ?",
        [(at, number) for number in records],
    )
    connection.executemany(
        "INSERT INTO recall (item, at)"
        " SELECT item, ? FROM version WHERE memory = ? ORDER BY number DESC LIMIT 1",
        [(at, number) for number in memories],
    )


def rated_by(connection: "sqlite3.Connection", at: int, node: int | None, name: str) -> str | None:
    """Who gave the rating that counts; None if there is none."""
    row = connection.execute(
        "SELECT t.made_by FROM rating t CROSS JOIN life l ON l.item = t.item"
        f" WHERE t.node = :node AND t.name = :name AND {load.HELD}"
        " ORDER BY t.item DESC LIMIT 1",
        {"node": node, "name": name, "at": at},
    ).fetchone()
    return None if row is None else str(row[0])
