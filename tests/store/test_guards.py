"""Rows never change: the guards abort everything but an erase, and audit sees them gone."""

from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan, Rate, Retire
from memcli.store.driver import sqlite3
from memcli.store.guards import IMMUTABLE
from memcli.store.inspect import InspectView
from tests.engine.world import World, said


@pytest.fixture
def stocked(tmp_path: Path) -> World:
    """A store with a row in every table."""
    world = World(tmp_path)
    world.ingest([said("a", "I live in Lisbon"), said("b", "I like tea")])
    world.ingest([said("a", "I live in Porto"), said("b", "I like tea")])
    live = Add("fact", "Ada really likes tea", (Cite("r2", ("tea",)),), "new:1")
    world.apply(Plan(ops=(live, Rate("new:1", "importance", 4)), consumed=("r2",)))
    tea = Add("fact", "Ada likes tea", (Cite("r2"),), "new:1")
    world.apply(Plan(ops=(tea, Retire("m1", "same", merged_into="new:1"))))
    other = Add("fact", "Ada drinks tea", (Cite("r2", ("tea",)),), "new:1", valid_from="2026")
    world.apply(Plan(ops=(other,)))
    world.rollback("m3")
    return world


@pytest.mark.parametrize("table", [*(t for t in IMMUTABLE if t != "erased"), "life"])
@pytest.mark.parametrize("verb", ["delete", "update", "replace"])
def test_no_row_can_be_changed(stocked: World, table: str, verb: str) -> None:
    connection = stocked.connection
    count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    column = connection.execute(f"PRAGMA table_info({table})").fetchone()[1]
    assert count
    statement = {
        "delete": f"DELETE FROM {table}",
        "update": f"UPDATE {table} SET {column} = {column} + 0",
        "replace": f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    }[verb]
    if (table, verb) == ("life", "update"):
        statement = "UPDATE life SET to_pass = 99 WHERE to_pass IS NOT NULL"
    with pytest.raises(sqlite3.Error, match=r"never change|already|set once"):
        connection.execute(statement)
    assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == count
    stocked.check()
    stocked.close()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO life (rowid, item, from_pass) VALUES (1, 999999, 1)",
        "INSERT OR REPLACE INTO life (item, from_pass) VALUES (1, 2)",
        "UPDATE OR REPLACE life SET to_pass = 2, rowid = 1 WHERE rowid = 2",
        "UPDATE life SET item = 999999 WHERE to_pass IS NULL",
        "UPDATE life SET from_pass = 0",
    ],
)
def test_no_life_is_lost_by_any_key(stocked: World, statement: str) -> None:
    before = stocked.connection.execute("SELECT rowid, * FROM life").fetchall()
    with pytest.raises(sqlite3.Error, match=r"already|set once"):
        stocked.connection.execute(statement)
    assert stocked.connection.execute("SELECT rowid, * FROM life").fetchall() == before
    stocked.close()


def test_the_stub_of_an_erased_record_stays(stocked: World) -> None:
    connection = stocked.connection
    connection.execute("INSERT INTO erased VALUES (900, 900, x'01', x'02', x'03')")
    for statement in (
        "DELETE FROM erased",
        "UPDATE erased SET uid = x'09'",
        "INSERT OR REPLACE INTO erased VALUES (901, 901, x'01', x'02', x'03')",
    ):
        with pytest.raises(sqlite3.Error, match=r"never change|already"):
            connection.execute(statement)
    stocked.close()


@pytest.mark.parametrize(
    "columns",
    [
        "id, 900, x'09', session, 900",
        "900, item, x'09', session, 900",
        "900, 900, uid, session, 900",
    ],
)
def test_a_record_cannot_be_replaced_by_any_of_its_keys(stocked: World, columns: str) -> None:
    rest = (
        "kind, role, speaker, 'forged', said_at, time_source, user, agent, project, attributes,"
        " source, line, salt, hash"
    )
    with pytest.raises(sqlite3.Error, match="already"):
        stocked.connection.execute(
            f"INSERT OR REPLACE INTO record SELECT {columns}, {rest} FROM record WHERE id = 1"
        )
    assert stocked.connection.execute("SELECT text FROM record WHERE id = 1").fetchone() == (
        "I live in Lisbon",
    )
    stocked.close()


def test_the_guards_yield_to_an_erase_alone(stocked: World) -> None:
    connection = stocked.connection
    connection.execute("BEGIN")
    connection.execute("INSERT INTO erasing VALUES (1)")
    connection.execute("UPDATE op SET content = NULL, salt = NULL")
    connection.execute("DELETE FROM erasing")
    connection.execute("COMMIT")
    with pytest.raises(sqlite3.Error):
        connection.execute("UPDATE op SET content = 'x'")
    stocked.close()


def test_a_guard_that_was_taken_away_is_noticed(stocked: World) -> None:
    assert list(InspectView(stocked.connection, stocked.head).guard_errors()) == []
    stocked.connection.execute("DROP TRIGGER guard_record_update")
    found = list(InspectView(stocked.connection, stocked.head).guard_errors())
    assert ("trigger guard_record_update", "is missing") in found
    stocked.close()


def test_plain_sqlite3_reads_the_views(stocked: World) -> None:
    stocked.close()
    import sqlite3 as plain

    with plain.connect(stocked.path) as connection:
        for view in ("mem_current", "mem_history", "mem_log", "mem_provenance"):
            connection.execute(f"SELECT * FROM {view}").fetchall()
        log = connection.execute("SELECT id, kind FROM mem_log").fetchall()
        history = connection.execute("SELECT id, version, from_pass, to_pass FROM mem_history")
        assert ("m3", 1, "p5", "p6") in history.fetchall()
    connection.close()
    assert [kind for _, kind in log].count("ingest") == 2
