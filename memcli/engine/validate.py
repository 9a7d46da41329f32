"""Is a plan sound? Items that are not are rejected with a reason; the rest goes on.

One place for the rules of strategies/README.md that hold for every strategy: C8 unknown ids, C9
one change a target, C13 empty text, C14 evidence and cycles, C15 quotes, C16 relative dates,
C18 scopes, C23 tombstones; and that no memory is an order to whoever reads it.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from memcli.core import ids
from memcli.core.memories import ROLES, STATUSES, Memory, Slot
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
from memcli.core.records import Record, Scope
from memcli.core.values import dataclass, field, replace
from memcli.engine import circles, plans
from memcli.engine.clock import normalised
from memcli.engine.redacting import redact, redact_value
from memcli.errors import RefusedError
from memcli.kit.dates import absolute, relative_words
from memcli.kit.guard import may_join
from memcli.kit.instructions import is_instruction
from memcli.kit.moments import day_of
from memcli.kit.nearkey import merge_key, near_key
from memcli.kit.quoting import find_quote
from memcli.store.canonical import canonical, sha256
from memcli.store.view import StoreView

_GUARD = "guard"
_FEW = 20  # operations; more of them are cheaper on a view that is read at once
_MAX_TEXT = 1_000_000  # characters: SQLite takes more, but nobody reads it


@dataclass(slots=True)
class Checked:
    """The sound part of a plan, in order, and what was refused."""

    ops: list[Operation] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    uids: dict[str, str] = field(default_factory=dict)
    consumed: list[str] = field(default_factory=list)
    scope: Scope = Scope()


class _RefusedError(Exception):
    """One item is refused; the message is the reason's stable word."""


def validate(view: StoreView, plan: Plan, strategy: str) -> Checked:
    """Check `plan` against `view` (one scope). Raises RefusedError for a cycle of evidence."""
    if len(plan.ops) > _FEW:
        view.load_all()
    checker = _Checker(view, strategy)
    for nth, op in enumerate(plan.ops):
        checker.take(op, plans.label_of(op, nth))
    checker.consume(plan.consumed)
    checker.refuse_cycles()
    return checker.out


