import pytest

from memcli.core.plan import Plan, Rate, Revise
from tests.checks.support import codes, cut_off_the_newest_pass, findings, forging, found
from tests.engine.world import World


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "UPDATE life SET to_pass = 3 WHERE item = 5",
            ("m1", "m1@1 is held from p2 to p3, which the journal denies"),
        ),
        (
            "UPDATE life SET from_pass = 1 WHERE item = 6",
            ("m1", "evidence of m1 should be held from p2 until now, and is not"),
        ),
        ("INSERT INTO life SELECT item, 1, 1 FROM life WHERE item = 1", ("r1", "r1 is held from")),
        (
            "UPDATE session SET key = 'another' WHERE id = 1",
            ("s1", "the row of session 1 is not as the journal has it, or not in the journal"),
        ),
        (
            "UPDATE source SET path = 'another' WHERE id = 1",
            ("source 1", "the row of source 1 is not there as p1 made it"),
        ),
        (
            "UPDATE edge SET role = 'related' WHERE item = 6",
            ("m1", "evidence of m1 (edge) is not there"),
        ),
        ("UPDATE memory SET uid = lower(hex(uid)) WHERE id = 1", ("m1", "the row of memory 1 is")),
        ("UPDATE quote SET start = 0", ("quote 7", "row 7 (quote) is not as the journal has it")),
        ("DELETE FROM consumed", ("consumed 14", "row 14 (consumed) is not there as p2 made it")),
        ("DELETE FROM touch", ("touch", "the index of dependents differs from the journal")),
        ("INSERT INTO revert VALUES (4, 3)", ("revert", "the list of reverts differs")),
        ("DELETE FROM record WHERE id = 4", ("records", "1 records are not those that the")),
        ("UPDATE op SET skeleton = '{}' WHERE id = 3", ("p2", "operation 3 cannot be replayed")),
        ("UPDATE op SET content = '[' WHERE id = 3", ("p2", "operation 3 cannot be replayed")),
        (
            """UPDATE op SET skeleton = '{"opened":[[1,99999999999999]],"closed":[]}'""",
            ("p2", "operation 3 cannot be replayed"),
        ),
    ],
)
def test_tables_that_are_not_the_fold(
    told: World, statement: str, expected: tuple[str, str]
) -> None:
    with forging(told) as connection:
        assert connection.execute(statement).rowcount > 0
    subject, what = expected
    assert any(one == subject and text.startswith(what) for one, text in found(told, "I106"))


def test_a_closed_life_that_is_there_twice(told: World) -> None:
    told.rollback("m2")
    with forging(told) as connection:
        connection.execute("INSERT INTO life SELECT * FROM life WHERE to_pass NOTNULL LIMIT 1")
    assert found(told, "I106") == [("life", "1 lives are there twice")]


def test_a_newest_pass_that_is_gone_leaves_rows(told: World) -> None:
    with forging(told) as connection:
        connection.execute("DELETE FROM op WHERE pass = 3")
        connection.execute("DELETE FROM pass WHERE id = 3")
    assert {"I102", "I106"} <= codes(told)


def test_it_runs_when_asked_only(told: World) -> None:
    with forging(told) as connection:
        connection.execute("UPDATE session SET title = 'another'")
    assert findings(told) == []
    assert findings(told, "I") == []
    assert {one.code for one in findings(told, deep=True)} == {"I106"}


def test_the_tables_of_any_history_are_its_fold(told: World) -> None:
    told.apply(Plan((Revise("m1", "Ada lives in Lisbon, Portugal"), Rate("r2", "importance", 3))))
    told.rollback("m2", reject=True)
    told.rollback("p1", cascade=True)
    told.undo()
    assert found(told, "I106") == []
    cut_off_the_newest_pass(told)
    assert found(told, "I106") == []
