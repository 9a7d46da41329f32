"""How one item was used, as forgetting sees it: for who looks at it."""

from collections.abc import Iterable, Mapping
from typing import Any

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.kit.forgetting import NAME, Params, heat, retention
from memcli.kit.lastuse import DAY, Uses
from memcli.store.view import StoreView

_NAMES = (NAME, "ebbinghaus")


def configured(parameters: Mapping[str, Mapping[str, Any]]) -> Params:
    """The parameters that a pass of forgetting would have, by [parameters] of `mem.toml`."""
    values: dict[str, Any] = {}
    for name in parameters:
        if name in _NAMES:
            values |= parameters[name]
    if not values:
        return Params()
    from memcli.engine import params

    built = params.of_type(Params, NAME, values, {})
    assert isinstance(built, Params)
    return built


class _One:
    """What of a view is asked for where one item is looked at: not when all others were stored."""

    def __init__(self, view: StoreView, ident: str) -> None:
        self._ident = ident
        self.get = view.get
        self.closure = view.closure
        self.recalls = view.recalls
        self._view = view

    def stored(self) -> Mapping[str, str]:
        return self._view.stored([self._ident])


def use_of(
    view: StoreView, item: Record | Memory, quoting: Iterable[str], now: str, chosen: Params
) -> dict[str, Any]:
    """How an item was used up to `now`, and what is left of it: t, S and R, or heat and age.

    `quoting`: of a record the memories that rest on it.
    """
    use = Uses(_One(view, item.id), now).of(item, quoting)
    if use.since is None:
        return {}
    found: dict[str, Any] = {"policy": chosen.policy, "last_use": use.since}
    if chosen.policy == "ebbinghaus":
        left = retention(use.days, use.strength, chosen.time_scale)
        found |= {"t": round(use.days, 2), "S": use.strength, "R": round(left, 4)}
        found["threshold"] = chosen.threshold
    else:
        found |= {"age": round(use.days, 2), "recalls": use.recalls}
    if chosen.policy == "heat":
        found["heat"] = round(heat(use.recalls, use.evidence, use.days * DAY, chosen), 4)
    return found
