"""A store of an older schema is brought up to date by the first writer, with a copy kept."""

from pathlib import Path

import pytest

from memcli.errors import StoreError
from memcli.store import file, migrations, schema
from memcli.store.driver import sqlite3
from tests.engine.world import World, said


def add_table(connection: "sqlite3.Connection") -> None:
    connection.execute("CREATE TABLE later (x INTEGER)")


def break_off(connection: "sqlite3.Connection") -> None:
    connection.execute("CREATE TABLE half (x INTEGER)")
    raise RuntimeError("in the middle")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    world = World(tmp_path)
    world.ingest([said("a", "I live in Lisbon")])
    world.close()
    return world.path


def version_of(path: Path) -> int:
    return file.check_header(path)


def test_nothing_to_do(store: Path) -> None:
    connection = file.open_write(store)
    assert migrations.migrate(connection, store, schema.SCHEMA) is None
    file.close(connection, wrote=True)
    assert sorted(entry.name for entry in store.parent.iterdir()) == ["memory.db"]


def test_all_pending_run_and_a_copy_is_kept(store: Path) -> None:
    connection = file.open_write(store)
    backup = migrations.migrate(connection, store, 3, {2: add_table, 3: lambda made: None})
    connection.execute("INSERT INTO later VALUES (1)")
    file.close(connection, wrote=True)
    assert backup == store.with_name("memory.db.schema-1")
    assert backup is not None
    assert version_of(backup) == 1
    with sqlite3.connect(store) as plain:
        assert plain.execute("PRAGMA user_version").fetchone()[0] == 3
    plain.close()
    copy = file.open_read(backup)
    assert copy.execute("SELECT text FROM record").fetchall() == [("I live in Lisbon",)]
    copy.close()


def test_one_that_fails_leaves_the_store_as_it_was(store: Path) -> None:
    connection = file.open_write(store)
    with pytest.raises(RuntimeError):
        migrations.migrate(connection, store, 3, {2: add_table, 3: break_off})
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    file.close(connection, wrote=True)
    assert not tables & {"later", "half"}
    assert version_of(store) == 1


def test_a_reader_of_an_older_schema_names_what_to_do(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "SCHEMA", 2)
    with pytest.raises(StoreError) as refused:
        file.open_read(store)
    assert "mem reindex" in str(refused.value.hint)


def test_a_newer_schema_is_refused(store: Path) -> None:
    with sqlite3.connect(store) as plain:
        plain.execute("PRAGMA user_version = 99")
    plain.close()
    for opening in (file.open_read, file.open_write):
        with pytest.raises(StoreError, match="schema 99"):
            opening(store)
