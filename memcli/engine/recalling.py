"""A block for a prompt, of what a search with the store's embedder finds."""

from collections.abc import Sequence

from memcli.core.options import SearchOptions
from memcli.core.reports import ContextReport
from memcli.core.values import replace
from memcli.engine import finding
from memcli.engine.finding import Searched
from memcli.retrieval import context
from memcli.retrieval.packing import Layout


def recall(
    where: Searched,
    query: str,
    options: SearchOptions,
    budget: int,
    layout: Layout,
    notes: Sequence[str] = (),
) -> ContextReport:
    """See retrieval.context.compose; `notes` are added to the warnings."""
    wanted = replace(options, k=context.results(budget), budget=None)
    found = finding.search(where, query, wanted)
    found = replace(found, warnings=(*found.warnings, *notes))
    return context.compose(where.view, found, wanted, budget, layout)
