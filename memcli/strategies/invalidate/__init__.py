"""Invalidation: facts as edges between entities, on two time lines; a contradiction ends by dates.

Source: Rasmussen et al. 2025, Zep (arXiv:2501.13956); its code getzep/graphiti 0.31.2,
graphiti_core/utils/maintenance. A backend may say that two facts contradict each other; code
decides by dates which of them ends. Nothing is deleted. Without a model: exact names, relations by
pattern, contradictions in slots.
"""

from memcli.core.plan import Plan
from memcli.kit.asking import together
from memcli.kit.conversing import Waiting, waiting_for
from memcli.kit.selection import SELECTED
from memcli.kit.windows import Window, windows
from memcli.ports import Context, View
from memcli.registry import strategy
from memcli.strategies.invalidate.graph import NAME, Graph, Params
from memcli.tasks.extract_facts import ExtractFacts


@strategy(
    NAME,
    source="arXiv:2501.13956",
    params=Params,
    kinds=("entity", "fact"),
    trigger="unconsumed",
    due="1 unconsumed record",
    calls="2 to 5 a window + 1 an entity that much is known of",
    without_model="exact names, relations by pattern, single-valued slots; the rest pending",
    conflicts="invalidate",
    aliases=("graphiti", "zep"),
    settles=ExtractFacts.setting,
)
def invalidate(view: View, ctx: Context, params: Params) -> Plan:
    """Plan the entities and facts of what waits, and the ends of what they contradict.

    Windows are gone through one after the other, in the order of time, each seeing what the former
    ones planned. A window whose answers are no use writes nothing; a window's records are consumed
    when all that was asked about it is settled.
    """
    waiting = waiting_for(view, ctx, NAME, retry=params.retry_failed)
    graph = Graph(view, ctx, params)
    together(ctx, [graph.run(_episodes(view, waiting, params))])
    if waiting.aside:
        graph.draft.pend("set-aside", waiting.aside)
    return graph.draft.plan()


def _episodes(view: View, waiting: Waiting, params: Params) -> list[Window]:
    """The windows of all sessions by the time of their first records; what failed before alone and
    last (C27)."""
    places = {record.id: place for place, record in enumerate(view.records(kinds=SELECTED))}
    found: list[Window] = []
    last: list[Window] = []
    for records in waiting.sessions.values():
        first = [record for record in records if record.id not in waiting.failed]
        found += windows(first, exchanges=1, batch=params.batch, max_tokens=params.window_tokens)
        last += [Window((one,)) for one in records if one.id in waiting.failed]
    found.sort(key=lambda window: places[window.records[0].id])
    return found + last
