"""Records and memories on one line of time: a memory stands where its newest evidence stands."""

from collections.abc import Collection, Sequence

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.ports import View


@dataclass(frozen=True, slots=True)
class Placed:
    """A record or memory at its place. `when`: ISO 8601 time of the record it stands at, or None."""

    item: Record | Memory
    place: int
    newest: str
    when: str | None


class Timeline:
    """Active records of some kinds, in the view's order, and live memories of one kind."""

    def __init__(self, view: View, kinds: Sequence[str], memory_kind: str) -> None:
        self._records = [r for r in view.records(kinds=kinds) if r.status == "active"]
        self._places = {record.id: place for place, record in enumerate(self._records)}
        self._memories: list[Placed] = []
        for memory in view.memories(kind=memory_kind, superseded=False):
            places = [self._places[ref] for ref in view.closure(memory.id) if ref in self._places]
            if memory.status == "active" and places:
                self._memories.append(self._placed(memory, max(places)))

    def place(self, record: str) -> int:
        """Where a record stands, from 0; raises KeyError if it is not on the line."""
        return self._places[record]

    def up_to(self, end: int, *, without: Collection[str] = ()) -> list[Placed]:
        """All with a text up to place `end`, oldest first, a memory after its newest evidence.

        Left out: memories whose newest evidence is among the records `without`.
        """
        found = [self._placed(r, place) for place, r in enumerate(self._records[: end + 1])]
        found += [
            placed
            for placed in self._memories
            if placed.place <= end and placed.newest not in without
        ]
        shown = (placed for placed in found if placed.item.text.strip())
        return sorted(shown, key=lambda placed: (placed.place, isinstance(placed.item, Memory)))

    def _placed(self, item: Record | Memory, place: int) -> Placed:
        record = self._records[place]
        return Placed(item, place, record.id, record.said_at)
