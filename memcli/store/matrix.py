"""Vectors as one NumPy array: the nearest of them, with the very numbers that sqlite-vec gives.

Sums of products of bytes are whole numbers. As long as they stay below 2**24 float32 holds them
exactly, in whatever order they are added up, so that here and in SQL a cosine is made of the same
three numbers, by the same operations.

Importing this imports NumPy, which takes 100 ms.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memcli.core.values import dataclass

Near = list[tuple[int, float]]  # item, cosine; best first, ties by item
Places = NDArray[np.intp]

# No sum of products of bytes, -127..127, reaches 2**24 in so many dimensions.
_EXACT = 2**24 // 127**2
# Numbers that are widened at a time: as float32 2 MB, which stay in the cache of the processor.
_BLOCK = 1 << 19
# Distances that are no farther apart than this may be equal when they are rounded.
_ROUNDING = 2e-6


class UnfitError(Exception):
    """Some of the vectors are none that can be compared; says what they are."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """`rows`: (n, dim) int8, none zero; `items`: (n,) int64, in no order; `lengths`: (n,) float64."""

    rows: NDArray[np.int8]
    items: NDArray[np.int64]
    lengths: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.items)

    @property
    def dimensions(self) -> int:
        """How long the vectors are."""
        return int(self.rows.shape[1])

    def places(self, items: Sequence[int]) -> Places:
        """Where the vectors of `items` lie, of those that have one."""
        return np.flatnonzero(np.isin(self.items, np.array(items, dtype=np.int64)))

    def changed(self, gone: Iterable[int], new: "Matrix") -> "Matrix":
        """Without those of the items `gone`, and with `new`."""
        kept = ~np.isin(self.items, np.fromiter(gone, dtype=np.int64))
        return Matrix(
            np.concatenate([self.rows[kept], new.rows]),
            np.concatenate([self.items[kept], new.items]),
            np.concatenate([self.lengths[kept], new.lengths]),
        )

    def nearest(self, query: bytes, k: int, places: Places | None = None) -> Near:
        """The `k` nearest to `query`, of all or of those at `places`, each once."""
        if places is not None and len(places) == len(self):
            places = None
        wanted = np.frombuffer(query, dtype=np.int8).astype(_wide(len(query)))
        items, lengths = self.items, self.lengths
        if places is not None:
            items, lengths = items[places], lengths[places]
        if not len(items) or k < 1:
            return []
        length = math.sqrt(float(wanted @ wanted))
        dots = self._dots(wanted, places).astype(np.float64)
        # In float64 and then to float32, as sqlite-vec does it.
        return _first((1 - dots / (lengths * length)).astype(np.float32), items, k)

    def _dots(self, wanted: NDArray[Any], places: Places | None) -> NDArray[Any]:
        count = len(self.items) if places is None else len(places)
        step = max(1, _BLOCK // len(wanted))
        wide = np.empty((min(step, count), len(wanted)), dtype=wanted.dtype)
        out = np.empty(count, dtype=wanted.dtype)
        for start in range(0, count, step):
            end = min(start + step, count)
            block = wide[: end - start]
            block[:] = self.rows[start:end] if places is None else self.rows[places[start:end]]
            np.dot(block, wanted, out=out[start:end])
        return out


def matrix(items: Sequence[int], data: bytes | bytearray, dimensions: int) -> Matrix:
    """Of vectors that lie one after another in `data`; raises UnfitError if one is zero."""
    rows = np.frombuffer(data, dtype=np.int8).reshape(len(items), dimensions)
    squares = np.empty(len(items), dtype=np.float64)
    step = max(1, _BLOCK // dimensions)
    for start in range(0, len(items), step):
        block = rows[start : start + step].astype(_wide(dimensions))
        squares[start : start + step] = np.einsum("ij,ij->i", block, block)
    if not squares.all():
        raise UnfitError("one is zero")
    return Matrix(rows, np.array(items, dtype=np.int64), np.sqrt(squares))


def _wide(dimensions: int) -> type[np.floating[Any]]:
    return np.float32 if dimensions <= _EXACT else np.float64


def _first(distances: NDArray[np.float32], items: NDArray[np.int64], k: int) -> Near:
    """The `k` first: rounded to six decimals, ties by item."""
    last = distances.max() if k >= len(items) else np.partition(distances, k - 1)[k - 1]
    chosen = np.flatnonzero(distances <= float(last) + _ROUNDING)
    # Many may be equal, so each value is rounded once; Python's rounding is not quite NumPy's.
    values, which = np.unique(distances[chosen], return_inverse=True)
    cosines = np.array([round(1 - float(value), 6) for value in values])[which]
    order = np.lexsort((items[chosen], -cosines))[:k]
    return list(zip(items[chosen][order].tolist(), cosines[order].tolist(), strict=True))
