"""Plans of several sessions, each made on the same view, become one (rule C33).

What two sessions say alike is one memory with the evidence of both; two values of one slot follow
each other in world time; a second change of one memory is rejected.
"""

from collections.abc import Callable, Collection, Iterable, Set

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Add, Cite, Link, Operation, Plan, Retire, Revise, Supersede
from memcli.core.records import Record
from memcli.core.values import replace
from memcli.kit.claims import KIND
from memcli.kit.dates import Begun
from memcli.kit.draft import Draft
from memcli.kit.instructions import is_instruction
from memcli.kit.moments import later
from memcli.kit.overlay import ref_of
from memcli.kit.single import may_end
from memcli.kit.standing import RULES

_Key = tuple[str, str]  # subject and attribute of a slot
# What becomes of two values of one slot, the older and the newer, in the draft of the whole.
Follow = Callable[[Draft, Memory, Memory], None]


def join(
    whole: Draft, parts: Iterable[Plan], single_valued: Collection[str], follow: Follow
) -> None:
    """Take the plans of the sessions, in order, into `whole`, a draft over the view they had."""
    former: set[str] = set()
    changed: set[str] = set()
    slots: dict[_Key, list[str]] = {}
    for part in parts:
        joining = _Joining(whole, former, changed)
        for nth, op in enumerate(part.ops):
            joining.take(op, op.id or f"operation {nth + 1}")
        open_ = _order_slots(whole, slots, joining.added, single_valued, follow)
        former.update(joining.added)
        changed |= joining.mine
        _take_beside(whole, part, open_)


class _Joining:
    """The operations of one session on their way into the whole.

    `former`: drafts of the sessions before; `changed`: memories that they changed.
    """

    def __init__(self, whole: Draft, former: Collection[str], changed: Collection[str]) -> None:
        self.whole = whole
        self.former = former
        self.changed = changed
        self.added: list[str] = []
        self.names: dict[str, str] = {}  # of this plan -> of the whole
        self.mine: set[str] = set()

    def take(self, op: Operation, label: str) -> None:
        op = replace(op, requires=tuple(self.names.get(one, one) for one in op.requires))
        if isinstance(op, Add):
            self._add(op)
        elif isinstance(op, Link):
            self._link(op)
        elif isinstance(op, Revise | Supersede | Retire):
            self._change(op, label)
        else:
            raise TypeError(f"a session plans no {type(op).__name__}")

    def _add(self, op: Add) -> None:
        cites = [self._cite(cite) for cite in op.evidence]
        same = self.whole.same(op.kind, op.text)
        alike = same is not None and op.kind == KIND and same.id in self.former
        if same is not None and alike and not self._apart(same, op):
            for cite in cites:
                self.whole.link(ref_of(same), cite.ref, "evidence", quotes=cite.quotes)
            self.names[op.id] = same.id
            return
        self.names[op.id] = self.whole.add(
            op.kind,
            op.text,
            evidence=cites,
            attributes=op.attributes,
            slot=op.slot,
            valid_from=op.valid_from,
            valid_to=op.valid_to,
            made_by=op.made_by,
            reason=op.reason,
            requires=op.requires,
        )
        self.added.append(self.names[op.id])

    def _apart(self, same: Memory, op: Add) -> bool:
        return bool(self.whole.apart(same, op.text)) or (same.slot, same.attributes) != (
            op.slot,
            op.attributes,
        )

    def _link(self, op: Link) -> None:
        source, target = self._ref(op.source), self._ref(op.target)
        if source is None or target is None or source == target:
            self.whole.reject(f"{op.role} of {op.source}", "target-taken")
            return
        self.whole.link(
            source, target, op.role, quotes=op.quotes, reason=op.reason, requires=op.requires
        )

    def _change(self, op: Revise | Supersede | Retire, label: str) -> None:
        target = self._ref(op.target)
        name = ids.memory_of(target or op.target)
        if target is None or name in self.changed or name in self.former:
            self.whole.reject(op.target, "target-taken")
            if isinstance(op, Revise) and op.text is not None:
                self._keep(op)
            return
        self.mine.add(name)
        done = self._changed(op, target)
        if done is not None:
            self.names[label] = done

    def _changed(self, op: Revise | Supersede | Retire, target: str) -> str | None:
        if isinstance(op, Revise):
            return self.whole.revise(
                target,
                text=op.text,
                attributes=op.attributes,
                evidence=[self._cite(cite) for cite in op.evidence],
                replace_evidence=op.replace_evidence,
                slot=op.slot,
                valid_from=op.valid_from,
                made_by=op.made_by,
                reason=op.reason,
                requires=op.requires,
            )
        if isinstance(op, Supersede):
            by = None if op.by is None else self._ref(op.by)
            return self.whole.supersede(
                target, op.valid_to, by=by, reason=op.reason, requires=op.requires
            )
        into = None if op.merged_into is None else self._ref(op.merged_into)
        if op.merged_into is not None and into is None:
            self.whole.reject(op.target, "target-taken")
            return None
        return self.whole.retire(target, reason=op.reason, merged_into=into, requires=op.requires)

    def _keep(self, op: Revise) -> None:
        """What a wording that came second says is kept beside the first, for review."""
        known = self.whole.get(ids.memory_of(op.target))
        if not isinstance(known, Memory) or op.text is None:
            return
        cites = [self._cite(cite) for cite in op.evidence]
        label = self.whole.add(
            known.kind, op.text, evidence=cites, slot=op.slot, made_by=op.made_by
        )
        self.added.append(label)
        self.whole.link(label, ref_of(known), "duplicate", requires=[label])

    def _cite(self, cite: Cite) -> Cite:
        return Cite(self.names.get(cite.ref, cite.ref), cite.quotes)

    def _ref(self, ref: str) -> str | None:
        """How the whole names what this plan calls `ref`; None if it does not hold it."""
        name = self.names.get(ref, ref)
        held = self.whole.get(ids.memory_of(name))
        return None if held is None else ref_of(held)


