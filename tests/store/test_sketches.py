"""Sketches: made once a store is large, in step with its vectors, and what is found by them."""

import random
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan
from memcli.core.records import Scope
from memcli.engine import embedding
from memcli.engine.audit import audit
from memcli.errors import StoreError
from memcli.gateway.hashed import embed
from memcli.store import sketches, vectors
from memcli.store.driver import load_vec
from memcli.store.texts import Among
from memcli.store.write import transaction
from tests.engine.world import World, said

pytest.importorskip("numpy")
from memcli.store import hamming

WORDS = ("tea", "lake", "piano", "garden", "soup", "bike", "letter", "roof", "query", "fence")
Near = list[tuple[int, float]]


def query(text: str) -> bytes:
    data = vectors.encode(embed(text))
    assert data is not None
    return data


def differing(left: bytes, right: bytes) -> int:
    return sum(bin(a ^ b).count("1") for a, b in zip(left, right, strict=True))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store is large from twenty vectors on, hashed ones too."""
    monkeypatch.setattr(sketches, "BORDER", 20)
    monkeypatch.setattr(sketches, "CANDIDATES", 7)
    monkeypatch.setattr(sketches, "SPARSE", "")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def ingest(world: World, count: int, name: str = "a", seed: int = 1) -> None:
    lots = random.Random(seed)
    units = [said(f"{name}{nth}", " ".join(lots.choices(WORDS, k=4))) for nth in range(count)]
    world.ingest(units, f"{name}.jsonl")


def rows(world: World, table: str) -> dict[int, bytes]:
    return dict(world.connection.execute(f"SELECT key, data FROM {table} WHERE key <> 0"))


def in_step(world: World) -> None:
    """Each vector has its own sketch, under its own key."""
    limits = sketches.bounds(world.connection)
    assert limits is not None
    expected = {key: sketches.sketch(data, limits) for key, data in rows(world, "vector").items()}
    assert rows(world, "sketch") == expected
    assert list(sketches.errors(world.connection, deep=True)) == []
    assert {one.code for one in audit(world.view, deep=True).findings} <= {"I107"}


class TestMaking:
    def test_bits_for_middle_and_high(self) -> None:
        limits = struct.pack("9b", *[-10] * 9) + struct.pack("9b", *[10] * 9)
        vector = struct.pack("9b", -128, -11, -10, -9, 0, 10, 11, 127, 11)
        assert sketches.sketch(vector, limits) == bytes([0b00011111, 0x80, 0b00000011, 0x80])

    def test_the_same_of_one_and_of_many(self) -> None:
        lots = random.Random(5)
        limits = bytes(lots.randrange(256) for _ in range(2 * 37))
        made = [bytes(lots.randrange(256) for _ in range(37)) for _ in range(50)]
        assert hamming.sketched(made, limits) == [sketches.sketch(one, limits) for one in made]

    def test_a_third_is_low_and_a_third_is_high(self) -> None:
        lots = random.Random(5)
        made = [struct.pack("2b", lots.randint(-100, 20), lots.randint(-5, 5)) for _ in range(900)]
        found = hamming.sketched(made, hamming.bounds_of(made, 2))
        shares = [sum(one[half] >> 7 for one in found) / len(found) for half in (0, 1)]
        assert shares == pytest.approx([2 / 3, 1 / 3], abs=0.01)

    def test_not_before_the_store_is_large(self, world: World) -> None:
        ingest(world, 19)
        assert sketches.bounds(world.connection) is None
        assert vectors.exact(world.connection)
        ingest(world, 1, "b")
        assert not vectors.exact(world.connection)
        in_step(world)

    def test_not_of_vectors_that_are_mostly_zeros(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sketches, "SPARSE", vectors.PLAIN)
        ingest(world, 25)
        assert vectors.exact(world.connection)

    def test_not_of_a_store_that_is_small_again(self, world: World) -> None:
        ingest(world, 12)
        ingest(world, 12, "b")
        world.rollback("last")
        embedding.reindex(world.connection, world.embedder)
        assert vectors.exact(world.connection)
        assert [one.code for one in audit(world.view, deep=True).findings] == []


class TestInStep:
    def test_whatever_is_written(self, world: World) -> None:
        ingest(world, 24)
        in_step(world)
        world.apply(Plan(ops=(Add("fact", "Ada likes tea", (Cite("r1"),), "new:1"),)))
        in_step(world)
        world.rollback("last")
        in_step(world)
        assert min(rows(world, "sketch")) < 0
        world.rollback("last")
        ingest(world, 80, "b", seed=2)
        in_step(world)
        embedding.reindex(world.connection, world.embedder)
        in_step(world)

    def test_vectors_that_come_late(self, world: World) -> None:
        ingest(world, 24)
        with transaction(world.connection):
            world.connection.execute("DELETE FROM vector WHERE key > 20")
            vectors.sweep(world.connection, world.embedder.dimensions)
        in_step(world)
        missing = vectors.missing(world.connection)
        with transaction(world.connection):
            made = [(item, query(text)) for item, text in missing]
            vectors.put_late(world.connection, made)
        assert len(missing) == 4
        in_step(world)

    def test_what_another_program_wrote_is_always_looked_at(self, world: World) -> None:
        ingest(world, 24)
        world.connection.execute("DELETE FROM vector WHERE key = 9")
        values = (9, query("a comet"))
        world.connection.execute("INSERT INTO vector VALUES (?, ?)", values)
        assert rows(world, "sketch")[9] is None
        for extension in extensions(world):
            found = vectors.nearest_in(world.connection, query("a comet"), 1, extension=extension)
            assert found == [(9, 1.0)]
        world.connection.execute("UPDATE vector SET data = ? WHERE key = 3", (query("a star"),))
        assert rows(world, "sketch")[3] is None

    def test_of_a_table_of_vectors_that_was_dropped(self, world: World) -> None:
        ingest(world, 24)
        world.connection.execute("DROP TABLE vector")
        assert sketches.bounds(world.connection) is None
        embedding.reindex(world.connection, world.embedder)
        in_step(world)

    @pytest.mark.parametrize("gone", ["table sketch", *list(sketches.TABLES)[1:]])
    def test_of_which_a_part_was_dropped(self, world: World, gone: str) -> None:
        ingest(world, 24)
        world.connection.execute(f"DROP {gone}")
        assert sketches.bounds(world.connection) is None
        ingest(world, 2, "b", seed=2)
        in_step(world)

    @pytest.mark.parametrize("how", ["rollback", "refile", "sweep", "late"])
    def test_writing_goes_on_without_their_table(self, world: World, how: str) -> None:
        ingest(world, 24)
        ingest(world, 2, "b", seed=2)
        item, vector = max(rows(world, "vector").items())
        if how == "late":
            world.connection.execute("DELETE FROM vector WHERE key = ?", (item,))
        world.connection.execute("DROP TABLE sketch")
        if how == "rollback":
            world.rollback("last")
        else:
            with transaction(world.connection):
                if how == "refile":
                    world.connection.execute("DROP TRIGGER sketch_move")
                    world.connection.execute("UPDATE vector SET key = -key WHERE key = ?", (item,))
                    vectors.refile(world.connection)
                elif how == "sweep":
                    vectors.sweep(world.connection, world.embedder.dimensions)
                else:
                    vectors.put_late(world.connection, [(item, vector)])
        held = len(vectors.held(world.connection))
        for extension in extensions(world):
            found = vectors.nearest_in(world.connection, vector, 50, extension=extension)
            assert len(found) == held == (24 if how == "rollback" else 26)
        ingest(world, 3, "c", seed=3)
        in_step(world)

    def test_swept_vectors_get_new_ones(self, world: World) -> None:
        ingest(world, 24)
        world.connection.execute("UPDATE sketch SET data = zeroblob(256) WHERE key IN (0, 5)")
        world.connection.execute("UPDATE sketch SET data = 'a text' WHERE key = 6")
        with transaction(world.connection):
            vectors.sweep(world.connection, world.embedder.dimensions)
        in_step(world)

    def test_whether_sparse_is_seen_first(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sketches, "SPARSE", vectors.PLAIN)
        ingest(world, 25)
        said: list[str] = []
        world.connection.set_trace_callback(said.append)
        sketches.follow(world.connection, ())
        world.connection.set_trace_callback(None)
        assert not any("count(*) FROM vector" in one or "DROP" in one for one in said)

    def test_an_audit_tells_what_is_not(self, world: World) -> None:
        ingest(world, 24)
        world.connection.execute("DELETE FROM sketch WHERE key IN (3, 4)")
        world.connection.execute("UPDATE sketch SET data = zeroblob(256) WHERE key = 5")
        said = [one.message for one in audit(world.view, deep=True).findings]
        assert any("2 are not among the sketches" in one for one in said)
        assert any("1 have a sketch that is another vector's" in one for one in said)
        world.connection.execute("DROP TRIGGER sketch_move")
        found = [str(one) for one in audit(world.view, deep=True).findings]
        assert any("sketch_move" in one for one in found)


def extensions(world: World) -> Sequence[bool]:
    return (True, False) if load_vec(world.connection) else (False,)


class TestFinding:
    def by_hand(self, world: World, text: str, k: int, items: set[int]) -> Near:
        limits = sketches.bounds(world.connection)
        assert limits is not None
        wanted = sketches.sketch(query(text), limits)
        held = {item: data for item, data in rows(world, "vector").items() if item in items}
        stored = rows(world, "sketch")
        nearest = sorted(held, key=lambda item: (differing(stored[item], wanted), item))
        chosen = nearest[: max(k, sketches.CANDIDATES)]
        return vectors.nearest(
            world.connection, query(text), k, extension=extensions(world)[0], among=chosen
        )

    @pytest.mark.parametrize("k", [0, 1, 5, 7, 9, 200])
    def test_the_best_of_the_first(self, world: World, k: int) -> None:
        ingest(world, 60)
        items = set(rows(world, "vector"))
        for text in ("tea by the lake", "soup piano", "nothing of these"):
            expected = self.by_hand(world, text, k, items)
            for extension in extensions(world):
                found = vectors.nearest_in(world.connection, query(text), k, extension=extension)
                assert found == expected

    def test_among_some(self, world: World) -> None:
        ingest(world, 40)
        ops = tuple(
            Add("fact", f"{word} again", (Cite("r1"),), f"new:{nth}")
            for nth, word in enumerate(WORDS)
        )
        world.apply(Plan(ops=ops))
        derived = {row[0] for row in world.connection.execute("SELECT item FROM version")}
        for among, items in (
            (Among("derived"), derived),
            (Among("raw"), set(rows(world, "vector")) - derived),
            (Among(scope=Scope(user="nobody")), set[int]()),
        ):
            expected = self.by_hand(world, "tea again", 4, items)
            for extension in extensions(world):
                found = vectors.nearest_in(
                    world.connection, query("tea again"), 4, extension=extension, among=among
                )
                assert found == expected

    @pytest.mark.parametrize("bad", ["'a text'", "printf('%0256d', 1)", "x'01'", "7"])
    def test_what_is_no_sketch_is_told(self, world: World, bad: str) -> None:
        ingest(world, 24)
        world.connection.execute(f"UPDATE sketch SET data = {bad} WHERE key = 5")
        for extension in extensions(world):
            with pytest.raises(StoreError, match="mem reindex"):
                vectors.nearest_in(world.connection, query("tea"), 3, extension=extension)

    def test_a_former_state_is_compared_whole(self, world: World) -> None:
        ingest(world, 15)
        ingest(world, 15, "b", seed=2)
        found = vectors.nearest_in(
            world.connection, query("tea"), 50, extension=extensions(world)[0], at=1
        )
        assert len(found) == 15
        assert vectors.exact(world.connection, at=1)


class TestHamming:
    @pytest.mark.parametrize("size", [1, 8, 13, 64, 96])
    def test_those_that_differ_least(self, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
        lots = random.Random(size)
        stored = [bytes(lots.randrange(256) for _ in range(size)) for _ in range(300)]
        items = list(range(1, 301))
        lots.shuffle(items)
        made = hamming.sketches(items, b"".join(stored), size)
        wanted = stored[7]
        pairs = dict(zip(items, stored, strict=True))
        ordered = sorted(items, key=lambda item: (differing(pairs[item], wanted), item))
        for count in (1, 10, 299, 300, 400):
            assert made.first(wanted, count) == ordered[:count]
        monkeypatch.setattr(
            hamming, "_ones", lambda words: hamming._ones_by_hand(words).astype("uint16")
        )
        assert made.first(wanted, 50) == ordered[:50]

    def test_of_none(self) -> None:
        none = hamming.sketches([], b"", 16)
        assert none.first(bytes(16), 5) == []
        grown = none.changed([], hamming.sketches([3], bytes(16), 16))
        assert grown.first(bytes(16), 5) == [3]
