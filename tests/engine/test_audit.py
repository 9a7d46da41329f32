"""Which checks run, what becomes of a check that fails, the gate; and whatever is done to a file."""

import random
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from memcli import registry
from memcli.api import open_store
from memcli.core.plan import Add, Cite, Plan
from memcli.core.records import Scope
from memcli.core.reports import AuditReport, Finding
from memcli.engine import audit, run
from memcli.engine.embedding import embedding
from memcli.engine.ingest import Ingest, Input
from memcli.errors import MemError, RefusedError, StoreError, UsageError
from memcli.gateway.context import RunContext
from memcli.ports import Inspector
from memcli.store import file
from memcli.store.journal import last_pass
from memcli.store.view import StoreView
from tests.engine.world import NOW, NoParams, World, said, scripted

LISBON = Add("fact", "Ada lives in Lisbon", (Cite("r1", ("live in Lisbon",)),), "new:1")
SHALLOW = tuple(code for code in registry.checks() if code != "I106")


@pytest.fixture
def ruin(tmp_path: Path) -> Iterator[World]:
    """A store with a record, a memory and a rollback, which may be left in ruins."""
    world = World(tmp_path)
    world.ingest([said("a", "I live in Lisbon"), said("b", "I like green tea")])
    world.apply(Plan((LISBON,), consumed=("r1",)))
    world.undo()
    world.redo()
    yield world
    world.close()


def checked(world: World, *select: str, ignore: str = "", deep: bool = False) -> tuple[str, ...]:
    ignored = [ignore] if ignore else []
    return audit.audit(world.view, select=select, ignore=ignored, deep=deep).checked


def test_which_checks_run(ruin: World) -> None:
    assert checked(ruin) == SHALLOW
    assert checked(ruin, deep=True) == tuple(registry.checks())
    assert checked(ruin, "P") == tuple(code for code in SHALLOW if code.startswith("P"))
    assert checked(ruin, "I10") == tuple(code for code in SHALLOW if code.startswith("I10"))
    assert checked(ruin, "P", ignore="P107") == checked(ruin, "P")[:-1]
    assert checked(ruin, "P107", "I101") == ("I101", "P107")
    # A deep check that is named runs.
    assert checked(ruin, "I106") == ("I106",)


@pytest.mark.parametrize("prefix", ["X", "P9", "p1", "", "I1011"])
def test_a_prefix_that_fits_no_check_is_refused(ruin: World, prefix: str) -> None:
    with pytest.raises(UsageError, match="begins with"):
        audit.audit(ruin.view, select=[prefix])
    with pytest.raises(UsageError, match="begins with"):
        audit.audit(ruin.view, ignore=["I", prefix])


def test_a_sound_store_has_no_finding_and_stays_as_it_is(ruin: World) -> None:
    ruin.close()
    before = ruin.path.read_bytes()
    with open_store(ruin.path) as store:
        assert store.audit(deep=True).findings == ()
    assert ruin.path.read_bytes() == before
    assert [path.name for path in ruin.path.parent.iterdir()] == ["memory.db"]


def test_a_store_that_nobody_may_write(ruin: World) -> None:
    ruin.close()
    with closing(file._connect(ruin.path, "immutable=1")) as connection:
        assert audit.audit(StoreView(connection, 4), deep=True).findings == ()


