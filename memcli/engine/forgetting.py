"""A pass of forgetting; and what would fade, item by item, for whoever looks before anything does."""

from collections.abc import Mapping

from memcli import registry
from memcli.core.records import Record, Scope
from memcli.core.reports import (
    OPERATIONS,
    ConsolidateReport,
    ForgetItem,
    ForgetReport,
)
from memcli.engine import consolidating, params
from memcli.engine.consolidating import Desk, Wish
from memcli.errors import RefusedError
from memcli.kit.fading import NAME, Fate, forecast
from memcli.kit.forgetting import Params
from memcli.retrieval.view import SearchView
from memcli.store import journal


def forget(desk: Desk, wish: Wish) -> ForgetReport:
    """One pass of forgetting. A dry run lists every item, also where the pass would be refused."""
    chosen = _params(desk, wish.params)
    items = _items(desk, chosen, wish.scope or Scope()) if wish.dry_run else ()
    try:
        done = consolidating.consolidate(desk, wish)
    except RefusedError as error:
        if not wish.dry_run:
            raise
        done = ConsolidateReport(
            None,
            NAME,
            None,
            "failed",
            dict.fromkeys(OPERATIONS, 0),
            warnings=(error.what,),
        )
    return ForgetReport(chosen.policy, desk.now, done, items)


def _params(desk: Desk, given: Mapping[str, str]) -> Params:
    found = registry.get_strategy(NAME)
    built = params.build(found, consolidating.configured(found, desk.tables), given)
    assert isinstance(built, Params)
    return built


def _items(desk: Desk, chosen: Params, scope: Scope) -> tuple[ForgetItem, ...]:
    view = SearchView(desk.connection, journal.last_pass(desk.connection)[0])
    single = consolidating.context_of(desk, desk.embedder).single_valued
    return tuple(
        _item(fate)
        for one in view.scopes()
        if scope.covers(one)
        for fate in forecast(view.narrowed(one), desk.now, chosen, single).fates
    )


def _item(fate: Fate) -> ForgetItem:
    item, use = fate.item, fate.use
    return ForgetItem(
        id=item.id,
        layer="raw" if isinstance(item, Record) else "derived",
        kind=item.kind,
        text=item.text,
        scope=item.scope,
        status=item.status,
        value=fate.value,
        becomes=fate.change,
        kept=fate.kept,
        last_use=use.since,
        days=use.days,
        strength=use.strength,
    )
