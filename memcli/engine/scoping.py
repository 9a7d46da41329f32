"""What to say of a scope that was asked for and that nothing in the store has."""

from memcli.core.records import Scope
from memcli.store.view import StoreView

_SHOWN = 5


def unmatched(view: StoreView, wanted: Scope | None) -> tuple[str, ...]:
    """A warning that names scopes that are there, if `wanted` is not among them; else none."""
    if wanted is None or not wanted.as_dict() or view.has_scope(wanted):
        return ()
    there = [str(scope) for scope in view.scopes() if scope.as_dict()]
    said = "nor has it another"
    if there:
        shown, more = there[:_SHOWN], len(there) - _SHOWN
        last = f"{more:,} more" if more > 0 else shown.pop()
        said = f"there are {', '.join(shown)} and {last}" if shown else f"there is {last}"
    return (f"nothing in this store has the scope {wanted}; {said}",)
