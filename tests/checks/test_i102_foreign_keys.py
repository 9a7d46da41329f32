import pytest

from memcli.core.plan import Plan, Rate, Retire, Supersede
from memcli.store.write import PassWriter
from tests.checks.support import cut_off_the_newest_pass, forging, found, item
from tests.engine.world import NOW, World


def test_a_declared_reference_to_nothing(told: World) -> None:
    with forging(told) as connection:
        connection.execute("UPDATE quote SET edge = 999")
    assert found(told, "I102") == [("quote 7", "points to no row of edge")]


def test_a_table_without_row_numbers(told: World) -> None:
    with forging(told) as connection:
        connection.execute("INSERT INTO call_source VALUES (9, 1)")
    assert found(told, "I102") == [("call_source", "points to no row of call")]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE edge SET child = 999 WHERE item = 6", ("edge 6", "points to no row of memory")),
        (
            "UPDATE consumed SET record = 999",
            ("consumed 14", "points to no row of record or erased"),
        ),
        (
            "DELETE FROM edge WHERE item = 12",
            ("row 12", "is held, or once was, and is in no table"),
        ),
        ("DELETE FROM life WHERE item = 12", ("edge 12", "is there, and no pass ever held it")),
    ],
)
def test_references_that_sqlite_does_not_know(
    told: World, statement: str, expected: tuple[str, str]
) -> None:
    with forging(told) as connection:
        assert connection.execute(statement).rowcount == 1
    assert expected in found(told, "I102")


def test_a_newest_pass_that_is_gone_leaves_lives_behind(told: World) -> None:
    with forging(told) as connection:
        connection.execute("DELETE FROM pass WHERE id = 3")
    assert any(what == "points to no row of pass" for _, what in found(told, "I102"))


def test_what_passes_and_rollbacks_leave_is_fine(told: World) -> None:
    told.apply(
        Plan(
            (
                Supersede("m1", "2026-06-01T00:00:00Z", by="m2"),
                Rate("r1", "importance", 7),
                Rate("m2", "pinned", True),
            )
        )
    )
    told.apply(Plan((Retire("m1", "merged", merged_into="m2"),)))
    told.rollback("m2", cascade=True)
    told.undo()
    cut_off_the_newest_pass(told)
    assert found(told, "I102") == []


def test_rows_that_an_erase_took_are_not_missed(told: World) -> None:
    evidence = item(told, "m2@1")
    with forging(told) as connection:
        connection.execute("UPDATE op SET content = NULL, salt = NULL WHERE type = 'add'")
        connection.execute("DELETE FROM version WHERE item = ?", (evidence,))
        connection.execute("BEGIN")
        PassWriter(connection, "erase", NOW).finish()
        connection.execute("COMMIT")
    assert found(told, "I102") == []
