"""The trigger `importance`: enough has happened to reflect on.

Source: Park et al. 2023, Generative Agents, section 4.2 (arXiv:2304.03442): reflection starts when
the importance of the latest events sums to 150.
"""

from typing import Any

from memcli.core.reports import Due
from memcli.kit.selection import WITH_TOOLS, set_aside
from memcli.ports import Context, View
from memcli.registry import trigger


@trigger("importance")
def importance(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due when the ratings of records not consumed by `strategy` sum to `params.threshold`.

    An unrated record counts as `params.unrated`. Memories never count.

    Without a model a pass consumes nothing, so the sum would stay where it is and call for the
    same pass for ever (rule C26). What such a pass does leave on every record that it looked at is
    a rating. Without a model, then, only records that have none yet make the value: those that the
    rules have not seen. The others wait for a model and are counted as pending. A record rated
    by a person before its first pass counts as seen too; the next pass takes it in all the same.

    Records whose rating failed again and again are set aside (C27): they only count as pending.
    """
    aside = set_aside(view.failures(strategy), retry=params.retry_failed)
    found = view.unconsumed(strategy, kinds=WITH_TOOLS)
    waiting = [record for record in found if record.id not in aside]
    unrated = sum(record.importance is None for record in waiting)
    value = float(unrated * params.unrated)
    if has_model:
        value += sum(record.importance or 0 for record in waiting)
    pending = {
        "needs-model": 0 if has_model else len(waiting) - unrated,
        "set-aside": len(found) - len(waiting),
    }
    why = f"importance {value:g} of {params.threshold:g}"
    if unrated:
        why += f", {unrated} unrated counted as {params.unrated:g} each"
    return Due(
        strategy=strategy,
        due=bool(waiting) and value >= params.threshold,
        why=why,
        value=value,
        threshold=float(params.threshold),
        pending={reason: count for reason, count in pending.items() if count},
    )
