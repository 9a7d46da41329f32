"""The sketches of many vectors (sketches.py) as a NumPy array: which differ in the fewest bits.

Importing this imports NumPy, which takes 100 ms.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcli.core.values import dataclass

Places = NDArray[np.intp]
Words = NDArray[np.uint64]

# Rows at a time: 128 KB of a column, which stay in the cache of the processor.
_BLOCK = 1 << 14


@dataclass(frozen=True, slots=True)
class Sketches:
    """`columns`: (words, n) uint64, 64 bits of a sketch each; `items`: (n,) int64, in no order."""

    columns: Words
    items: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.items)

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        return int(self.columns.nbytes + self.items.nbytes)

    def places(self, items: Sequence[int]) -> Places:
        """Where the sketches of `items` lie, of those that have one."""
        return np.flatnonzero(np.isin(self.items, np.array(items, dtype=np.int64)))

    def changed(self, gone: Iterable[int], new: "Sketches") -> "Sketches":
        """Without those of the items `gone`, and with `new`."""
        kept = ~np.isin(self.items, np.fromiter(gone, dtype=np.int64))
        return Sketches(
            np.concatenate([self.columns[:, kept], new.columns], axis=1),
            np.concatenate([self.items[kept], new.items]),
        )

    def first(self, bits: bytes, count: int, places: Places | None = None) -> list[int]:
        """The `count` items whose sketches differ from `bits` in the fewest; ties by item."""
        items, wanted = self.items, _words(bits, 1, len(bits))[:, 0]
        if places is None:
            differ = _differing(self.columns, wanted)
        elif 2 * len(places) > len(self):
            # All are compared faster than so many are gathered.
            items, differ = items[places], _differing(self.columns, wanted)[places]
        else:
            items, differ = items[places], _differing(self.columns[:, places], wanted)
        if len(items) > count:
            # So many bits at most do those differ in that are wanted, and a few more.
            most = int(np.searchsorted(np.cumsum(np.bincount(differ)), count))
            near = np.flatnonzero(differ <= most)
            items, differ = items[near], differ[near]
        order = np.lexsort((items, differ))[:count]
        return list(map(int, items[order]))


def sketches(items: Sequence[int], data: bytes | bytearray, size: int) -> Sketches:
    """Of sketches of `size` bytes that lie one after another in `data`."""
    return Sketches(_words(data, len(items), size), np.array(items, dtype=np.int64))


def sketched(vectors: Sequence[bytes], limits: bytes) -> list[bytes]:
    """The sketch of each vector, as sketches.sketch makes it."""
    rows = np.frombuffer(b"".join(vectors), dtype=np.int8).reshape(len(vectors), -1)
    bounds = np.frombuffer(limits, dtype=np.int8).reshape(2, -1)
    packed = np.concatenate([np.packbits(rows > bound, axis=1) for bound in bounds], axis=1)
    return [row.tobytes() for row in packed]


def bounds_of(vectors: Sequence[bytes], dimensions: int) -> bytes:
    """The bounds between low, middle and high: in each dimension about a third of `vectors` is each."""
    rows = np.frombuffer(b"".join(vectors), dtype=np.int8).reshape(len(vectors), dimensions)
    ordered = np.sort(rows, axis=0)
    return ordered[[len(rows) // 3, 2 * len(rows) // 3]].tobytes()


def _words(data: bytes | bytearray, count: int, size: int) -> Words:
    """(words, count): by columns, so that a word is compared with a whole run of memory."""
    if size % 8:
        padded = np.zeros((count, size + -size % 8), dtype=np.uint8)
        padded[:, :size] = np.frombuffer(data, dtype=np.uint8).reshape(count, size)
        data, size = padded.tobytes(), padded.shape[1]
    return np.ascontiguousarray(np.frombuffer(data, dtype=np.uint64).reshape(count, size // 8).T)


def _differing(columns: Words, wanted: Words) -> NDArray[np.uint16]:
    """In how many bits each differs from `wanted`."""
    count = columns.shape[1]
    out = np.zeros(count, dtype=np.uint16)
    for start in range(0, count, _BLOCK):
        end = min(start + _BLOCK, count)
        for column, word in zip(columns, wanted, strict=True):
            out[start:end] += _ones(column[start:end] ^ word)
    return out


def _ones_by_hand(words: Words) -> Words:
    """How many bits of each word are set: sums of two, of four and of eight bits, and of all bytes.

    The words are used up. Source: Warren, Hacker's Delight, 5-1.
    """
    words -= (words >> np.uint64(1)) & np.uint64(0x5555555555555555)
    fours = (words >> np.uint64(2)) & np.uint64(0x3333333333333333)
    words = (words & np.uint64(0x3333333333333333)) + fours
    words = (words + (words >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (words * np.uint64(0x0101010101010101)) >> np.uint64(56)


# NumPy 1 cannot count bits.
_ones: Any = getattr(np, "bitwise_count", lambda words: _ones_by_hand(words).astype(np.uint16))
