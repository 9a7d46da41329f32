"""Claims that say otherwise: what waits for support, and the stable claim that it disputes."""

from collections.abc import Iterable, Sequence

from memcli.core.ids import parse
from memcli.core.memories import Memory
from memcli.core.reports import SearchHit
from memcli.core.values import replace
from memcli.kit.slots import SINGLE_VALUED
from memcli.kit.waiting import KIND, Room, plain
from memcli.store import citing
from memcli.store import standing as lasting
from memcli.store.view import StoreView

_SHOWN = ("active", "pending")


class _NoLimits:
    """Nothing is decided here."""

    support = wait_days = lapse_days = 0


class Rivals:
    """Reads disputes between claims, each slot once."""

    def __init__(self, view: StoreView) -> None:
        self._view = view
        self._room = Room(view, SINGLE_VALUED, _NoLimits())

    def of(self, claim: Memory) -> list[Memory]:
        """The claims that dispute this one, or that it disputes; the newest first.

        One of each pair waits, and the other is stable: rivals that both wait dispute nothing yet.
        """
        if claim.kind != KIND or claim.superseded or claim.status not in _SHOWN:
            return []
        number = parse(claim.id).number
        view = self._view
        linked = lasting.disputes(view.connection, view.at, [number]).get(number, [])
        found = view.some({*linked, *others_in_slot(view, claim)}).values()
        return newest_first(
            other
            for other in found
            if other.kind == KIND
            and other.id != claim.id
            and other.scope == claim.scope
            and not other.superseded
            and {claim.status, other.status} == {*_SHOWN}
        )

    def sessions(self, claim: Memory) -> int:
        """In how many sessions it was said."""
        return self._room.support(claim)


def others_in_slot(view: StoreView, memory: Memory) -> list[int]:
    """Numbers of the memories that set the slot of this one to another value, if it holds one."""
    slot, scope = memory.slot, memory.scope
    if slot is None or slot.attribute not in SINGLE_VALUED:
        return []
    key = (scope.user, scope.agent, scope.project)
    numbers = citing.in_slot(view.connection, view.at, slot.subject, slot.attribute, key)
    return [
        parse(other.id).number
        for other in view.some(numbers).values()
        if other.slot is not None and plain(other.slot.value) != plain(slot.value)
    ]


def newest_first(claims: Iterable[Memory]) -> list[Memory]:
    """By since when they hold; of equal ones the later stored."""
    return sorted(
        claims, key=lambda one: (one.valid_from or "", parse(one.id).number), reverse=True
    )


def waiting_first(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Before a stable claim, and before the records that it rests on, what disputes it if that is
    newer. Those records are marked as the claim is: alone they would pass for undisputed."""
    out = list(hits)
    for claim in hits:
        if claim.status != "pending" or not claim.disputed_by:
            continue
        older = [hit for hit in hits if hit.id in claim.disputed_by and _is_before(hit, claim)]
        records = {ref for hit in older for ref in hit.evidence} - set(claim.evidence)
        out = [
            replace(hit, disputed_by=(claim.id,))
            if hit.id in records and not hit.disputed_by
            else hit
            for hit in out
        ]
        below = records | {hit.id for hit in older}
        places = {hit.id: nth for nth, hit in enumerate(out)}
        first = min((places[ref] for ref in below if ref in places), default=places[claim.id])
        if first < places[claim.id]:
            out.insert(first, out.pop(places[claim.id]))
    return out


def _is_before(one: SearchHit, other: SearchHit) -> bool:
    return (one.valid_from or "") < (other.valid_from or "")
