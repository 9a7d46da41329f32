"""A store's view with search: what strategies are given."""

from collections.abc import Sequence
from functools import cached_property
from typing import TypeVar

from memcli.core.memories import Memory
from memcli.core.records import Scope
from memcli.core.reports import SearchHit
from memcli.retrieval.lexical import search_text
from memcli.store import driver, journal, vectors
from memcli.store.texts import Among
from memcli.store.view import StoreView

V = TypeVar("V", bound="SearchView")


class SearchView(StoreView):
    """A view that can be searched, by text and by vector.

    `comparable`: whether the store's vectors are those of the run's embedder.
    """

    comparable = True

    @cached_property
    def _extension(self) -> bool:
        return driver.load_vec(self.connection)

    @cached_property
    def newest(self) -> bool:
        """Whether this is the state as of the last pass: the indexes are of that."""
        return self.at >= journal.last_pass(self.connection)[0]

    @cached_property
    def exact(self) -> bool:
        """Whether `near` compares all vectors; in a large store it does those that sketches choose."""
        return vectors.exact(self.connection, None if self.newest else self.at)

    @cached_property
    def _dtype(self) -> str:
        return vectors.dtype(self.connection)

    def narrowed(self: V, scope: Scope) -> V:
        """The same state, seen through one scope."""
        view = super().narrowed(scope)
        view.comparable = self.comparable
        return view

    def search(self, query: str, k: int) -> Sequence[SearchHit]:
        """The `k` best records and memories for `query` by text."""
        return search_text(self, query, k=k)

    def nearest(self, text: str, vector: Sequence[float], k: int) -> Sequence[SearchHit]:
        """The `k` live memories nearest by cosine; none if the vectors are another embedder's."""
        from memcli.kit.overlay import memory_hit  # only a pass asks for this

        query = vectors.encode(vector, self._dtype)
        if not self.comparable or query is None:
            return []
        live, among = self._live
        found = vectors.nearest(self.connection, query, k, extension=self._extension, among=among)
        return [memory_hit(live[item], cosine) for item, cosine in found]

    @cached_property
    def _live(self) -> tuple[dict[int, Memory], list[int]]:
        """The memories whose claim stands, by row, and these rows in order."""
        found = {
            item: memory
            for item, _, memory in self._memories
            if not memory.superseded and memory.status == "active"
        }
        return found, sorted(found)

    def near(self, vector: Sequence[float], k: int, among: Among) -> dict[int, float]:
        """item -> cosine of the `k` nearest records and memories; none if the vectors are another
        embedder's."""
        query = vectors.encode(vector, self._dtype)
        if not self.comparable or query is None:
            return {}
        return dict(
            vectors.nearest_in(
                self.connection,
                query,
                k,
                extension=self._extension,
                among=among,
                at=None if self.newest else self.at,
                dtype=self._dtype,
            )
        )
