"""Is a plan sound? Items that are not are rejected with a reason; the rest goes on.

What each operation has to be: C8 unknown ids, C9 one change a target, C14 evidence and cycles, C18
scopes, C19 what may merge. The rules about texts and their sources are in `rules`.
"""

from collections.abc import Iterable

from memcli.core import ids
from memcli.core.memories import ROLES, Memory
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
from memcli.engine import circles, plans, rules
from memcli.engine.checked import Checked, ItemRefusedError, SoFar
from memcli.engine.redacting import redact, redact_value
from memcli.errors import RefusedError
from memcli.kit.guard import may_join
from memcli.kit.nearkey import merge_key
from memcli.kit.quoting import find_quote
from memcli.store.view import StoreView

_GUARD = "guard"
_FEW = 20  # operations; more of them are cheaper on a view that is read at once


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
        self.so_far = SoFar(view, strategy)
        self.out = self.so_far.out

    def take(self, op: Operation, label: str) -> None:
        try:
            if any(needed in self.so_far.refused for needed in op.requires):
                raise ItemRefusedError("requires-rejected")
            checked = self._check(op)
        except ItemRefusedError as refused:
            self.out.rejected.append(Rejection(label, str(refused)))
            self.so_far.refused.update({label, op.id} - {""})
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
        if not ids.is_draft(op.id) or op.id in self.so_far.drafts:
            raise ItemRefusedError("bad-draft-id")
        rules.refuse_text(op.text)
        op = replace(op, evidence=rules.evidence(self.so_far, op.evidence), scope=self.so_far.scope)
        if not op.evidence:
            raise ItemRefusedError("no-evidence")
        op = replace(
            op,
            text=redact(rules.dates(self.so_far, op.text, op.evidence))[0],
            attributes=redact_value(dict(op.attributes))[0],
            valid_from=rules.moment(op.valid_from),
            valid_to=rules.moment(op.valid_to),
        )
        if op.valid_from is None:
            op = replace(op, valid_from=rules.said(self.so_far, op.evidence))
        if op.valid_to is not None and op.valid_from is not None and op.valid_to < op.valid_from:
            raise ItemRefusedError("empty-interval")
        rules.refuse_tombstoned(self.so_far, op.kind, op.text, op.slot, op.evidence)
        uid = self.so_far.uid(op)
        if uid in self.so_far.live_uids:
            raise ItemRefusedError("duplicate")
        self.so_far.live_uids.add(uid)
        self.out.uids[op.id] = uid
        self.so_far.drafts[op.id] = op
        return op

    def _revise(self, op: Revise) -> Revise:
        memory = self.so_far.memory(op.target)
        self.so_far.take_target(op.target)
        if op.text is not None:
            rules.refuse_text(op.text)
        op = replace(op, evidence=rules.evidence(self.so_far, op.evidence))
        if op.replace_evidence and not op.evidence:
            raise ItemRefusedError("no-evidence")
        if any(plans.same_memory(cite.ref, memory.id) for cite in op.evidence):
            raise ItemRefusedError("cites-itself")
        if op.text is None and op.attributes is None and not op.evidence and op.slot is None:
            raise ItemRefusedError("changes-nothing")
        op = replace(op, valid_from=self._revised_from(op, memory))
        former = () if op.replace_evidence else self.so_far.still_held(memory)
        if op.text is not None:
            text = rules.dates(self.so_far, op.text, (*op.evidence, *former))
            op = replace(op, text=redact(text)[0])
        if op.attributes is not None:
            op = replace(op, attributes=redact_value(dict(op.attributes))[0])
        # A version that was rejected may have had its predecessor's words: it is the evidence
        # that says whether this is the same again.
        text = memory.text if op.text is None else op.text
        rules.refuse_tombstoned(
            self.so_far, memory.kind, text, op.slot or memory.slot, op.evidence or former
        )
        if op.replace_evidence:
            self.so_far.rests_on(memory).clear()
        self.so_far.rests_on(memory).update(cite.ref for cite in op.evidence)
        begins = op.valid_from or memory.valid_from
        self.so_far.revised[memory.id] = replace(
            memory, text=memory.text if op.text is None else op.text, valid_from=begins
        )
        return op

    def _revised_from(self, op: Revise, memory: Memory) -> str | None:
        """A new version has the world time of its newest evidence, unless the plan says when."""
        if op.valid_from is not None:
            return rules.moment(op.valid_from)
        said = rules.said(self.so_far, op.evidence)
        newer = said is not None and (memory.valid_from is None or said > memory.valid_from)
        return said if newer else None

    def _supersede(self, op: Supersede) -> Supersede:
        op = replace(op, valid_to=rules.moment(op.valid_to) or "")
        target = self.so_far.memory_or_draft(op.target)
        self.so_far.take_target(op.target)
        if op.by is not None:
            self.so_far.memory_or_draft(op.by)
            if plans.same_memory(op.by, op.target):
                raise ItemRefusedError("supersedes-itself")
        if target.valid_from is not None and op.valid_to < target.valid_from:
            raise ItemRefusedError("empty-interval")
        return op

    def _retire(self, op: Retire) -> Retire:
        memory = self.so_far.memory(op.target)
        if op.merged_into is not None:
            self._may_merge(memory, self.so_far.memory_or_draft(op.merged_into))
        self.so_far.take_target(op.target)
        if op.merged_into is None:
            self.so_far.retired.add(memory.id)
            return op
        if plans.same_memory(op.merged_into, op.target):
            raise ItemRefusedError("merged-into-itself")
        if ids.memory_of(op.merged_into) in self.so_far.taken:
            raise ItemRefusedError("target-taken")
        self.so_far.survivors.add(ids.memory_of(op.merged_into))
        pair = merge_key(memory.uid, self.so_far.uid_of(op.merged_into))
        if self.so_far.view.tombstoned("merge", pair, [found.ref for found in memory.evidence]):
            raise ItemRefusedError("tombstoned")
        self.so_far.retired.add(memory.id)
        return op

    def _may_merge(self, memory: Memory, survivor: Memory | Add) -> None:
        """C19, whoever proposed it: numbers, names, negation, subject and time have to agree."""
        if isinstance(survivor, Memory) and not may_join(memory, survivor):
            raise ItemRefusedError(_GUARD)

    def _link(self, op: Link) -> Link:
        self.so_far.memory_or_draft(op.source)
        if op.role not in ROLES:
            raise ItemRefusedError("unknown-role")
        if plans.same_memory(op.source, op.target):
            raise ItemRefusedError("links-itself")
        if op.role == "evidence":
            cites = rules.evidence(self.so_far, (Cite(op.target, op.quotes),))
            if not cites:
                raise ItemRefusedError("unknown-id")
            child = self.so_far.view.get(op.source)
            if isinstance(child, Memory):
                self.so_far.rests_on(child).add(cites[0].ref)
            return replace(op, target=cites[0].ref, quotes=cites[0].quotes)
        text = self.so_far.held(op.target).text
        return replace(op, quotes=tuple(q for q in op.quotes if find_quote(text, q) is not None))

    def _unlink(self, op: Unlink) -> Unlink:
        memory = self.so_far.memory(op.source)
        if op.role == "evidence":
            ends = {
                ref for ref in self.so_far.rests_on(memory) if plans.same_memory(ref, op.target)
            }
        else:
            links = (link for link in memory.links if link.role == op.role)
            ends = {link.ref for link in links if plans.same_memory(link.ref, op.target)}
        if not ends:
            raise ItemRefusedError("no-such-link")
        if op.role == "evidence":
            if self.so_far.rests_on(memory) <= ends:
                raise ItemRefusedError("no-evidence")
            self.so_far.rests_on(memory).difference_update(ends)
        return op

    def _rate(self, op: Rate) -> Rate:
        self.so_far.held(op.target)
        key = (ids.memory_of(op.target), op.name)
        if key in self.so_far.rated:
            raise ItemRefusedError("target-taken")
        if not rules.value_fits(op.name, op.value):
            raise ItemRefusedError("bad-value")
        self.so_far.rated.add(key)
        return op

    # --- the whole plan ---------------------------------------------------------------------------

    def refuse_cycles(self) -> None:
        """C14: refused as a whole, for which of the edges is wrong cannot be told."""
        found = circles.find(self.so_far.view, self.out.ops)
        if found is not None:
            raise RefusedError(
                f"The plan would make {found} rest on itself.",
                where=f"the plan of {self.so_far.strategy}",
                hint="nothing was written; mem consolidate --dry-run shows the plan",
            )

    def consume(self, refs: Iterable[str]) -> None:
        """Only records that are there, active and not settled yet, each once."""
        done = self.so_far.view.consumed(self.so_far.strategy)
        for ref in dict.fromkeys(refs):
            found = self.so_far.view.get(ref)
            if not isinstance(found, Record):
                self.out.rejected.append(Rejection(f"consumed {ref}", "unknown-id"))
            elif ref in done or not found.active:
                self.out.rejected.append(Rejection(f"consumed {ref}", "target-taken"))
            else:
                self.out.consumed.append(ref)
