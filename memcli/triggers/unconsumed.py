"""The trigger `unconsumed`: there is something new.

Source: Mem0 (arXiv:2504.19413) works on each new pair of messages, at once.
"""

from collections.abc import Sequence
from typing import Any

from memcli.core.reports import Due
from memcli.kit.claims import KIND
from memcli.kit.entities import KIND as ENTITY
from memcli.kit.ready import ready
from memcli.kit.standing import Standing
from memcli.ports import Context, View
from memcli.registry import get_strategy, trigger

_THRESHOLD = 1.0


@trigger("unconsumed")
def unconsumed(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
    """Due when at least one record waits that `strategy` could do something with.

    Without a model most records wait for one (rule C26), and must not call for the same pass for
    ever: then only those count that the rules would draw something new from, or could settle. The
    others are counted as pending, and so are those that failed again and again (C27).
    """
    kinds = get_strategy(strategy).info.kinds
    rules = None if has_model else _rules(view, params.roles, kinds)
    value, pending = ready(view, strategy, retry=params.retry_failed, rules=rules)
    return Due(
        strategy=strategy,
        due=value >= _THRESHOLD,
        why=f"{value} unconsumed {'record' if value == 1 else 'records'}",
        value=float(value),
        threshold=_THRESHOLD,
        pending=pending,
    )


def _rules(view: View, roles: frozenset[str], kinds: Sequence[str]) -> Standing:
    """What rules do with records: their statements become facts, where the method makes any."""
    kind = KIND if KIND in kinds else kinds[0]
    return Standing(view, roles, kind=kind, edges=ENTITY in kinds)
