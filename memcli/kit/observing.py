"""What an answer about a batch of lines does to the observations of a draft.

Source of the rules: vectorize-io/hindsight 1.1.0, hindsight_api/engine/consolidation, and its
issues #3876, #4152: nothing is overwritten, guessed or lost; see strategies/observe.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from memcli.core import ids
from memcli.core.memories import Memory, Role, Slot
from memcli.core.plan import Cite
from memcli.core.proof import KIND as KIND
from memcli.core.values import dataclass, field
from memcli.kit.answers import Stated
from memcli.kit.claims import Found, Vetting
from memcli.kit.comparing import says_the_same
from memcli.kit.draft import Draft
from memcli.kit.facts import slot_of
from memcli.kit.guard import claim_of, differences, may_merge
from memcli.kit.moments import later
from memcli.kit.overlay import ref_of
from memcli.kit.shelf import slots
from memcli.kit.single import may_end
from memcli.kit.standing import RULES
from memcli.kit.waiting import is_after, plain

# Refused for good: asking again would bring the same.
_SETTLED = frozenset({"tombstoned", "recalled-text", "instruction", "speaker"})


class Told(Stated, Protocol):
    """A create or update of an answer; see tasks.observe.Created."""

    @property
    def reason(self) -> str: ...
    @property
    def unknown(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Accepted:
    """A create, or an update of `target`, that may be stored. `things`: refs of the lines cited;
    `cites`: its evidence."""

    found: Found
    things: tuple[str, ...]
    cites: tuple[Cite, ...]
    reason: str
    target: Memory | None = None


@dataclass
class Observing:
    """Puts one answer into a draft. `pool`: the observations that were shown, by ref.

    `said`: when the newest of the lines was said. `ordered`: one of the lines holds an order to its
    reader, so that nothing is ended. `mentioned`: refs of lines that are settled by the answer.
    """

    draft: Draft
    pool: Mapping[str, Memory]
    now: str
    single_valued: frozenset[str]
    made_by: str
    said: str | None = None
    ordered: bool = False
    mentioned: set[str] = field(default_factory=set)

    # --- what may be stored ---------------------------------------------------------------------

    def vet(
        self, told: Told, as_fact: Any, things: Mapping[str, Cite | None], vetting: Vetting
    ) -> Accepted | None:
        """The item as it may be stored; None, and reported, where it may not.

        `as_fact`: the same as a fact on the records below its lines; `things`: ref of a line -> what
        is cited beside its records (a fact that it is), None for a record.
        """
        lines = tuple(ref for ref in told.sources if ref in things)
        for handle in told.unknown:
            self.draft.reject(f"{handle} in {told.text!r}", "unknown-id")
        before = len(vetting.rejected)
        found = vetting.all([as_fact])
        if not found:
            reasons = [item.reason for item in vetting.rejected[before:]]
            for reason in reasons:
                self.draft.reject(told.text, reason)
            if _SETTLED.intersection(reasons):
                self.mentioned.update(lines)
            return None
        beside = [cite for ref in lines if (cite := things[ref]) is not None]
        return Accepted(found[0], lines, (*beside, *found[0].cites), told.reason)

    def aim(self, one: Accepted, target: str | None, current_text: str) -> Accepted | None:
        """The update with its target; None, and reported, where that is none."""
        memory = self.pool.get(target or "")
        if memory is None:
            self.draft.reject(f"update to {one.found.text!r}", "unknown-id")
            return None
        others = {plain(other.text) for ref, other in self.pool.items() if ref != target}
        wanted = plain(current_text)
        if wanted != plain(memory.text) and wanted in others:
            self.draft.reject(f"update of {memory.id} to {one.found.text!r}", "wrong-target")
            return None
        if one.found.ordered:
            self.draft.reject(f"update of {memory.id} to {one.found.text!r}", "instruction")
            self.mentioned.update(one.things)
            return None
        return Accepted(one.found, one.things, one.cites, one.reason, memory)

    # --- operations -----------------------------------------------------------------------------

    def create(self, one: Accepted, same: Sequence[Memory] = ()) -> None:
        """A new observation, or evidence for one that says just this.

        `same`: observations that a backend says are the same; they are joined if the guard holds.
        """
        self.mentioned.update(one.things)
        known = self.draft.same(KIND, one.found.text)
        if known is not None and says_the_same(one.found, known):
            self._support(known, one)
            return
        apart = [known] if known is not None else []
        for other in same:
            if self._held(other) is None:
                continue
            if not one.found.doubtful and not differences(*one.found.claims_beside(other)):
                self._support(other, one)
                return
            apart.append(other)
        former = self._same_slot(one)
        home = self._add(one)
        for other in apart:
            self._link(home, other, "duplicate")
        for other in self._saying_more(one):
            self._link(home, other, "conflict")
        if former is not None:
            # Not stored yet, so it has no version to keep: each value is an observation.
            self._follow(home, former)

    def update(self, one: Accepted, same: Sequence[Memory] = ()) -> None:
        """A new version of the target, which keeps the former; evidence alone, if all is older."""
        target = one.target
        assert target is not None
        held = self._held(target)
        self.mentioned.update(one.things)
        if held is None:
            self.draft.reject(f"update of {target.id}", "target-taken")
            self.mentioned.difference_update(one.things)
            return
        if self._is_late(one, held):
            self._support(held, one)
            return
        for other in same:
            if self._joined(one, held, other):
                return
        slot = one.found.slot or _slot_said(held, one.found.text)
        if held.slot is not None and slot is None:
            # A version keeps the slot of the former, whose value this text does not say.
            self._replace(held, one)
            return
        self.draft.revise(
            ref_of(held),
            text=one.found.text,
            evidence=one.cites,
            slot=slot,
            attributes={**held.attributes, **one.found.attributes},
            made_by=self.made_by,
            reason=one.reason,
        )

    def delete(
        self, target: str | None, merged_into: str | None, reason: str, unknown: Sequence[str]
    ) -> None:
        """The end of an observation, or its union with another (C10)."""
        memory = self.pool.get(target or "")
        survivor = None if merged_into is None else self.pool.get(merged_into)
        named = " ".join((*unknown, *filter(None, [target])))
        if memory is None or unknown:
            self.draft.reject(
                f"delete of {named or 'nothing'}", "unknown-id" if named else "no-target"
            )
            return
        if self._held(memory) is None or (survivor is not None and self._held(survivor) is None):
            self.draft.reject(f"delete of {memory.id}", "target-taken")
        elif self.ordered:
            self.draft.reject(f"delete of {memory.id}", "instruction")
        elif survivor is None:
            end = later(self.said or self.now, memory.valid_from)
            self.draft.supersede(ref_of(memory), end, reason=reason)
        elif survivor.id != memory.id:
            self._merge(memory, survivor, reason)

    # --- within ---------------------------------------------------------------------------------

    def _held(self, memory: Memory) -> Memory | None:
        found = self.draft.get(memory.id)
        return found if isinstance(found, Memory) and not found.superseded else None

    def _add(self, one: Accepted) -> str:
        found = one.found
        if found.doubtful:
            self.draft.warn(f"unsupported: {', '.join(found.doubtful)} in {found.text!r}")
        return self.draft.add(
            KIND,
            found.text,
            evidence=one.cites,
            attributes=found.attributes,
            slot=found.slot,
            valid_from=found.valid_from if found.dated else self.draft.oldest(found.refs),
            valid_to=found.valid_to,
            made_by=self.made_by,
            reason=one.reason,
        )

    def _support(self, memory: Memory, one: Accepted) -> None:
        for cite in one.cites:
            self.draft.link(
                ref_of(memory), cite.ref, "evidence", quotes=cite.quotes, reason=one.reason
            )

    def _link(self, home: str, other: Memory, role: Role) -> None:
        needed = [one for one in (home, other.id) if ids.is_draft(one)]
        self.draft.link(home, ref_of(other), role, requires=needed)

    def _is_late(self, one: Accepted, held: Memory) -> bool:
        """Whether all that it brings was said before the newest evidence there is (C22)."""
        newest = self.draft.newest([held.id])
        said = [self.draft.newest([cite.ref]) for cite in one.cites]
        return bool(said) and all(is_after(newest, time) for time in said)

    def _joined(self, one: Accepted, held: Memory, other: Memory) -> bool:
        """An update that makes the target say what another says: the newer goes into the older."""
        if other.id == held.id or self._held(other) is None:
            return False
        apart = one.found.doubtful or differences(*one.found.claims_beside(other))
        older, newer = sorted((held, other), key=_age)
        if apart or ids.is_draft(newer.id):
            self._link(ref_of(held), other, "duplicate")
            return False
        if newer.id == held.id:
            self._support(other, one)
        else:
            self._support(held, one)
        self._merge(newer, older, one.reason)
        return True

    def _merge(self, memory: Memory, survivor: Memory, reason: str) -> None:
        if ids.is_draft(memory.id):
            self.draft.reject(f"delete of {memory.id}", "target-taken")
        elif may_merge(claim_of(memory), claim_of(survivor)):
            self.draft.retire(ref_of(memory), reason=reason, merged_into=ref_of(survivor))
        else:
            self.draft.link(ref_of(memory), ref_of(survivor), "duplicate", reason=reason)
            self.draft.reject(f"{memory.id} and {survivor.id} as one", "guard")

    def _replace(self, held: Memory, one: Accepted) -> None:
        home = self._add(one)
        end = later(one.found.valid_from or self.now, held.valid_from)
        needed = [ref for ref in (home, held.id) if ids.is_draft(ref)]
        self.draft.supersede(ref_of(held), end, by=home, reason=one.reason, requires=needed)

    def _same_slot(self, one: Accepted) -> Memory | None:
        """A draft with another value of the same slot, if that holds one at a time."""
        slot = one.found.slot
        if slot is None or slot.attribute not in self.single_valued:
            return None
        for memory in self.draft.having(slots, (KIND, slot.attribute)):
            other = memory.slot
            if memory.superseded or not ids.is_draft(memory.id) or other is None:
                continue
            if not one.found.in_slot_of(memory):
                continue
            if plain(other.value) != plain(slot.value) and may_end(memory):
                return memory
        return None

    def _saying_more(self, one: Accepted) -> list[Memory]:
        """By rule: observations with another value of the slot that say more than it, and stay."""
        slot = one.found.slot
        if slot is None or slot.attribute not in self.single_valued or self.made_by != RULES:
            return []
        return [
            memory
            for memory in self.draft.having(slots, (KIND, slot.attribute))
            if not memory.superseded
            and one.found.in_slot_of(memory)
            and memory.slot is not None
            and plain(memory.slot.value) != plain(slot.value)
            and not may_end(memory)
        ]

    def _follow(self, home: str, former: Memory) -> None:
        new = self.draft.get(home)
        assert isinstance(new, Memory)
        older, newer = (
            (former, new) if not is_after(former.valid_from, new.valid_from) else (new, former)
        )
        end = later(newer.valid_from or self.now, older.valid_from)
        reason = "a later value of the same slot"
        self.draft.supersede(
            older.id, end, by=newer.id, reason=reason, requires=[older.id, newer.id]
        )


def _slot_said(held: Memory, text: str) -> Slot | None:
    """The slot of an observation with the value that its new text gives."""
    found = slot_of(text)
    if held.slot is None or found is None or found[0] != held.slot.attribute:
        return None
    return Slot(held.slot.subject, *found)


def _age(memory: Memory) -> tuple[bool, int]:
    """Stored ones before drafts, then by number."""
    return ids.is_draft(memory.id), int("".join(filter(str.isdigit, memory.id)))
