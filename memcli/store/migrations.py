"""Migrations: numbered functions, never edited after release; each leads from N - 1 to N.

A writer migrates a store of an older schema when it opens it: after a backup beside the store,
all pending migrations in one transaction. A reading command does not, and says so.
"""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from memcli.store.driver import sqlite3

Migration = Callable[["sqlite3.Connection"], None]

# Schema 1 is the first that was released: there is nothing to lead up to it.
MIGRATIONS: Mapping[int, Migration] = {}


def pending(version: int, newest: int) -> list[int]:
    """The schemas between a store's and this program's, in order."""
    return list(range(version + 1, newest + 1))


def migrate(
    connection: "sqlite3.Connection",
    path: Path,
    newest: int,
    known: Mapping[int, Migration] = MIGRATIONS,
) -> Path | None:
    """Bring a store up to schema `newest`; returns the backup made, None if nothing was to do.

    Two writers may come at once: the second finds the work done when it gets the lock.
    """
    if not pending(_version(connection), newest):
        return None
    backup = _backup(connection, path)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in pending(_version(connection), newest):
            known[number](connection)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return backup


def _version(connection: "sqlite3.Connection") -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _backup(connection: "sqlite3.Connection", path: Path) -> Path:
    """A copy of the store as it is, beside it: `memory.db.schema-1`, or with a number behind."""
    plain = path.with_name(f"{path.name}.schema-{_version(connection)}")
    place, nth = plain, 1
    while place.exists():
        nth += 1
        place = plain.with_name(f"{plain.name}-{nth}")
    with contextlib.closing(sqlite3.connect(place, isolation_level=None)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    return place
