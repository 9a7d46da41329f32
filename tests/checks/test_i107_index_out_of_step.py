import struct

import pytest

from memcli.engine import audit
from memcli.engine.embedding import reindex
from memcli.errors import GatewayError
from memcli.gateway.local import default_name
from tests.checks.support import codes, findings, found
from tests.engine.world import World, said


def replace_words(world: World, text: str, *, item: int = 2) -> None:
    """Let the index believe that a held text is another."""
    old = "Ada: I like green tea"
    for command, words in (("'delete'", old), ("NULL", text)):
        world.connection.execute(
            f"INSERT INTO fts (fts, rowid, text) VALUES ({command}, ?, ?)", (item, words)
        )


def test_texts_that_are_missing_or_too_many(told: World) -> None:
    told.connection.execute("INSERT INTO fts (fts) VALUES ('delete-all')")
    told.connection.execute("INSERT INTO fts (rowid, text) VALUES (999, 'stray')")
    assert found(told, "I107") == [
        ("text index", "6 texts that are held are not in it"),
        ("text index", "1 texts in it are not held"),
    ]


def test_a_text_of_another_length(told: World) -> None:
    replace_words(told, "Ada: I like tea")
    assert found(told, "I107") == [("text index", "1 texts have not as many words as it says")]


def test_other_words(told: World) -> None:
    replace_words(told, "Ada: I like black tea")
    assert found(told, "I107") == [("text index", "its words are not those of the texts")]


def test_the_same_words_elsewhere_are_seen_by_a_deep_audit(told: World) -> None:
    replace_words(told, "Ada: I like tea green")
    assert found(told, "I107") == []
    assert found(told, "I107", deep=True) == [
        ("text index", "its words are not those of the texts")
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE fts_data SET block = x'00ff00ff' WHERE id > 10",
        "DELETE FROM fts_data",
        "DROP TABLE fts",
    ],
)
def test_an_index_that_cannot_be_read(told: World, statement: str) -> None:
    told.connection.execute(statement)
    assert ("text index", "warning") in {
        (one.subject, one.severity) for one in findings(told, "I107")
    }


NAN = struct.pack("<256f", *[float("nan")] * 256)


@pytest.mark.parametrize(
    ("statement", "values", "what"),
    [
        ("DELETE FROM vector WHERE key = 1", (), "1 are missing"),
        (
            "UPDATE vector SET data = x'01' WHERE key = 1",
            (),
            "1 are all zero or have a wrong length",
        ),
        (
            "UPDATE vector SET data = zeroblob(1024) WHERE key = 1",
            (),
            "1 are all zero or have a wrong length",
        ),
        (
            "UPDATE vector SET data = ? WHERE key = 1",
            (NAN + NAN,),
            "1 are all zero or have a wrong length",
        ),
        (
            "UPDATE vector SET data = hex(randomblob(512)) WHERE key = 1",
            (),
            "1 are all zero or have a wrong length",
        ),
        (
            "UPDATE vector SET key = -key WHERE key = 1",
            (),
            "1 are filed as held and are not, or the other way round",
        ),
        ("INSERT INTO vector SELECT -900, data FROM vector LIMIT 1", (), "1 belong to no text"),
        ("DELETE FROM embedder", (), "the store does not say which embedder made them"),
        (
            "UPDATE embedder SET fingerprint = '{'",
            (),
            "the store says hash-1024 made them, and not as this program's hash-1024 does",
        ),
        (
            "UPDATE embedder SET name = 'other'",
            (),
            f"the store says other made them, and not as this program's {default_name()} does",
        ),
        ("UPDATE embedder SET dimensions = 9", (), "6 are all zero or have a wrong length"),
        ("UPDATE embedder SET dimensions = 'x'", (), "6 are all zero or have a wrong length"),
    ],
)
def test_vectors(told: World, statement: str, values: tuple[bytes, ...], what: str) -> None:
    assert told.connection.execute(statement, values).rowcount > 0
    assert ("vectors", what) in found(told, "I107")


def test_a_vector_of_another_text_is_seen_by_a_deep_audit(told: World) -> None:
    told.connection.execute(
        "UPDATE vector SET data = (SELECT data FROM vector WHERE key = 1) WHERE key = 2"
    )
    assert found(told, "I107") == []
    assert found(told, "I107", deep=True) == [("vectors", "1 are not those of their texts")]


def test_an_embedder_that_cannot_be_used_blocks_no_audit(
    told: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights that are damaged on the disk are no failure of the store, and of no other check."""

    def broken(*given: object) -> object:
        raise GatewayError("hash-1024 cannot be used: it is damaged.", where="x", hint="y")

    monkeypatch.setattr(audit.embedding, "encode", broken)
    assert found(told, "I107", deep=True) == [
        ("vectors", "are not compared with their texts: hash-1024 cannot be used: it is damaged.")
    ]
    assert codes(told) == {"I107"}


def test_an_index_in_step_is_fine_and_reindex_mends_one_that_is_not(told: World) -> None:
    told.ingest([said("blank", " \n "), said("long", " " * 5_000 + "late")])
    told.rollback("m1", cascade=True)
    assert codes(told) == set()
    told.connection.execute("INSERT INTO fts (fts) VALUES ('delete-all')")
    told.connection.execute("DELETE FROM vector")
    told.connection.execute("DELETE FROM embedder")
    assert codes(told) == {"I107"}
    reindex(told.connection, told.embedder)
    assert codes(told) == set()


def test_it_looks_without_writing(told: World) -> None:
    told.connection.execute("PRAGMA query_only = ON")
    before = told.connection.total_changes
    assert found(told, "I107", deep=True) == []
    assert told.connection.execute("PRAGMA query_only").fetchone() == (1,)
    assert told.connection.execute("SELECT count(*) FROM sqlite_temp_master").fetchone() == (0,)
    assert told.connection.total_changes == before
