"""The state as of one pass: what strategies, checks and reports read.

Rows never change, so a view needs no transaction to stay the same while others write (an erase
excepted): it asks for what was held at its pass.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from memcli.core import ids
from memcli.core.edges import EdgeRow
from memcli.core.memories import Memory
from memcli.core.records import Record, Scope, Session
from memcli.store import load, tombstones, uses
from memcli.store.driver import sqlite3

_CLOSURE = f"""
WITH RECURSIVE reach (node) AS (
    SELECT :node
    UNION
    SELECT e.parent_node FROM reach
    JOIN edge e ON e.child = reach.node AND e.role = 'evidence'
    CROSS JOIN life l ON l.item = e.item AND {load.HELD}
)
SELECT r.id FROM reach JOIN record r ON r.item = reach.node ORDER BY r.id
"""

V = TypeVar("V", bound="StoreView")


def failed_mark(strategy: str) -> str:
    """The mark of a record whose task failed alone in a pass of `strategy`."""
    return f"failed:{strategy}"


class StoreView:
    """A read-only state as of pass `at`, narrowed to `scope`, `session` and `since` if given.

    `since` and `session` narrow only what strategies select, not what is there (C25).
    """

    def __init__(
        self,
        connection: "sqlite3.Connection",
        at: int,
        *,
        scope: Scope | None = None,
        session: str | None = None,
        since: str | None = None,
        again: bool = False,
    ) -> None:
        self.connection = connection
        self.at = at
        self.point = f"p{at}"
        self.scope = scope
        self.session = session
        self.since = since
        self.again = again

    # --- numbers behind ids -------------------------------------------------------------------

    @cached_property
    def _records(self) -> list[tuple[int, Record]]:
        return load.records(self.connection, self.at, scope=self.scope)

    @cached_property
    def _memories(self) -> list[tuple[int, int, Memory]]:
        found = load.memories(self.connection, self.at)
        return [entry for entry in found if self.scope in (None, entry[2].scope)]

    @cached_property
    def _by_ref(self) -> dict[str, tuple[int, int, Record | Memory]]:
        """Every id that may be cited -> (item, node, value)."""
        out: dict[str, tuple[int, int, Record | Memory]] = {}
        for item, record in self._records:
            out[record.id] = (item, item, record)
        for item, node, memory in self._memories:
            out[memory.id] = out[memory.ref] = (item, node, memory)
        return out

    def locate(self, ref: str) -> tuple[int, int, str] | None:
        """(item, node, text) behind an id held here; None if it is not held."""
        found = self._by_ref.get(ref)
        return None if found is None else (found[0], found[1], found[2].text)

    def former(self, ref: str) -> tuple[int, int, str] | None:
        """(item, node, text) of a memory version (`m4@1`), held or not."""
        parsed = ids.try_parse(ref)
        if parsed is None or parsed.version is None:
            return None
        row = self.connection.execute(
            "SELECT v.item, m.node, v.text FROM version v JOIN memory m ON m.id = v.memory"
            " WHERE m.id = ? AND v.number = ?",
            (parsed.number, parsed.version),
        ).fetchone()
        return row and (row[0], row[1], row[2])

    # --- ports.View ---------------------------------------------------------------------------

    def get(self, ref: str) -> Record | Memory | None:
        """The record, memory or version of this id, if held here."""
        if "_by_ref" in self.__dict__:
            found = self._by_ref.get(ref)
            return None if found is None else found[2]
        return self._get_one(ref)

    def _get_one(self, ref: str) -> Record | Memory | None:
        found = self._load_one(ref)
        return found if found is None or self.scope in (None, found.scope) else None

    def _load_one(self, ref: str) -> Record | Memory | None:
        parsed = ids.try_parse(ref)
        if parsed is None or parsed.letter not in "rm":
            return None
        if parsed.letter == "r":
            row = self.connection.execute(
                "SELECT item FROM record WHERE id = ?", (parsed.number,)
            ).fetchone()
            records = row and load.records(self.connection, self.at, items=[row[0]])
            return records[0][1] if records else None
        for _, _, memory in load.memories(self.connection, self.at, ids=[parsed.number]):
            if parsed.version in (None, memory.version):
                return memory
        return None

    def load_all(self) -> None:
        """Read everything once: what asks for a thousand ids should not ask a thousand times."""
        _ = self._by_ref

    def some(self, numbers: Iterable[int]) -> dict[str, Memory]:
        """The memories of these numbers that are held here, by id."""
        found = load.memories(self.connection, self.at, ids=list(numbers))
        return {memory.id: memory for _, _, memory in found}

    @cached_property
    def _by_item(self) -> dict[int, Record | Memory]:
        return {
            **dict(self._records),
            **{item: memory for item, _, memory in self._memories},
        }

    def behind(self, items: Sequence[int]) -> dict[int, Record | Memory]:
        """The records and memories of these rows, by row, that are held here."""
        if {"_records", "_memories"} <= self.__dict__.keys():
            return {item: self._by_item[item] for item in items if item in self._by_item}
        found: dict[int, Record | Memory] = dict(
            load.records(self.connection, self.at, items=items)
        )
        for item, _, memory in load.memories(self.connection, self.at, items=items):
            found[item] = memory
        return {item: one for item, one in found.items() if self.scope in (None, one.scope)}

    @cached_property
    def _by_session(self) -> dict[str, list[Record]]:
        found: dict[str, list[Record]] = {}
        for _, record in self._records:
            found.setdefault(record.session, []).append(record)
        return found

    def records(
        self,
        *,
        kinds: Sequence[str] | None = None,
        session: str | None = None,
        since: str | None = None,
        inactive: bool = False,
    ) -> Sequence[Record]:
        """Records in time order."""
        found: Iterable[Record] = (record for _, record in self._records)
        if session is not None:
            found = self._by_session.get(session, ())
        return [
            record
            for record in found
            if (kinds is None or record.kind in kinds)
            and (since is None or (record.said_at or "") >= since)
            and (inactive or record.active)
        ]

    def unconsumed(self, strategy: str, *, kinds: Sequence[str] | None = None) -> Sequence[Record]:
        """Active, unfaded records of these kinds that `strategy` has not settled, oldest first."""
        done = self.consumed(strategy)
        wanted = ("utterance", "attachment", "fact") if kinds is None else kinds
        return [
            record
            for record in self.records(kinds=wanted, session=self.session, since=self.since)
            if record.id not in done and record.status not in ("faded", "rejected")
        ]

    def consumed(self, strategy: str) -> frozenset[str]:
        """Ids of the records that `strategy` has settled."""
        rows = self.connection.execute(
            "SELECT r.id FROM consumed c CROSS JOIN life l ON l.item = c.item"
            f" JOIN record r ON r.item = c.record WHERE c.strategy = :strategy AND {load.HELD}",
            {"at": self.at, "strategy": strategy},
        )
        return frozenset(f"r{row[0]}" for row in rows)

    def memories(
        self, *, kind: str | None = None, strategy: str | None = None, superseded: bool = True
    ) -> Sequence[Memory]:
        """Memories held, by id."""
        return [
            memory
            for _, _, memory in self._memories
            if kind in (None, memory.kind)
            and strategy in (None, memory.strategy)
            and (superseded or not memory.superseded)
        ]

    def closure(self, ref: str) -> frozenset[str]:
        """Ids of all records that `ref` rests on."""
        node = self.node(ref)
        if node is None:
            return frozenset()
        rows = self.connection.execute(_CLOSURE, {"node": node, "at": self.at})
        return frozenset(f"r{row[0]}" for row in rows)

    def node(self, ref: str) -> int | None:
        """The node behind an id, held or not."""
        parsed = ids.try_parse(ref)
        if parsed is None or parsed.letter not in "rm":
            return None
        table, column = ("record", "item") if parsed.letter == "r" else ("memory", "node")
        row = self.connection.execute(
            f"SELECT {column} FROM {table} WHERE id = ?", (parsed.number,)
        ).fetchone()
        return row[0] if row else None

    def failures(self, strategy: str) -> Mapping[str, int]:
        """In how many passes in force each record failed alone for `strategy` (C27)."""
        rows = self.connection.execute(
            "SELECT 'r' || r.id, count(*) FROM record_mark t"
            f" CROSS JOIN life l ON l.item = t.item AND {load.HELD}"
            " JOIN record r ON r.item = t.record WHERE t.mark = :mark GROUP BY r.id",
            {"at": self.at, "mark": failed_mark(strategy)},
        )
        return dict(rows.fetchall())

    def tombstoned(self, kind: str, near: str, evidence: Sequence[str]) -> bool:
        """Whether this was rejected before and `evidence` brings no record that is new (C23)."""
        if self.again or not near or not self._has_tombstones:
            return False
        scope = self.scope or Scope()
        found = tombstones.of_text(self.connection, self.at, scope, kind, near)
        return self._nothing_new(evidence, found)

    def slot_tombstoned(
        self, kind: str, slot: tuple[str, str, str], evidence: Sequence[str]
    ) -> bool:
        """The same for the value of a slot: (subject, attribute, value)."""
        if self.again or not self._has_tombstones:
            return False
        scope = self.scope or Scope()
        found = tombstones.of_slot(self.connection, self.at, scope, kind, slot)
        return self._nothing_new(evidence, found)

    def rejected(self, kind: str) -> Sequence[frozenset[str]]:
        """Ids of the records that each rejected memory of this kind rested on."""
        if self.again:
            return []
        return tombstones.of_kind(self.connection, self.at, self.scope or Scope(), kind)

    @cached_property
    def _has_tombstones(self) -> bool:
        return tombstones.any_at_all(self.connection)

    def _nothing_new(self, evidence: Sequence[str], rejected: Sequence[frozenset[str]]) -> bool:
        if not rejected:
            return False
        cited = frozenset[str]().union(*(self.closure(ref) for ref in evidence))
        return any(cited <= known for known in rejected)

    def rated_by(self, ref: str, name: str = "importance") -> str | None:
        """Who gave the rating of this name that counts; None if there is none."""
        return uses.rated_by(self.connection, self.at, self.node(ref), name)

    def recalled(self) -> Mapping[str, str]:
        """When each record or memory was last recalled, where recalls are logged."""
        return {ref: times[-1] for ref, times in self.recalls().items()}

    def recalls(self) -> Mapping[str, Sequence[str]]:
        """All times at which each record or memory was recalled, in order."""
        return uses.recalls(self.connection)

    def stored(self, refs: Iterable[str] | None = None) -> Mapping[str, str]:
        """When each record and memory was first stored. `refs`: only of these."""
        return uses.stored(self.connection, refs)

    def settled(self) -> Mapping[str, frozenset[str]]:
        """Strategy -> ids of the records that it has settled."""
        return uses.settled(self.connection, self.at)

    def last_pass(self, strategy: str) -> tuple[str, str] | None:
        """(id, time) of the newest pass of a strategy that is in force."""
        return uses.last_pass(self.connection, self.at, strategy)

    # --- more for reports, checks and the engine ------------------------------------------------

    def scopes(self) -> list[Scope]:
        """The scopes that have records or memories here, sorted."""
        rows = self.connection.execute(
            "SELECT DISTINCT user, agent, project FROM record r CROSS JOIN life l ON l.item = r.item"
            f" WHERE {load.HELD}",
            {"at": self.at},
        )
        return sorted(Scope(*row) for row in rows)

    def has_scope(self, scope: Scope) -> bool:
        """Whether a record here has every key that is given in `scope`."""
        found = self.connection.execute(
            "SELECT 1 FROM record r CROSS JOIN life l ON l.item = r.item"
            f" WHERE {load.HELD} AND :user IN ('', user) AND :agent IN ('', agent)"
            " AND :project IN ('', project) LIMIT 1",
            {"at": self.at, "user": scope.user, "agent": scope.agent, "project": scope.project},
        ).fetchone()
        return found is not None

    def narrowed(self: V, scope: Scope) -> V:
        """The same state, seen through one scope."""
        return type(self)(
            self.connection,
            self.at,
            scope=scope,
            session=self.session,
            since=self.since,
            again=self.again,
        )

    def get_session(self, ident: str) -> Session | None:
        """The session `s3`."""
        parsed = ids.parse(ident, "s")
        row = self.connection.execute(
            "SELECT id, key, format, user, agent, project, title FROM session WHERE id = ?",
            (parsed.number,),
        ).fetchone()
        return row and Session(f"s{row[0]}", row[1], row[2], Scope(*row[3:6]), row[6])

    def versions(self, memory: str) -> list[tuple[Memory, bool]]:
        """All versions that ever were of a memory, and whether each is held here."""
        number = ids.parse(memory, "m").number
        held = {item for item, _, _ in load.memories(self.connection, self.at, ids=[number])}
        ever = load.memories(self.connection, self.at, ids=[number], held=False)
        return [(found, item in held) for item, _, found in ever]

    def edges(self) -> Iterator[EdgeRow]:
        """All edges held whose child is held."""
        held = {node for _, node, _ in self._memories}
        labels = {node: memory.id for _, node, memory in self._memories}
        found = load.quotes(self.connection, self.at)
        rows = self.connection.execute(
            "SELECT e.item, e.child, e.role, e.pass, r.id, v.memory, v.number, coalesce(r.text, v.text),"
            " (SELECT min(x.from_pass) FROM life x WHERE x.item = e.parent),"
            f" EXISTS (SELECT 1 FROM life l WHERE l.item = e.parent AND {load.HELD})"
            " FROM edge e CROSS JOIN life l ON l.item = e.item"
            " LEFT JOIN record r ON r.item = e.parent LEFT JOIN version v ON v.item = e.parent"
            f" WHERE {load.HELD} ORDER BY e.item",
            {"at": self.at},
        ).fetchall()
        for item, child, role, made, record, memory, number, text, parent_pass, there in rows:
            if child not in held:
                continue
            parent = f"r{record}" if record is not None else f"m{memory}@{number}"
            if record is None and memory is None:
                parent = "nothing"
            spans = tuple((q.text, q.start, q.end) for q in found.get(item, ()))
            yield EdgeRow(
                item, labels[child], parent, role, made, parent_pass, text, spans, bool(there)
            )

    def merged_into(self, memory: str) -> str | None:
        """The memory, held, that `memory` was merged into, maybe by way of others."""
        todo, seen = [ids.parse(memory, "m").number], set[int]()
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            rows = self.connection.execute(
                "SELECT s.id FROM merge t CROSS JOIN life l ON l.item = t.item"
                " JOIN memory m ON m.node = t.node JOIN memory s ON s.node = t.survivor"
                f" WHERE m.id = :memory AND {load.HELD}",
                {"at": self.at, "memory": current},
            ).fetchall()
            for (survivor,) in rows:
                if self.get(f"m{survivor}") is not None:
                    return f"m{survivor}"
                todo.append(survivor)
        return None
