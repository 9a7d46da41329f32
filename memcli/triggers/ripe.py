"""The trigger `ripe`: there is something new, or time changes the state of a claim.

Reconstructed: PreCoMem's own trigger is unknown (strategies/profile.md, section 2).
"""

from typing import Any

from memcli.core.reports import Due
from memcli.kit.ready import ready
from memcli.kit.standing import Standing
from memcli.kit.waiting import KIND, Room
from memcli.ports import Context, View
from memcli.registry import trigger

_THRESHOLD = 1.0


@trigger("ripe")
def ripe(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due when a record waits that `strategy` could do something with, or a claim is ripe.

    Ripe: at `ctx.now` a claim that waits would be stable or lapse, by rules 3 and 7 of the page.
    """
    rules = None if has_model else Standing(view, params.roles, kind=KIND, slotted=True)
    records, pending = ready(view, strategy, retry=params.retry_failed, rules=rules)
    claims = len(list(Room(view, ctx.single_valued, params).ripe(ctx.now)))
    value = records + claims
    return Due(
        strategy=strategy,
        due=value >= _THRESHOLD,
        why=f"{records} unconsumed {'record' if records == 1 else 'records'}, "
        f"{claims} ripe {'claim' if claims == 1 else 'claims'}",
        value=float(value),
        threshold=_THRESHOLD,
        pending=pending,
    )
