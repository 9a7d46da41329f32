"""Whole searches: as of a pass, before and after a rollback, over damaged indexes, hostile words."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli import api
from memcli.core.memories import Slot
from memcli.core.options import SearchOptions
from memcli.core.plan import Link, Plan, Rate, Retire, Revise, Supersede
from memcli.core.records import Scope
from memcli.core.reports import SearchReport
from memcli.engine.embedders import Table
from memcli.engine.finding import search as find_in
from memcli.engine.finding import searched
from memcli.retrieval.ranks import RANKS
from memcli.store import file
from memcli.store.driver import load_vec
from tests.engine.world import World
from tests.retrieval.support import HashQuestions, as_bytes, fact, find, ids, plan, tell, turn, view

JAN, JUN, SEP = "2024-01-05T00:00:00Z", "2024-06-05T00:00:00Z", "2024-09-05T00:00:00Z"
QUESTIONS = (
    "Where does Ada live?",
    "Where did Ada live before?",
    "When did she move, in June 2024?",
    "bees hive garden",
    "What did Bo say of the bees?",
    "since the move",
    "nothing of this",
)


def steps(world: World) -> Iterator[None]:
    """A life in passes: yields when each of them is done."""
    tell(
        world,
        turn("I live in Ghent and keep bees.", by="Ada", at=JAN, session="a"),
        turn("Bees! How is the hive?", by="Bo", at=JAN, session="a"),
        turn("a hive in a garden", by="Bo", at=JAN, session="a", kind="attachment"),
    )
    yield
    world.apply(
        plan(
            fact("Ada lives in Ghent", "r1", slot=Slot("Ada", "lives_in", "Ghent"), valid_from=JAN),
            fact("Ada keeps bees in the garden", "r1", nth=2),
        ),
        "alpha",
    )
    yield
    tell(world, turn("The move is done: I live in Bruges.", by="Ada", at=JUN, session="b"))
    yield
    world.apply(
        plan(
            fact(
                "Ada lives in Bruges", "r4", slot=Slot("Ada", "lives_in", "Bruges"), valid_from=JUN
            )
        ),
        "beta",
    )
    yield
    world.apply(plan(Supersede("m1", JUN, by="m3"), Revise("m2", "Ada kept bees")), "alpha")
    yield
    world.apply(plan(Rate("r2", "status", "faded"), Rate("m2", "importance", 9)), "alpha")
    yield
    world.apply(plan(Retire("m2", "no longer"), Link("m3", "m1", "replaces")), "alpha")
    yield
    tell(world, turn("The bees are well, says Ada.", by="Bo", at=SEP, session="c"))
    yield
    world.rollback("m3", cascade=True)
    yield


def answers(world: World, at: int | None = None) -> list[bytes]:
    """All that is found, with every ranking and layer, by words and with vectors, as JSON."""
    return [
        as_bytes(
            find(world, question, at=at, rank=rank, layer=layer, embedder=embedder, now=SEP, k=20)
        )
        for question in QUESTIONS
        for rank in RANKS
        for layer in ("both", "derived")
        for embedder in (None, HashQuestions(world))
    ]


def test_known_at_finds_what_was_found_then(world: World) -> None:
    recorded = {}
    for _ in steps(world):
        recorded[world.head] = answers(world)
    assert len(set(map(tuple, recorded.values()))) > 5, "the passes changed what is found"
    for at, found in recorded.items():
        assert answers(world, at) == found, f"as of p{at}"


def test_known_at_before_there_was_anything(world: World) -> None:
    tell(world, turn("bees"))
    assert find(world, "bees", at=world.head - 1).results == ()


OPS: tuple[Callable[[], Plan], ...] = (
    lambda: plan(fact("Ada lives in Ostend now", "r4", valid_from=SEP)),
    lambda: plan(Supersede("m1", SEP, by="m3")),
    lambda: plan(Supersede("m3", SEP)),
    lambda: plan(Retire("m2", "no longer", merged_into="m3")),
    lambda: plan(Revise("m2", "Ada keeps wasps and bees")),
    lambda: plan(Rate("r1", "status", "faded"), Rate("m2", "importance", 1)),
    lambda: plan(Rate("m1", "status", "rejected")),
    lambda: plan(Link("m1", "m3", "replaces")),
    lambda: plan(
        fact(
            "Ada lives in Ostend", "r4", slot=Slot("Ada", "lives_in", "Ostend"), valid_from=SEP
        )
    ),
)  # fmt: skip


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(st.sampled_from(range(len(OPS))), min_size=1, max_size=4, unique=True), st.booleans()
)
def test_a_rollback_brings_back_what_was_found(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[int], by_undo: bool
) -> None:
    world = World(tmp_path_factory.mktemp("store"))
    life = steps(world)
    for _ in range(4):
        next(life)
    before, digest, start = answers(world), world.digest(), world.head
    for nth in chosen:
        world.apply(OPS[nth](), "alpha" if nth % 2 else "beta")
    after = answers(world)
    if by_undo:
        while world.digest() != digest:
            world.undo()
    else:
        world.rollback_to(f"p{start}", cascade=True)
    assert answers(world) == before
    assert answers(world, start) == before
    if by_undo and len(chosen) == 1 and world.head > start:
        world.redo()
        assert answers(world) == after
    world.close()


# --- indexes --------------------------------------------------------------------------------------


def with_vectors(world: World, question: str = "hot kiln", **options: Any) -> SearchReport:
    """A search as `mem search` does it, with the store's own embedder."""
    with searched(world.connection, world.head, Table) as where:
        return find_in(where, question, SearchOptions(**options))


