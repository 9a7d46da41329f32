"""Vectors as an array: the same cosines as sqlite-vec, and the first of them."""

import math
import random
import struct
from collections.abc import Mapping
from itertools import product

import pytest

from memcli.store import vectors
from memcli.store.driver import load_vec, sqlite3

pytest.importorskip("numpy")
from memcli.store.matrix import Matrix, UnfitError, matrix

Near = list[tuple[int, float]]


def packed(*numbers: int) -> bytes:
    return struct.pack(f"{len(numbers)}b", *numbers)


def made(rows: Mapping[int, bytes]) -> Matrix:
    size = len(next(iter(rows.values()), b"1"))
    return matrix(list(rows), b"".join(rows.values()), size)


def by_hand(rows: Mapping[int, bytes], query: bytes, k: int) -> Near:
    """The nearest by whole numbers; a distance is a float32, and a cosine has six decimals."""
    wanted = struct.unpack(f"{len(query)}b", query)
    length = math.sqrt(sum(one * one for one in wanted))
    found = []
    for item, data in rows.items():
        numbers = struct.unpack(f"{len(data)}b", data)
        dot = sum(a * b for a, b in zip(numbers, wanted, strict=True))
        distance = 1 - dot / (math.sqrt(sum(one * one for one in numbers)) * length)
        (short,) = struct.unpack("f", struct.pack("f", distance))
        found.append((item, round(1 - short, 6)))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


@pytest.fixture(scope="module")
def crowded() -> dict[int, bytes]:
    """So many directions, so close, that cosines differ behind the sixth decimal."""
    directions = [packed(*one) for one in product(range(108, 128), repeat=3)]
    random.Random(4).shuffle(directions)
    return {nth + 1: one for nth, one in enumerate(directions)}


@pytest.mark.parametrize("k", [1, 2, 17, 50, 300, 8000, 9000])
@pytest.mark.parametrize("query", [packed(127, 1, 50), packed(120, 121, 119), packed(-5, -3, 9)])
def test_ties_behind_the_sixth_decimal_come_by_item(
    crowded: dict[int, bytes], query: bytes, k: int
) -> None:
    expected = by_hand(crowded, query, k)
    assert made(crowded).nearest(query, k) == expected
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE vector (key INTEGER PRIMARY KEY, data BLOB NOT NULL)")
    connection.executemany("INSERT INTO vector VALUES (?, ?)", crowded.items())
    for extension in (True, False) if load_vec(connection) else (False,):
        for dtype in (vectors.PLAIN, vectors.DENSE):
            found = vectors.nearest_in(connection, query, k, extension=extension, dtype=dtype)
            assert found == expected
    connection.close()


@pytest.mark.parametrize("dimensions", [1, 255, 256, 1024, 1536, 3072])
def test_sums_are_exact_however_large(dimensions: int) -> None:
    lots = random.Random(dimensions)
    rows = {nth: packed(*[127] * (dimensions - 1), nth) for nth in range(1, 40)}
    rows |= {
        nth: packed(*(lots.choice((-127, 127, 126)) for _ in range(dimensions)))
        for nth in range(40, 60)
    }
    query = packed(*[127] * dimensions)
    assert made(rows).nearest(query, 60) == by_hand(rows, query, 60)


def test_some_of_them(crowded: dict[int, bytes]) -> None:
    whole = made(crowded)
    query = packed(120, 121, 119)
    some = {item: data for item, data in crowded.items() if item % 7 == 1}
    places = whole.places([*some, 90_000])
    assert whole.nearest(query, 20, places) == by_hand(some, query, 20)
    assert whole.nearest(query, 20, whole.places(list(crowded))) == by_hand(crowded, query, 20)
    assert whole.nearest(query, 20, whole.places([])) == []


def test_some_go_and_some_come() -> None:
    rows = {3: packed(1, 2), 5: packed(2, 1), 9: packed(7, 7)}
    changed = made(rows).changed({3, 9, 11}, made({9: packed(1, -1), 11: packed(5, 6)}))
    expected = {5: packed(2, 1), 9: packed(1, -1), 11: packed(5, 6)}
    assert changed.nearest(packed(1, 1), 9) == by_hand(expected, packed(1, 1), 9)


def test_only_some_go() -> None:
    none = matrix([], b"", 2)
    changed = made({3: packed(1, 2), 5: packed(2, 1)}).changed({3}, none)
    assert changed.nearest(packed(1, 1), 9) == by_hand({5: packed(2, 1)}, packed(1, 1), 9)
    assert none.nearest(packed(1, 1), 9) == []


def test_one_that_is_zero_does_not_fit() -> None:
    with pytest.raises(UnfitError, match="zero"):
        made({1: packed(1, 2), 2: packed(0, 0)})
