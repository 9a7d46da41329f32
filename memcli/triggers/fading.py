"""The trigger `fading`: the status of something would change.

Source: ours. MemoryBank's own code forgets whenever it is told to.
"""

from datetime import timedelta
from typing import Any

from memcli.core.reports import Due
from memcli.kit.fading import forecast
from memcli.kit.moments import parse_time
from memcli.ports import Context, View
from memcli.registry import trigger

_THRESHOLD = 1.0


@trigger("fading")
def fading(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due when at least one item would fade or come back, and the last pass in force is
    `every_days` ago. Records that no pass has settled never count; they are told of."""
    found = forecast(view, ctx.now, params, ctx.single_valued)
    value = len(found.changes)
    last = view.last_pass(strategy)
    why = f"{value} {'status' if value == 1 else 'statuses'} would change"
    rested = True
    if last is not None and value:
        since = parse_time(ctx.now) - parse_time(last[1])
        rested = since >= timedelta(days=params.every_days)
        if not rested:
            why += f", and {last[0]} ran less than {params.every_days:g} days ago"
    left = len(found.unconsumed)
    return Due(
        strategy=strategy,
        due=value >= _THRESHOLD and rested,
        why=why,
        value=float(value),
        threshold=_THRESHOLD,
        pending={"unconsumed": left} if left else {},
    )
