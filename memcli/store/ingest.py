"""What an ingest asks of the store: known records, sessions, sources, marks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli.core.records import Scope
from memcli.core.values import dataclass
from memcli.store.driver import sqlite3
from memcli.store.records import session_uid

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Known:
    """A record that is in the store: held or not, and the items of its marks, if it has them.

    It may have both: a text on a branch that was left may be edited too. `other` is the item of the
    record that supersedes it. Then what of it is read from the source beside its text.
    """

    item: int
    text: str
    held: bool
    inactive: int | None
    superseded: int | None
    other: int | None
    said_at: str | None
    role: str
    speaker: str | None


def known(connection: "sqlite3.Connection", uids: Sequence[bytes]) -> dict[bytes, Known]:
    """Those of `uids` that the store has, whether held or not."""
    out: dict[bytes, Known] = {}
    for chunk in _chunks(uids):
        where = f"r.uid IN ({','.join('?' * len(chunk))})"
        for uid, *rest in connection.execute(_KNOWN + where, chunk):
            out[uid] = _known(rest)
    return out


_KNOWN = (
    "SELECT r.uid, r.item, r.text, l.item IS NOT NULL, i.item, s.item, s.other,"
    " r.said_at, r.role, r.speaker FROM record r"
    " LEFT JOIN life l ON l.item = r.item AND l.to_pass IS NULL"
    " LEFT JOIN (SELECT t.* FROM record_mark t CROSS JOIN life x ON x.item = t.item"
    "   AND x.to_pass IS NULL WHERE t.mark = 'inactive') i ON i.record = r.item"
    " LEFT JOIN (SELECT t.* FROM record_mark t CROSS JOIN life x ON x.item = t.item"
    "   AND x.to_pass IS NULL WHERE t.mark = 'superseded') s ON s.record = r.item WHERE "
)


def _known(row: Sequence[Any]) -> Known:
    item, text, held, *rest = row
    return Known(item, text, bool(held), *rest)


def one(connection: "sqlite3.Connection", uid: bytes) -> Known | None:
    """The record of this uid, whether held or not."""
    # Most often there is none, and to say so takes no look at the marks.
    there = connection.execute("SELECT 1 FROM record WHERE uid = ?", (uid,)).fetchone()
    return None if there is None else known(connection, [uid])[uid]


def held_since(connection: "sqlite3.Connection", item: int) -> int:
    """The pass that made a held row held."""
    found = connection.execute(
        "SELECT from_pass FROM life WHERE item = ? AND to_pass IS NULL", (item,)
    ).fetchone()
    return int(found[0])


def named(connection: "sqlite3.Connection", item: int) -> str:
    """The id by which people know a record."""
    return f"r{connection.execute('SELECT id FROM record WHERE item = ?', (item,)).fetchone()[0]}"


def newest(connection: "sqlite3.Connection", first: Known) -> Known:
    """What a record's text has become at its source: the end of what supersedes it."""
    current, seen = first, {first.item}
    while current.superseded is not None and current.other not in (None, *seen):
        row = connection.execute(_KNOWN + "r.item = ?", (current.other,)).fetchone()
        if row is None or not row[3]:
            break
        current = _known(row[1:])
        seen.add(current.item)
    return current


def erased(connection: "sqlite3.Connection", uids: Sequence[bytes]) -> set[bytes]:
    """Those of `uids` that were erased and may not come back."""
    out: set[bytes] = set()
    for chunk in _chunks(uids):
        rows = connection.execute(
            f"SELECT uid FROM erased WHERE uid IN ({','.join('?' * len(chunk))})", chunk
        )
        out.update(row[0] for row in rows)
    return out


def _chunks(values: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]


def session_number(connection: "sqlite3.Connection", uid: bytes) -> int | None:
    """The number of a session, if it is there."""
    row = connection.execute("SELECT id FROM session WHERE uid = ?", (uid,)).fetchone()
    return None if row is None else int(row[0])


def next_seq(connection: "sqlite3.Connection", session: int) -> int:
    """The next place in a session, counted over all records it ever had."""
    row = connection.execute(
        "SELECT coalesce(max(seq) + 1, 0) FROM record WHERE session = ?", (session,)
    ).fetchone()
    return int(row[0])


def source_number(connection: "sqlite3.Connection", path: str, format: str) -> int | None:
    """The number of a source, if it was read before."""
    row = connection.execute(
        "SELECT id FROM source WHERE path = ? AND format = ?", (path, format)
    ).fetchone()
    return None if row is None else int(row[0])


def unseen(connection: "sqlite3.Connection", source: int, seen: Iterable[int], given: Scope) -> int:
    """How many held records came from `source` under these keys and are not among those `seen`.

    Former texts of edited messages are not missing: the source has the newer one. Nor is what the
    same file gave under other keys: those are other records, which this reading cannot meet.
    """
    rows = connection.execute(
        "SELECT r.item, s.uid, s.format, s.key FROM record r"
        " CROSS JOIN life l ON l.item = r.item AND l.to_pass IS NULL"
        " JOIN session s ON s.id = r.session"
        " WHERE r.source = ? AND NOT EXISTS (SELECT 1 FROM record_mark t"
        "  CROSS JOIN life x ON x.item = t.item AND x.to_pass IS NULL"
        "  WHERE t.record = r.item AND t.mark = 'superseded')",
        (source,),
    )
    left = set(seen)
    ours: dict[bytes, bool] = {}
    number = 0
    for item, uid, format, key in rows:
        if item not in left:
            if uid not in ours:
                ours[uid] = session_uid(given, format, key) == uid
            number += ours[uid]
    return number
