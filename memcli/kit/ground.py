"""What a view holds, read once: a view never changes, and each plan over it asks for the same."""

from functools import cached_property

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.kit.shelf import Shelf
from memcli.ports import View


class Ground:
    """The records and memories of a view, for all the plans that are laid over it."""

    def __init__(self, view: View) -> None:
        self.view = view

    @cached_property
    def memories(self) -> Shelf:
        """Its memories, by id."""
        return Shelf(self.view.memories())

    @cached_property
    def _by_ref(self) -> dict[str, Record | Memory]:
        found: dict[str, Record | Memory] = {r.id: r for r in self.view.records(inactive=True)}
        for memory in self.memories:
            found[memory.id] = found[memory.ref] = memory
        return found

    def get(self, ref: str) -> Record | Memory | None:
        """The record, memory or version of this id, if held."""
        return self._by_ref.get(ref) or self.view.get(ref)
