"""A waiting room for claims: when one is stable, waits, lapses or gives way.

Our derivation from one sentence about PreCoMem (strategies/profile.md, section 5): a single odd
message must not overwrite a stable fact. A claim waits as `pending`; support, plain wording or time
make it stable, which is the status `active`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit.moments import days_between, known_time, parse_time
from memcli.kit.shelf import Shelf, slots

if TYPE_CHECKING:
    from memcli.ports import Held

KIND = "claim"


class Limits(Protocol):
    """When a claim is stable, or lapses: see the parameters of `profile`."""

    @property
    def support(self) -> int: ...
    @property
    def wait_days(self) -> int: ...
    @property
    def lapse_days(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Ripened:
    """A waiting claim whose state time changes, and by which rule of the page."""

    claim: Memory
    status: Literal["active", "lapsed"]
    reason: str


def plain(value: str) -> str:
    """A value for comparing: lower case, white space folded."""
    return " ".join(value.casefold().split())


class Room:
    """The claims of a view by slot, and how often each was said. The view may be a draft."""

    def __init__(self, view: Held, single_valued: Collection[str], limits: Limits) -> None:
        self._view = view
        # A draft keeps such an index of its own.
        self._claims = view if hasattr(view, "having") else Shelf(view.memories(kind=KIND))
        self._single = single_valued
        self.limits = limits

    # --- claims ---------------------------------------------------------------------------------

    def live(self) -> list[Memory]:
        """Claims that are stable or wait, by id."""
        return list(filter(_is_live, self._claims.having(slots, (KIND, None))))

    def of_slot(self, subject: str, attribute: str) -> list[Memory]:
        """The live claims of this attribute of this subject."""
        found = self._claims.having(slots, (KIND, attribute))
        return [one for one in found if _is_live(one) and in_slot(one, subject, attribute)]

    def rivals(self, subject: str, attribute: str) -> list[Memory]:
        """The live claims of a slot; none of an attribute that holds several values."""
        return self.of_slot(subject, attribute) if attribute in self._single else []

    def holding(self, subject: str, attribute: str, value: str) -> Memory | None:
        """The live claim of this slot and value."""
        found = (one for one in self.of_slot(subject, attribute) if _holds(one, value))
        return next(found, None)

    def past(self, subject: str, attribute: str, value: str) -> list[Memory]:
        """Claims of this slot and value that are over."""
        return [
            one
            for one in self._claims.having(slots, (KIND, attribute))
            if one.superseded and in_slot(one, subject, attribute) and _holds(one, value)
        ]

    def again(self, claim: Memory) -> Memory:
        """A claim as the view has it now."""
        found = self._view.get(claim.id)
        assert isinstance(found, Memory)
        return found

    # --- how often it was said ------------------------------------------------------------------

    def said(self, claim: Memory) -> list[Record]:
        """The records that state a claim, oldest first; those without a time before the others."""
        found = (self._view.get(ref) for ref in sorted(self._view.closure(claim.id)))
        records = [one for one in found if isinstance(one, Record)]
        return sorted(records, key=lambda one: (_moment(one), one.seq, one.id))

    def support(self, claim: Memory, since: str | None = None) -> int:
        """In how many sessions it was said; with `since`, said after that time.

        Repeats within a session count once.
        """
        return len(
            {
                record.session
                for record in self.said(claim)
                if since is None or is_after(record.said_at, since)
            }
        )

    def first(self, claim: Memory) -> str | None:
        """When it was first said; None if nothing says when."""
        return next((r.said_at for r in self.said(claim) if known_time(r.said_at)), None)

    def last(self, claim: Memory) -> str | None:
        """When it was last said."""
        return next((r.said_at for r in reversed(self.said(claim)) if known_time(r.said_at)), None)

    def overtakes(self, claim: Memory, stable: Memory) -> bool:
        """Rule 6: said in enough sessions, and in as many as the stable one since first said."""
        own = self.support(claim)
        return own >= self.limits.support and own >= self.support(stable, self.first(claim))

    # --- time -----------------------------------------------------------------------------------

    def ripe(self, at: str, among: Iterable[Memory] | None = None) -> Iterator[Ripened]:
        """What time changes by `at` (rules 3 and 7), of the claims `among`, by default of all."""
        for claim in self.live() if among is None else among:
            first = self.first(claim)
            if claim.status != "pending" or claim.slot is None or first is None:
                continue
            age = days_between(first, at)
            rivals = self.rivals(claim.slot.subject, claim.slot.attribute)
            others = [one for one in rivals if one.id != claim.id]
            if not others and age > self.limits.wait_days:
                yield Ripened(claim, "active", f"rule 3: no rival in {self.limits.wait_days} days")
            elif age >= self.limits.lapse_days and self._is_out(claim, others, first, at):
                why = f"rule 7: said once, not again in {self.limits.lapse_days} days"
                yield Ripened(claim, "lapsed", why)

    def _is_out(self, claim: Memory, others: Sequence[Memory], first: str, at: str) -> bool:
        """Whether it has no support, and a stable rival was said again since."""
        return self.support(claim) < 2 and any(
            is_after(record.said_at, first) and not is_after(record.said_at, at)
            for rival in others
            if rival.status == "active"
            for record in self.said(rival)
        )


def _is_live(claim: Memory) -> bool:
    return not claim.superseded and claim.status in ("active", "pending")


def in_slot(memory: Memory, subject: str, attribute: str) -> bool:
    """Whether a memory sets this attribute of this subject."""
    slot = memory.slot
    return (
        slot is not None
        and slot.attribute == attribute
        and slot.subject.casefold() == subject.casefold()
    )


def is_after(one: str | None, other: str | None) -> bool:
    """Whether a time is known to lie after another; never, where one is not known."""
    if one is None or other is None or not (known_time(one) and known_time(other)):
        return False
    return parse_time(one) > parse_time(other)


def _holds(memory: Memory, value: str) -> bool:
    return memory.slot is not None and plain(memory.slot.value) == plain(value)


def _moment(record: Record) -> float:
    if record.said_at is None or known_time(record.said_at) is None:
        return float("-inf")
    return parse_time(record.said_at).timestamp()
