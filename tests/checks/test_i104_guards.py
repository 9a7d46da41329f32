import pytest

from tests.checks.support import found
from tests.engine.world import World


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("DROP TRIGGER guard_record_update", ("trigger guard_record_update", "is missing")),
        (
            "DROP TRIGGER guard_life_delete;"
            "CREATE TRIGGER guard_life_delete BEFORE DELETE ON life WHEN 0 BEGIN SELECT 1; END",
            ("trigger guard_life_delete", "was changed"),
        ),
        (
            "CREATE TRIGGER fts_data AFTER INSERT ON record BEGIN DELETE FROM recall; END",
            ("trigger fts_data", "is not ours"),
        ),
        (
            "DROP VIEW mem_log; CREATE VIEW mem_log AS SELECT 1 AS id",
            ("view mem_log", "was changed"),
        ),
        ("DROP INDEX life_held", ("index life_held", "is missing")),
        ("CREATE TABLE mine (id)", ("table mine", "is not ours")),
        (
            "INSERT INTO erasing VALUES (1)",
            ("table erasing", "has a row, so the guards are off: no erase is at work"),
        ),
    ],
)
def test_what_is_not_as_this_version_makes_it(
    told: World, script: str, expected: tuple[str, str]
) -> None:
    told.connection.executescript(script)
    assert found(told, "I104") == [expected]


def test_tables_of_sqlite_and_of_a_replicator_are_fine(told: World) -> None:
    told.connection.execute("ANALYZE")
    told.connection.execute("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
    assert found(told, "I104") == []
