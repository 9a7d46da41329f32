"""What the rules have settled of a record, and what they could still do with it (rule C26).

Without a model a record is settled only if all that it states stands verbatim in memories, and
nothing about these waits for a decision. The rest is left for a model.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property

from memcli.core.ids import memory_of
from memcli.core.memories import Memory
from memcli.core.plan import Cite
from memcli.core.records import Record
from memcli.kit.claims import KIND
from memcli.kit.edges import is_edge
from memcli.kit.facts import facts
from memcli.kit.instructions import is_instruction
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import Overlay
from memcli.kit.recalled import Recalled
from memcli.kit.relations import triple
from memcli.kit.retracting import Back, taken_back
from memcli.kit.sentences import statements
from memcli.kit.shelf import sources
from memcli.ports import View

RULES = "extractive"
_REVIEW = ("conflict", "duplicate")


class Standing:
    """Looks up the facts of a view. `roles`: whose words become facts.

    `kind`: of the memories that facts become. `slotted`: only what sets a slot becomes one;
    `edges`: only what joins two things, and facts that do not count for nothing.
    """

    def __init__(
        self,
        view: View,
        roles: frozenset[str],
        *,
        kind: str = KIND,
        slotted: bool = False,
        edges: bool = False,
    ) -> None:
        self._view = view if isinstance(view, Overlay) else Overlay(view)
        self._roles = roles
        self._kind = kind
        self._slotted = slotted
        self._edges = edges
        self._back: dict[str, dict[str, Back]] = {}  # by session, what was taken back in it

    @cached_property
    def _recalled(self) -> Recalled:
        return Recalled(self._view)

    def _standing(self, ref: str, key: str) -> list[Memory]:
        """The facts that stand for the words of this near key, quoted from this record."""
        return [
            memory
            for memory in self._view.having(sources, ref)
            if memory.kind == self._kind
            and any(
                evidence.ref == ref
                and any(near_key(quote.text) == key for quote in evidence.quotes)
                for evidence in memory.evidence
            )
            and not (self._edges and not is_edge(self._view, memory))
        ]

    def is_settled(self, record: Record) -> bool:
        """Whether nothing of the record is left for a model."""
        if not record.text.strip():
            return True
        stated = statements(record.text)
        return bool(stated) and all(self._is_settled(record, one.text) for one in stated)

    def stands(self, refs: Iterable[str], text: str) -> bool:
        """Whether these words of each of these records stand in a fact already, or were taken back:
        then rules draw nothing from them."""
        key = near_key(text)
        return all(bool(self._standing(ref, key)) or self._is_back(ref, key) for ref in refs)

    def _is_back(self, ref: str, key: str) -> bool:
        """Whether who said this took it back in his or her next record of the session."""
        record = self._view.get(ref)
        if not isinstance(record, Record):
            return False
        if record.session not in self._back:
            self._back[record.session] = taken_back(self._view.records(session=record.session))
        back = self._back[record.session].get(ref)
        last = statements(record.text)[-1:] if back == "last" else ()
        return back == "all" or any(near_key(one.text) == key for one in last)

    def told(self, cites: Sequence[Cite], strategy: str) -> bool:
        """Whether a model's fact of this strategy rests on just these words already.

        So it is where a former pass settled the facts of a record, but not all else about it.
        """
        wanted = {cite.ref: set(cite.quotes) for cite in cites}
        return bool(wanted) and any(
            memory.kind == self._kind
            and memory.made_by != RULES
            and memory.strategy == strategy
            and _rests_on(memory, wanted)
            and not self._waits(memory)
            for memory in self._view.having(sources, next(iter(wanted)))
        )

    def has_new(self, record: Record) -> bool:
        """Whether the rules would draw something from the record that does not stand yet."""
        return record.role in self._roles and any(
            not (self._slotted and one.slot is None)
            and not (self._edges and triple(one) is None)
            and not self._known(record, one.text)
            and not self._is_back(record.id, near_key(one.text))
            and not is_instruction(one.text)
            and not self._recalled.repeats(record, one.text)
            for one in facts(record.text)
        )

    def _is_settled(self, record: Record, text: str) -> bool:
        held = self._standing(record.id, near_key(text))
        if not held:
            return self._tombstoned(record, text)
        return not any(map(self._waits, held))

    def _known(self, record: Record, text: str) -> bool:
        return bool(self._standing(record.id, near_key(text))) or self._tombstoned(record, text)

    def _tombstoned(self, record: Record, text: str) -> bool:
        return self._view.tombstoned(self._kind, near_key(text), [record.id])

    def _waits(self, memory: Memory) -> bool:
        """Whether it was linked for review to one that still stands beside it."""
        if memory.superseded or memory.status != "active":
            return False
        others = (
            self._view.get(memory_of(link.ref)) for link in memory.links if link.role in _REVIEW
        )
        return any(isinstance(one, Memory) and not one.superseded for one in others)


def _rests_on(memory: Memory, wanted: Mapping[str, Set[str]]) -> bool:
    """Whether the memory cites all these records with all these words of them."""
    held = {one.ref: {quote.text for quote in one.quotes} for one in memory.evidence}
    return all(quotes <= held.get(ref, set()) and ref in held for ref, quotes in wanted.items())
