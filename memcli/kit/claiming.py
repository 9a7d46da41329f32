"""What a statement does to the claims of a draft: rules 1 to 9 of the waiting room (kit.waiting).

A model says what was said and how; the state of each claim is decided here, by code.
"""

from collections.abc import Iterable, Sequence

from memcli.core import ids
from memcli.core.memories import Memory, Status
from memcli.core.values import dataclass
from memcli.kit.claims import Found
from memcli.kit.draft import Draft
from memcli.kit.moments import later
from memcli.kit.overlay import ref_of
from memcli.kit.single import may_end, says_only
from memcli.kit.standing import RULES
from memcli.kit.waiting import KIND, Room, is_after

_CHANGED = "rule 5: said to have changed"


@dataclass
class Claiming:
    """Takes statements into a draft, one after the other. `now`: ISO 8601, where nothing is dated."""

    draft: Draft
    room: Room
    now: str
    made_by: str

    def take(self, fact: Found, *, explicit: bool) -> None:
        """A statement that sets a slot: evidence for a claim, or a claim of its own.

        `explicit`: it was said for its own sake. Time has done first what it does until then, so
        that a long history that comes in one pass ends as if it had come day by day.
        """
        slot = fact.slot
        if slot is None:
            raise ValueError(f"{fact.text!r} sets no slot")
        self.ripen(fact.said_at, self.room.of_slot(slot.subject, slot.attribute))
        own = self.room.holding(slot.subject, slot.attribute, slot.value)
        rivals = self.room.rivals(slot.subject, slot.attribute)
        stable = _newest(one for one in rivals if one.status == "active")
        over = own is None and self._is_over(fact)
        if over:
            return
        if own is not None and own.status == "active":
            self._support(own, fact)  # rule 4
        elif stable is not None and own is None and self._is_late(fact, stable) and _is_only(fact):
            self._add_past(fact, stable)
        elif stable is None:
            self._found(fact, own, explicit=explicit)
        else:
            self._rival(fact, own, stable)

    def take_back(self, fact: Found, claims: Iterable[Memory]) -> None:
        """Rule 9: the speaker takes back what waits; what is stable stays as it is."""
        for claim in claims:
            held = self.room.again(claim)
            if held.status == "pending":
                self._rate(held.id, "rejected", f"rule 9: taken back: {fact.text}")
            else:
                self.draft.reject(f"{fact.text!r} takes back {held.id}", "not-pending")

    def ripen(self, at: str | None, among: Sequence[Memory] | None = None) -> None:
        """Rules 3 and 7: what time changes until `at`; nothing where that is not known.

        Of the claims `among`, by default of all.
        """
        if at is None:
            return
        for one in list(self.room.ripe(at, among)):
            self._rate(one.claim.id, one.status, one.reason)

    # --- cases ----------------------------------------------------------------------------------

    def _is_over(self, fact: Found) -> bool:
        """Evidence for a claim that has ended, if it was said before that end (C23)."""
        assert fact.slot is not None
        slot = fact.slot
        for one in self.room.past(slot.subject, slot.attribute, slot.value):
            if not is_after(fact.said_at, one.valid_to):
                self._support(one, fact)
                return True
        if fact.valid_to is not None and not is_after(fact.valid_to, self.now):
            self._add(fact, valid_to=fact.valid_to)
            return True
        return False

    def _is_late(self, fact: Found, stable: Memory) -> bool:
        """Rule 8: said before the stable value was said at all."""
        return is_after(self.room.first(stable), fact.said_at)

    def _add_past(self, fact: Found, stable: Memory) -> None:
        end = later(stable.valid_from or self.now, fact.valid_from)
        home = self._add(fact)
        needed = [one for one in (home, stable.id) if ids.is_draft(one)]
        self.draft.supersede(
            home, end, by=ref_of(stable), reason="rule 8: older news", requires=needed
        )

    def _found(self, fact: Found, own: Memory | None, *, explicit: bool) -> None:
        """Rules 1 and 2: the first value of a slot, or one more of an attribute that holds several."""
        home = self._home(fact, own)
        held = self._held(home)
        support = self.room.support(held)
        if explicit:
            self._settle(home, own, "rule 1: said for its own sake")
        elif support >= self.room.limits.support:
            self._settle(home, own, f"rule 2: said in {support} sessions")
        elif fact.change and (rivals := self._outdated(fact, held)):
            self._settle(home, own, _CHANGED)
            for rival in rivals:
                self._end(rival, held, _CHANGED)
        elif own is None:
            self._rate(home, "pending", "said once, and in passing")

    def _outdated(self, fact: Found, own: Memory) -> list[Memory]:
        """The rivals that wait, if all were last said before the fact; else none.

        Neither would ever be without a rival, so both would wait for ever; and what ends a stable
        value (rule 5) ends one that waits.
        """
        slot = fact.slot
        assert slot is not None
        rivals = [one for one in self.room.rivals(slot.subject, slot.attribute) if one.id != own.id]
        before = all(is_after(fact.said_at, self.room.last(one)) for one in rivals)
        return rivals if before and all(map(may_end, rivals)) else []

    def _rival(self, fact: Found, own: Memory | None, stable: Memory) -> None:
        """Rules 5, 6 and 6a: another value than the stable one."""
        home = self._home(fact, own)
        held = self._held(home)
        ends = may_end(stable)  # what else it says would end with it
        if ends and fact.change and not is_after(self.room.last(stable), fact.said_at):
            self._win(home, own, stable, _CHANGED)
        elif ends and self.room.overtakes(held, stable):
            times = self.room.support(held)
            self._win(home, own, stable, f"rule 6: said in {times} sessions")
        elif own is None:
            self._rate(home, "pending", f"rule 6a: disputes {stable.id}")
            self._conflict(home, stable)

    def _win(self, home: str, own: Memory | None, stable: Memory, reason: str) -> None:
        held = self._held(home)
        slot = stable.slot
        assert slot is not None
        self._settle(home, own, reason)
        for rival in self.room.rivals(slot.subject, slot.attribute):
            if rival.id == held.id:
                continue
            if rival.status == "pending" or not may_end(rival):
                self._conflict(rival.id, self._held(home))
                continue
            self._end(rival, held, reason)

    def _settle(self, home: str, own: Memory | None, reason: str) -> None:
        """A claim that waited is stable; a new one is so from the start."""
        if own is not None:
            self._rate(home, "active", reason)

    # --- operations -----------------------------------------------------------------------------

    def _home(self, fact: Found, own: Memory | None) -> str:
        if own is None:
            return self._add(fact)
        self._support(own, fact)
        return own.id

    def _support(self, claim: Memory, fact: Found) -> None:
        for cite in fact.cites:
            self.draft.link(ref_of(claim), cite.ref, "evidence", quotes=cite.quotes)

    def _add(self, fact: Found, valid_to: str | None = None) -> str:
        if fact.doubtful:
            self.draft.warn(f"unsupported: {', '.join(fact.doubtful)} in {fact.text!r}")
        # How it was said is what the state is made of; it is not kept beside it.
        attributes = {name: value for name, value in fact.attributes.items() if name != "explicit"}
        return self.draft.add(
            KIND,
            fact.text,
            evidence=fact.cites,
            attributes=attributes,
            slot=fact.slot,
            valid_from=fact.valid_from if fact.dated else self.draft.oldest(fact.refs),
            valid_to=valid_to,
            made_by=self.made_by,
        )

    def _end(self, rival: Memory, winner: Memory, reason: str) -> None:
        end = later(winner.valid_from or self.now, rival.valid_from)
        needed = [one for one in (winner.id, rival.id) if ids.is_draft(one)]
        self.draft.supersede(ref_of(rival), end, by=ref_of(winner), reason=reason, requires=needed)

    def _rate(self, ident: str, status: Status, reason: str) -> None:
        needed = [ident] if ids.is_draft(ident) else []
        self.draft.rate(ident, "status", status, by=RULES, reason=reason, requires=needed)

    def _conflict(self, ident: str, other: Memory) -> None:
        source = self._held(ident)
        needed = [one for one in (source.id, other.id) if ids.is_draft(one)]
        self.draft.link(ref_of(source), ref_of(other), "conflict", requires=needed)

    def _held(self, ident: str) -> Memory:
        found = self.draft.get(ident)
        assert isinstance(found, Memory)
        return found


def _is_only(fact: Found) -> bool:
    """Whether a fact says nothing but its slot, and so may be over as a whole."""
    return fact.slot is not None and says_only(fact.text, fact.slot.attribute)


def _newest(claims: Iterable[Memory]) -> Memory | None:
    """The claim that began last; without a start before all others."""
    found: Sequence[Memory] = list(claims)
    return max(found, key=lambda one: one.valid_from or "", default=None)
