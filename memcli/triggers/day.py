"""The trigger `day`: a day is over, and its records are not those of its summary.

Source: MemoryBank (arXiv:2305.10250) sums up each day; its code is run by hand. That a day is summed
up when it is over is our reconstruction.
"""

from typing import Any

from memcli.core.reports import Due
from memcli.kit.days import Waiting, days
from memcli.kit.times import zone
from memcli.ports import Context, View
from memcli.registry import trigger

_THRESHOLD = 1.0


@trigger("day")
def day(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due when the records of at least one day that is over differ from those of its summary.

    Without a model a day is summed up once by rules; its records wait on for one (rule C26) and must
    not call for the same pass for ever. They are counted as pending, and so are those of a day that
    is not over.
    """
    waiting = Waiting(view, strategy, writes=has_model, settles=has_model)
    over = days(view, zone(params.tz), ctx.now, open_day=params.open_day)
    changed = waiting.changed(over)
    fresh = waiting.fresh()
    done = {ident for one in over for ident in one.ids}
    left = {ident for one in over if one not in changed for ident in one.ids}
    pending = {"needs-model": len(fresh & left), "open-day": len(fresh - done)}
    return Due(
        strategy=strategy,
        due=len(changed) >= _THRESHOLD,
        why=_why(len(changed)),
        value=float(len(changed)),
        threshold=_THRESHOLD,
        pending={reason: count for reason, count in pending.items() if count},
    )


def _why(count: int) -> str:
    if not count:
        return "no day that is over has changed"
    return f"{count} {'day that is over has' if count == 1 else 'days that are over have'} changed"
