"""Recorded calls to models, each durable as it arrives, outside any pass (product.md, "Calls")."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from memcli.core import ids
from memcli.core.calls import Call, CallReply, CallRequest, CallStatus, DamagedCall
from memcli.store.callrows import COLUMNS, read
from memcli.store.driver import sqlite3
from memcli.store.write import transaction


class StoredCalls:
    """The calls of a store: implements ports.CallLog.

    `clock` gives ISO 8601 UTC. `writing` gives the connection to write by, when it comes to that:
    a dry run reads by one that cannot. `kept` counts what was recorded.
    """

    def __init__(
        self,
        connection: "sqlite3.Connection",
        clock: Callable[[], str],
        writing: Callable[[], "sqlite3.Connection"] | None = None,
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._writing = writing or (lambda: connection)
        self.kept = 0

    def recorded(self, key: str) -> Sequence[Call]:
        """The calls under this key, newest first; what cannot be read is none."""
        return _calls(self._connection, "key = ? ORDER BY id DESC", (bytes.fromhex(key),))

    def candidates(self, task: str) -> Sequence[Call]:
        """The newest calls of a task, at most 500."""
        return _calls(self._connection, "task = ? ORDER BY id DESC LIMIT 500", (task,))

    def record(
        self, request: CallRequest, reply: CallReply, status: CallStatus, sources: Sequence[str]
    ) -> Call:
        """Keep an answer as it arrived; durable when this comes back."""
        at, connection = self._clock(), self._writing()
        with transaction(connection):
            number = insert(connection, request, reply, status, at)
            _link(connection, number, items_of(connection, sources))
        self.kept += 1
        return Call(number, request, reply, status, at)

    def link(self, call: Call, sources: Sequence[str]) -> None:
        """These items are shown in a recorded call; calls that were imported name none."""
        rows = self._connection.execute("SELECT item FROM call_source WHERE call = ?", (call.id,))
        known = {row[0] for row in rows}
        missing = [item for item in items_of(self._connection, sources) if item not in known]
        if missing:
            connection = self._writing()
            with transaction(connection):
                _link(connection, call.id, missing)

    def spend(self, calls: Sequence[int]) -> None:
        """The pass that asked has ended: its refused answers are not used again."""
        if not calls:
            return
        connection = self._writing()
        with transaction(connection):
            connection.executemany(
                "UPDATE call SET status = 'spent' WHERE id = ? AND status = 'refused'",
                [(number,) for number in calls],
            )


def spend_shown(connection: "sqlite3.Connection", refs: Iterable[str]) -> None:
    """A pass over these items has ended: answers that were refused and showed one of them are not
    used again."""
    with transaction(connection):
        connection.executemany(
            "UPDATE call SET status = 'spent' WHERE status = 'refused'"
            " AND id IN (SELECT call FROM call_source WHERE item = ?)",
            [(item,) for item in items_of(connection, refs)],
        )


def _link(connection: "sqlite3.Connection", call: int, items: Sequence[int]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO call_source (call, item) VALUES (?, ?)",
        [(call, item) for item in items],
    )


def insert(
    connection: "sqlite3.Connection",
    request: CallRequest,
    reply: CallReply,
    status: CallStatus,
    at: str,
) -> int:
    """Store one call, in the transaction of the caller; returns its number."""
    said = {"text": reply.text, "finish": reply.finish, "model": reply.model}
    cursor = connection.execute(
        "INSERT INTO call (key, task, version, model, request, reply, status,"
        " tokens_in, tokens_out, cost_usd, at)"
        " VALUES (:key, :task, :version, :model, :request, :reply, :status, :in, :out, :cost, :at)",
        {
            "key": bytes.fromhex(request.key),
            "task": request.task,
            "version": request.version,
            "model": request.model,
            "request": _dump(request.as_dict()),
            "reply": _dump(said),
            "status": status,
            "in": reply.tokens_in,
            "out": reply.tokens_out,
            "cost": reply.cost_usd,
            "at": at,
        },
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def items_of(connection: "sqlite3.Connection", refs: Iterable[str]) -> list[int]:
    """The items of records and memory versions behind public ids; what is unknown is left out."""
    found: dict[int, None] = {}
    for ref in refs:
        parsed = ids.try_parse(ref)
        if parsed is None or parsed.letter not in "rm":
            continue
        if parsed.letter == "r":
            rows = connection.execute("SELECT item FROM record WHERE id = ?", (parsed.number,))
        elif parsed.version is None:
            rows = connection.execute("SELECT item FROM version WHERE memory = ?", (parsed.number,))
        else:
            rows = connection.execute(
                "SELECT item FROM version WHERE memory = ? AND number = ?",
                (parsed.number, parsed.version),
            )
        found.update((row[0], None) for row in rows)
    return list(found)


def rows(connection: "sqlite3.Connection") -> Iterator[Call | DamagedCall]:
    """Every row of recorded calls, oldest first, one at a time."""
    for row in connection.execute(f"SELECT {COLUMNS} FROM call ORDER BY id"):
        yield read(row)


def known(connection: "sqlite3.Connection", call: Call) -> bool:
    """Whether this very answer to this request is there already."""
    return any(
        found.reply.text == call.reply.text
        for found in _calls(connection, "key = ?", (bytes.fromhex(call.key),))
    )


def delete(connection: "sqlite3.Connection", numbers: Sequence[int]) -> None:
    """Remove calls, in the transaction of the caller."""
    rows = [(number,) for number in numbers]
    connection.executemany("DELETE FROM call_source WHERE call = ?", rows)
    connection.executemany("DELETE FROM call WHERE id = ?", rows)


def _calls(connection: "sqlite3.Connection", where: str, values: tuple[Any, ...]) -> list[Call]:
    found = connection.execute(f"SELECT {COLUMNS} FROM call WHERE {where}", values).fetchall()
    return [call for call in map(read, found) if isinstance(call, Call)]


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
