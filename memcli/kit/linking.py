"""What becomes of new edges beside the known ones: one more source, a new fact, an end by dates.

A backend may say that two facts contradict each other; the dates alone say which of them ends
(kit.intervals).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from memcli.core import ids
from memcli.core.memories import Memory, Slot
from memcli.core.records import Record
from memcli.core.values import dataclass, field, replace
from memcli.kit.bearing import Bearing
from memcli.kit.claims import Found, kept
from memcli.kit.comparing import contrast, says_more
from memcli.kit.draft import Draft
from memcli.kit.edges import Edge, Edges
from memcli.kit.entities import KIND as ENTITY
from memcli.kit.entities import Known, Named, names_of, normal_name
from memcli.kit.guard import differences
from memcli.kit.intervals import Ended, Span, compared, ended
from memcli.kit.moments import later
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import ref_of


@dataclass
class Told:
    """What a backend said of one edge: refs of known facts, or of other new ones. `undecided`: what
    rules could not tell of."""

    same_as: list[str] = field(default_factory=list)
    contradicts: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)


@dataclass
class Linker:
    """Puts what a window names and tells into a draft.

    `places`: record -> its place in the sequence. `bearing`: what was shown, where that held an
    order to its reader (then only a slot that a record sets ends anything), else None. `now`: the
    end of what is over where nothing has a date.
    """

    draft: Draft
    known: Known
    edges: Edges
    places: Mapping[str, int]
    single_valued: frozenset[str]
    now: str
    bearing: Bearing | None = None
    touched: dict[str, None] = field(default_factory=dict)  # entities with a new fact, or one less
    coming: set[str] = field(default_factory=set)  # refs of new edges that have no place yet

    # --- entities -------------------------------------------------------------------------------

    def name(self, named: Named) -> None:
        """Find it a place: the entity that it is gets the records, a new one is added."""
        if named.home is None:
            # Two windows of the same pass, or two names of this one, may be one by now.
            held = self.known.named(named.name)
            named.home = held[0].id if len(held) == 1 else None
        if named.home is None:
            attributes = {"name": named.name, "type": named.type, "aliases": []}
            named.home = self.draft.add(
                ENTITY, named.name, evidence=named.sources, attributes=attributes
            )
        else:
            for record in named.sources:
                self.draft.link(self._ref(named.home), record, "evidence", reason="named again")
            self._call(named.home, named.name)
        held_now = self.draft.get(named.home)
        if isinstance(held_now, Memory):
            self.known.add(held_now)

    def _call(self, home: str, name: str) -> None:
        entity = self.draft.get(home)
        if not isinstance(entity, Memory):
            return
        called = names_of(entity)
        if normal_name(name) not in map(normal_name, called):
            attributes = {**entity.attributes, "aliases": [*called[1:], name]}
            self.draft.revise(self._ref(home), attributes=attributes, reason=f"called {name}")

    def canonical(self, named: Named) -> str:
        """What its entity is called."""
        entity = self.draft.get(named.home or "")
        return names_of(entity)[0] if isinstance(entity, Memory) else named.name

    # --- facts ----------------------------------------------------------------------------------

    def link(self, edges: Iterable[Edge], told: Mapping[str, Told]) -> None:
        """Store the edges, in order of world time; `told` by ref of the edge."""
        homes: dict[str, str] = {}
        same = _both_ways({ref: one.same_as for ref, one in told.items()})
        against = _both_ways({ref: one.contradicts for ref, one in told.items()})
        open_ = _both_ways({ref: one.undecided for ref, one in told.items()})
        ordered = sorted(edges, key=self._order)
        self.coming = {edge.ref for edge in ordered}
        for edge in ordered:
            home = self._same(edge, [homes.get(ref, ref) for ref in same[edge.ref]])
            if home is None:
                home = self._add(edge)
                self._end(edge, home, [homes.get(ref, ref) for ref in against[edge.ref]])
                self._review(edge, home, [homes.get(ref, ref) for ref in open_[edge.ref]])
            homes[edge.ref] = home
            self.coming.discard(edge.ref)

    def _order(self, edge: Edge) -> tuple[str, int]:
        return edge.fact.valid_from or "", self._place(edge.fact.refs)

    def exact(self, edge: Edge) -> Memory | None:
        """The fact that says just this between the same two, if one does."""
        key = near_key(edge.fact.text)
        for memory in self.edges.between(edge):
            if key and near_key(memory.text) == key and self._may_be_one(edge.fact, memory):
                return memory
        return None

    def _same(self, edge: Edge, told: Sequence[str]) -> str | None:
        """The fact that the edge is one more source of, by its words or as it was told."""
        same = self.exact(edge)
        between = {one.id: one for one in self.edges.between(edge)}
        for ref in told:
            if ref in self.coming:
                continue  # it is looked at when it comes
            memory = between.get(ids.memory_of(ref))
            if memory is None:
                self._reject(edge, ref, "unrelated")
            elif same is None:  # the first that it may be
                if self._joins(edge.fact, memory):
                    same = memory
                else:
                    self._reject(edge, ref, "guard")
        if same is None:
            return None
        for cite in edge.fact.cites:
            self.draft.link(
                ref_of(same), cite.ref, "evidence", quotes=cite.quotes, reason="the same again"
            )
        return same.id

    def _joins(self, fact: Found, memory: Memory) -> bool:
        # Of what is over the interval differs, and says nothing against it.
        open_ = replace(memory, valid_to=None)
        return (
            not fact.doubtful
            and not fact.ordered
            and not says_more(replace(fact, valid_to=None), open_)
            and self._within(fact, memory)
        )

    def _may_be_one(self, fact: Found, memory: Memory) -> bool:
        apart = {*differences(*fact.claims_beside(memory))} - {"interval"}
        return not fact.doubtful and not apart and self._within(fact, memory)

    def _within(self, fact: Found, memory: Memory) -> bool:
        """Whether the fact began before the memory was over: what comes after is so once more."""
        if memory.valid_to is None or fact.valid_from is None:
            return True
        return compared(fact.valid_from, memory.valid_to) < 0

    def _add(self, edge: Edge) -> str:
        fact, subject, thing = edge.fact, edge.subject.home, edge.object.home
        assert subject is not None
        assert thing is not None
        needs = [ident for ident in dict.fromkeys((subject, thing)) if ids.is_draft(ident)]
        names = self.canonical(edge.subject), self.canonical(edge.object)
        home = kept(
            self.draft,
            replace(fact, slot=slot_of(edge, names, self.single_valued)),
            attributes=_attributes(edge, names),
            requires=needs,
        )
        for end in dict.fromkeys((subject, thing)):
            self.draft.link(home, self._ref(end), "related", requires=[home])
            self.touched[end] = None
        self.edges.add(home, subject, thing, edge.relation)
        return home

    def _review(self, edge: Edge, home: str, refs: Sequence[str]) -> None:
        """Link the nearest of what nobody has decided about, for somebody to look at."""
        for ref in refs:
            memory = self.draft.get(ids.memory_of(ref))
            if ref not in self.coming and isinstance(memory, Memory) and not memory.superseded:
                rivals = memory.slot is not None and edge.relation.lower() == memory.slot.attribute
                role = "conflict" if rivals else contrast(edge.fact.text, memory.text)
                self.draft.link(home, ref_of(memory), role, requires=[home])
                return

    # --- contradictions -------------------------------------------------------------------------

    def _end(self, edge: Edge, home: str, against: Sequence[str]) -> None:
        """Let the dates say which of the edge and each of these ends, and when."""
        near = (*self.edges.between(edge), *self.edges.beside(edge))
        related = {one.id: one for one in near if one.id != home}
        olds = []
        for ref in dict.fromkeys(against):
            if ref in self.coming:
                continue
            memory = related.get(ids.memory_of(ref))
            reason = "unrelated" if memory is None else self._why_not(edge, memory)
            if reason or memory is None:
                self._reject(edge, ref, reason or "unrelated")
            else:
                olds.append(memory)
        new = Span(edge.fact.valid_from, edge.fact.valid_to, None, self._place(edge.fact.refs))
        for old in sorted(olds, key=lambda one: (one.valid_from or "", one.id)):
            new = self._settle(home, old, new, edge)

    def _why_not(self, edge: Edge, memory: Memory) -> str | None:
        if edge.fact.ordered:
            return "instruction"
        if self.bearing is None:
            return None
        names = self.canonical(edge.subject), self.canonical(edge.object)
        fact = replace(edge.fact, slot=slot_of(edge, names, self.single_valued))
        return None if self.bearing.sets(fact, memory) else "instruction"

    def _settle(self, home: str, old: Memory, new: Span, edge: Edge) -> Span:
        result = ended(self._span(old), new)
        if result.over == "old":
            self._supersede(old.id, result.old_end, home, result, [home])
        if result.over == "new":
            self._supersede(home, result.new_end, old.id, result, [home])
            new = replace(new, end=result.new_end)
        if result.open_gap:
            self.draft.warn(f"open-gap: nothing is known after {new.end} of {edge.fact.text!r}")
        self.touched.update(dict.fromkeys(filter(None, (edge.subject.home, edge.object.home))))
        return new

    def _supersede(
        self, ident: str, end: str | None, by: str, result: Ended, requires: Sequence[str]
    ) -> None:
        held = self.draft.get(ident)
        assert isinstance(held, Memory)
        at = later(end or self.now, held.valid_from)
        needs = [one for one in dict.fromkeys((*requires, by)) if ids.is_draft(one)]
        done = self.draft.supersede(
            self._ref(ident),
            at,
            by=self._ref(by),
            reason=result.reason,
            requires=needs,
            instead=True,
        )
        if done is not None:
            both = [one for one in (ident, by) if ids.is_draft(one)]
            self.draft.link(
                self._ref(by), self._ref(ident), "replaces", reason=result.reason, requires=both
            )

    def _span(self, memory: Memory) -> Span:
        records = self.draft.closure(memory.id)
        found = (self.draft.get(ref) for ref in records)
        said = [one.said_at for one in found if isinstance(one, Record) and one.said_at]
        first = min(said, default=None)
        return Span(memory.valid_from, memory.valid_to, first, self._place(records))

    def _place(self, records: Iterable[str]) -> int:
        return max((self.places.get(ref, -1) for ref in records), default=-1)

    def _ref(self, ident: str) -> str:
        held = self.draft.get(ident)
        return ident if held is None else ref_of(held)

    def _reject(self, edge: Edge, ref: str, reason: str) -> None:
        self.draft.reject(f"{ids.memory_of(ref)} for {edge.fact.text!r}", reason)


def slot_of(edge: Edge, names: tuple[str, str], single_valued: frozenset[str]) -> Slot | None:
    """The slot that an edge sets, where its relation holds one value at a time."""
    attribute = edge.relation.lower()
    return Slot(names[0], attribute, names[1]) if attribute in single_valued else None


def _attributes(edge: Edge, names: tuple[str, str]) -> dict[str, object]:
    subject, thing = names
    return {**edge.fact.attributes, "subject": subject, "relation": edge.relation, "object": thing}


def _both_ways(told: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What each was told to have to do with; of two new ones each names the other."""
    found: dict[str, list[str]] = defaultdict(list)
    for ref, others in told.items():
        for other in others:
            found[ref].append(other)
            if other in told:
                found[other].append(ref)
    return found