def test_all_checks_see_one_state(ruin: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def others_write(view: Inspector) -> Iterator[Finding]:
        """Looks while another process stores a record."""
        connection = view.connection  # type: ignore[attr-defined]
        before = last_pass(connection)
        embed = embedding(ruin.connection, ruin.embedder)
        ingest = Ingest(ruin.connection, ruin.path, given=Scope(), redact=True, embed=embed)
        ingest.run([Input("b.jsonl", "test", [said("z", "I sleep")])], now=NOW, dry_run=False)
        assert last_pass(connection) == before
        yield from ()

    registry.checks()
    late = registry.Check("I1055", "others-write", "info", others_write)
    monkeypatch.setitem(registry._checks, "I1055", late)
    with open_store(ruin.path) as store:
        assert store.audit(deep=True).findings == ()
    assert ruin.head == 5


# --- checks that fail -----------------------------------------------------------------------------


def broken(view: Inspector) -> Iterator[Finding]:
    """Finds one thing, then fails."""
    yield Finding("X999", "info", "r1", "was found before")
    raise ValueError("no such value")


@pytest.fixture
def with_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.checks()
    monkeypatch.setitem(registry._checks, "X999", registry.Check("X999", "broken", "info", broken))


@pytest.mark.usefixtures("with_broken")
def test_a_check_that_fails_on_a_sound_store_is_a_bug_of_ours(ruin: World) -> None:
    with pytest.raises(ValueError, match="no such value"):
        audit.audit(ruin.view, select=["X"])


@pytest.mark.usefixtures("with_broken")
def test_a_check_that_fails_on_a_damaged_store_says_so(ruin: World) -> None:
    ruin.connection.execute("DROP TRIGGER guard_record_update")
    first, second = audit.audit(ruin.view, select=["X"]).findings
    assert first.message == "was found before"
    assert (second.code, second.severity, second.subject) == ("X999", "error", "store")
    assert second.message == "cannot be checked, for the store is damaged: no such value"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE version SET attributes = '{'",
        "UPDATE version SET attributes = x'ff'",
        "UPDATE version SET text = CAST(x'ff' AS TEXT)",
        "UPDATE memory SET uid = 'none'",
        "UPDATE record SET attributes = '['",
        "UPDATE op SET skeleton = '[]'",
        "UPDATE op SET skeleton = x'ff'",
        "UPDATE op SET content = '3'",
        "UPDATE pass SET reverts = 'x'",
        "UPDATE pass SET at = x'00'",
        "UPDATE life SET from_pass = 'x'",
        "UPDATE edge SET parent = 'x'",
        "UPDATE quote SET start = 'x'",
        "UPDATE quote SET text = x'00'",
        "UPDATE counter SET value = 'x'",
        "UPDATE embedder SET fingerprint = x'00', dimensions = x'00'",
        "UPDATE vector SET data = 'x'",
        "DELETE FROM embedder",
        "DELETE FROM counter",
        "DELETE FROM pass",
        "DELETE FROM op",
        "DELETE FROM life",
        "DELETE FROM record",
        "DELETE FROM version",
        "DROP TABLE edge",
        "DROP TABLE fts",
        "DROP VIEW fts_source",
        "ALTER TABLE record RENAME COLUMN text TO said",
    ],
)
def test_values_of_no_kind_that_is_stored_end_in_findings(ruin: World, statement: str) -> None:
    connection = ruin.connection
    connection.execute("PRAGMA foreign_keys = OFF")
    triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    for (name,) in triggers.fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement)
    for deep in (False, True):
        findings = audit.audit(StoreView(connection, 4), deep=deep).findings
        assert {one.code for one in findings} - {"I104"}, findings


# --- damaged files ----------------------------------------------------------------------------------


def outcome(path: Path) -> AuditReport | StoreError:
    """What the audit of a file comes to; anything but these two is a traceback."""
    try:
        with open_store(path) as store:
            return store.audit(deep=True)
    except StoreError as error:
        return error


