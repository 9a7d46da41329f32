"""What an ingest asks of the store: known records, sessions, sources, marks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memcli.store.driver import sqlite3

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Known:
    """A record that is in the store: held or not, and its mark (with the mark's item) if any."""

    item: int
    text: str
    held: bool
    mark: str | None
    mark_item: int | None


def known(connection: "sqlite3.Connection", uids: Sequence[bytes]) -> dict[bytes, Known]:
    """Those of `uids` that the store has, whether held or not."""
    out: dict[bytes, Known] = {}
    for chunk in _chunks(uids):
        rows = connection.execute(
            "SELECT r.uid, r.item, r.text, l.item IS NOT NULL, k.mark, k.item FROM record r"
            " LEFT JOIN life l ON l.item = r.item AND l.to_pass IS NULL"
            " LEFT JOIN (SELECT t.* FROM record_mark t CROSS JOIN life x ON x.item = t.item"
            "   AND x.to_pass IS NULL) k ON k.record = r.item"
            f" WHERE r.uid IN ({','.join('?' * len(chunk))})",
            chunk,
        )
        for uid, item, text, held, mark, mark_item in rows:
            out[uid] = Known(item, text, bool(held), mark, mark_item)
    return out


def erased(connection: "sqlite3.Connection", uids: Sequence[bytes]) -> set[bytes]:
    """Those of `uids` that were erased and may not come back."""
    out: set[bytes] = set()
    for chunk in _chunks(uids):
        rows = connection.execute(
            f"SELECT uid FROM erased WHERE uid IN ({','.join('?' * len(chunk))})", chunk
        )
        out.update(row[0] for row in rows)
    return out


def erased_texts(connection: "sqlite3.Connection") -> set[bytes]:
    """Hashes of normalised text and speaker of what was erased."""
    return {row[0] for row in connection.execute("SELECT text_hash FROM erased")}


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


def unseen(connection: "sqlite3.Connection", source: int, seen: Iterable[int]) -> int:
    """How many held records came from `source` and are not among the items `seen`."""
    rows = connection.execute(
        "SELECT r.item FROM record r CROSS JOIN life l ON l.item = r.item AND l.to_pass IS NULL"
        " WHERE r.source = ?",
        (source,),
    )
    return len({row[0] for row in rows} - set(seen))
