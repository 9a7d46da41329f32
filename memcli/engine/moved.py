"""Did the store change under a plan in a way that the plan depends on? (rule C2)"""

from collections.abc import Iterable, Sequence

from memcli.core import ids
from memcli.core.plan import Add, Operation, Plan, Unlink
from memcli.engine import circles, plans
from memcli.engine.checked import Checked
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
    now.load_all()
    for op in checked.ops:
        _targets(view, now, op)
        _held(now, (ref for ref in plans.refs_of(op) if view.get(ref) is not None))
    selected = {*checked.consumed, *plan.consumed, *plan.selected}
    _held(now, (ref for ref in selected if view.get(ref) is not None))
    done, before = now.consumed(strategy), view.consumed(strategy)
    for ref in sorted(selected & done - before):
        _moved(f"{ref} was consumed by another pass of {strategy}")
    _near(view, now, checked.ops)
    _evidence_left(now, checked.ops)
    # A circle can be closed by the edges of two passes together.
    found = circles.find(now, checked.ops)
    if found is not None:
        _moved(f"{found} would now rest on itself")


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


def _held(now: StoreView, refs: Iterable[str]) -> None:
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
        if _rejected(now, op, refs) and not _rejected(view, op, refs):
            _moved(f"the {op.kind} was rejected meanwhile")


def _evidence_left(now: StoreView, ops: Iterable[Operation]) -> None:
    """Two passes that each take away a part must not leave a memory without evidence."""
    listed = list(ops)
    gone = [op for op in listed if isinstance(op, Unlink) and op.role == "evidence"]
    rests = circles.graph(now, listed) if gone else {}
    for op in gone:
        memory = ids.memory_of(op.source)
        rests.get(memory, set()).discard(ids.memory_of(op.target))
        if not rests.get(memory):
            _moved(f"{memory} would be left without evidence")


def _rejected(view: StoreView, op: Add, refs: Sequence[str]) -> bool:
    if view.tombstoned(op.kind, near_key(op.text), refs):
        return True
    slot = op.slot
    return slot is not None and view.slot_tombstoned(
        op.kind, (slot.subject, slot.attribute, slot.value), refs
    )