def test_flipped_bytes_end_in_findings_or_a_clean_error(ruin: World, tmp_path: Path) -> None:
    ruin.connection.execute("VACUUM")
    ruin.close()
    whole = ruin.path.read_bytes()
    # In free space a byte means nothing, and some builds of SQLite leave old bytes there.
    used = [place for place, byte in enumerate(whole) if byte]
    rng = random.Random(7)
    noticed = 0
    for nth in range(150):
        path = tmp_path / f"flipped{nth}.db"
        data = bytearray(whole)
        start = rng.choice(used)
        for place in range(start, min(start + rng.choice((1, 4, 64)), len(data))):
            data[place] = rng.randrange(256)
        path.write_bytes(data)
        found = outcome(path)
        noticed += isinstance(found, StoreError) or bool(found.findings)
    assert noticed > 75


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"guard_pass_update", b"guard\xffpass_update"),
        (b"id INTEGER PRIMARY KEY,\n    kind", b"id INTEGER PRI\xffARY KEY,\n    kind"),
        (b"CREATE TABLE op (", b"CREATE TABLE o\xff ("),
        (b"CREATE TABLE meta (key", b"CREATE TABEL meta (key"),
    ],
)
def test_a_schema_that_is_no_text(ruin: World, old: bytes, new: bytes) -> None:
    ruin.close()
    data = ruin.path.read_bytes()
    assert old in data
    ruin.path.write_bytes(data.replace(old, new))
    found = outcome(ruin.path)
    assert isinstance(found, StoreError) or found.count("error")
    # What can still be written is written; what cannot ends as cleanly.
    with suppress(MemError), open_store(ruin.path, mode="write") as store:
        store.undo()


@pytest.mark.parametrize("table", ["record", "op", "pass", "life", "version", "vector", "meta"])
def test_a_page_of_zeros(ruin: World, table: str) -> None:
    (root,) = ruin.connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
    ).fetchone()
    ruin.close()
    with ruin.path.open("r+b") as raw:
        raw.seek((root - 1) * file.PAGE_SIZE)
        raw.write(bytes(file.PAGE_SIZE))
    found = outcome(ruin.path)
    assert isinstance(found, StoreError) or found.count("error")


@pytest.mark.parametrize("keep", [0, 50, 99, 100, 8192, 20_000])
def test_a_file_that_was_cut_short(ruin: World, keep: int) -> None:
    ruin.close()
    cut = ruin.path.with_name("cut.db")
    shutil.copyfile(ruin.path, cut)
    with cut.open("r+b") as raw:
        raw.truncate(keep)
    assert isinstance(outcome(cut), StoreError)


# --- the gate -----------------------------------------------------------------------------------


def apply_gated(world: World, plan: Plan) -> str | None:
    request = run.Request(scripted(plan), NoParams(), now=NOW, gate=audit.gate)
    embed = embedding(world.connection, world.embedder)
    return run.run_pass(world.connection, request, RunContext(now=NOW), embed).pass_id


TEA = Plan((Add("fact", "Ada likes green tea", (Cite("r2", ("green tea",)),), "new:1"),))


def test_a_pass_that_leaves_a_sound_store_goes_through(ruin: World) -> None:
    assert apply_gated(ruin, TEA) == f"p{ruin.head}"
    assert audit.audit(ruin.view, deep=True).findings == ()


def test_a_pass_that_leaves_an_error_is_refused_and_leaves_nothing(ruin: World) -> None:
    ruin.connection.execute("DROP TRIGGER guard_record_update")
    head, dump = ruin.head, ruin.dump()
    with pytest.raises(RefusedError, match="The pass would leave 1 errors: I104") as caught:
        apply_gated(ruin, TEA)
    assert [one["code"] for one in caught.value.details["findings"]] == ["I104"]
    assert (ruin.head, ruin.dump()) == (head, dump)
    assert not ruin.connection.in_transaction


def test_a_warning_does_not_close_the_gate(ruin: World) -> None:
    ruin.connection.execute("DELETE FROM vector WHERE key = 1")
    assert apply_gated(ruin, TEA) is not None
    assert {one.code for one in audit.audit(ruin.view).findings} == {"I107"}


def test_the_state_looked_at_is_that_of_the_view(ruin: World) -> None:
    assert last_pass(ruin.connection)[0] == 4
    assert audit.audit(StoreView(ruin.connection, 1), select=["P"]).findings == ()
