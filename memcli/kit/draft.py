"""A plan in the making: operations collected one by one, and the view as they leave it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from memcli.core import ids
from memcli.core.memories import LinkEnd, Memory, Role, Slot
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Operation,
    Plan,
    Rate,
    Rejection,
    Retire,
    Revise,
    Supersede,
    Unlink,
)
from memcli.core.records import Record
from memcli.core.values import replace
from memcli.kit.guard import claim_of, differences
from memcli.kit.joining import Source, cites_of, folded, united
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import Embed, Overlay
from memcli.ports import View


class Draft(Overlay):
    """Collects a plan over `view`, and is itself a View that shows the plan so far.

    Methods that add an operation give its label back, for `requires` of others: a draft id
    (`new:1`) for an `add`, `op:3` for the third operation of another type. One change a target
    (rule C9): two revisions become one, a revision wins against a supersede or retire of the same
    memory, anything else is rejected; then the label is None.
    """

    def __init__(
        self,
        view: View,
        *,
        strategy: str = "",
        made_by: str = "extractive",
        embed: Embed | None = None,
    ) -> None:
        super().__init__(view, strategy=strategy, embed=embed)
        self.made_by = made_by
        self._ops: dict[str, Operation] = {}  # by label, in the order in which they apply
        self._drafts = 0
        self._others = 0
        self._taken: dict[str, str] = {}  # memory -> label of the operation that changes it
        self._rated: dict[tuple[str, str], str] = {}
        self._plan_consumed: dict[str, None] = {}
        self._selected: dict[str, None] = {}
        self._pending: dict[str, int] = {}
        self._rejected: list[Rejection] = []
        self._failed: list[str] = []
        self._unusable: dict[str, None] = {}
        self._warnings: list[str] = []
        self._settled = False
        self._keys: dict[str, str] = {}  # near keys by text

    # --- operations -----------------------------------------------------------------------------

    def add(
        self,
        kind: str,
        text: str,
        *,
        evidence: Iterable[Source],
        attributes: Mapping[str, Any] | None = None,
        slot: Slot | None = None,
        valid_from: str | None = None,
        valid_to: str | None = None,
        made_by: str | None = None,
        reason: str = "",
        requires: Sequence[str] = (),
    ) -> str:
        """A new memory; gives its draft id. `valid_from` None: the engine takes the evidence's."""
        self._drafts += 1
        op = Add(
            kind=kind,
            text=text,
            evidence=cites_of(evidence),
            id=f"new:{self._drafts}",
            attributes=dict(attributes or {}),
            slot=slot,
            valid_from=valid_from,
            valid_to=valid_to,
            made_by=made_by or self.made_by,
            reason=reason,
            requires=tuple(requires),
        )
        self._put(op)
        return op.id

    def revise(
        self,
        target: str,
        *,
        text: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        evidence: Iterable[Source] = (),
        replace_evidence: bool = False,
        slot: Slot | None = None,
        valid_from: str | None = None,
        made_by: str | None = None,
        reason: str = "",
        requires: Sequence[str] = (),
    ) -> str | None:
        """A new version of `target`; of a draft, the draft itself is changed."""
        op = Revise(
            target=target,
            text=text,
            attributes=None if attributes is None else dict(attributes),
            evidence=self._sound(target, cites_of(evidence)),
            replace_evidence=replace_evidence,
            slot=slot,
            valid_from=valid_from,
            made_by=made_by or self.made_by,
            reason=reason,
            requires=tuple(requires),
        )
        if ids.is_draft(target):
            add = self._ops[target]
            assert isinstance(add, Add)
            earlier = set(list(self._ops)[: list(self._ops).index(target)])
            new = self._ops[target] = folded(add, op, earlier)
            if self._memories[target] == self._added(add):
                self.lay(new)  # nothing else was laid over it
            else:
                self._lay_anew()
            return target
        label = self._taken.get(ids.memory_of(target))
        if label is None:
            return self._take(op, target)
        former = self._ops.pop(label)
        if isinstance(former, Revise):
            op = united(former, op)
        else:
            self.reject(target, "target-taken")
        # At the end, for it may cite what was added since.
        self._ops[label] = op
        self._lay_anew()
        return label

    def supersede(
        self,
        target: str,
        valid_to: str,
        *,
        by: str | None = None,
        reason: str = "",
        requires: Sequence[str] = (),
        instead: bool = False,
    ) -> str | None:
        """The claim of `target` stops being true at `valid_to`, in favour of `by`.

        `instead`: an end that this plan gave it before is taken back for this one.
        """
        op = Supersede(target, valid_to, by, reason, requires=tuple(requires))
        label = self._taken.get(ids.memory_of(target)) if instead else None
        if label is None or not isinstance(self._ops[label], Supersede):
            return self._delete(op, target)
        del self._ops[label]
        self._ops[label] = op  # at the end, for it may name what was added since
        self._lay_anew()
        return label

    def retire(
        self,
        target: str,
        *,
        reason: str = "",
        merged_into: str | None = None,
        requires: Sequence[str] = (),
    ) -> str | None:
        """The store stops holding `target`. Raises ValueError for a draft: just do not add it."""
        if ids.is_draft(target):
            raise ValueError(f"{target} is not in the store yet and cannot be retired")
        op = Retire(target, reason, merged_into, requires=tuple(requires))
        return self._delete(op, target)

    def link(
        self,
        source: str,
        target: str,
        role: Role,
        *,
        quotes: Sequence[str] = (),
        reason: str = "",
        requires: Sequence[str] = (),
    ) -> str | None:
        """An edge from the memory `source`; None if it is there already.

        Evidence of a draft becomes part of its `add`.
        """
        memory = self._memory(source)
        if role == "evidence":
            if ids.is_draft(source):
                return self.revise(source, evidence=[Cite(target, tuple(quotes))])
            known = {ids.memory_of(found.ref) for found in memory.evidence}
            if ids.memory_of(target) in known or not self._sound(source, [Cite(target)]):
                return None
        elif LinkEnd(target, role) in memory.links:
            return None
        return self._put(
            Link(source, target, role, tuple(quotes), reason, requires=tuple(requires))
        )

    def unlink(
        self,
        source: str,
        target: str,
        role: Role,
        *,
        reason: str = "",
        requires: Sequence[str] = (),
    ) -> str:
        """Take an edge of a stored memory away."""
        return self._put(Unlink(source, target, role, reason, requires=tuple(requires)))

    def rate(
        self,
        target: str,
        name: str,
        value: int | str | bool,
        *,
        by: str | None = None,
        reason: str = "",
        requires: Sequence[str] = (),
    ) -> str:
        """A value beside a record, memory or draft; a second one for the same name counts."""
        op = Rate(target, name, value, by or self.made_by, reason, requires=tuple(requires))
        label = self._rated.get((target, name))
        if label is None:
            label = self._rated[target, name] = self._put(op)
        else:
            self._ops[label] = op
            self.lay(op)
        return label

    # --- beside the operations ------------------------------------------------------------------

    def consume(self, records: Iterable[str]) -> None:
        """These records are settled."""
        found = list(records)
        self._plan_consumed.update(dict.fromkeys(found))
        self.lay_consumed(found)
        self.settle()

    def select(self, records: Iterable[str]) -> None:
        """These records are what the plan is drawn from."""
        self._selected.update(dict.fromkeys(records))

    def reject(self, item: str, reason: str) -> None:
        """An item was refused; `reason` is a stable word such as `unknown-id`."""
        self._rejected.append(Rejection(item, reason))

    def pend(self, reason: str, count: int = 1) -> None:
        """`count` more records are left for later."""
        self._pending[reason] = self._pending.get(reason, 0) + count

    def fail(self, unit: str) -> None:
        """A unit failed; nothing of it may be in the plan."""
        self._failed.append(unit)

    def mark_failed(self, records: Iterable[str]) -> None:
        """These records failed alone: the next pass takes them last and each by itself (C27)."""
        self._unusable.update(dict.fromkeys(records))

    def warn(self, text: str) -> None:
        """Something the pass should say."""
        self._warnings.append(text)

    def settle(self) -> None:
        """A unit was answered, also where nothing came of it."""
        self._settled = True

    # --- questions ------------------------------------------------------------------------------

    def same(self, kind: str, text: str) -> Memory | None:
        """A live memory or draft of this kind with the near key of `text` (C20); the first."""
        return next(iter(self.alike(kind, text)), None)

    def alike(self, kind: str, text: str) -> list[Memory]:
        """All live memories and drafts of this kind with the near key of `text`, by age."""
        key = near_key(text)
        if not key:
            return []
        held = [self.get(ident) for ident in self._stored_by_key.get((kind, key), ())]
        found = {memory.id: memory for memory in held if isinstance(memory, Memory)}
        for memory in self._memories.values():
            if memory.kind == kind:
                found[memory.id] = memory
        return [
            memory
            for memory in found.values()
            if not memory.superseded
            and memory.status == "active"
            and self._key_of(memory.text) == key
        ]

    @cached_property
    def _stored_by_key(self) -> dict[tuple[str, str], list[str]]:
        """Kind and near key -> ids of what the view holds: a scope may hold very many."""
        found: dict[tuple[str, str], list[str]] = {}
        for memory in self.base.memories():
            found.setdefault((memory.kind, self._key_of(memory.text)), []).append(memory.id)
        return found

    def _key_of(self, text: str) -> str:
        if text not in self._keys:
            self._keys[text] = near_key(text)
        return self._keys[text]

    def apart(self, memory: Memory, text: str) -> tuple[str, ...]:
        """What the guard (C19) finds between a live memory and a text that would join it."""
        known = claim_of(memory)
        return differences(known, replace(known, text=text))

    def newest(self, refs: Iterable[str]) -> str | None:
        """The newest time of the records that `refs` rest on; None if none has one (C22)."""
        return max(self._times(refs), default=None)

    def oldest(self, refs: Iterable[str]) -> str | None:
        """The oldest time of these records: since then what they all say is so."""
        return min(self._times(refs), default=None)

    def _times(self, refs: Iterable[str]) -> list[str]:
        roots = sorted({root for ref in refs for root in self.closure(ref)})
        found = (self.get(root) for root in roots)
        return [one.said_at for one in found if isinstance(one, Record) and one.said_at is not None]

    def plan(self) -> Plan:
        """The plan so far. It is `settled` unless units failed and nothing at all came through."""
        needed = {name for op in self._ops.values() for name in op.requires}
        ops = tuple(
            replace(op, id=label) if label in needed else op for label, op in self._ops.items()
        )
        done = bool(self._ops) or self._settled
        return Plan(
            ops=ops,
            consumed=tuple(self._plan_consumed),
            selected=tuple(self._selected),
            pending=dict(self._pending),
            rejected=tuple(self._rejected),
            failed=tuple(self._failed),
            unusable=tuple(self._unusable),
            warnings=tuple(self._warnings),
            settled=done or not self._failed,
        )

    # --- within ---------------------------------------------------------------------------------

    def _put(self, op: Operation) -> str:
        if isinstance(op, Add):
            label = op.id
        else:
            self._others += 1
            label = f"op:{self._others}"
        self.lay(op)
        self._ops[label] = op
        return label

    def _take(self, op: Revise | Supersede | Retire, target: str) -> str:
        label = self._taken[ids.memory_of(target)] = self._put(op)
        return label

    def _delete(self, op: Supersede | Retire, target: str) -> str | None:
        if ids.memory_of(target) in self._taken:
            self.reject(target, "target-taken")
            return None
        return self._take(op, target)

    def _sound(self, memory: str, cites: Sequence[Cite]) -> tuple[Cite, ...]:
        """The sources that do not themselves rest on `memory`; the others are reported (C14)."""
        found = []
        for cite in cites:
            if self.rests_on(cite.ref, memory):
                self.reject(f"{cite.ref} as evidence of {memory}", "cycle")
            else:
                found.append(cite)
        return tuple(found)

    def _lay_anew(self) -> None:
        self.clear()
        for op in self._ops.values():
            self.lay(op)
        self.lay_consumed(self._plan_consumed)
