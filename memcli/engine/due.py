"""Which passes are due: triggers over a view, no model and no write."""

from collections import Counter
from collections.abc import Sequence
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
    return due_among(scoped(view, scope), strategy, context, params, model=model)


def scoped(view: SearchView, scope: Scope = Scope()) -> list[tuple[Scope, SearchView]]:
    """Each scope in `scope` with its view, read once: the triggers of all strategies share them."""
    found = [(one, view.narrowed(one)) for one in view.scopes() if scope.covers(one)]
    for _, seen in found:
        seen.load_all()
    return found


def due_among(
    views: Sequence[tuple[Scope, SearchView]],
    strategy: registry.Strategy,
    context: Context,
    params: Any,
    *,
    model: bool,
) -> Due:
    """The same over views that are there already."""
    trigger, name = registry.get_trigger(strategy.trigger), strategy.info.name
    scopes = [one for one, _ in views]
    answers = [trigger(seen, context, params, model, name) for _, seen in views]
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
