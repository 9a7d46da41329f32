"""The memories of a plan that a vector is nearest to.

A plan may make thousands, and asks for each fact which of them are near. All cosines are first taken
roughly at once, then those that may be among the best one by one: what is told does not depend on
how the rough ones were summed.
"""

from collections.abc import Callable, Sequence
from operator import mul
from typing import TYPE_CHECKING

from memcli.core.memories import Memory

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

_FEW = 100  # vectors; NumPy takes longer to be imported than they to be compared
# Sums of float32 over some thousand dimensions are right to much less than this.
_ROUGH = 1e-4


class Closest:
    """Follows a shelf, and knows the vectors of what is live on it."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._texts: dict[str, str] = {}  # of what is live, by id; as it has a row
        self._fresh: dict[str, str] = {}  # live, and has no row yet
        self._ids: list[str] = []
        self._rows: list[Sequence[float]] = []
        self._places: dict[str, int] = {}
        self._matrix: NDArray[float32] | None = None
        self._copied = 0  # rows that the matrix has as they are

    def put(self, memory: Memory) -> None:
        """Another memory, or another state of one."""
        live = not memory.superseded and memory.status == "active"
        if live and self._texts.get(memory.id) == memory.text:
            return
        self.drop(memory.id)
        if live:
            self._fresh[memory.id] = memory.text

    def drop(self, ident: str) -> None:
        """It is here no more: the last row takes its place."""
        self._fresh.pop(ident, None)
        if self._texts.pop(ident, None) is None:
            return
        place, last = self._places.pop(ident), self._ids.pop()
        row = self._rows.pop()
        if last != ident:
            self._ids[place], self._rows[place], self._places[last] = last, row, place
            if self._matrix is not None and place < self._copied:
                self._matrix[place] = row
        self._copied = min(self._copied, len(self._ids))

    def best(self, vector: Sequence[float], k: int) -> dict[str, float]:
        """id -> cosine, rounded to 6 decimals, of at least the `k` nearest and what ties with them."""
        self._take_fresh()
        return {
            self._ids[place]: round(sum(map(mul, vector, self._rows[place])), 6)
            for place in self._likely(vector, k)
        }

    def _take_fresh(self) -> None:
        if not self._fresh:
            return
        found = self._embed(list(self._fresh.values()))
        for (ident, text), row in zip(self._fresh.items(), found, strict=True):
            self._places[ident] = len(self._ids)
            self._ids.append(ident)
            self._rows.append(row)
            self._texts[ident] = text
        self._fresh.clear()

    def _likely(self, vector: Sequence[float], k: int) -> Sequence[int]:
        count = len(self._ids)
        if count <= max(_FEW, k):
            return range(count)
        import numpy as np

        # Not by a library's product: that waits for threads of its own.
        rough = np.einsum("ij,j->i", self._all()[:count], np.asarray(vector, dtype=np.float32))
        least = np.partition(rough, count - k)[count - k] - _ROUGH
        return [int(place) for place in np.flatnonzero(rough >= least)]

    def _all(self) -> "NDArray[float32]":
        """The rows as a matrix, which has room for more."""
        import numpy as np

        count, size = len(self._rows), len(self._rows[0])
        if self._matrix is None or len(self._matrix) < count:
            self._matrix = np.empty((2 * count, size), dtype=np.float32)
            self._copied = 0
        if self._copied < count:
            self._matrix[self._copied : count] = self._rows[self._copied :]
            self._copied = count
        return self._matrix
