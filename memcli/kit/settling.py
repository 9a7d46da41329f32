"""What becomes of a new fact beside what is known: added, joined, or put in the place of another.

The decisions come from a backend; here they meet the guards: nothing is changed by what does not
say so, what says the same stays one memory, and what was true stays readable as history.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

from memcli.core import ids
from memcli.core.memories import Memory, Role
from memcli.core.records import Record
from memcli.core.values import dataclass, field
from memcli.kit.bearing import Bearing
from memcli.kit.claims import KIND, Found, kept
from memcli.kit.comparing import contrast, is_older, says_more, says_the_same
from memcli.kit.dates import relative_words
from memcli.kit.draft import Draft
from memcli.kit.guard import claim_of, differences, lost, may_merge
from memcli.kit.instructions import is_instruction
from memcli.kit.moments import later
from memcli.kit.nearby import Near
from memcli.kit.nearkey import near_key, same_key
from memcli.kit.overlay import ref_of
from memcli.kit.support import unsupported

UNDECIDED = "needs-model"
RULES = "extractive"


class Decided(Protocol):
    """One decision about a fact; see tasks.reconcile.Decision."""

    @property
    def op(self) -> Literal["add", "update", "delete", "noop"]: ...
    @property
    def target(self) -> str | None: ...
    @property
    def how(self) -> str | None: ...
    @property
    def text(self) -> str | None: ...
    @property
    def merged_into(self) -> str | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def unknown(self) -> Sequence[str]: ...


class _RefusedError(Exception):
    """One decision is refused; the message is the reason's stable word."""


@dataclass
class _Case:
    """One fact on its way: where it stands (`home`), what it ends, what it is to be linked to."""

    fact: Found
    add: bool
    home: str | None = None
    ends: list[tuple[Memory, str]] = field(default_factory=list)
    beside: dict[str, Role] = field(default_factory=dict)
    undecided: bool = False


def _would_end(decision: Decided) -> bool:
    """Whether it says that its target is over, not that it is one with another memory."""
    ends = decision.op == "delete" or decision.how == "replaces"
    return ends and decision.merged_into is None