def _order_slots(
    whole: Draft,
    slots: dict[_Key, list[str]],
    added: Iterable[str],
    single_valued: Collection[str],
    follow: Follow,
) -> set[str]:
    """Let values of one slot that different sessions set follow each other; note the new ones.

    Gives the records of which a fact of rules waits for a model, as no rule can decide about it.
    """
    waits: set[str] = set()
    keyed = [(key, name) for name in added for key in _keys(whole.get(name), single_valued)]
    for key, name in keyed:
        # What has ended stays so: a slot may have had thousands of values.
        slots[key] = [other for other in slots.get(key, ()) if not _is_over(whole, other)]
        for other in slots[key]:
            one, two = whole.get(other), whole.get(name)
            if not isinstance(one, Memory) or not isinstance(two, Memory):
                continue
            settled = _follow(whole, one, two, follow)
            if not settled and two.made_by == RULES:
                waits |= whole.closure(two.id)
    for key, name in keyed:
        slots.setdefault(key, []).append(name)
    return waits


def _is_over(whole: Draft, name: str) -> bool:
    held = whole.get(name)
    return isinstance(held, Memory) and held.superseded


def _keys(memory: object, single_valued: Collection[str]) -> list[_Key]:
    slot = memory.slot if isinstance(memory, Memory) else None
    if slot is None or slot.attribute not in single_valued:
        return []
    return [(slot.subject.casefold(), slot.attribute)]


def _follow(whole: Draft, one: Memory, two: Memory, follow: Follow) -> bool:
    """Two values of one slot: the later one follows the other; where it must not, it is for review.

    False where that is because the older says more than its slot, which a model may part.
    """
    if one.superseded or two.superseded or one.slot is None or two.slot is None:
        return True
    if one.slot.value.casefold() == two.slot.value.casefold():
        return True
    undated = one.valid_from is None or two.valid_from is None
    begun = [Begun(each.valid_from, whole.newest([each.id])) for each in (one, two)]
    older, newer = (two, one) if begun[1].is_before(begun[0]) else (one, two)
    ends = may_end(older)
    if undated or _is_ordered(whole, newer) or not ends:
        whole.link(two.id, one.id, "conflict", requires=[one.id, two.id])
        return ends
    follow(whole, older, newer)
    return True


def end(whole: Draft, older: Memory, newer: Memory) -> None:
    """The older value ends where the newer begins."""
    whole.supersede(
        older.id,
        later(newer.valid_from or "", older.valid_from),
        by=newer.id,
        reason="a later value of the same slot",
        requires=[older.id, newer.id],
    )


def _is_ordered(whole: Draft, memory: Memory) -> bool:
    """Whether it rests on a record that holds an order to its reader: such a one ends nothing."""
    found = (whole.get(evidence.ref) for evidence in memory.evidence)
    return any(isinstance(one, Record) and is_instruction(one.text) for one in found)


def _take_beside(whole: Draft, part: Plan, open_: Set[str]) -> None:
    whole.select(part.selected)
    done = [ref for ref in part.consumed if ref not in open_]
    if done:
        whole.consume(done)
    if len(done) < len(part.consumed):
        whole.pend("needs-model", len(part.consumed) - len(done))
    for reason, count in part.pending.items():
        whole.pend(reason, count)
    for item in part.rejected:
        whole.reject(item.item, item.reason)
    for unit in part.failed:
        whole.fail(unit)
    whole.mark_failed(part.unusable)
    for text in part.warnings:
        whole.warn(text)
    if part.settled and not part.failed:
        whole.settle()
