"""The trigger `duplicates`: some memories say the same.

Source: ours.
"""

from typing import Any

from memcli.core import ids
from memcli.core.reports import Due
from memcli.kit import doubles
from memcli.ports import Context, View
from memcli.registry import trigger

_THRESHOLD = 1.0


@trigger("duplicates")
def duplicates(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due at one exact duplicate, or at `min_new` memories since the last pass in force.

    So many new ones call for a pass only if it would find something: near duplicates by the rules,
    or pairs to ask a model about. Else a store without any would be due for ever, for a pass that
    changes nothing leaves no trace.
    """
    found = doubles.find(view, params.chosen, ctx.now)
    last = view.last_pass(strategy)
    since = 0 if last is None else ids.parse(last[0], "p").number
    new = sum(
        ids.parse(memory.pass_id, "p").number > since
        for memory in doubles.current(view, params.chosen, ctx.now)
    )
    asks = params.judge and has_model
    full = new >= params.min_new and bool(found.joins or asks)
    why = f"{found.exact} exact {'duplicate' if found.exact == 1 else 'duplicates'}"
    if near := len(found.joins) - found.exact:
        why += f", {near} near"
    return Due(
        strategy=strategy,
        due=found.exact >= _THRESHOLD or full,
        why=f"{why}; {new} of {params.min_new} new memories",
        value=float(found.exact),
        threshold=_THRESHOLD,
    )
