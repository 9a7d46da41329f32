"""The one place where an evaluation searches, just as `mem search` does."""

from memcli.core.options import SearchOptions
from memcli.core.reports import SearchReport
from memcli.retrieval.searching import QueryEmbedder, search
from memcli.retrieval.view import SearchView


def ask(
    view: SearchView, question: str, options: SearchOptions, embedder: QueryEmbedder | None
) -> SearchReport:
    """What is found for a question, best first; without `embedder` by words alone."""
    return search(view, question, options, embedder)
