"""Defects to plant in a copy of a store: one for each check, which that check alone should find.

Those of provenance are written as a pass whose plan nobody validated: journal and tables agree.
Those of integrity are written past the program, as a stranger with SQLite or a bad disk would.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memcli.core.calls import CallReply, CallRequest
from memcli.core.found import Found
from memcli.core.memories import Slot
from memcli.core.plan import Add, Cite, Plan, Rate, Retire
from memcli.core.records import Scope
from memcli.core.reports import OPERATIONS, StrategyInfo
from memcli.core.values import dataclass
from memcli.engine import embedders, run
from memcli.engine.embedding import StoreEmbedder, embedding, fits, reindex
from memcli.engine.ingest import Ingest, Input
from memcli.gateway.context import RunContext
from memcli.gateway.hashed import HashEmbedder
from memcli.registry import Strategy
from memcli.store import file, journal
from memcli.store.calls import insert
from memcli.store.driver import sqlite3
from memcli.store.rows import row
from memcli.store.write import PassWriter, transaction

_NAME = "self-test"
_SAID = "The self-test needs a record that it may damage."
_QUOTE = "a record that it may damage"
_LATER = "The self-test needs another record, from a later pass."


@dataclass(frozen=True)
class Ground:
    """What a copy is given to be damaged, so that a defect is the same in every store.

    A record with its `record` item and a `later` one; memory `first` (id, node, item of its
    version) that quotes the record by `edge` and `quote`, made by pass `made`; `second`, which
    rests on the first.
    """

    record: int
    later: int
    first: tuple[str, int, int]
    second: tuple[str, int, int]
    edge: int
    quote: int
    made: int


Plant = Callable[[Path, Ground], None]


@dataclass(frozen=True)
class Defect:
    """How to plant it, and the codes of other checks that may find it too."""

    plant: Plant
    companions: frozenset[str] = frozenset()


DEFECTS: dict[str, Defect] = {}


def _defect(code: str, *companions: str) -> Callable[[Plant], Plant]:
    def register(plant: Plant) -> Plant:
        DEFECTS[code] = Defect(plant, frozenset(companions))
        return plant

    return register


# --- the ground ---------------------------------------------------------------------------------


def prepare(path: Path) -> Ground:
    """Add records and memories to the store at `path`, as any pass does."""
    with _open(path) as connection:
        # Vectors that come over the network are not asked for: the copy gets those made here.
        if not fits(connection, _embedder(connection)):
            reindex(connection, HashEmbedder())
        _say(connection, path, _SAID)
        first = Add("fact", _SAID, (Cite(f"r{_newest(connection, 'record')}", (_QUOTE,)),), "new:1")
        second = Add("fact", "The self-test rests on what it needs.", (Cite("new:1"),), "new:2")
        _apply(connection, first, second)
        made = journal.last_pass(connection)[0]
        _say(connection, path, _LATER)
        records = connection.execute("SELECT item FROM record ORDER BY id DESC LIMIT 2").fetchall()
        memories = connection.execute(
            "SELECT 'm' || m.id, m.node, v.item FROM memory m JOIN version v ON v.memory = m.id"
            " ORDER BY m.id DESC LIMIT 2"
        ).fetchall()
        edge, quote = connection.execute(
            "SELECT e.item, q.item FROM edge e JOIN quote q ON q.edge = e.item WHERE e.parent = ?",
            records[1],
        ).fetchone()
    return Ground(records[1][0], records[0][0], memories[1], memories[0], edge, quote, made)


def _embedder(connection: "sqlite3.Connection") -> StoreEmbedder:
    """What makes vectors here: the store's embedder, if it is of this machine."""
    own = embedders.offline(embedders.of_store(connection, embedders.Table))
    return own if fits(connection, own) else HashEmbedder()


@contextmanager
def _open(path: Path) -> "Iterator[sqlite3.Connection]":
    connection = file.open_write(path)
    try:
        yield connection
    finally:
        file.close(connection, wrote=True)


def _now(connection: "sqlite3.Connection") -> str:
    return journal.last_pass(connection)[1] or "1970-01-01T00:00:00.000Z"


def _newest(connection: "sqlite3.Connection", table: str) -> int:
    return int(connection.execute(f"SELECT max(id) FROM {table}").fetchone()[0])


def _say(connection: "sqlite3.Connection", path: Path, text: str) -> None:
    embed = embedding(connection, _embedder(connection))
    found = Found(text, _NAME, "utterance", "user", text)
    ingest = Ingest(connection, path, given=Scope(), redact=True, embed=embed)
    ingest.run([Input(_NAME, _NAME, [found])], now=_now(connection), dry_run=False)


@dataclass(frozen=True)
class _NoParams:
    """The scripted strategy has none."""


def _apply(connection: "sqlite3.Connection", *ops: Add | Rate | Retire) -> None:
    """One pass of a strategy that plans just this."""
    info = StrategyInfo(_NAME, (), "", OPERATIONS, "", "", "", "none", {})
    scripted = Strategy(info, lambda view, context, params: Plan(ops=ops), _NoParams, "none")
    now = _now(connection)
    request = run.Request(scripted, _NoParams(), now=now, scope=Scope(), again=True)
    embed = embedding(connection, _embedder(connection))
    run.run_pass(connection, request, RunContext(now=now), embed)


# --- integrity ----------------------------------------------------------------------------------


@contextmanager
def _forging(path: Path) -> "Iterator[sqlite3.Connection]":
    """A write with the guards off, which are on again when it is done."""
    with _open(path) as connection, transaction(connection):
        connection.execute("INSERT INTO erasing VALUES (0)")
        yield connection
        connection.execute("DELETE FROM erasing")


