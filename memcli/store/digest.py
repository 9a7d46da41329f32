"""Digests: hashes of the logical state, the same for the same state in any store."""

import hashlib
from collections.abc import Iterable
from typing import Any

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.reports import DigestReport
from memcli.store import load
from memcli.store.canonical import canonical
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView


def digest(connection: "sqlite3.Connection", at: int) -> DigestReport:
    """The digests of the state at pass `at`.

    `records` and `memories` hold no ids, versions, passes, clocks, backends or tombstones, so a
    pass that is rolled back leaves them as they were. `journal` differs between stores.
    """
    view = StoreView(connection, at)
    records = view.records(inactive=True)
    row = connection.execute("SELECT hash FROM pass WHERE id = ?", (at,)).fetchone()
    return DigestReport(
        at=f"p{at}",
        records=_hash(_records(connection, records)),
        memories=_hash(_memories(view, records)),
        journal=bytes(32).hex() if row is None else row[0].hex(),
    )


def _hash(values: Iterable[Any]) -> str:
    lines = sorted(canonical(value) for value in values)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _records(connection: "sqlite3.Connection", records: Iterable[Record]) -> Iterable[Any]:
    sessions = dict(connection.execute("SELECT 's' || id, hex(uid) FROM session").fetchall())
    for record in records:
        yield {
            "uid": record.uid,
            "session": sessions.get(record.session),
            "kind": record.kind,
            "role": record.role,
            "speaker": record.speaker,
            "text": record.text,
            "said_at": record.said_at,
            "time_source": record.time_source,
            "scope": record.scope.as_dict(),
            "attributes": record.attributes,
            "active": record.active,
        }


def _memories(view: StoreView, records: Iterable[Record]) -> Iterable[Any]:
    uids = {record.id: record.uid for record in records}
    memories = view.memories()
    uids |= {memory.id: memory.uid for memory in memories}
    texts = {memory.ref: memory.text for memory in memories}

    def end(ref: str) -> list[str]:
        """An end of an edge without its id: the uid, and for a memory the text cited."""
        if ref.startswith("r"):
            return [uids.get(ref) or _record_uid(view, ref)]
        text = texts[ref] if ref in texts else _former_text(view, ref)
        return [uids.get(ids.memory_of(ref)) or _memory_uid(view, ref), text]

    for memory in memories:
        yield _memory(memory, uids, end)
    for item, rated in sorted(load.ratings(view.connection, view.at).items()):
        uid = _record_by_item(view, item)
        if uid is not None:
            yield {"record": uid, "ratings": rated}
    yield from _consumed(view)


def _memory(memory: Memory, uids: dict[str, str], end: Any) -> Any:
    slot = memory.slot
    return {
        "uid": memory.uid,
        "kind": memory.kind,
        "scope": memory.scope.as_dict(),
        "slot": None if slot is None else [slot.subject, slot.attribute, slot.value],
        "text": memory.text,
        "attributes": memory.attributes,
        "valid": [memory.valid_from, memory.valid_to],
        "superseded_by": uids.get(memory.superseded_by or "", memory.superseded_by and "gone"),
        "status": memory.status,
        "importance": memory.importance,
        "pinned": memory.pinned,
        "evidence": sorted(
            [*end(found.ref), sorted([q.text, q.start, q.end] for q in found.quotes)]
            for found in memory.evidence
        ),
        "links": sorted([link.role, *end(link.ref)] for link in memory.links),
    }


def _record_uid(view: StoreView, ref: str) -> str:
    row = view.connection.execute("SELECT hex(uid) FROM record WHERE id = ?", (int(ref[1:]),))
    found = row.fetchone()
    return "erased" if found is None else str(found[0]).lower()


def _record_by_item(view: StoreView, item: int) -> str | None:
    row = view.connection.execute(
        "SELECT hex(r.uid) FROM record r CROSS JOIN life l ON l.item = r.item"
        f" WHERE r.item = :item AND {load.HELD}",
        {"item": item, "at": view.at},
    ).fetchone()
    return None if row is None else str(row[0]).lower()


def _memory_uid(view: StoreView, ref: str) -> str:
    number = ids.parse(ref, "m").number
    row = view.connection.execute("SELECT hex(uid) FROM memory WHERE id = ?", (number,)).fetchone()
    return "erased" if row is None else str(row[0]).lower()


def _former_text(view: StoreView, ref: str) -> str:
    found = view.former(ref)
    return "" if found is None else found[2]


def _consumed(view: StoreView) -> Iterable[Any]:
    rows = view.connection.execute(
        "SELECT c.strategy, lower(hex(r.uid)) FROM consumed c"
        " CROSS JOIN life l ON l.item = c.item JOIN record r ON r.item = c.record"
        f" WHERE {load.HELD}",
        {"at": view.at},
    )
    for strategy, uid in rows:
        yield {"consumed": uid, "by": strategy}


def canonical_dump(view: StoreView) -> str:
    """All that `memories` hashes, one line a thing: for tests that compare states."""
    lines = sorted(canonical(v) for v in _memories(view, view.records(inactive=True)))
    return "\n".join(lines)