DAMAGES = [
    "UPDATE vector SET data = x'0102' WHERE key = (SELECT min(key) FROM vector)",
    "UPDATE vector SET data = x'' WHERE key = (SELECT max(key) FROM vector)",
    "UPDATE vector SET data = zeroblob(length(data)) WHERE key = (SELECT max(key) FROM vector)",
    "UPDATE vector SET data = 'no vector' WHERE key = (SELECT max(key) FROM vector)",
    "UPDATE vector SET data = 7 WHERE key = (SELECT max(key) FROM vector)",
    "UPDATE vector SET data = data || x'00'",
    "DROP TABLE vector",
    "DROP TABLE vector; CREATE TABLE vector (key INTEGER PRIMARY KEY, data);"
    " INSERT INTO vector VALUES (1, NULL)",
]


class TestVectors:
    @pytest.fixture(autouse=True)
    def talk(self, world: World) -> None:
        tell(world, *[turn(f"The kiln is hot {n}", session=f"s{n}") for n in range(3)])

    @pytest.mark.parametrize("extension", [True, False])
    @pytest.mark.parametrize("statements", DAMAGES)
    def test_damaged_ones_are_done_without_and_told_of(
        self, world: World, statements: str, extension: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if not extension:
            monkeypatch.setattr("memcli.store.driver.load_vec", lambda connection: False)
        by_words = with_vectors(world, vectors=False)
        whole = with_vectors(world)
        assert whole.warnings == ()
        assert "vector" in whole.results[0].parts
        for statement in statements.split(";"):
            world.connection.execute(statement)
        report = with_vectors(world)
        (said,) = report.warnings
        assert said.startswith("words alone decide")
        assert "mem reindex" in said
        assert report.results == by_words.results
        assert with_vectors(world, vectors=False).warnings == ()

    def test_of_another_embedder(self, world: World) -> None:
        world.connection.execute("""UPDATE embedder SET fingerprint = '{"name": "another"}'""")
        report = with_vectors(world)
        assert "words alone decide" in report.warnings[0]
        assert report.results

    def test_none_at_all(self, world: World) -> None:
        world.connection.execute("DELETE FROM vector")
        report = with_vectors(world)
        assert report.warnings == ()
        assert len(report.results) == 3

    def test_a_query_whose_vector_is_zero(self, world: World) -> None:
        class Zero(HashQuestions):
            def embed(self, texts: object) -> list[list[float]]:
                return [[0.0] * 1024]

        assert ids(find(world, "kiln", embedder=Zero(world))) == ids(find(world, "kiln"))

    def test_by_words_alone_nothing_is_embedded(self, world: World) -> None:
        class Refusing(HashQuestions):
            def embed(self, texts: object) -> list[list[float]]:
                raise AssertionError("it was asked")

        tell(world, turn("I fired the kiln in Ghent.", at="2026-01-05T09:00:00Z", session="a"))
        tell(world, turn("I fired the kiln in Bruges.", at="2026-02-05T09:00:00Z", session="b"))
        question = "where was the kiln fired"  # in the past tense sentences are compared, too
        report = find(world, question, embedder=Refusing(world), vectors=False)
        assert as_bytes(report) == as_bytes(find(world, question, vectors=False))

    def test_with_and_without_the_extension(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if not load_vec(world.connection):
            pytest.skip("this driver loads no extension: NumPy is the only path here")
        for _ in steps(world):
            pass
        asked = HashQuestions(world)
        exact = [find(world, question, embedder=asked, k=20) for question in QUESTIONS]
        monkeypatch.setattr("memcli.store.driver.load_vec", lambda connection: False)
        scanned = [find(world, question, embedder=asked, k=20) for question in QUESTIONS]
        assert [ids(one) for one in exact] == [ids(one) for one in scanned]
        for one, other in zip(exact, scanned, strict=True):
            assert [hit.score for hit in one.results] == pytest.approx(
                [hit.score for hit in other.results], abs=1e-4
            )


class TestTextIndex:
    @pytest.mark.parametrize(
        "statement", ["DROP TABLE fts", "DELETE FROM fts_data", "DROP TABLE fts_docsize"]
    )
    @pytest.mark.parametrize("vectors", [False, True])
    def test_a_damaged_one_is_done_without(
        self, world: World, statement: str, vectors: bool
    ) -> None:
        for _ in steps(world):
            pass
        world.connection.execute(statement)
        for question in (*QUESTIONS, "", "since the bees, Ada's move"):
            embedder = HashQuestions(world) if vectors else None
            report = find(world, question, embedder=embedder)
            if question:
                assert "mem reindex" in report.warnings[0]
        assert "r1" in ids(find(world, "Ghent"))

    def test_as_of_a_pass_none_is_needed(self, world: World) -> None:
        for _ in steps(world):
            pass
        whole = find(world, "bees hive", at=3)
        world.connection.execute("DROP TABLE fts")
        assert find(world, "bees hive", at=3) == whole


CHILD = """
import json, sys
from memcli import api
from memcli.store.driver import DRIVER
with api.open_store(sys.argv[1]) as store:
    found = [store.search(question) for question in json.loads(sys.argv[2])]
rows = [[(hit.id, round(hit.score, 3)) for hit in report.results] for report in found]
print(json.dumps([DRIVER, rows, [report.warnings for report in found]]))
"""


def test_a_python_without_extensions_finds_the_same(tmp_path: Path) -> None:
    world = World(tmp_path)
    for _ in steps(world):
        pass
    world.close()
    asked = json.dumps([question for question in QUESTIONS if "June" not in question])
    found = []
    for driver in ("plain", ""):
        environment = {**os.environ, "MEM_SQLITE": driver}
        if not driver:
            del environment["MEM_SQLITE"]
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(world.path), asked],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        found.append(json.loads(done.stdout))
    assert found[0][0] == "plain"
    assert found[0][1:] == found[1][1:]


# --- what is asked --------------------------------------------------------------------------------


GONE = ("faded", "lapsed")


class TestHostile:
    @pytest.fixture(autouse=True)
    def talk(self, world: World) -> None:
        for _ in steps(world):
            pass
        tell(world, turn("NEAR the AND or NOT of OR", by="Ada OR", session="x"))

    @pytest.mark.parametrize("embedded", [False, True])
    @pytest.mark.parametrize(
        "query",
        [
            *("", " ", "?", "\x00", "\x00bees\x00", "🐝", "bees 🐝", "\ud800", "bees\udfff"),
            *(
                '"',
                '"bees',
                "'",
                "bees'",
                "bees AND",
                "NOT bees",
                "bees NEAR hive",
                "NEAR(bees, 2)",
            ),
            *("text:bees", "^bees", "bees*", "-bees", "(bees", "{bees}", "bees; DROP TABLE fts"),
            *(
                "%",
                "_",
                "b%s",
                "a OR b",
                "the of and",
                "Ada",
                "Ada Bo",
                "ada's",
                "\\",
                "bees\nhive",
            ),
            *(
                "蜜蜂在哪里",
                "wo sind die bienen, früher?",
                "ﬁnd ｂｅｅｓ",
                "İstanbul",
                "ß",
                "before the",
            ),
            *("since", "before before before", "since the 🐝", "when", "how many"),
        ],
    )
    def test_any_words_come_back(self, world: World, query: str, embedded: bool) -> None:
        embedder = HashQuestions(world) if embedded else None
        for rank in RANKS:
            report = find(world, query, rank=rank, embedder=embedder, now=SEP, include=GONE)
            assert report.query == query
            assert report.warnings == ()
            assert all(one.score >= 0 for one in report.results)

    @pytest.mark.parametrize("query", ["bees\x00", "bees 🐝", '"bees"', "bees*", "ﬁnd ｂｅｅｓ"])
    def test_what_is_no_word_is_passed_over(self, world: World, query: str) -> None:
        assert set(ids(find(world, query))) >= {"r1", "r5"}

    @pytest.mark.parametrize("query", ["", "🐝", "\x00", "?!"])
    def test_without_words_nothing_is_found(self, world: World, query: str) -> None:
        for embedder in (None, HashQuestions(world)):
            assert find(world, query, embedder=embedder).results == ()

    @pytest.mark.parametrize(
        "piece", ["bees ", "x", "bees before ", "1 May 2020 ", "how many ", "🐝", '"bees" ', "Ada "]
    )
    def test_long_ones_come_back(self, world: World, piece: str) -> None:
        query = piece * (100_000 // len(piece))
        report = find(world, query, embedder=HashQuestions(world), include=GONE)
        assert report.warnings == ()

    def test_many_words_come_back(self, world: World) -> None:
        query = "bees " + " ".join(f"word{n}" for n in range(3_000))
        report = find(world, query, include=GONE)
        assert {"r1", "r5"} <= set(ids(report))
        assert report.warnings == ()

    def test_a_long_text_comes_back(self, world: World) -> None:
        long = '"honeycomb wax" my friend\'s ' * 4_000
        tell(world, turn("one two three four five " + long, session="y", by="Ada"))
        assert find(world, "Where is my honeycomb, Ada?").results


class TestApi:
    """The parts that only the Python interface adds."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[api.Store]:
        world = World(tmp_path)
        for _ in steps(world):
            pass
        world.close()
        with api.open_store(world.path, now=SEP) as opened:
            yield opened

    def test_known_at_names_a_pass(self, store: api.Store) -> None:
        assert "r5" in ids(store.search("bees"))
        assert "r5" not in ids(store.search("bees", known_at="p2"))

    def test_several_scopes_are_told_of(self, tmp_path: Path) -> None:
        with api.open_store(tmp_path / "s.db", mode="create", now=SEP) as opened:
            opened.add("bees", scope=Scope(user="ada"))
            assert opened.search("bees").warnings == ()
            opened.add("bees", scope=Scope(user="bo"))
            (said,) = opened.search("bees").warnings
            assert "2 scopes" in said
            assert opened.search("bees", scope=Scope(user="bo")).warnings == ()

    def test_a_store_without_a_table_of_vectors(self, store: api.Store) -> None:
        whole = ids(store.search("bees", vectors=False))
        connection = file.open_write(store.path)
        connection.execute("DROP TABLE vector")
        file.close(connection, wrote=True)
        with api.open_store(store.path) as opened:
            report = opened.search("bees")
        assert ids(report) == whole
        assert "mem reindex" in report.warnings[0]

    def test_valid_at_is_a_time(self, store: api.Store) -> None:
        assert "r4" not in ids(store.search("live", valid_at="2024-02-01"))
        assert "r4" in ids(store.search("live", valid_at="2024-07-01"))

    def test_nothing_is_written(self, store: api.Store) -> None:
        before = store.digest(), store.log()
        for rank in RANKS:
            store.search("bees", rank=rank)
        assert (store.digest(), store.log()) == before


def test_a_view_of_a_past_pass_is_not_the_newest(world: World) -> None:
    tell(world, turn("bees"))
    assert view(world).newest
    assert not view(world, world.head - 1).newest
