"""Vectors as one NumPy array: the nearest of them, with the very numbers that sqlite-vec gives.

Sums of products of bytes are whole numbers, in whatever order they are added up, so that here and in
SQL a cosine is made of the same three numbers, by the same operations. They are added up as integers
by einsum: the product of a library for floats would take half as long, but such libraries wait for
threads of their own, which on a busy machine takes twenty times as long.

Importing this imports NumPy, which takes 100 ms.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memcli.core.values import dataclass

Near = list[tuple[int, float]]  # item, cosine; best first, ties by item
Places = NDArray[np.intp]

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

    @property
    def nbytes(self) -> int:
        """What it takes in memory."""
        return int(self.rows.nbytes + self.items.nbytes + self.lengths.nbytes)

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
        wanted = np.frombuffer(query, dtype=np.int8)
        items, lengths, dots = self.items, self.lengths, self._dots(wanted, places)
        if places is not None:
            items, lengths = items[places], lengths[places]
        if not len(items) or k < 1:
            return []
        length = math.sqrt(float(np.einsum("i,i", wanted, wanted, dtype=np.int64)))
        # In float64 and then to float32, as sqlite-vec does it.
        return _first((1 - dots / (lengths * length)).astype(np.float32), items, k)

    def _dots(self, wanted: NDArray[np.int8], places: Places | None) -> NDArray[np.int32]:
        # All are multiplied faster than more than half of them are gathered.
        gathered = places is not None and 2 * len(places) < len(self)
        rows = self.rows[places] if gathered else self.rows
        # int32 is enough for 130,000 dimensions.
        dots: NDArray[np.int32] = np.einsum("ij,j->i", rows, wanted, dtype=np.int32)
        return dots if gathered or places is None else dots[places]


def matrix(items: Sequence[int], data: bytes | bytearray, dimensions: int) -> Matrix:
    """Of vectors that lie one after another in `data`; raises UnfitError if one is zero."""
    rows = np.frombuffer(data, dtype=np.int8).reshape(len(items), dimensions)
    squares = np.einsum("ij,ij->i", rows, rows, dtype=np.int32)
    if not squares.all():
        raise UnfitError("one is zero")
    return Matrix(rows, np.array(items, dtype=np.int64), np.sqrt(squares))


def _first(distances: NDArray[np.float32], items: NDArray[np.int64], k: int) -> Near:
    """The `k` first: rounded to six decimals, ties by item."""
    last = distances.max() if k >= len(items) else np.partition(distances, k - 1)[k - 1]
    chosen = np.flatnonzero(distances <= float(last) + _ROUNDING)
    # Many may be equal, so each value is rounded once; Python's rounding is not quite NumPy's.
    values, which = np.unique(distances[chosen], return_inverse=True)
    cosines = np.array([round(1 - float(value), 6) for value in values])[which]
    order = np.lexsort((items[chosen], -cosines))[:k]
    return list(zip(items[chosen][order].tolist(), cosines[order].tolist(), strict=True))
