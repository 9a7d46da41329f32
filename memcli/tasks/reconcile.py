"""Reconcile: what new facts mean for the memories they are near to: add, update, delete, noop.

Source: the update step of Mem0 (arXiv:2504.19413), in our own words. Only memories that are named
are answered for; nothing has to be restated.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from memcli.core.values import dataclass
from memcli.kit.handles import Handles, dialogue, sources_of
from memcli.tasks._cited import Nullable, once
from memcli.tasks._forms import Handle, Prose, Reply, Typed, bounded, read
from memcli.tasks._shown import ShownClaim

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
class NewFact(ShownClaim):
    """A fact as it is shown, and its slot for rules."""

    change: bool = False


class KnownMemory(ShownClaim):
    """A live memory as it is shown, and its slot and start for rules."""


class _Given(Nullable):
    fact: Handle
    op: Verb
    target: Handle | None
    how: How | None
    text: Prose | None
    merged_into: Handle | None
    reason: Prose


class _Reply(Reply):
    decisions: list[_Given] = Field(max_length=200)


_TASK = "You keep what is remembered consistent when something new is learnt."
_QUESTION = """Decide for every F line what it means for the M lines. The date beside a line says since when it holds or when it was said; the order of the lines says nothing.
- add: no memory says this. Also when you are not sure.
- noop: the target says it already, whole; "how" is "same".
- update, "how" is "refines": the same claim as the target, and more of it. "text" is one sentence that says all that both say.
- update, "how" is "replaces": the target was true, and since the date of the F line something else is. "text" is the F line's claim as one sentence. An F line that is older than the target does not replace it.
- delete: the F line shows that the target is wrong or over, and gives nothing in its place. To join two memories that say the same, delete one and name the other in "merged_into".
A target is always an M id. Memories on other matters or about somebody else stay as they are: name only those that change. In "text" keep the language of the lines, name whom it is about, write dates in full, and bring in no number or name that the lines do not hold. "reason": a few words.
Form: {"decisions": [{"fact": "<F id>", "op": "add|update|delete|noop", "target": "<M id>" or null, "how": "same|refines|replaces" or null, "text": "..." or null, "merged_into": "<M id>" or null, "reason": "..."}]}, at least one entry for each F line."""

# What `how` may say beside an operation; with the others it has no meaning and is left out.
_HOWS: Mapping[Verb, tuple[How | None, ...]] = {
    "update": ("refines", "replaces", None),
    "noop": ("same", None),
}


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
        new = Handles(tuple(fact.dated() for fact in self.facts), "F")
        old = Handles(tuple(memory.dated() for memory in self.memories), "M")
        blocks = ["Remembered:\n" + old.shown(), "New:\n" + new.shown()]
        return dialogue(_TASK, blocks, _QUESTION)

    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        facts = [f"F{number}" for number in range(1, len(self.facts) + 1)]
        memories = [f"M{number}" for number in range(1, len(self.memories) + 1)]
        return bounded(_Reply, fact=facts, target=memories, merged_into=memories)

    def parse(self, reply: Mapping[str, Any]) -> Decisions:
        """The decisions by ref; raises ValueError for a wrong form or a `how` that contradicts."""
        given = read(_Reply, reply).decisions
        facts = Handles(tuple(fact.item for fact in self.facts), "F")
        memories = Handles(tuple(memory.item for memory in self.memories), "M")
        return Decisions(
            decisions=tuple(
                _decision(number, one, facts, memories) for number, one in enumerate(given, start=1)
            )
        )

    def sources(self) -> tuple[str, ...]:
        """Ids of the memories, and of what the facts rest on."""
        facts = (fact.item for fact in self.facts)
        return sources_of((*facts, *(memory.item for memory in self.memories)))

    def guess(self) -> Decisions:
        """Everything is added."""
        reason = "None of the memories says this."
        return Decisions(
            decisions=tuple(
                Decision(fact=fact.item.ref, op="add", reason=reason) for fact in self.facts
            )
        )


def _decision(number: int, one: _Given, facts: Handles, memories: Handles) -> Decision:
    how = one.how
    if one.op not in _HOWS:
        how = None
    elif how not in _HOWS[one.op]:
        raise ValueError(f"decision {number}: {one.op} cannot be {how}")
    fact, no_fact = facts.resolve([one.fact])
    target, no_target = memories.resolve(_asked(one.target))
    into, no_into = memories.resolve(_asked(one.merged_into))
    return Decision(
        fact=fact[0] if fact else None,
        op=one.op,
        target=target[0] if target else None,
        how=how,
        text=one.text or None,
        merged_into=into[0] if into else None,
        reason=one.reason,
        unknown=once((*no_fact, *no_target, *no_into)),
    )


def _asked(handle: str | None) -> list[str]:
    return [handle] if handle and handle.strip() else []
