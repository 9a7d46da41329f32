"""Reconcile: what new facts mean for the memories they are near to: add, update, delete, noop.

Source: the update step of Mem0 (arXiv:2504.19413), in our own words. Only memories that are named
are answered for; nothing has to be restated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from memcli.kit.handles import Item, sources_of
from memcli.tasks._forms import Typed

Verb = Literal["add", "update", "delete", "noop"]
How = Literal["same", "refines", "replaces"]


class Decision(Typed):
    """What one fact does. `fact`: the `ref` of a fact shown, None if its handle names none.

    `target`, `merged_into`: refs of memories shown, None if not given or unknown. `unknown`:
    handles that name nothing, or no memory where one was asked for (C8).
    """

    fact: str | None
    op: Verb
    target: str | None = None
    how: How | None = None
    text: str | None = None
    merged_into: str | None = None
    reason: str = ""
    unknown: tuple[str, ...] = ()


class Decisions(Typed):
    """Decisions, in the order of the reply; facts may be missing, or have several."""

    decisions: tuple[Decision, ...]


@dataclass(frozen=True)
class NewFact:
    """A fact as it is shown (`item.ref` names it in the answer), and its slot for rules."""

    item: Item
    attribute: str | None = None
    value: str | None = None
    subject: str = ""
    valid_from: str | None = None
    change: bool = False


@dataclass(frozen=True)
class KnownMemory:
    """A live memory as it is shown, and its slot and start for rules."""

    item: Item
    attribute: str | None = None
    value: str | None = None
    subject: str = ""
    valid_from: str | None = None


@dataclass(frozen=True)
class Reconcile:
    """Decide over `facts` (handles F1, F2, ...) against `memories` (handles M1, M2, ...).

    `near`: refs of memories whose cosine to a fact is at least the embedder's `related`, by the
    fact's ref: for rules. `single_valued`: attributes that hold one value at a time.
    """

    facts: tuple[NewFact, ...]
    memories: tuple[KnownMemory, ...]
    near: tuple[tuple[str, tuple[str, ...]], ...] = ()
    single_valued: frozenset[str] = frozenset()

    name: ClassVar[str] = "Reconcile"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "reconcile"

    def messages(self) -> list[dict[str, str]]:
        """The prompt."""
        raise NotImplementedError

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        raise NotImplementedError

    def parse(self, reply: Mapping[str, Any]) -> Decisions:
        """The decisions by ref; raises ValueError for a wrong form."""
        raise NotImplementedError

    def sources(self) -> tuple[str, ...]:
        """Ids of the memories, and of what the facts rest on."""
        facts = (fact.item for fact in self.facts)
        return sources_of((*facts, *(memory.item for memory in self.memories)))

    def guess(self) -> Decisions:
        """Everything is added."""
        raise NotImplementedError
