from contextlib import closing

from memcli.engine.audit import audit
from memcli.store import file
from memcli.store.view import StoreView
from tests.checks.support import found
from tests.engine.world import World


def page_of(world: World, name: str) -> int:
    """Where in the file the first page of a table or index begins."""
    row = world.connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)
    ).fetchone()
    return int((row[0] - 1) * file.PAGE_SIZE)


def test_a_damaged_page_is_found(told: World) -> None:
    place = page_of(told, "op_pass")
    told.close()
    with told.path.open("r+b") as raw:
        raw.seek(place)
        raw.write(b"\xff\xff\xff")
    with closing(file.open_read(told.path)) as connection:
        findings = audit(StoreView(connection, 3), select=["I101"]).findings
    assert findings
    assert {one.severity for one in findings} == {"error"}
    assert findings[0].message.startswith("the file is damaged: SQLite reports ")


def test_an_index_that_misses_a_row_is_found(told: World) -> None:
    connection = told.connection
    connection.execute("PRAGMA writable_schema = ON")
    entry = "FROM sqlite_master WHERE name = 'recall_item'"
    kept = connection.execute(f"SELECT * {entry}").fetchone()
    connection.execute(f"DELETE {entry}")
    connection.execute("PRAGMA writable_schema = RESET")
    connection.execute("INSERT INTO recall (item, at) VALUES (1, '2026-01-01')")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", kept)
    connection.execute("PRAGMA writable_schema = RESET")
    assert any("missing from index recall_item" in what for _, what in found(told, "I101"))


def test_a_whole_file_is_fine(told: World) -> None:
    told.undo()
    assert found(told, "I101") == []


def test_a_damaged_text_index_is_the_business_of_another_check(told: World) -> None:
    told.connection.execute("UPDATE fts_data SET block = x'00ff00ff' WHERE id > 10")
    assert found(told, "I101") == []
    assert found(told, "I107") != []
