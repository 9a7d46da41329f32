"""The trigger `unconsumed`: there is something new.

Source: Mem0 (arXiv:2504.19413) works on each new pair of messages, at once.
"""

from typing import Any

from memcli.core.reports import Due
from memcli.kit.selection import SELECTED, set_aside
from memcli.kit.standing import Standing
from memcli.ports import Context, View
from memcli.registry import trigger

_THRESHOLD = 1.0


@trigger("unconsumed")
def unconsumed(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due when at least one record waits that `strategy` could do something with.

    Without a model most records wait for one (rule C26), and must not call for the same pass for
    ever: then only those count that the rules would draw something new from, or could settle. The
    others are counted as pending, and so are those that failed again and again (C27).
    """
    waiting = view.unconsumed(strategy, kinds=SELECTED)
    aside = set_aside(view.failures(strategy), retry=params.retry_failed)
    ready = [record for record in waiting if record.id not in aside]
    pending = {"set-aside": len(waiting) - len(ready)}
    value = len(ready)
    if not has_model:
        standing = Standing(view, params.roles)
        value = sum(standing.has_new(one) or standing.is_settled(one) for one in ready)
        pending["needs-model"] = len(ready) - value
    return Due(
        strategy=strategy,
        due=value >= _THRESHOLD,
        why=f"{value} unconsumed {'record' if value == 1 else 'records'}",
        value=float(value),
        threshold=_THRESHOLD,
        pending={reason: count for reason, count in sorted(pending.items()) if count},
    )
