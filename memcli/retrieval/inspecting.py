"""A store's view with search and with the bare facts of the file: what checks are given."""

from memcli.retrieval.view import SearchView
from memcli.store.inspect import InspectView


class InspectSearchView(InspectView, SearchView):
    """What checks are given."""
