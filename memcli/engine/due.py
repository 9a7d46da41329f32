"""Which passes are due: triggers over a view, no model and no write."""

from collections import Counter
from typing import Any

from memcli import registry
from memcli.core.records import Scope
from memcli.core.reports import Due
from memcli.ports import Context
from memcli.retrieval.view import SearchView


def due(
    view: SearchView,
    strategy: registry.Strategy,
    context: Context,
    params: Any,
    *,
    model: bool,
    scope: Scope = Scope(),
) -> Due:
    """Whether a pass of `strategy` is due in any scope; the fullest scope speaks for all."""
    trigger, name = registry.get_trigger(strategy.trigger), strategy.info.name
    scopes = [one for one in view.scopes() if scope.covers(one)]
    answers = [trigger(view.narrowed(one), context, params, model, name) for one in scopes]
    if not answers:
        return Due(name, False, "there is no record yet", 0.0, 0.0)
    nth = max(range(len(answers)), key=lambda n: (answers[n].due, answers[n].value))
    first = answers[nth]
    why = first.why if len(scopes) == 1 else f"{first.why}, in {scopes[nth]}"
    pending: Counter[str] = Counter()
    for answer in answers:
        pending.update(answer.pending)
    return Due(
        name,
        first.due,
        why,
        first.value,
        first.threshold,
        first.warning,
        dict(sorted(pending.items())),
    )