@dataclass
class Settler:
    """Settles the facts of one window in a draft.

    `shown`: what decisions may name, by ref. `near`: the memories near each fact, by its ref.
    `bearing`: what was said, to which a change must have to do.
    `wary`: what was shown holds an order to its reader, so that only a new value of the same slot
    changes anything, if a record says it. `facts_by`, `decided_by`: who worded the facts, and who decided. `now`: the
    end of what is over where nothing has a date.
    """

    draft: Draft
    shown: Mapping[str, Memory]
    near: Mapping[str, Sequence[Near]]
    bearing: Bearing
    now: str
    facts_by: str
    decided_by: str
    wary: bool = False
    keep_rejected: bool = True
    undecided: set[str] = field(default_factory=set)

    def settle(self, fact: Found, decisions: Iterable[Decided]) -> None:
        """Do what is decided about a fact; without a decision it is added.

        Records whose fact no rule could decide about are collected in `undecided`.
        """
        asked = list(decisions)
        case = _Case(fact, add=not asked)
        for decision in asked:
            try:
                self._do(case, decision)
            except _RefusedError as refused:
                named = " ".join((*decision.unknown, *filter(None, [decision.target])))
                item = f"{decision.op} {named}".strip() + f" for {fact.text!r}"
                self.draft.reject(item, str(refused))
                case.add |= self.keep_rejected
                if str(refused) == "unrelated" and _would_end(decision):
                    case.beside[self._target(decision).id] = "conflict"
        if case.home is None and (case.add or case.ends):
            case.home = self._add(case)
        self._end(case)
        self._link(case)

    # --- decisions ------------------------------------------------------------------------------

    def _do(self, case: _Case, decision: Decided) -> None:
        if decision.op == "add":
            case.add = True
            case.undecided |= decision.reason == UNDECIDED and self.decided_by == RULES
            if case.undecided and decision.target is not None:
                # Another value of its slot, in a memory that says more: no rule may end it.
                case.beside[self._target(decision).id] = "conflict"
                self.undecided.update(case.fact.refs)
            return
        target = self._target(decision)
        if decision.op == "noop" or same_key(case.fact.text, target.text):
            self._join(case, target, decision.reason)
        elif decision.op == "delete" and decision.merged_into is not None:
            self._merge(case, target, decision)
        elif decision.op == "update" and decision.how != "replaces":
            self._refine(case, target, decision)
        else:
            self._may_change(case, target)
            case.ends.append((target, decision.reason))

    def _target(self, decision: Decided) -> Memory:
        """The memory it names, as it was shown; handles that name nothing are never guessed."""
        target = self.shown.get(decision.target or "")
        if target is None or decision.unknown:
            raise _RefusedError("unknown-id")
        return target

    def _may_change(self, case: _Case, target: Memory) -> None:
        """Refuse a change that nothing said gives a reason for.

        Neither what a backend decides nor how it words a fact is a reason: it may do as a record
        orders it to, in words that no pattern sees.
        """
        fact = case.fact
        if fact.ordered or (self.wary and not self.bearing.sets(fact, target)):
            raise _RefusedError("instruction")
        self._must_bear(fact, target)

    def _must_bear(self, fact: Found, target: Memory) -> None:
        if fact.in_slot_of_another(target) or not self.bearing.on(fact, target):
            raise _RefusedError("unrelated")

    # --- one and the same -----------------------------------------------------------------------

    def _join(self, case: _Case, target: Memory, reason: str) -> None:
        """Evidence for what is known; kept apart and linked where the guard objects (C19)."""
        held = self.draft.get(target.id)
        if not isinstance(held, Memory) or held.superseded:
            raise _RefusedError("target-taken")
        fact, same = case.fact, same_key(case.fact.text, target.text)
        if not same:
            self._must_bear(fact, target)
        ordered = (fact.ordered or self.wary) and not same
        if fact.doubtful:
            self._keep_apart(case, target, "unsupported")
        elif says_more(fact, target) or (ordered and differences(*fact.claims_beside(target))):
            self._keep_apart(case, target, "guard")
        else:
            self._support(fact, target, reason)
            case.home = case.home or target.id

    def _keep_apart(self, case: _Case, target: Memory, reason: str) -> None:
        case.beside[target.id] = "duplicate"
        case.add = True
        self.draft.reject(f"{target.id} and {case.fact.text!r} as one", reason)

    def _support(self, fact: Found, memory: Memory, reason: str) -> None:
        for cite in fact.cites:
            self.draft.link(ref_of(memory), cite.ref, "evidence", quotes=cite.quotes, reason=reason)

    def _refine(self, case: _Case, target: Memory, decision: Decided) -> None:
        """A fuller wording of the same claim; where it loses or turns something, another claim."""
        text = " ".join((decision.text or "").split())
        if not text:
            raise _RefusedError("empty-text")
        if is_instruction(text):
            raise _RefusedError("instruction")
        self._may_change(case, target)
        if lost(target.text, text):
            case.ends.append((target, decision.reason))
            return
        refs = case.fact.refs
        if relative_words(text):
            raise _RefusedError("relative-date")
        if self.draft.tombstoned(KIND, near_key(text), refs):
            raise _RefusedError("tombstoned")
        if self.draft.get(target.id) is None:
            raise _RefusedError("target-taken")
        if case.fact.doubtful or unsupported(text, self._records(refs, target), target.text):
            self._keep_apart(case, target, "unsupported")
            return
        self.draft.revise(
            ref_of(target),
            text=text,
            evidence=case.fact.cites,
            slot=case.fact.slot,
            made_by=self.decided_by,
            reason=decision.reason,
        )
        case.home = case.home or target.id

    def _records(self, refs: Iterable[str], target: Memory) -> list[Record]:
        found = (self.draft.get(ref) for ref in sorted({*refs, *self.draft.closure(target.id)}))
        return [record for record in found if isinstance(record, Record)]

    def _merge(self, case: _Case, target: Memory, decision: Decided) -> None:
        """Two memories become one (C10), if the guard lets them."""
        survivor = self.shown.get(decision.merged_into or "")
        if survivor is None or survivor.id == target.id:
            raise _RefusedError("unknown-id")
        case.add = True
        self._may_change(case, target)
        gone = [one for one in (target, survivor) if self.draft.get(one.id) is None]
        if gone or ids.is_draft(target.id):
            raise _RefusedError("target-taken")
        if not may_merge(claim_of(target), claim_of(survivor)):
            self.draft.link(ref_of(target), ref_of(survivor), "duplicate", reason=decision.reason)
            raise _RefusedError("guard")
        self.draft.retire(ref_of(target), reason=decision.reason, merged_into=ref_of(survivor))

    # --- a memory of its own --------------------------------------------------------------------

    def _add(self, case: _Case) -> str:
        """Where the fact stands: in a memory of its own, or in the one that says just this."""
        fact = case.fact
        same = self.draft.same(KIND, fact.text)
        if same is not None and says_the_same(fact, same):
            self._support(fact, same, "the same again")
            return same.id
        if same is not None:
            case.beside[same.id] = "duplicate"
        return kept(self.draft, fact, made_by=self.facts_by)

    def _end(self, case: _Case) -> None:
        """Close what the fact replaces. Late news is history itself, and ends nothing (C22)."""
        fact, home = case.fact, case.home
        if home is None:
            return
        late = [target for target, _ in case.ends if self._is_late(fact, target)]
        for target, reason in case.ends:
            if target in late:
                continue
            if target.id == home or self.draft.get(target.id) is None:
                self.draft.reject(target.id, "target-taken")
                continue
            end = later(fact.valid_from or self.now, target.valid_from)
            needed = [home] if ids.is_draft(home) else []
            self.draft.supersede(
                ref_of(target), end, by=self._ref(home), reason=reason, requires=needed
            )
        if late and ids.is_draft(home) and fact.valid_to is None:
            first = min(late, key=lambda target: target.valid_from or "")
            end = later(first.valid_from or self.now, fact.valid_from)
            self.draft.supersede(home, end, by=self._ref(first.id), reason="older news")

    def _is_late(self, fact: Found, target: Memory) -> bool:
        return is_older(fact, target, self.draft.newest([target.id]))

    def _ref(self, ident: str) -> str:
        held = self.draft.get(ident)
        return ident if held is None else ref_of(held)

    # --- for review -----------------------------------------------------------------------------

    def _link(self, case: _Case) -> None:
        home = case.home
        if home is None or not ids.is_draft(home):
            return
        roles = dict(case.beside)
        nearest = next(iter(self.near.get(case.fact.ref, ())), None) if case.undecided else None
        # What two people say does not contradict each other: that is decided.
        if nearest is not None and not _of_two(case.fact, nearest.memory):
            self.undecided.update(case.fact.refs)
            roles.setdefault(nearest.memory.id, contrast(case.fact.text, nearest.memory.text))
        for ident, role in roles.items():
            if ident != home and self.draft.get(ident) is not None:
                self.draft.link(home, self._ref(ident), role, requires=[home])


def _of_two(fact: Found, target: Memory) -> bool:
    """Whether a fact and a memory are about two people: then neither contradicts the other."""
    return bool({"subject", "speaker"} & {*differences(*fact.claims_beside(target))})
