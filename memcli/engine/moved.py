"""Did the store change under a plan in a way that the plan depends on? (rule C2)"""

from collections.abc import Iterable

from memcli.core import ids
from memcli.core.plan import Add, Link, Operation, Plan, Revise
from memcli.engine import plans
from memcli.engine.validate import Checked
from memcli.errors import MovedError
from memcli.kit.nearkey import near_key
from memcli.store.view import StoreView


def check_unmoved(
    view: StoreView, head: StoreView, checked: Checked, plan: Plan, strategy: str
) -> None:
    """Raise MovedError if what `checked` and `plan` (made on `view`) rest on changed by `head`.

    Everything else that happened meanwhile is of no matter.
    """
    if view.at == head.at:
        return
    now = head.narrowed(checked.scope)
    for op in checked.ops:
        _targets(view, now, op)
        _cited(now, (cite.ref for cite in plans.cites_of(op)))
        if isinstance(op, Link):
            _cited(now, [op.target])
    selected = {*plan.consumed, *plan.selected}
    _cited(now, selected)
    done = now.consumed(strategy)
    for ref in selected:
        if ref in done and ref not in view.consumed(strategy):
            _moved(f"{ref} was consumed by another pass of {strategy}")
    _near(view, now, checked.ops)


def _moved(what: str) -> None:
    raise MovedError(
        f"The store moved under the plan: {what}.",
        where="applying the plan",
        hint="run it again; answers that were paid for are used again",
    )


def _targets(view: StoreView, now: StoreView, op: Operation) -> None:
    target = plans.target_of(op)
    if target is None or ids.is_draft(target):
        return
    before, after = view.get(target), now.get(target)
    if after is None:
        _moved(f"{target} is not held any more")
    elif before is not None and before.ref != after.ref:
        _moved(f"{target} was revised")
    elif getattr(before, "valid_to", None) != getattr(after, "valid_to", None):
        _moved(f"{target} was superseded")


def _cited(now: StoreView, refs: Iterable[str]) -> None:
    for ref in refs:
        if ids.is_draft(ref):
            continue
        found = now.get(ref)
        if found is None:
            _moved(f"{ref} is not held any more")
        elif not getattr(found, "active", True):
            _moved(f"{ref} was marked inactive")


def _near(view: StoreView, now: StoreView, ops: Iterable[Operation]) -> None:
    """A memory or tombstone with the near key or slot of an add appeared meanwhile."""
    known = {memory.ref for memory in view.memories()}
    fresh = [memory for memory in now.memories() if memory.ref not in known]
    keys = {(memory.kind, near_key(memory.text)) for memory in fresh}
    slots = {(m.slot.subject, m.slot.attribute) for m in fresh if m.slot is not None}
    for op in ops:
        if not isinstance(op, Add):
            continue
        if (op.kind, near_key(op.text)) in keys:
            _moved(f"the same {op.kind} was stored by another pass")
        if op.slot is not None and (op.slot.subject, op.slot.attribute) in slots:
            _moved(f"another pass stored a value of {op.slot.attribute}")
        refs = [cite.ref for cite in op.evidence if not ids.is_draft(cite.ref)]
        if now.tombstoned(op.kind, near_key(op.text), refs) and not view.tombstoned(
            op.kind, near_key(op.text), refs
        ):
            _moved(f"the {op.kind} was rejected meanwhile")
    # A cycle can only be closed by edges of two passes: look again with what is there now.
    _cycles(now, ops)


def _cycles(now: StoreView, ops: Iterable[Operation]) -> None:
    for op in ops:
        if isinstance(op, Revise):
            child, refs = ids.memory_of(op.target), [cite.ref for cite in op.evidence]
        elif isinstance(op, Link) and op.role == "evidence":
            child, refs = ids.memory_of(op.source), [op.target]
        else:
            continue
        if not ids.is_draft(child) and any(_reaches(now, ref, child) for ref in refs):
            _moved(f"{child} would now rest on itself")


def _reaches(now: StoreView, start: str, goal: str) -> bool:
    seen: set[str] = set()
    stack = [ids.memory_of(start)]
    while stack:
        node = stack.pop()
        if node == goal:
            return True
        if node in seen or not node.startswith("m"):
            continue
        seen.add(node)
        found = now.get(node)
        stack += [ids.memory_of(e.ref) for e in getattr(found, "evidence", ())]
    return False
