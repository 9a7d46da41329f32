"""A plan as it is checked: what of it is sound so far, and what that makes of its view."""

from functools import cached_property

from memcli.core import ids
from memcli.core.memories import Memory, Slot
from memcli.core.plan import Add, Cite, Operation, Rejection
from memcli.core.records import Record, Scope
from memcli.core.values import dataclass, field
from memcli.kit.nearkey import near_key
from memcli.store.canonical import canonical, sha256
from memcli.store.view import StoreView


class ItemRefusedError(Exception):
    """One item is refused; the message is the reason's stable word."""


@dataclass(slots=True)
class Checked:
    """The sound part of a plan, in order, and what was refused."""

    ops: list[Operation] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    uids: dict[str, str] = field(default_factory=dict)
    consumed: list[str] = field(default_factory=list)
    scope: Scope = Scope()


class SoFar:
    """The view of a plan with what was checked of it laid over; everything raises ItemRefusedError.

    `taken` are memories that the plan changes, each once (C9); `evidence`: memory -> what it rests
    on now, where that changes; `revised`: memory -> how it stands, where it has a new version.
    """

    def __init__(self, view: StoreView, strategy: str) -> None:
        self.view = view
        self.strategy = strategy
        self.scope = view.scope or Scope()
        self.out = Checked(scope=self.scope)
        self.drafts: dict[str, Add] = {}
        self.refused: set[str] = set()
        self.taken: set[str] = set()
        self.rated: set[tuple[str, str]] = set()
        self.evidence: dict[str, set[str]] = {}
        self.retired: set[str] = set()
        self.survivors: set[str] = set()
        self.revised: dict[str, Memory] = {}
        self.live_uids = {memory.uid for memory in view.memories()}

    def held(self, ref: str) -> Record | Memory | Add:
        """What an id names: of a memory how the plan leaves it, of a draft its operation."""
        if ids.is_draft(ref):
            if ref in self.drafts:
                return self.drafts[ref]
            raise ItemRefusedError("requires-rejected" if ref in self.refused else "unknown-id")
        # `m1@1` is the version that was shown; `m1`, once the plan revised it, the new one.
        found = self.revised.get(ref) or self.view.get(ref)
        if found is None:
            raise ItemRefusedError("unknown-id")
        if ids.memory_of(ref) in self.retired:
            raise ItemRefusedError("not-held")
        return found

    def memory(self, ref: str) -> Memory:
        """A memory that the store has: what an operation may change."""
        found = self.held(ref)
        if isinstance(found, Memory):
            return found
        # What a plan adds, it says once and well: a draft is no target (C9).
        raise ItemRefusedError("unknown-id" if isinstance(found, Record) else "target-taken")

    def memory_or_draft(self, ref: str) -> Memory | Add:
        """A memory, or what the plan makes one."""
        found = self.held(ref)
        if isinstance(found, Record):
            raise ItemRefusedError("unknown-id")
        return found

    def take_target(self, ref: str) -> None:
        """Note that an operation changes this memory: no other one may (C9)."""
        memory = ids.memory_of(ref)
        if memory in self.taken or memory in self.survivors:
            raise ItemRefusedError("target-taken")
        self.taken.add(memory)

    def rests_on(self, memory: Memory) -> set[str]:
        """What a memory cites as evidence, with the plan so far."""
        refs = {found.ref for found in memory.evidence}
        return self.evidence.setdefault(memory.id, refs)

    def still_held(self, memory: Memory) -> tuple[Cite, ...]:
        """Its evidence, without what is not held any more: that is stale, not unknown."""
        held = (found.ref for found in memory.evidence if self.view.get(found.ref) is not None)
        return tuple(Cite(ref) for ref in held)

    @cached_property
    def superseded(self) -> dict[tuple[str, str], list[Memory]]:
        """By kind and near key, what this strategy made and is superseded."""
        found: dict[tuple[str, str], list[Memory]] = {}
        for memory in self.view.memories(strategy=self.strategy):
            if memory.superseded:
                found.setdefault((memory.kind, near_key(memory.text)), []).append(memory)
        return found

    def uid_of(self, ref: str) -> str:
        """The uid of an item or a draft, in hex."""
        if ids.is_draft(ref):
            return self.out.uids[ref]
        found = self.held(ref)
        assert not isinstance(found, Add)
        return found.uid

    def uid(self, op: Add) -> str:
        """The uid that a new memory will have: of its wording, its slot and its first source."""
        slot = None if op.slot is None else key_of(op.slot)
        first = self.uid_of(op.evidence[0].ref)
        parts = ["memory", 1, op.kind, self.scope.as_dict(), self.strategy, slot, op.text, first]
        return sha256(canonical(parts).encode()).hex()


def key_of(slot: Slot) -> tuple[str, str, str]:
    """(subject, attribute, value)."""
    return slot.subject, slot.attribute, slot.value