# SQLite 3.40 that has met damage makes no temporary table until the transaction ends, and without
# one the words of the text index cannot be compared.
@_defect("I101", "I107")
def _damage_a_page(path: Path, ground: Ground) -> None:
    # Of the log of recalls, for nothing else reads it.
    with _open(path) as connection:
        root = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'recall_item'"
        ).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as raw:
        raw.seek((root - 1) * size)
        raw.write(b"\xff")


@_defect("I102")
def _point_nowhere(path: Path, ground: Ground) -> None:
    with _open(path) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(
            "INSERT INTO call_source SELECT coalesce(max(id), 0) + 1, ? FROM call", (ground.record,)
        )


@_defect("I103")
def _change_a_record(path: Path, ground: Ground) -> None:
    # Its line in the source: a text that was changed is also out of step with the index.
    with _forging(path) as connection:
        connection.execute("UPDATE record SET line = 7 WHERE item = ?", (ground.record,))


@_defect("I104")
def _drop_a_guard(path: Path, ground: Ground) -> None:
    with _open(path) as connection:
        connection.execute("DROP TRIGGER guard_record_update")


@_defect("I105")
def _change_a_salt(path: Path, ground: Ground) -> None:
    with _forging(path) as connection:
        connection.execute("UPDATE op SET salt = zeroblob(16) WHERE pass = ?", (ground.made,))


@_defect("I106")
def _change_a_derived_row(path: Path, ground: Ground) -> None:
    with _forging(path) as connection:
        connection.execute(
            "UPDATE version SET made_by = 'a stranger' WHERE item = ?", (ground.first[2],)
        )


@_defect("I107")
def _empty_the_text_index(path: Path, ground: Ground) -> None:
    with _open(path) as connection:
        connection.execute("INSERT INTO fts (fts) VALUES ('delete-all')")


@_defect("I108")
def _cut_a_recorded_reply(path: Path, ground: Ground) -> None:
    request = CallRequest(_NAME, 1, _NAME, (), {}, {})
    with _open(path) as connection, transaction(connection):
        call = insert(connection, request, CallReply(_SAID), "accepted", _now(connection))
        connection.execute("UPDATE call SET reply = substr(reply, 1, 9) WHERE id = ?", (call,))


# --- provenance ---------------------------------------------------------------------------------


@contextmanager
def _unchecked(path: Path) -> Iterator[PassWriter]:
    """A pass that may hold anything."""
    with _open(path) as connection, transaction(connection):
        writer = PassWriter(connection, "consolidate", _now(connection))
        yield writer
        writer.finish(strategy=_NAME)


def _cite(writer: PassWriter, child: int, parent: Sequence[int], made: int) -> None:
    """Make the memory with node `child` rest on `parent`: its item and its node."""
    edge = row(
        "edge",
        item=writer.draw(),
        child=child,
        parent=parent[0],
        parent_node=parent[-1],
        role="evidence",
        **{"pass": made},
    )
    writer.op("link", rows=[edge], named=[parent[0]])


@_defect("P101")
def _take_the_evidence(path: Path, ground: Ground) -> None:
    with _unchecked(path) as writer:
        writer.op("unlink", close=[ground.edge, ground.quote], named=[ground.first[2]])


@_defect("P102")
def _close_the_record(path: Path, ground: Ground) -> None:
    with _unchecked(path) as writer:
        writer.op("revert", close=[ground.record])


@_defect("P103")
def _misquote(path: Path, ground: Ground) -> None:
    quote = {"edge": ground.edge, "text": "nobody said this", "start": 0, "end": 16}
    with _unchecked(path) as writer:
        made = row("quote", item=writer.draw(), **quote)
        writer.op("link", rows=[made], named=[ground.record])


@_defect("P104")
def _cite_the_future(path: Path, ground: Ground) -> None:
    with _unchecked(path) as writer:
        _cite(writer, ground.first[1], [ground.later], ground.made)


@_defect("P105")
def _close_a_circle(path: Path, ground: Ground) -> None:
    _, node, version = ground.second
    with _unchecked(path) as writer:
        _cite(writer, ground.first[1], [version, node], writer.id)


@_defect("P106")
def _retire_what_is_cited(path: Path, ground: Ground) -> None:
    with _open(path) as connection:
        _apply(connection, Retire(ground.first[0], "planted"))


@_defect("P107")
def _conclude_from_conclusions(path: Path, ground: Ground) -> None:
    third = Add("fact", "The self-test concludes once.", (Cite(ground.second[0]),), "new:1")
    fourth = Add("fact", "The self-test concludes twice.", (Cite("new:1"),), "new:2")
    with _open(path) as connection:
        _apply(connection, third, fourth)


# --- quality ------------------------------------------------------------------------------------


@_defect("Q101")
def _count_what_nobody_counted(path: Path, ground: Ground) -> None:
    text = "The self-test counts 4711 damages."
    counted = Add("fact", text, (Cite(ground.first[0]),), "new:1", made_by="a model")
    with _open(path) as connection:
        _apply(connection, counted)


@_defect("Q102")
def _leave_a_contradiction_open(path: Path, ground: Ground) -> None:
    evidence = (Cite(ground.first[0]),)
    slots = [Slot("the self-test", "lives_in", place) for place in ("one folder", "another")]
    stable, waits = (
        Add("claim", f"The self-test lives in {slot.value}.", evidence, f"new:{nth}", slot=slot)
        for nth, slot in enumerate(slots, start=1)
    )
    with _open(path) as connection:
        _apply(connection, stable, waits, Rate(waits.id, "status", "pending"))
