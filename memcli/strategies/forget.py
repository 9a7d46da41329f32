"""Forgetting: what is no longer used fades. A status, never a deletion, and it can come back.

Source: Zhong et al. 2023, MemoryBank (arXiv:2305.10250): R = exp(-t/S), where S grows with each
recall. The other policies are those of MemoryOS (heat, capacity), of a time to live, and of the
least recent use. Unlike the codes these come from, nothing is drawn by lot and nothing deleted.
"""

from memcli.core.plan import Plan
from memcli.core.records import Record
from memcli.core.values import replace
from memcli.kit.draft import Draft
from memcli.kit.fading import NAME, Forecast, forecast, in_words
from memcli.kit.forgetting import Params
from memcli.ports import Context, View
from memcli.registry import strategy


@strategy(
    NAME,
    source="arXiv:2305.10250",
    params=Params,
    kinds=(),
    trigger="fading",
    due="something would fade or come back, once a day",
    calls="0",
    without_model="all",
    conflicts="none",
    aliases=("ebbinghaus",),
)
def forget(view: View, ctx: Context, params: Params) -> Plan:
    """Plan a rating `faded` for what the policy gives up, and `active` for what it would keep.

    A function of the rows and of `ctx.now`: run again at the same time it plans nothing. Records
    that no pass has settled are counted and stay; where nothing else is left, the plan is refused.
    """
    draft = Draft(view, strategy=NAME, made_by=NAME)
    found = forecast(draft, ctx.now, params, ctx.single_valued)
    for fate in found.changes:
        ref = fate.item.id if isinstance(fate.item, Record) else fate.item.ref
        draft.rate(ref, "status", fate.change or "", reason=in_words(fate, params))
    if left := len(found.unconsumed):
        draft.pend("unconsumed", left)
        draft.warn(_waiting(found, left))
    if found.fates and not found.logged:
        draft.warn(
            "no recalls logged: time runs from when things were said (mem search --log-recall)"
        )
    refused = _waiting(found, left) if found.refused and not found.changes else ""
    return replace(draft.plan(), refused=refused)


def _waiting(found: Forecast, count: int) -> str:
    some = "1 record that" if count == 1 else f"{count:,} records that"
    by = ", ".join(f"{name} {number:,}" for name, number in sorted(found.pending.items()))
    who = f"waiting for {by}" if by else "no method has run yet"
    return f"{some} no pass has settled may not fade; {who}"
