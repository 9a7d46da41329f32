"""The journal: hashes of passes, and reading passes and operations back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memcli.core.journal import Manner, OperationEntry, Pass, PassKind, Usage
from memcli.core.values import dataclass
from memcli.store.canonical import canonical, from_ranges, sha256
from memcli.store.driver import sqlite3

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True)
class Header:
    """What a pass says of itself in clear, for ever: nothing here is text that a user typed."""

    id: int
    kind: PassKind
    at: str
    strategy: str | None = None
    model: str | None = None
    manner: Manner = ""
    usage: Usage = Usage()
    reverts: tuple[str, ...] = ()

    def canonical(self) -> bytes:
        """The bytes that enter the hash."""
        values = {
            "id": self.id,
            "kind": self.kind,
            "at": self.at,
            "strategy": self.strategy,
            "model": self.model,
            "manner": self.manner,
            "calls": self.usage.calls,
            "calls_recorded": self.usage.calls_recorded,
            "tokens_in": self.usage.tokens_in,
            "tokens_out": self.usage.tokens_out,
            "cost_usd": self.usage.cost_usd,
            "reverts": list(self.reverts),
        }
        return canonical(values).encode()


def entry_hash(previous: bytes, header: Header, ops: Sequence[tuple[str, str, bytes]]) -> bytes:
    """The hash of a pass; `ops` are (type, skeleton, commitment) in their order.

    Skeletons and commitments enter with their lengths fixed or marked, so that no two journals
    that differ have the same bytes.
    """
    parts = [previous, sha256(header.canonical())]
    for kind, skeleton, commitment in ops:
        parts += [sha256(canonical([kind, skeleton]).encode()), commitment]
    return sha256(*parts)


PASS_COLUMNS = (
    "id, kind, manner, at, strategy, model, calls, calls_recorded, tokens_in, tokens_out,"
    " cost_usd, reverts, previous, hash"
)


def header_of(row: Sequence[Any]) -> Header:
    """The header in a row of PASS_COLUMNS."""
    return Header(
        id=row[0],
        kind=row[1],
        manner=row[2],
        at=row[3],
        strategy=row[4],
        model=row[5],
        usage=Usage(*row[6:11]),
        reverts=tuple(json.loads(row[11])),
    )


def last_pass(connection: "sqlite3.Connection") -> tuple[int, str, bytes]:
    """(id, at, hash) of the newest pass; (0, "", zeros) in an empty store."""
    row = connection.execute("SELECT id, at, hash FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    return row or (0, "", GENESIS)


def pass_hash(connection: "sqlite3.Connection", number: int) -> str | None:
    """The hash of a pass in hex; None if there is no such pass."""
    row = connection.execute("SELECT hash FROM pass WHERE id = ?", (number,)).fetchone()
    return None if row is None else bytes(row[0]).hex()


def passes_of_plan(
    connection: "sqlite3.Connection", plan: str, since: int, *, in_force: bool = True
) -> list[int]:
    """Numbers of the passes after pass `since` that applied the plan of this hash, by default those
    in force."""
    rows = connection.execute(
        "SELECT pass FROM op WHERE pass > :since AND type = 'run'"
        " AND json_extract(content, '$.plan') = :plan ORDER BY pass",
        {"since": since, "plan": plan},
    ).fetchall()
    gone = passes_not_in_force(connection) if in_force else set()
    return [number for (number,) in rows if number not in gone]


def pass_at(connection: "sqlite3.Connection", moment: str) -> int:
    """The number of the last pass up to `moment` (ISO 8601 UTC with milliseconds); 0 if none."""
    row = connection.execute("SELECT coalesce(max(id), 0) FROM pass WHERE at <= ?", (moment,))
    return int(row.fetchone()[0])


def operation(row: Sequence[Any]) -> OperationEntry:
    """The operation in a row (id, type, skeleton, content)."""
    skeleton = json.loads(row[2])
    return OperationEntry(
        id=row[0],
        type=row[1],
        opened=tuple(from_ranges(skeleton["opened"])),
        closed=tuple(from_ranges(skeleton["closed"])),
        found=tuple(from_ranges(skeleton["found"])),
        named=tuple(from_ranges(skeleton["named"])),
        content=None if row[3] is None else json.loads(row[3]),
    )


def operations(connection: "sqlite3.Connection", pass_id: int) -> list[OperationEntry]:
    """The operations of a pass in their order."""
    rows = connection.execute(
        "SELECT id, type, skeleton, content FROM op WHERE pass = ? ORDER BY id", (pass_id,)
    )
    return [operation(row) for row in rows]


def reverted_ops(connection: "sqlite3.Connection") -> set[int]:
    """Numbers of the operations that are not in force.

    An operation is in force unless a revert in force takes it back; reverts are themselves
    operations and always newer than what they take back, so one walk from the newest settles all.
    """
    out: set[int] = set()
    for op, target in connection.execute("SELECT op, target FROM revert ORDER BY op DESC"):
        if op not in out:
            out.add(target)
    return out


def passes_not_in_force(connection: "sqlite3.Connection") -> dict[int, int]:
    """Pass -> the rollback in force that takes it back as a whole."""
    out: dict[int, int] = {}
    rows = connection.execute("SELECT id, reverts FROM pass WHERE reverts <> '[]' ORDER BY id DESC")
    for pass_id, reverts in rows:
        if pass_id in out:
            continue
        for target in json.loads(reverts):
            if target.startswith("p"):
                out[int(target[1:])] = pass_id
    return out


def passes(
    connection: "sqlite3.Connection", *, limit: int | None = None, only: int | None = None
) -> list[Pass]:
    """Passes, newest first."""
    rows = connection.execute(
        f"SELECT {PASS_COLUMNS} FROM pass WHERE :only IS NULL OR id = :only"
        " ORDER BY id DESC LIMIT :limit",
        {"only": only, "limit": -1 if limit is None else limit},
    ).fetchall()
    reverted = _reverted_by(connection)
    return [
        _pass(row, _operation_counts(connection, row[0]), reverted.get(f"p{row[0]}", ()))
        for row in rows
    ]


# Operations that hold many records each: what counts is how many.
_BULK = {"records": "opened", "restore": "opened", "known": "found"}


def _operation_counts(connection: "sqlite3.Connection", pass_id: int) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    rows = connection.execute(
        "SELECT type, CASE WHEN type IN ('records', 'restore', 'known') THEN skeleton END"
        " FROM op WHERE pass = ? AND type <> 'run' ORDER BY id",
        (pass_id,),
    )
    for kind, skeleton in rows:
        number = 1
        if skeleton is not None:
            ranges = json.loads(skeleton)[_BULK[kind]]
            number = sum(high - low + 1 for low, high in ranges)
        counts[kind] = counts.get(kind, 0) + number
    return counts


def _reverted_by(connection: "sqlite3.Connection") -> dict[str, tuple[str, ...]]:
    return {
        f"p{target}": (f"p{rollback}",)
        for target, rollback in passes_not_in_force(connection).items()
    }


def _pass(row: Sequence[Any], counts: Mapping[str, int], reverted: tuple[str, ...]) -> Pass:
    header = header_of(row)
    return Pass(
        id=f"p{header.id}",
        kind=header.kind,
        at=header.at,
        strategy=header.strategy,
        model=header.model,
        manner=header.manner,
        operations=counts,
        usage=header.usage,
        reverts=header.reverts,
        reverted_by=reverted,
        hash=row[13].hex(),
    )


def chain_errors(connection: "sqlite3.Connection") -> Iterator[tuple[str, str]]:
    """Passes whose hash, order or commitments do not hold. Reads the journal as a stream."""
    erased = connection.execute("SELECT max(id) FROM pass WHERE kind = 'erase'").fetchone()[0] or 0
    previous, number, at = GENESIS, 0, ""
    for row in connection.execute(f"SELECT {PASS_COLUMNS} FROM pass ORDER BY id"):
        name = f"p{row[0]}"
        if row[0] != number + 1:
            yield name, f"follows p{number}: passes are missing"
        if row[12] != previous:
            yield name, "does not continue the hash of the pass before it"
        try:
            if row[3] < at:
                yield name, "is dated before the pass that came before it"
            for what in _entry_errors(connection, row, erased):
                yield name, what
        except (AttributeError, TypeError, ValueError):
            yield name, "holds values of a kind that no pass writes"
        previous, number, at = row[13], row[0], str(row[3])


def _entry_errors(
    connection: "sqlite3.Connection", row: Sequence[Any], erased: int
) -> Iterator[str]:
    """What does not hold of one pass; `erased` is the newest erase."""
    ops = []
    for op, kind, skeleton, commitment, salt, content in connection.execute(
        "SELECT id, type, skeleton, commitment, salt, content FROM op WHERE pass = ? ORDER BY id",
        (row[0],),
    ):
        ops.append((kind, skeleton, commitment))
        if content is None:
            if erased <= row[0]:
                yield f"the content of operation {op} is gone, and nothing was erased since"
        elif sha256(salt or b"", content.encode()) != commitment:
            yield f"the content of operation {op} is not what was committed"
    if entry_hash(row[12], header_of(row), ops) != row[13]:
        yield "its header or operations are not what was hashed"


# What each counter has given out. A life is never deleted, and every item drawn has one.
_DRAWN = {
    "item": "SELECT max(item) FROM life",
    "record": "SELECT max(id) FROM (SELECT id FROM record UNION ALL SELECT record FROM erased)",
    "memory": "SELECT max(id) FROM memory",
    "session": "SELECT max(id) FROM session",
    "source": "SELECT max(id) FROM source",
}


def counter_errors(connection: "sqlite3.Connection") -> Iterator[tuple[str, str]]:
    """Counters behind the numbers in use, or ahead of all that the journal has left.

    The chain cannot see that its newest passes were cut off; the counter of items still has the
    numbers that they drew.
    """
    counters = dict(connection.execute("SELECT name, value FROM counter").fetchall())
    for name, query in _DRAWN.items():
        counter, used = counters.get(name, 0), connection.execute(query).fetchone()[0] or 0
        if counter < used:
            yield "journal", f"the counter of {name}s stands at {counter}, and {used} is in use"
        elif name == "item" and counter > used:
            yield (
                "journal",
                f"numbers up to {counter} were given out, and passes are left for {used} only:"
                " the newest ones are missing",
            )
