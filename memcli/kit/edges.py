"""Facts as edges between entities: which of them a new one may repeat or contradict.

Only facts of the same two entities, or with the same relation and the same entity at the same end,
can say the same or contradict each other; in a search of the whole graph unrelated ones ended
(getzep/graphiti#1728).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from memcli.core.memories import Memory
from memcli.core.values import dataclass
from memcli.kit.claims import KIND, Found, subject_of
from memcli.kit.entities import KIND as ENTITY
from memcli.kit.entities import Known, Named
from memcli.kit.overlay import Overlay
from memcli.kit.shelf import related
from memcli.ports import View

_WORDS = re.compile(r"[^\W_]+")


def relation_name(told: str) -> str:
    """A relation as it is stored: capitals joined by underscores."""
    return "_".join(_WORDS.findall(told)).upper()


@dataclass
class Edge:
    """A new fact between two that the window names."""

    fact: Found
    subject: Named
    relation: str
    object: Named

    @property
    def ref(self) -> str:
        """How the fact is named while it is decided about."""
        return self.fact.ref

    @property
    def ends(self) -> tuple[str, str]:
        """Its two ends: ids of stored entities, names of new ones."""
        return _end(self.subject), _end(self.object)

    def joins_the_same(self, other: "Edge") -> bool:
        """Whether both are between the same two, in either direction."""
        return set(self.ends) == set(other.ends)

    def may_contradict(self, other: "Edge") -> bool:
        """Whether the two have to do with each other, by their ends."""
        if self.joins_the_same(other):
            return True
        pairs = zip(self.ends, other.ends, strict=True)
        return self.relation == other.relation and any(one == two for one, two in pairs)


def _end(named: Named) -> str:
    return named.home or f"name:{named.key}"


class Edges:
    """The facts of a draft that are edges, by what they join. Those that are over count too."""

    def __init__(self, view: Overlay, known: Known) -> None:
        self._view = view
        self._by_pair: dict[frozenset[str], list[str]] = defaultdict(list)
        self._by_place: dict[tuple[int, str, str], list[str]] = defaultdict(list)
        for memory in view.memories(kind=KIND):
            found = _stored(memory, known)
            if found is not None:
                self.add(memory.id, *found)

    def add(self, ident: str, subject: str, object: str, relation: str) -> None:
        """A fact of the draft, between these entities."""
        self._by_pair[frozenset({subject, object})].append(ident)
        for place, end in enumerate((subject, object)):
            self._by_place[place, end, relation].append(ident)

    def between(self, edge: Edge) -> list[Memory]:
        """Those between the same two entities, in either direction; the newest first."""
        return self._held(self._by_pair.get(frozenset(edge.ends), ()))

    def beside(self, edge: Edge) -> list[Memory]:
        """Those of the same relation that share the entity at one end; the newest first."""
        idents = [
            ident
            for place, end in enumerate(edge.ends)
            for ident in self._by_place.get((place, end, edge.relation), ())
        ]
        same = set(self._by_pair.get(frozenset(edge.ends), ()))
        return self._held(ident for ident in dict.fromkeys(idents) if ident not in same)

    def _held(self, idents: Iterable[str]) -> list[Memory]:
        """What is still held, those that stand before those that are over."""
        held = (self._view.get(ident) for ident in idents)
        found = [one for one in held if isinstance(one, Memory) and one.status == "active"]
        found.reverse()
        return sorted(found, key=lambda one: one.superseded)


def is_edge(view: View, memory: Memory) -> bool:
    """Whether a fact joins entities. One of another method does, that took in an edge: its links
    were moved, and it has no relation of its own."""
    return bool(memory.attributes.get("relation")) or any(
        isinstance(one := view.get(ident), Memory) and one.kind == ENTITY
        for ident in _related(memory)
    )


def _stored(memory: Memory, known: Known) -> tuple[str, str, str] | None:
    """(subject, object, relation) of a stored fact, the ends by id of the entity.

    None if it is no edge, or an entity is gone. Of a fact that took in an edge the relation is that
    of its slot; without a slot it is "", and only what joins the same two is compared with it.
    """
    linked = _related(memory)
    relation, thing = memory.attributes.get("relation"), memory.attributes.get("object")
    if memory.slot is not None and not relation:
        relation, thing = memory.slot.attribute.upper(), memory.slot.value
    if isinstance(relation, str) and isinstance(thing, str):
        ends = [
            next((one.id for one in known.named(name) if one.id in linked), None)
            for name in (subject_of(memory), thing)
        ]
    else:
        relation, ends = "", [ident for ident in linked if known.has(ident)]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return ends[0], ends[1], relation


def _related(memory: Memory) -> list[str]:
    return list(related(memory))


def fact_lines(view: Overlay, entity: str) -> Sequence[Memory]:
    """The facts that stand and are linked to an entity, oldest first."""
    return [
        memory
        for memory in view.having(related, entity)
        if memory.kind == KIND and not memory.superseded and memory.status == "active"
    ]
