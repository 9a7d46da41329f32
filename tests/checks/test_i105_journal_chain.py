import pytest

from memcli.store.write import PassWriter
from tests.checks.support import codes, cut_off_the_newest_pass, forging, found
from tests.engine.world import NOW, World


@pytest.mark.parametrize(
    ("statement", "subject", "what"),
    [
        (
            "UPDATE op SET content = replace(content, 'Lisbon', 'Paris')",
            "p2",
            "the content of operation 3 is not what was committed",
        ),
        (
            "UPDATE op SET content = CAST(content AS BLOB)",
            "p2",
            "holds values of a kind that no pass writes",
        ),
        ("UPDATE op SET salt = NULL", "p1", "the content of operation 1 is not what was committed"),
        (
            "UPDATE op SET salt = NULL, content = NULL",
            "p1",
            "the content of operation 1 is gone, and nothing was erased since",
        ),
        (
            "UPDATE op SET skeleton = replace(skeleton, '1', '2')",
            "p2",
            "its header or operations are not what was hashed",
        ),
        (
            "UPDATE pass SET strategy = 'another' WHERE id = 2",
            "p2",
            "its header or operations are not what was hashed",
        ),
        (
            "UPDATE pass SET reverts = '[' WHERE id = 2",
            "p2",
            "holds values of a kind that no pass writes",
        ),
        (
            "UPDATE pass SET at = '1999' WHERE id = 3",
            "p3",
            "is dated before the pass that came before it",
        ),
        ("DELETE FROM pass WHERE id = 2", "p3", "follows p1: passes are missing"),
        (
            "UPDATE pass SET hash = zeroblob(32) WHERE id = 1",
            "p2",
            "does not continue the hash of the pass before it",
        ),
        (
            "UPDATE op SET pass = 3 WHERE id = 3",
            "p2",
            "its header or operations are not what was hashed",
        ),
    ],
)
def test_a_past_that_was_changed(told: World, statement: str, subject: str, what: str) -> None:
    with forging(told) as connection:
        connection.execute(statement)
    assert (subject, what) in found(told, "I105")


def test_the_newest_passes_cannot_be_cut_off_unseen(told: World) -> None:
    cut_off_the_newest_pass(told)
    told.connection.execute("INSERT INTO fts (fts) VALUES ('rebuild')")
    told.connection.execute("DELETE FROM vector WHERE key NOT IN (SELECT item FROM life)")
    assert found(told, "I105") == [
        (
            "journal",
            "numbers up to 15 were given out, and passes are left for 14 only:"
            " the newest ones are missing",
        )
    ]
    # Nothing else could tell: the rest is the store as it was before that pass.
    assert codes(told) == {"I105"}


@pytest.mark.parametrize("name", ["item", "record", "memory", "session", "source"])
def test_a_counter_that_was_set_back(told: World, name: str) -> None:
    told.connection.execute("UPDATE counter SET value = 0 WHERE name = ?", (name,))
    assert [subject for subject, _ in found(told, "I105")] == ["journal"]


def test_passes_rollbacks_and_erased_contents_are_fine(told: World) -> None:
    told.undo()
    told.redo()
    assert found(told, "I105") == []
    with forging(told) as connection:
        connection.execute("UPDATE op SET content = NULL, salt = NULL WHERE pass = 2")
        connection.execute("BEGIN")
        PassWriter(connection, "erase", NOW).finish()
        connection.execute("COMMIT")
    assert found(told, "I105") == []
