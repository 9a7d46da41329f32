"""Records and sessions: identity, canonical content, insertion in bulk."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memcli.core.records import Scope
from memcli.core.values import dataclass
from memcli.store.canonical import canonical, commit, from_ranges, sha256
from memcli.store.driver import sqlite3

IDENTITY_VERSION = 1


def record_uid(scope: Scope, identity: str) -> bytes:
    """The uid of a record: the scope given by the user is part of it, a default scope is not."""
    return sha256(canonical(["record", IDENTITY_VERSION, scope.as_dict(), identity]).encode())


def session_uid(scope: Scope, format: str, key: str) -> bytes:
    """The uid of a session; its format keeps apart keys that two programs both use."""
    return sha256(canonical(["session", IDENTITY_VERSION, scope.as_dict(), format, key]).encode())


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record about to be stored; `session` and `source` are numbers of rows that exist."""

    uid: bytes
    session: int
    kind: str
    role: str
    speaker: str | None
    text: str
    said_at: str | None
    time_source: str
    scope: Scope
    attributes: Mapping[str, Any]
    source: int | None
    line: int | None


def content_of(record: Sequence[Any]) -> str:
    """What a record commits to, from a row of CONTENT_COLUMNS."""
    uid, *rest = record
    return canonical([uid.hex(), *rest])


CONTENT_COLUMNS = (
    "uid, session, seq, kind, role, speaker, text, said_at, time_source, user, agent, project,"
    " attributes, source, line"
)
_INSERT = (
    f"INSERT INTO record (id, item, {CONTENT_COLUMNS}, salt, hash)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def insert(
    connection: "sqlite3.Connection",
    records: Iterable[NewRecord],
    *,
    first_id: int,
    first_item: int,
    next_seq: dict[int, int],
    salts: bytes,
) -> bytes:
    """Store `records` under consecutive ids and items; returns the hash over their commitments.

    `next_seq` holds the next place in each session and is moved on. `salts` are 16 bytes each.
    """
    rows = []
    hashes = []
    for nth, record in enumerate(records):
        seq = next_seq[record.session]
        next_seq[record.session] = seq + 1
        salt = salts[16 * nth : 16 * nth + 16]
        scope = record.scope
        content = (
            record.uid,
            record.session,
            seq,
            record.kind,
            record.role,
            record.speaker,
            record.text,
            record.said_at,
            record.time_source,
            scope.user,
            scope.agent,
            scope.project,
            canonical(dict(record.attributes)),
            record.source,
            record.line,
        )
        commitment = commit(salt, content_of(content))
        hashes.append(commitment)
        rows.append((first_id + nth, first_item + nth, *content, salt, commitment))
    connection.executemany(_INSERT, rows)
    return sha256(*hashes)


def hash_errors(connection: "sqlite3.Connection") -> list[tuple[str, str]]:
    """Records whose content is not what their commitment says: (id, what)."""
    wrong = []
    rows = connection.execute(f"SELECT id, salt, hash, {CONTENT_COLUMNS} FROM record ORDER BY id")
    for ident, salt, commitment, *content in rows:
        try:
            holds = commit(salt, content_of(content)) == commitment
        except (AttributeError, TypeError, ValueError):  # a value of a kind that is never stored
            holds = False
        if not holds:
            wrong.append((f"r{ident}", "its content is not what was stored"))
    return wrong


def batch_errors(connection: "sqlite3.Connection") -> list[tuple[str, str]]:
    """Ingests whose records are not those that the journal committed to: (id, what).

    A record whose content and commitment were both forged passes `hash_errors`, not this.
    """
    rows = connection.execute(
        "SELECT item, id, hash FROM record UNION ALL SELECT item, record, hash FROM erased"
        " ORDER BY item"
    )
    hashes: dict[int, bytes] = {}
    wrong, last = [], 0
    for item, ident, commitment in rows:
        hashes[item] = commitment
        # The id is in no hash; but ids are drawn in the order of the items, and none is left out.
        if ident != last + 1:
            what = f"follows r{last}: records were taken out, or numbered anew"
            wrong.append((f"r{ident}", what))
        last = ident
    for pass_id, skeleton in connection.execute(
        "SELECT pass, skeleton FROM op WHERE type = 'records' ORDER BY id"
    ):
        try:
            stored = json.loads(skeleton)
            found = [hashes.pop(item, b"") for item in from_ranges(stored["opened"])]
            holds = sha256(*found).hex() == stored["records"]
        except (KeyError, TypeError, ValueError):
            holds = False
        if not holds:
            wrong.append((f"p{pass_id}", "its records are not the ones it stored"))
    if hashes:
        wrong.append(("records", f"{len(hashes)} records were stored by no pass"))
    return wrong
