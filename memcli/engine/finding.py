"""Searching a store with its embedder, if that can be used here."""

from dataclasses import dataclass, replace

from memcli.core.options import SearchOptions
from memcli.core.reports import SearchReport
from memcli.engine import embedding
from memcli.engine.embedding import StoreEmbedder
from memcli.errors import MemError
from memcli.retrieval import searching
from memcli.retrieval.searching import QueryEmbedder
from memcli.retrieval.view import SearchView
from memcli.store.driver import sqlite3


@dataclass(frozen=True)
class Searched:
    """What is searched: a state, the embedder of its vectors, and what to say where it has none."""

    view: SearchView
    embedder: QueryEmbedder | None
    warnings: tuple[str, ...] = ()


def searched(connection: "sqlite3.Connection", at: int, embedder: StoreEmbedder) -> Searched:
    """The state as of pass `at`; by words alone where the store's vectors are another embedder's."""
    view = SearchView(connection, at)
    said = embedding.mismatch(connection, embedder)
    if said is not None:
        return Searched(view, None, (said,))
    return Searched(view, embedder)


def search(where: Searched, query: str, options: SearchOptions) -> SearchReport:
    """See retrieval.searching.search; a failure of the embedder is told and done without."""
    warnings = where.warnings if options.vectors else ()
    try:
        report = searching.search(where.view, query, options, where.embedder)
    except MemError as error:
        said = f"searched by words alone: {error.what}"
        report = searching.search(where.view, query, options, None)
        warnings = (*warnings, said)
    return replace(report, warnings=(*warnings, *report.warnings))
