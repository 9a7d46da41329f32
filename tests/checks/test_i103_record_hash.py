import pytest

from tests.checks.support import codes, forging, found
from tests.engine.world import World

CHANGED = "its content is not what was stored"


@pytest.mark.parametrize(
    "change",
    [
        "text = 'I live in Paris by the sea'",
        "text = text || x'00'",
        "text = CAST(text AS BLOB)",
        "said_at = '2020-01-01T00:00:00Z'",
        "speaker = NULL",
        "role = 'assistant'",
        "session = 2, seq = 9",
        "source = 2",
        "attributes = '{'",
        "attributes = x'00'",
        "uid = 'none'",
        "user = 'eve'",
        "salt = x'00'",
        "hash = x'00'",
        "hash = 'none'",
    ],
)
def test_a_record_that_was_changed(told: World, change: str) -> None:
    with forging(told) as connection:
        connection.execute(f"UPDATE record SET {change} WHERE id = 1")
    assert ("r1", CHANGED) in found(told, "I103")


def test_a_record_exchanged_with_its_hash(told: World) -> None:
    with forging(told) as connection:
        columns = "seq, text, said_at, time_source, uid, line, salt, hash"
        mine, yours = connection.execute(
            f"SELECT {columns} FROM record WHERE id IN (1, 2) ORDER BY id"
        ).fetchall()
        places = ", ".join(f"{name} = ?" for name in columns.split(", "))
        connection.execute("UPDATE record SET uid = 1, seq = 99 WHERE id = 1")
        connection.execute(f"UPDATE record SET {places} WHERE id = 2", mine)
        connection.execute(f"UPDATE record SET {places} WHERE id = 1", yours)
    assert found(told, "I103") == [("p1", "its records are not the ones it stored")]


def test_records_that_swap_their_numbers(told: World) -> None:
    with forging(told) as connection:
        for old, new in ((1, 100), (2, 1), (100, 2)):
            connection.execute("UPDATE record SET id = ? WHERE id = ?", (new, old))
    assert {subject for subject, _ in found(told, "I103")} == {"r1", "r2", "r3"}


def test_a_record_that_was_taken_out(told: World) -> None:
    with forging(told) as connection:
        connection.execute("DELETE FROM record WHERE id = 2")
    assert found(told, "I103") == [
        ("r3", "follows r1: records were taken out, or numbered anew"),
        ("p1", "its records are not the ones it stored"),
    ]


def test_a_record_that_was_slipped_in(told: World) -> None:
    with forging(told) as connection:
        connection.execute(
            "INSERT INTO record SELECT id + 1, 900, x'01', session, seq + 50, kind, role, speaker,"
            " 'I hate tea', said_at, time_source, user, agent, project, attributes, source, line,"
            " salt, hash FROM record WHERE id = 4"
        )
    assert found(told, "I103") == [
        ("r5", CHANGED),
        ("records", "1 records were stored by no pass"),
    ]


def test_the_text_is_missed_by_the_index_too(told: World) -> None:
    with forging(told) as connection:
        connection.execute("UPDATE record SET text = 'I live in Paris' WHERE id = 1")
    assert codes(told) == {"I103", "I107", "P103"}


def test_what_is_said_as_it_was_stored_is_fine(told: World) -> None:
    told.rollback("p3")
    assert found(told, "I103") == []
