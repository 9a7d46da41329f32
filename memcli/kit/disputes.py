"""Slots in which two memories say otherwise and nothing has settled it."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from memcli.core.ids import memory_of, parse
from memcli.core.memories import Memory
from memcli.core.values import dataclass
from memcli.kit.waiting import plain
from memcli.ports import View


@dataclass(frozen=True, slots=True)
class Dispute:
    """`memory` disputes `other`, which was there first. `waits`: it is pending; else both stand."""

    memory: Memory
    other: Memory
    waits: bool


def disputes(view: View, single_valued: Collection[str]) -> Iterator[Dispute]:
    """Open contradictions, each pair once, by the id of the memory that disputes.

    A pending claim against a stable one, or one that was pending before it: by their slot, or
    linked as a conflict. Live, current memories of two strategies with two values of one slot that
    holds one at a time.
    """
    live = [one for one in view.memories(superseded=False) if one.status in ("active", "pending")]
    by_slot: dict[tuple[object, ...], list[Memory]] = defaultdict(list)
    for memory in live:
        slot = memory.slot
        if slot is not None and slot.attribute in single_valued:
            by_slot[memory.scope, slot.subject.casefold(), slot.attribute].append(memory)
    by_id = {memory.id: memory for memory in live}
    for memory in live:
        seen: set[str] = set()
        slot = memory.slot
        beside: Sequence[Memory] = ()
        if slot is not None:
            beside = by_slot.get((memory.scope, slot.subject.casefold(), slot.attribute), ())
        linked = (
            by_id.get(memory_of(link.ref)) for link in memory.links if link.role == "conflict"
        )
        for other in (*beside, *filter(None, linked)):
            if other.id != memory.id and other.id not in seen and _differ(memory, other):
                seen.add(other.id)
                yield from _dispute(memory, other)


def _dispute(memory: Memory, other: Memory) -> Iterator[Dispute]:
    """The pair from the side of what came later, or of what waits."""
    later = parse(memory.id).number > parse(other.id).number
    if memory.status == "pending" and (other.status == "active" or later):
        yield Dispute(memory, other, waits=True)
        return
    slots = memory.slot is not None and other.slot is not None
    both = memory.status == other.status == "active" and memory.strategy != other.strategy
    if later and slots and both:
        yield Dispute(memory, other, waits=False)


def _differ(one: Memory, other: Memory) -> bool:
    if one.slot is None or other.slot is None:
        return True
    return plain(one.slot.value) != plain(other.slot.value)