class _Checker:
    def __init__(self, view: StoreView, strategy: str) -> None:
        self.view = view
        self.strategy = strategy
        self.scope = view.scope or Scope()
        self.out = Checked(scope=self.scope)
        self.drafts: dict[str, Add] = {}
        self.refused: set[str] = set()
        self.taken: set[str] = set()
        self.rated: set[tuple[str, str]] = set()
        self.evidence: dict[str, set[str]] = {}
        self.retired: set[str] = set()
        self.survivors: set[str] = set()
        self.revised: dict[str, Memory] = {}
        self.live_uids = {memory.uid for memory in view.memories()}

    def take(self, op: Operation, label: str) -> None:
        try:
            if any(needed in self.refused for needed in op.requires):
                raise _RefusedError("requires-rejected")
            checked = self._check(op)
        except _RefusedError as refused:
            self.out.rejected.append(Rejection(label, str(refused)))
            self.refused.update({label, op.id} - {""})
            if str(refused) == _GUARD and isinstance(op, Retire) and op.merged_into is not None:
                # Nothing merges; the pair is linked, for somebody to look at (C19).
                link = Link(op.target, op.merged_into, "duplicate", reason=op.reason)
                self.out.ops.append(self._link(link))
            return
        self.out.ops.append(checked)

    def _check(self, op: Operation) -> Operation:
        if isinstance(op, Add):
            return self._add(op)
        if isinstance(op, Revise):
            return self._revise(op)
        if isinstance(op, Supersede):
            return self._supersede(op)
        if isinstance(op, Retire):
            return self._retire(op)
        if isinstance(op, Link):
            return self._link(op)
        if isinstance(op, Unlink):
            return self._unlink(op)
        return self._rate(op)

    # --- one operation each ---------------------------------------------------------------------

    def _add(self, op: Add) -> Add:
        if not ids.is_draft(op.id) or op.id in self.drafts:
            raise _RefusedError("bad-draft-id")
        self._text(op.text)
        op = replace(op, evidence=self._evidence(op.evidence), scope=self.scope)
        if not op.evidence:
            raise _RefusedError("no-evidence")
        op = replace(
            op,
            text=redact(self._dates(op.text, op.evidence))[0],
            attributes=redact_value(dict(op.attributes))[0],
            valid_from=self._time(op.valid_from),
            valid_to=self._time(op.valid_to),
        )
        if op.valid_from is None:
            op = replace(op, valid_from=self._said(op.evidence))
        if op.valid_to is not None and op.valid_from is not None and op.valid_to < op.valid_from:
            raise _RefusedError("empty-interval")
        self._tombstones(op.kind, op.text, op.slot, op.evidence)
        uid = self._uid(op)
        if uid in self.live_uids:
            raise _RefusedError("duplicate")
        self.live_uids.add(uid)
        self.out.uids[op.id] = uid
        self.drafts[op.id] = op
        return op

    def _revise(self, op: Revise) -> Revise:
        memory = self._memory(op.target)
        self._take_target(op.target)
        if op.text is not None:
            self._text(op.text)
        op = replace(op, evidence=self._evidence(op.evidence))
        if op.replace_evidence and not op.evidence:
            raise _RefusedError("no-evidence")
        if any(plans.same_memory(cite.ref, memory.id) for cite in op.evidence):
            raise _RefusedError("cites-itself")
        if op.text is None and op.attributes is None and not op.evidence and op.slot is None:
            raise _RefusedError("changes-nothing")
        op = replace(op, valid_from=self._revised_from(op, memory))
        former = () if op.replace_evidence else self._still_held(memory)
        if op.text is not None:
            text = self._dates(op.text, (*op.evidence, *former))
            op = replace(op, text=redact(text)[0])
        if op.attributes is not None:
            op = replace(op, attributes=redact_value(dict(op.attributes))[0])
        # A version that was rejected may have had its predecessor's words: it is the evidence
        # that says whether this is the same again.
        text = memory.text if op.text is None else op.text
        self._tombstones(memory.kind, text, op.slot or memory.slot, op.evidence or former)
        if op.replace_evidence:
            self._rests_on(memory).clear()
        self._rests_on(memory).update(cite.ref for cite in op.evidence)
        begins = op.valid_from or memory.valid_from
        self.revised[memory.id] = replace(
            memory, text=memory.text if op.text is None else op.text, valid_from=begins
        )
        return op

    def _still_held(self, memory: Memory) -> tuple[Cite, ...]:
        """Its evidence, without what is not held any more: that is stale, not unknown."""
        held = (found.ref for found in memory.evidence if self.view.get(found.ref) is not None)
        return tuple(Cite(ref) for ref in held)

    def _revised_from(self, op: Revise, memory: Memory) -> str | None:
        """A new version has the world time of its newest evidence, unless the plan says when."""
        if op.valid_from is not None:
            return self._time(op.valid_from)
        said = self._said(op.evidence)
        newer = said is not None and (memory.valid_from is None or said > memory.valid_from)
        return said if newer else None

    def _time(self, text: str | None) -> str | None:
        """A time in UTC as it is stored; half a time (a year, a month) begins it."""
        if text is None:
            return None
        found = normalised(text)
        if found is None:
            raise _RefusedError("bad-time")
        return found

    def _supersede(self, op: Supersede) -> Supersede:
        op = replace(op, valid_to=self._time(op.valid_to) or "")
        target = self._memory_or_draft(op.target)
        self._take_target(op.target)
        if op.by is not None:
            self._memory_or_draft(op.by)
            if plans.same_memory(op.by, op.target):
                raise _RefusedError("supersedes-itself")
        if target.valid_from is not None and op.valid_to < target.valid_from:
            raise _RefusedError("empty-interval")
        return op

    def _retire(self, op: Retire) -> Retire:
        memory = self._memory(op.target)
        if op.merged_into is not None:
            self._may_merge(memory, self._memory_or_draft(op.merged_into))
        self._take_target(op.target)
        if op.merged_into is None:
            self.retired.add(memory.id)
            return op
        if plans.same_memory(op.merged_into, op.target):
            raise _RefusedError("merged-into-itself")
        if ids.memory_of(op.merged_into) in self.taken:
            raise _RefusedError("target-taken")
        self.survivors.add(ids.memory_of(op.merged_into))
        pair = merge_key(memory.uid, self._uid_of(op.merged_into))
        if self.view.tombstoned("merge", pair, [found.ref for found in memory.evidence]):
            raise _RefusedError("tombstoned")
        self.retired.add(memory.id)
        return op

    def _may_merge(self, memory: Memory, survivor: Memory | Add) -> None:
        """C19, whoever proposed it: numbers, names, negation, subject and time have to agree."""
        if isinstance(survivor, Memory) and not may_join(memory, survivor):
            raise _RefusedError(_GUARD)

    def _link(self, op: Link) -> Link:
        self._memory_or_draft(op.source)
        if op.role not in ROLES:
            raise _RefusedError("unknown-role")
        if plans.same_memory(op.source, op.target):
            raise _RefusedError("links-itself")
        if op.role == "evidence":
            cites = self._evidence((Cite(op.target, op.quotes),))
            if not cites:
                raise _RefusedError("unknown-id")
            child = self.view.get(op.source)
            if isinstance(child, Memory):
                self._rests_on(child).add(cites[0].ref)
            return replace(op, target=cites[0].ref, quotes=cites[0].quotes)
        text = self._held(op.target).text
        return replace(op, quotes=tuple(q for q in op.quotes if find_quote(text, q) is not None))

    def _unlink(self, op: Unlink) -> Unlink:
        memory = self._memory(op.source)
        if op.role == "evidence":
            ends = {ref for ref in self._rests_on(memory) if plans.same_memory(ref, op.target)}
        else:
            links = (link for link in memory.links if link.role == op.role)
            ends = {link.ref for link in links if plans.same_memory(link.ref, op.target)}
        if not ends:
            raise _RefusedError("no-such-link")
        if op.role == "evidence":
            if self._rests_on(memory) <= ends:
                raise _RefusedError("no-evidence")
            self._rests_on(memory).difference_update(ends)
        return op

    def _rests_on(self, memory: Memory) -> set[str]:
        """What a memory cites as evidence, with the plan so far."""
        refs = {found.ref for found in memory.evidence}
        return self.evidence.setdefault(memory.id, refs)

    def _rate(self, op: Rate) -> Rate:
        self._held(op.target)
        key = (ids.memory_of(op.target), op.name)
        if key in self.rated:
            raise _RefusedError("target-taken")
        if not _value_fits(op.name, op.value):
            raise _RefusedError("bad-value")
        self.rated.add(key)
        return op

    # --- rules ----------------------------------------------------------------------------------

    def _held(self, ref: str) -> Record | Memory | Add:
        if ids.is_draft(ref):
            if ref in self.drafts:
                return self.drafts[ref]
            raise _RefusedError("requires-rejected" if ref in self.refused else "unknown-id")
        # `m1@1` is the version that was shown; `m1`, once the plan revised it, the new one.
        found = self.revised.get(ref) or self.view.get(ref)
        if found is None:
            raise _RefusedError("unknown-id")
        if ids.memory_of(ref) in self.retired:
            raise _RefusedError("not-held")
        return found

    def _memory(self, ref: str) -> Memory:
        found = self._held(ref)
        if isinstance(found, Memory):
            return found
        # What a plan adds, it says once and well: a draft is no target (C9).
        raise _RefusedError("unknown-id" if isinstance(found, Record) else "target-taken")

    def _memory_or_draft(self, ref: str) -> Memory | Add:
        found = self._held(ref)
        if isinstance(found, Record):
            raise _RefusedError("unknown-id")
        return found

    def _take_target(self, ref: str) -> None:
        memory = ids.memory_of(ref)
        if memory in self.taken or memory in self.survivors:
            raise _RefusedError("target-taken")
        self.taken.add(memory)

    def _text(self, text: str) -> None:
        if not text.strip():
            raise _RefusedError("empty-text")
        if len(text) > _MAX_TEXT:
            raise _RefusedError("text-too-long")
        if is_instruction(text):
            raise _RefusedError("instruction")

    def _evidence(self, cites: Sequence[Cite]) -> tuple[Cite, ...]:
        """Known sources with the quotes that occur in them; the union where one is named twice."""
        found: dict[str, tuple[str, ...]] = {}
        asked = kept = 0
        for cite in cites:
            try:
                source = self._held(cite.ref)
            except _RefusedError as refused:
                self.out.rejected.append(Rejection(cite.ref, str(refused)))
                continue
            good = tuple(q for q in cite.quotes if find_quote(source.text, q) is not None)
            asked, kept = asked + len(cite.quotes), kept + len(good)
            ref = source.id
            if isinstance(source, Memory) and cite.ref not in self.revised:
                ref = source.ref
            found[ref] = tuple(dict.fromkeys((*found.get(ref, ()), *good)))
        if asked and not kept:
            raise _RefusedError("quote-not-in-source")
        return tuple(Cite(ref, quotes) for ref, quotes in found.items())

    def _dates(self, text: str, cites: Iterable[Cite]) -> str:
        """The text with relative words made absolute where all that is cited has one date (C16).

        Verbatim text keeps its words: the record's date stands beside them.
        """
        if not relative_words(text):
            return text
        sources = [self._held(cite.ref) for cite in cites]
        lines = [line for line in text.splitlines() if line.strip()]
        if all(any(find_quote(source.text, line) for source in sources) for line in lines):
            return text
        times = [s.said_at if isinstance(s, Record) else s.valid_from for s in sources]
        days = frozenset(day_of(time) for time in times if time)
        fixed = absolute(text, days) if all(times) else None
        if fixed is None:
            raise _RefusedError("relative-date")
        return fixed

    def _said(self, cites: Sequence[Cite]) -> str | None:
        """World time comes from evidence (C22): the newest of what is cited, never the clock."""
        times = []
        for cite in cites:
            found = self._held(cite.ref)
            times.append(found.said_at if isinstance(found, Record) else found.valid_from)
        return max((time for time in times if time), default=None)

    def _tombstones(self, kind: str, text: str, slot: Slot | None, cites: Sequence[Cite]) -> None:
        refs = plans.roots((cite.ref for cite in cites), self.drafts)
        if self.view.tombstoned(kind, near_key(text), refs):
            raise _RefusedError("tombstoned")
        if slot is not None and self.view.slot_tombstoned(kind, _key(slot), refs):
            raise _RefusedError("tombstoned")
        if self.view.again:
            return
        # A superseded memory is its own tombstone for the strategy that made it (C23).
        for memory in self._superseded.get((kind, near_key(text)), ()):
            known = self.view.closure(memory.id)
            if all(self.view.closure(ref) <= known for ref in refs):
                raise _RefusedError("tombstoned")

    @cached_property
    def _superseded(self) -> dict[tuple[str, str], list[Memory]]:
        """By kind and near key, what this strategy made and is superseded."""
        found: dict[tuple[str, str], list[Memory]] = {}
        for memory in self.view.memories(strategy=self.strategy):
            if memory.superseded:
                found.setdefault((memory.kind, near_key(memory.text)), []).append(memory)
        return found

    def _uid_of(self, ref: str) -> str:
        if ids.is_draft(ref):
            return self.out.uids[ref]
        found = self._held(ref)
        assert not isinstance(found, Add)
        return found.uid

    def _uid(self, op: Add) -> str:
        slot = None if op.slot is None else _key(op.slot)
        first = self._uid_of(op.evidence[0].ref)
        parts = ["memory", 1, op.kind, self.scope.as_dict(), self.strategy, slot, op.text, first]
        return sha256(canonical(parts).encode()).hex()

    # --- the whole plan ---------------------------------------------------------------------------

    def refuse_cycles(self) -> None:
        """C14: refused as a whole, for which of the edges is wrong cannot be told."""
        found = circles.find(self.view, self.out.ops)
        if found is not None:
            raise RefusedError(
                f"The plan would make {found} rest on itself.",
                where=f"the plan of {self.strategy}",
                hint="nothing was written; mem consolidate --dry-run shows the plan",
            )

    def consume(self, refs: Iterable[str]) -> None:
        """Only records that are there, active and not settled yet, each once."""
        done = self.view.consumed(self.strategy)
        for ref in dict.fromkeys(refs):
            found = self.view.get(ref)
            if not isinstance(found, Record):
                self.out.rejected.append(Rejection(f"consumed {ref}", "unknown-id"))
            elif ref in done or not found.active:
                self.out.rejected.append(Rejection(f"consumed {ref}", "target-taken"))
            else:
                self.out.consumed.append(ref)


def _key(slot: Slot) -> tuple[str, str, str]:
    return slot.subject, slot.attribute, slot.value


def _value_fits(name: str, value: int | str | bool) -> bool:
    if name == "importance":
        return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10
    if name == "pinned":
        return isinstance(value, bool)
    return name == "status" and value in STATUSES
