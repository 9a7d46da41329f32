"""The trigger `fresh`: there is something new, and how far behind that leaves the observations.

Source: vectorize-io/hindsight 1.1.0 consolidates after each retain, and tells by the number of
what waits how stale its beliefs are.
"""

from typing import Any

from memcli.core.reports import Due
from memcli.kit.observing import KIND
from memcli.kit.ready import ready
from memcli.kit.soundness import unsound
from memcli.kit.standing import Standing
from memcli.ports import Context, View
from memcli.registry import trigger

_THRESHOLD = 1.0
_STALE = 10  # records that wait


@trigger("fresh")
def fresh(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due when at least one record waits that `strategy` could do something with.

    Or when an observation rests on what no longer stands (C24). Over facts only those records count on which a fact rests.
    """
    rules = None if has_model else Standing(view, params.roles, kind=KIND)
    below: frozenset[str] | None = None
    if params.over == "facts":
        facts = view.memories(kind="fact", superseded=False)
        roots = (view.closure(one.id) for one in facts if one.status == "active")
        below = frozenset[str]().union(*roots)
    records, pending = ready(view, strategy, retry=params.retry_failed, rules=rules, among=below)
    fallen = len(list(unsound(view, KIND)))
    value = records + fallen
    state = "up to date" if not value else "slightly stale" if value < _STALE else "stale"
    return Due(
        strategy=strategy,
        due=value >= _THRESHOLD,
        why=f"{records} unconsumed {'record' if records == 1 else 'records'}{_also(fallen)}: {state}",
        value=float(value),
        threshold=_THRESHOLD,
        pending=pending,
    )


def _also(fallen: int) -> str:
    if not fallen:
        return ""
    return f", {fallen} {'observation' if fallen == 1 else 'observations'} on what no longer stands"
