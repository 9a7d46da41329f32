"""Writing one pass: rows, lives, indexes and journal, in one transaction."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from memcli.core.journal import Manner, PassKind, Usage
from memcli.store import journal, records, texts, vectors
from memcli.store.canonical import SALT_BYTES, canonical, commit, to_ranges
from memcli.store.driver import sqlite3
from memcli.store.ranges import clauses
from memcli.store.rows import INSERTS, Row, to_content


@contextmanager
def transaction(connection: "sqlite3.Connection", *, relaxed: bool = False) -> Iterator[None]:
    """One write transaction: all or nothing. IMMEDIATE, so that it waits instead of failing.

    `relaxed`: may be lost in a power cut, never by a killed process; for what can be repeated.
    """
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if relaxed else 'FULL'}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class PassWriter:
    """Collects the operations of one pass inside a transaction; `finish` writes the journal.

    Rows get their item numbers from `draw`. A row is held from this pass on as soon as its
    operation is written. Texts that come or go are collected and indexed by `finish`.
    """

    def __init__(self, connection: "sqlite3.Connection", kind: PassKind, at: str) -> None:
        self.connection = connection
        self.kind: PassKind = kind
        number, last_at, self._previous = journal.last_pass(connection)
        self.id = number + 1
        self.at = max(at, last_at)
        self._counters: dict[str, int] = dict(
            connection.execute("SELECT name, value FROM counter").fetchall()
        )
        self._ops: list[tuple[str, str, bytes]] = []
        newest = connection.execute("SELECT coalesce(max(id), 0) FROM op").fetchone()[0]
        self._next_op = int(newest) + 1
        self._opened: set[int] = set()
        self._closed: set[int] = set()

    def draw(self, name: str = "item", count: int = 1) -> int:
        """The next number of a counter (the first of `count`); numbers are never used again."""
        first = self._counters.get(name, 0) + 1
        self._counters[name] = first + count - 1
        return first

    @property
    def empty(self) -> bool:
        """Whether no operation was written yet."""
        return not self._ops

    def op(
        self,
        kind: str,
        *,
        rows: Sequence[Row] = (),
        reopen: Iterable[int] = (),
        close: Iterable[int] = (),
        found: Iterable[int] = (),
        named: Iterable[int] = (),
        content: Mapping[str, Any] | None = None,
        reverts: Iterable[int] = (),
    ) -> int:
        """Write one operation; returns its number.

        `rows` are inserted and held; `reopen` are rows of former passes that are held again;
        `close` are held no more. `found` rows were there already and are relied on; `named` are
        targets, evidence, ends of links, successors, consumed records. `reverts` are operations
        that this one takes back.
        """
        for made in rows:
            self.connection.execute(INSERTS[made.table], made.values)
        opened = [made.item for made in rows if made.item is not None]
        opened += self._open(opened, reopen)
        closed = self._close(close)
        skeleton = self._skeleton(opened, closed, found, named)
        body = {"rows": [to_content(made) for made in rows], **(content or {})}
        return self._write(kind, skeleton, body, sorted(reverts))

    def stored_records(
        self,
        new: Sequence[records.NewRecord],
        next_seq: dict[int, int],
        *,
        rows: Sequence[Row],
        found: Iterable[int],
        content: Mapping[str, Any],
    ) -> tuple[int, int]:
        """Store records in bulk as one operation; returns the first id and the first item."""
        first_id, first_item = self.draw("record", len(new)), self.draw("item", len(new))
        for made in rows:
            self.connection.execute(INSERTS[made.table], made.values)
        digest = records.insert(
            self.connection,
            new,
            first_id=first_id,
            first_item=first_item,
            next_seq=next_seq,
            salts=os.urandom(SALT_BYTES * len(new)),
        )
        opened = range(first_item, first_item + len(new))
        self._open(opened, ())
        skeleton = self._skeleton(opened, (), found, ())
        skeleton["records"] = digest.hex()
        body = {"rows": [to_content(made) for made in rows], **content}
        self._write("records", skeleton, body, ())
        return first_id, first_item

    def vectors(self, made: Iterable[tuple[int, bytes]]) -> None:
        """Store vectors of rows that this pass made: (item, bytes)."""
        vectors.put(self.connection, made)

    def finish(
        self,
        *,
        strategy: str | None = None,
        model: str | None = None,
        manner: Manner = "",
        usage: Usage = Usage(),
        reverts: Sequence[str] = (),
    ) -> int:
        """Index what came and went, write counters and the entry of the journal."""
        self._index()
        self.connection.executemany(
            "INSERT INTO counter (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            self._counters.items(),
        )
        header = journal.Header(
            self.id, self.kind, self.at, strategy, model, manner, usage, tuple(reverts)
        )
        entry = journal.entry_hash(self._previous, header, self._ops)
        self.connection.execute(
            f"INSERT INTO pass ({journal.PASS_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self.id,
                self.kind,
                manner,
                self.at,
                strategy,
                model,
                usage.calls,
                usage.calls_recorded,
                usage.tokens_in,
                usage.tokens_out,
                usage.cost_usd,
                json.dumps(list(reverts)),
                self._previous,
                entry,
            ),
        )
        return self.id

    def _open(self, made: Iterable[int], reopen: Iterable[int]) -> list[int]:
        again = list(reopen)
        opened = [*made, *again]
        self.connection.executemany(
            "INSERT INTO life (item, from_pass) VALUES (?, ?)",
            ((item, self.id) for item in opened),
        )
        for item in opened:
            if item in self._closed:
                self._closed.discard(item)
            else:
                self._opened.add(item)
        return again

    def _close(self, close: Iterable[int]) -> list[int]:
        closed = list(close)
        if not closed:
            return closed
        done = self.connection.executemany(
            "UPDATE life SET to_pass = ? WHERE item = ? AND to_pass IS NULL",
            ((self.id, item) for item in closed),
        )
        if done.rowcount != len(closed):
            raise AssertionError(f"some of the rows {closed[:5]} are not held and cannot close")
        for item in closed:
            if item in self._opened:
                self._opened.discard(item)
            else:
                self._closed.add(item)
        return closed

    def _skeleton(
        self,
        opened: Iterable[int],
        closed: Iterable[int],
        found: Iterable[int],
        named: Iterable[int],
    ) -> dict[str, Any]:
        return {
            "opened": to_ranges(opened),
            "closed": to_ranges(closed),
            "found": to_ranges(found),
            "named": to_ranges(named),
        }

    def _write(
        self, kind: str, skeleton: dict[str, Any], body: Mapping[str, Any], reverts: Sequence[int]
    ) -> int:
        number = self._next_op
        self._next_op += 1
        if reverts:
            skeleton["reverts"] = to_ranges(reverts)
        text, salt = canonical(body), os.urandom(SALT_BYTES)
        commitment = commit(salt, text)
        skeleton_text = canonical(skeleton)
        self.connection.execute(
            "INSERT INTO op (id, pass, type, skeleton, commitment, salt, content)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, self.id, kind, skeleton_text, commitment, salt, text),
        )
        self.connection.executemany(
            "INSERT INTO touch (lo, hi, op) VALUES (?, ?, ?)",
            (
                (low, high, number)
                for how in ("closed", "found", "named")
                for low, high in skeleton[how]
            ),
        )
        self.connection.executemany(
            "INSERT INTO revert VALUES (?, ?)", ((number, target) for target in reverts)
        )
        self._ops.append((kind, skeleton_text, commitment))
        return number

    def _index(self) -> None:
        # The indexes are never the only place of anything: what is wrong with one is mended by
        # building it anew from what is held, and is no reason not to write.
        try:
            self._index_changes()
        except texts.DAMAGED:
            if not self.connection.in_transaction:  # a full disk: SQLite has rolled back
                raise
            texts.rebuild(self.connection)
            vectors.refile(self.connection)

    def _index_changes(self) -> None:
        # External content: taking a text out needs the text that was put in. Rows never change,
        # so it is still there. A DELETE on the index would corrupt it over a view.
        for where, values in clauses(self._closed, "item"):
            self.connection.execute(
                "INSERT INTO fts (fts, rowid, text)"
                f" SELECT 'delete', item, text FROM fts_source WHERE {where}",
                values,
            )
        for where, values in clauses(self._closed, "key"):
            self.connection.execute(f"UPDATE vector SET key = -key WHERE {where}", values)
        for where, values in clauses(self._opened, "item"):
            self.connection.execute(
                f"INSERT INTO fts (rowid, text) SELECT item, text FROM fts_source WHERE {where}",
                values,
            )
        for where, values in clauses((-item for item in self._opened), "key"):
            self.connection.execute(f"UPDATE vector SET key = -key WHERE {where}", values)
