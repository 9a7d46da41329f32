"""A plan in the making: operations collected one by one, and the view as they leave it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from memcli.kit.ground import Ground
from memcli.kit.guard import claim_of, differences
from memcli.kit.joining import Source, cites_of, folded, united
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import Embed, Overlay
from memcli.kit.shelf import near_keys
from memcli.ports import View


class Draft(Overlay):
    """Collects a plan over `view`, and is itself a View that shows the plan so far.

    Methods that add an operation give its label back, for `requires` of others: a draft id
    (`new:1`) for an `add`, `op:3` for the third operation of another type. One change a target
    (rule C9): two revisions become one, a revision wins against a supersede or retire of the same
    memory, anything else is rejected; then the label is None. `looked` hears of what is selected.
    """

    def __init__(
        self,
        view: View,
        *,
        strategy: str = "",
        made_by: str = "extractive",
        embed: Embed | None = None,
        ground: Ground | None = None,
        looked: Callable[[Iterable[str]], None] | None = None,
    ) -> None:
        super().__init__(view, strategy=strategy, embed=embed, ground=ground)
        self.made_by = made_by
        self._tell = looked
        self._ops: dict[str, Operation] = {}  # by label, in the order in which they apply
        self._turns: dict[str, int] = {}  # label -> counts up in that order
        self._on: dict[str, dict[str, None]] = {}  # memory -> labels of what is laid over it
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
            cited = (cite.ref for cite in (*add.evidence, *op.evidence))
            turn = self._turns[target]
            earlier = {ref for ref in cited if self._turns.get(ref, turn) < turn}
            self._ops[target] = folded(add, op, earlier)
            self._lay_anew(target, words=op.text is not None)
            return target
        label = self._taken.get(ids.memory_of(target))
        if label is None:
            return self._take(op, target)
        former = self._ops[label]
        if isinstance(former, Revise):
            op = united(former, op)
        else:
            self.reject(target, "target-taken")
        self._move_last(label, op)  # for it may cite what was added since
        if isinstance(former, Retire):
            self._lay_all()
        else:
            self._lay_anew(target, words=op.text is not None)
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
        self._move_last(label, op)  # for it may name what was added since
        self._lay_anew(target)
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
        found = dict.fromkeys(records)
        self._selected.update(found)
        if self._tell is not None:
            self._tell(found)

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
        key = kind, near_key(text)
        if not key[1]:
            return []
        held = (self.get(memory.id) for memory in self.ground.memories.having(near_keys, key))
        found = {memory.id: memory for memory in held if isinstance(memory, Memory)}
        found |= {memory.id: memory for memory in self._laid.having(near_keys, key)}
        return [
            memory
            for memory in found.values()
            if not memory.superseded and memory.status == "active" and key in near_keys(memory)
        ]

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
        self._note(label, op)
        return label

    def _note(self, label: str, op: Operation) -> None:
        self._ops[label] = op
        self._turns[label] = self._turn
        for memory in _changed_by(op):
            self._on.setdefault(memory, {})[label] = None

    def _move_last(self, label: str, op: Operation) -> None:
        """Put `op` behind all others in the place of the operation of this label; not laid yet."""
        for memory in _changed_by(self._ops.pop(label)):
            del self._on[memory][label]
        self._turn += 1
        self._note(label, op)

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

    def _lay_anew(self, target: str, *, words: bool = False) -> None:
        """Lay again what is laid over one memory, after one of these operations was changed.

        All of them, if others may depend on it: on its `words`, or on what was merged into it.
        """
        name = ids.memory_of(target)
        labels = sorted(self._on[name], key=self._turns.__getitem__)
        merged = any(isinstance(self._ops[label], Retire) for label in labels)
        if merged or (words and self._is_quoted(name)):
            self._lay_all()
            return
        if not ids.is_draft(name):  # that begins anew with its `add`
            self._laid.drop(name)
        self._lay(labels)

    def _lay_all(self) -> None:
        self.clear()
        self._lay(list(self._ops))
        self.lay_consumed(self._plan_consumed)

    def _lay(self, labels: Iterable[str]) -> None:
        last = self._turn
        for label in labels:
            self.lay(self._ops[label], self._turns[label])
        self._turn = max(last, self._turn)

    def _is_quoted(self, memory: str) -> bool:
        """Whether an operation cites words of a memory."""
        cites = (cite for op in self._ops.values() for cite in _cites(op))
        return any(cite.quotes and ids.memory_of(cite.ref) == memory for cite in cites)


def _changed_by(op: Operation) -> Iterator[str]:
    """The ids of the memories that change when this is laid."""
    if isinstance(op, Add):
        yield op.id
    elif isinstance(op, Link | Unlink):
        yield ids.memory_of(op.source)
    else:
        yield ids.memory_of(op.target)
        if isinstance(op, Retire) and op.merged_into is not None:
            yield ids.memory_of(op.merged_into)


def _cites(op: Operation) -> Sequence[Cite]:
    if isinstance(op, Add | Revise):
        return op.evidence
    return (Cite(op.target, op.quotes),) if isinstance(op, Link) else ()
