"""A store's view with search: what strategies are given."""

from collections.abc import Sequence

from memcli.core.reports import SearchHit
from memcli.retrieval.lexical import search_text
from memcli.store.inspect import InspectView
from memcli.store.view import StoreView


class SearchView(StoreView):
    """A view that can be searched by text."""

    def search(self, query: str, k: int) -> Sequence[SearchHit]:
        """The `k` best records and memories for `query` by text."""
        return search_text(self, query, k=k)


class InspectSearchView(InspectView, SearchView):
    """What checks are given."""
