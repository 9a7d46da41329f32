"""Claims that say otherwise: what waits for support, and the stable claim that it disputes."""

from collections.abc import Iterable

from memcli.core.ids import parse
from memcli.core.memories import Memory
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
