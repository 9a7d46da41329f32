"""Vectors: what gets in, and the same nearest rows with and without sqlite-vec."""

import math
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.plan import Add, Cite, Plan
from memcli.errors import StoreError
from memcli.gateway.hashed import DIMENSIONS, embed
from memcli.store import scanning, vectors
from memcli.store.driver import load_vec, sqlite3
from tests.engine.world import World, said

WORDS = [
    "tea",
    "lake",
    "piano",
    "garden",
    "soup",
    "bike",
    "letter",
    "roof",
    "query",
    "fence",
    "lesson",
    "curtain",
]


def a_table(rows: dict[int, bytes]) -> "sqlite3.Connection":
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE vector (key INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    connection.executemany("INSERT INTO vector VALUES (?, ?)", rows.items())
    return connection


def encoded(text: str) -> bytes:
    data = vectors.encode(embed(text))
    assert data is not None
    return data


class TestEncoding:
    def test_one_byte_a_dimension(self) -> None:
        assert vectors.encode([1.0, -1.0, 0.5, 0.0]) == bytes([127, 129, 64, 0])

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_what_is_not_finite_never_gets_in(self, bad: float) -> None:
        assert vectors.encode([0.5, bad]) is None

    def test_zero_never_gets_in(self) -> None:
        assert vectors.encode([0.0] * 8) is None
        assert vectors.encode(embed("")) is None

    def test_a_vector_that_is_no_unit_vector_is_a_mistake(self) -> None:
        with pytest.raises(ValueError, match="256"):
            vectors.encode([2.0, 0.0])

    @given(st.lists(st.floats(-1, 1), min_size=1, max_size=64))
    def test_rounding_is_within_half_a_step(self, values: list[float]) -> None:
        data = vectors.encode(values)
        signed = [byte - 256 if byte > 127 else byte for byte in data or bytes(len(values))]
        for value, stored in zip(values, signed, strict=True):
            assert abs(value * 127 - stored) <= 0.5 + 1e-9


def dense(lots: random.Random, dimensions: int, near: list[float] | None = None) -> list[float]:
    """A random vector of unit length; near to another it has a cosine of about .9."""
    made = [lots.gauss(0, 1) for _ in range(dimensions)]
    if near is not None:
        root = math.sqrt(dimensions)
        made = [0.9 * root * a + 0.436 * b for a, b in zip(near, made, strict=True)]
    length = math.hypot(*made)
    return [value / length for value in made]


def dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


class TestDenseVectors:
    """What models give: all components are small, so each vector has a scale of its own."""

    @pytest.mark.parametrize("dimensions", [384, 1536])
    def test_cosines_are_kept(self, dimensions: int) -> None:
        lots = random.Random(7)
        made = [dense(lots, dimensions) for _ in range(20)]
        made += [dense(lots, dimensions, near=one) for one in made]
        stored = [vectors.decode(vectors.encode(one, vectors.PEAK) or b"") for one in made]
        for (left, mine), (right, other) in combinations(zip(made, stored, strict=True), 2):
            assert dot(mine, other) == pytest.approx(dot(left, right), abs=0.003)

    def test_the_largest_component_takes_the_whole_byte(self) -> None:
        assert vectors.encode([0.01, -0.02, 0.005, 0.0], vectors.PEAK) == bytes([64, 129, 32, 0])

    @pytest.mark.parametrize("bad", [[0.0, 0.0], [math.nan, 0.5], [math.inf, 0.5], []])
    def test_what_is_no_vector_never_gets_in(self, bad: list[float]) -> None:
        assert vectors.encode(bad, vectors.PEAK) is None

    @given(st.lists(st.floats(-1, 1), min_size=1, max_size=64).filter(any))
    def test_any_vector_fits(self, values: list[float]) -> None:
        data = vectors.encode(values, vectors.PEAK)
        assert data is None or {127, 129} & set(data)

    def test_the_nearest_are_the_same_on_both_paths(self) -> None:
        lots = random.Random(3)
        made = [dense(lots, 384) for _ in range(50)]
        rows = {nth + 1: vectors.encode(one, vectors.PEAK) or b"" for nth, one in enumerate(made)}
        connection = a_table(rows)
        query = vectors.encode(dense(lots, 384, near=made[6]), vectors.PEAK) or b""
        scanned = vectors.nearest_in(connection, query, 5, extension=False)
        assert (scanned[0][0], scanned[0][1] > 0.8) == (7, True)
        if load_vec(connection):
            exact = vectors.nearest_in(connection, query, 5, extension=True)
            assert [item for item, _ in exact] == [item for item, _ in scanned]
        connection.close()


def by_hand(rows: dict[int, bytes], query: bytes, k: int) -> list[tuple[int, float]]:
    """The nearest by the definition of the cosine."""
    wanted = vectors.decode(query)
    found = [(item, round(dot(vectors.decode(data), wanted), 6)) for item, data in rows.items()]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


def dense_form(vector: Sequence[float]) -> bytes:
    return vectors.encode(vector, vectors.DENSE) or b""


@pytest.fixture(scope="module")
def topics() -> dict[int, bytes]:
    """Twelve topics, texts on none of them, some that are cut off, and some that come again."""
    lots = random.Random(13)
    made: list[list[float]] = []
    for _ in range(12):
        topic = dense(lots, 256)
        made += [dense(lots, 256, near=topic) for _ in range(25)]
    made += [dense(lots, 256) for _ in range(200)]
    made += [[*dense(lots, size), *[0.0] * (256 - size)] for size in (3, 4, 6, 8, 12)]
    return {nth + 1: dense_form(one) for nth, one in enumerate([*made, *made[:60]])}


class TestDenseVectorsOfOneScale:
    """Those that are all about as long are looked for by distance, which finds the same."""

    def test_what_is_too_large_is_cut_off(self) -> None:
        assert dense_form([0.01, -0.02, 0.9, -1.0]) == bytes([4, 249, 127, 129])

    @given(st.lists(st.floats(-1, 1), min_size=1, max_size=64).filter(any))
    def test_none_is_longer_than_is_said(self, values: list[float]) -> None:
        length = math.hypot(*values) or 1.0
        data = dense_form([value / length for value in values])
        stored = math.hypot(*(byte - 256 if byte > 127 else byte for byte in data))
        assert stored <= vectors.longest(vectors.DENSE, len(values))

    @pytest.mark.parametrize("dtype", [vectors.DENSE, vectors.PEAK])
    def test_the_same_of_an_array(self, dtype: str) -> None:
        np = pytest.importorskip("numpy")
        lots = random.Random(5)
        given = [dense(lots, size) + [0.0] * (16 - size) for size in (1, 2, 5, 16, 16, 16)]
        given += [[0.0] * 16, [1e-9] * 16, [math.nan, *[0.1] * 15], [math.inf, *[0.1] * 15]]
        found = vectors.encode_all(np.array(given), dtype)
        assert found == [vectors.encode(one, dtype) for one in given]

    @pytest.mark.parametrize("k", [1, 7, 30, 80, 1000])
    def test_the_nearest_as_by_hand(self, topics: dict[int, bytes], k: int) -> None:
        connection = a_table(topics)
        loaded = load_vec(connection)
        lots = random.Random(k)
        # One that is there, one in between, one that is cut off, one that is near to none.
        mixed = [
            a + b
            for a, b in zip(vectors.decode(topics[3]), vectors.decode(topics[40]), strict=True)
        ]
        few = [*dense(lots, 5), *[0.0] * 251]
        for query in (topics[9], dense_form(dense(lots, 256, near=mixed)), few, dense(lots, 256)):
            data = query if isinstance(query, bytes) else dense_form(query)
            expected = by_hand(topics, data, k)
            for extension in (True, False) if loaded else (False,):
                found = vectors.nearest_in(
                    connection, data, k, extension=extension, dtype=vectors.DENSE
                )
                assert [item for item, _ in found] == [item for item, _ in expected]
                assert [c for _, c in found] == pytest.approx([c for _, c in expected], abs=2e-6)
        connection.close()

    def test_by_distance_only_where_that_is_sure(self, topics: dict[int, bytes]) -> None:
        twins = dict.fromkeys(range(1, 400), topics[9])
        for table, sure in ((topics, True), (twins, False)):
            connection = a_table(table)
            if not load_vec(connection):
                connection.close()
                pytest.skip("this driver loads no extension")
            scan = scanning.Scan(topics[9], 50, "key > 0", {})
            found = scanning._by_distance(connection, scan, vectors.longest(vectors.DENSE, 256))
            assert (found is not None) == sure
            connection.close()

    def test_one_that_is_zero_is_not_passed_over(self, topics: dict[int, bytes]) -> None:
        connection = a_table({**topics, 9_000: bytes(256)})
        for extension in (True, False) if load_vec(connection) else (False,):
            with pytest.raises(StoreError, match="one is zero"):
                vectors.nearest_in(
                    connection, topics[9], 2, extension=extension, dtype=vectors.DENSE
                )
        connection.close()


class TestNearest:
    @pytest.fixture
    def rows(self) -> dict[int, bytes]:
        lots = random.Random(11)
        texts = [" ".join(lots.choices(WORDS, k=6)) for _ in range(300)]
        # Equal texts have equal distances: the lower id comes first, on both paths.
        made = {nth + 1: encoded(text) for nth, text in enumerate(texts + texts[:40])}
        made |= {-900 - nth: encoded(text) for nth, text in enumerate(texts[:20])}
        return made

    def test_with_and_without_the_extension(self, rows: dict[int, bytes]) -> None:
        connection = a_table(rows)
        if not load_vec(connection):
            connection.close()
            pytest.skip("this driver loads no extension: NumPy is the only path here")
        for query in ("tea by the lake", "a letter about the fence", "piano"):
            exact = vectors.nearest_in(connection, encoded(query), 25, extension=True)
            scanned = vectors.nearest_in(connection, encoded(query), 25, extension=False)
            assert [item for item, _ in exact] == [item for item, _ in scanned]
            assert [cosine for _, cosine in exact] == pytest.approx(
                [c for _, c in scanned], abs=2e-6
            )
        connection.close()

    def test_only_what_is_held_is_scanned(self, rows: dict[int, bytes]) -> None:
        connection = a_table(rows)
        found = vectors.nearest_in(connection, encoded("tea"), 1000, extension=False)
        assert len(found) == 340
        assert all(item > 0 for item, _ in found)
        connection.close()

    def test_the_same_text_has_cosine_one(self) -> None:
        connection = a_table({7: encoded("tea by the lake"), 9: encoded("a letter")})
        assert vectors.nearest_in(connection, encoded("tea by the lake"), 1, extension=False) == [
            (7, 1.0)
        ]
        connection.close()

    def test_an_empty_table(self) -> None:
        connection = a_table({})
        assert vectors.nearest_in(connection, encoded("tea"), 5, extension=False) == []
        connection.close()


class TestStore:
    def vectors_of(self, world: World) -> dict[int, bytes]:
        return dict(world.connection.execute("SELECT key, data FROM vector").fetchall())

    def test_every_text_has_one_and_an_empty_text_has_none(self, tmp_path: Path) -> None:
        world = World(tmp_path)
        world.ingest([said("a", "tea"), said("b", "")])
        world.apply(Plan(ops=(Add("fact", "Ada likes tea", (Cite("r1"),), "new:1"),)))
        assert all(len(data) == DIMENSIONS for data in self.vectors_of(world).values())
        assert len(self.vectors_of(world)) == 2
        assert vectors.missing(world.connection) == []
        world.close()

    def test_a_rollback_takes_it_out_of_the_scan_and_back(self, tmp_path: Path) -> None:
        world = World(tmp_path)
        world.ingest([said("a", "tea")])
        world.apply(Plan(ops=(Add("fact", "Ada likes tea", (Cite("r1"),), "new:1"),)))
        before = self.vectors_of(world)
        world.rollback("last")
        assert sum(key > 0 for key in self.vectors_of(world)) == 1
        world.rollback("last")
        assert self.vectors_of(world) == before
        world.close()
