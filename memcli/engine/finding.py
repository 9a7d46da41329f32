"""Searching a store with its embedder, if that can be used here."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from memcli.core.options import SearchOptions
from memcli.core.reports import SearchReport
from memcli.core.values import dataclass, replace
from memcli.errors import MemError
from memcli.retrieval import searching
from memcli.retrieval.searching import QueryEmbedder
from memcli.retrieval.view import SearchView
from memcli.store.driver import sqlite3

if TYPE_CHECKING:
    from memcli.engine.embedders import Table


@dataclass(frozen=True)
class Searched:
    """What is searched: a state, the embedder of its vectors, and what to say where it has none."""

    view: SearchView
    embedder: QueryEmbedder | None
    warnings: tuple[str, ...] = ()


@contextlib.contextmanager
def searched(
    connection: "sqlite3.Connection", at: int, table: "Callable[[], Table] | None"
) -> Iterator[Searched]:
    """The state as of pass `at`; by words alone where the store's vectors are another embedder's, and
    without `table`, which says how embedders are set up."""
    if table is None:
        yield Searched(SearchView(connection, at), None)
        return
    from memcli.engine.embedders import query_embedder

    embedder, said = query_embedder(connection, table)
    try:
        yield Searched(SearchView(connection, at), embedder, () if said is None else (said,))
    finally:
        if embedder is not None:
            embedder.close()


def search(where: Searched, query: str, options: SearchOptions) -> SearchReport:
    """See retrieval.searching.search; a failure of the embedder is told and done without."""
    warnings = where.warnings if options.vectors else ()
    exact = where.embedder is None or not options.vectors or where.view.exact
    try:
        report = searching.search(where.view, query, options, where.embedder)
    except MemError as error:
        report = searching.search(where.view, query, options, None)
        warnings = (*warnings, f"words alone decide: {error.what}")
        exact = True
    warnings = (*warnings, *report.warnings)
    return replace(report, warnings=warnings, exact=report.exact and exact)
