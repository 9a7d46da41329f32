"""How many records a method could do something with: what its trigger counts."""

from memcli.kit.selection import SELECTED, set_aside
from memcli.kit.standing import Standing
from memcli.ports import View


def ready(
    view: View,
    strategy: str,
    *,
    retry: bool,
    rules: Standing | None = None,
    among: frozenset[str] | None = None,
) -> tuple[int, dict[str, int]]:
    """(records that `strategy` could do something with, those left for later by reason).

    With `rules`, where no model settles records: only those that the rules would draw something new
    from, or could settle. The others wait for a model (C26), and must not call for the same pass
    for ever. With `among`, only records of these ids count. What failed again and again counts as set aside (C27).
    """
    found = view.unconsumed(strategy, kinds=SELECTED)
    waiting = [record for record in found if among is None or record.id in among]
    aside = set_aside(view.failures(strategy), retry=retry)
    open_ = [record for record in waiting if record.id not in aside]
    pending = {"set-aside": len(waiting) - len(open_)}
    value = len(open_)
    if rules is not None:
        value = sum(rules.has_new(one) or rules.is_settled(one) for one in open_)
        pending["needs-model"] = len(open_) - value
    return value, {reason: count for reason, count in sorted(pending.items()) if count}
