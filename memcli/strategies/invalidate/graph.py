"""The graph of one scope in the making: what is asked about each window, and what comes of it."""

from collections.abc import Generator, Iterable, Sequence
from typing import Any

from memcli.core.records import Record
from memcli.core.values import dataclass, replace
from memcli.kit.asking import Talk
from memcli.kit.bearing import Bearing
from memcli.kit.claims import Found, Vetting, redated, subject_of
from memcli.kit.conversing import (
    Listener,
    check_least,
    listened_to,
    shown,
    voices,
)
from memcli.kit.describing import Describing
from memcli.kit.edges import Edge, Edges, relation_name
from memcli.kit.entities import Known, Named, names_of, united
from memcli.kit.handles import Item, item_of
from memcli.kit.instructions import is_instruction
from memcli.kit.linking import Linker, Told, slot_of
from memcli.kit.overlay import Overlay, ref_of
from memcli.kit.selection import SELECTED
from memcli.kit.standing import Standing
from memcli.kit.windows import Window, as_context
from memcli.ports import Context, Task, View
from memcli.tasks.compare_claims import CompareClaims, Compared, Verdicts
from memcli.tasks.date_facts import DatedFacts, DateFacts
from memcli.tasks.extract_entities import Entities, ExtractEntities
from memcli.tasks.extract_facts import ExtractFacts, Facts
from memcli.tasks.match_entities import MatchEntities, Matches
from memcli.tasks.summarise import Summarise

NAME = "invalidate"


@dataclass(frozen=True)
class Params:
    """As on the page of the method."""

    previous: int = 10  # records shown before the window
    batch: int = 1  # records a window, up to 20
    entities: int = 15  # candidates for a name
    cosine: float = 0.6  # from which on a name is a candidate for another
    candidates: int = 10  # facts beside a new one, of each sort
    described: int = 2_000  # characters of fact lines from which on an entity is summed up
    summary: int = 1_000  # characters of that
    window_tokens: int = 3_000
    by_assistant: bool = False
    retry_failed: bool = False

    def __post_init__(self) -> None:
        check_least(self, previous=0, batch=1, entities=1, candidates=1, described=1, summary=1)
        check_least(self, window_tokens=1)
        if self.batch > 20:
            raise ValueError("batch is over 20")
        if not 0 <= self.cosine <= 1:
            raise ValueError("cosine is not between 0 and 1")

    @property
    def roles(self) -> frozenset[str]:
        """Whose words become facts."""
        return listened_to(self.by_assistant)


class Graph(Listener):
    """The plan of one scope."""

    def __init__(self, view: View, ctx: Context, params: Params) -> None:
        super().__init__(view, ctx, name=NAME, setting=ExtractFacts.setting, roles=params.roles)
        self.params = params
        self.said = list(shown(view.records(kinds=SELECTED)))
        self.places = {record.id: place for place, record in enumerate(self.said)}
        known = Overlay(view, ground=self.draft.ground)
        self.standing = Standing(known, params.roles, edges=True)
        self.known = Known(self.draft)
        self.edges = Edges(self.draft, self.known)
        self.touched: dict[str, None] = {}
        self.orders: dict[str, bool] = {}

    def run(self, episodes: Iterable[Window]) -> Talk:
        """Ask about each window in order; then sum entities up, and say what is settled."""
        for window in episodes:
            yield from self._window(window)
        describing = Describing(self.draft, self.ctx.made_by(Summarise.setting))
        for entity in self.touched:
            items = describing.lines(entity, self.params.described)
            if items:
                about = describing.name(entity)
                answer = yield Summarise("entity", items, about=about)
                describing.take(entity, answer, self.params.summary)
        records = (record for window in self.settled for record in window.records)
        self.consume(records, Standing(self.draft, self.roles, edges=True))

    # --- a window -------------------------------------------------------------------------------

    def _window(self, window: Window) -> Talk:
        records = self.heard(window)
        if not records:
            return
        before = self._before(window)
        items = tuple(map(item_of, records))
        context = tuple(map(as_context, before))
        found: Entities | None = yield from self.ask(
            window, ExtractEntities(items, context=context), self._window
        )
        if found is None:
            return
        strange = [
            (f"{handle} in {one.name!r}", "unknown-id")
            for one in found.entities
            for handle in one.unknown
        ]
        names = self._names(found, records)
        matched = yield from self._match(window, names, items)
        if matched is None:
            return
        told: Facts | None = Facts(facts=())
        if names:
            told = yield from self.ask(
                window, self._facts(items, context, records, names), self._window
            )
        if told is None:
            return
        vetting = Vetting(self.draft, records, self.roles, self.recalled)
        facts = vetting.all(told.facts)
        if self.by_rule:  # which say of a record that waits for a model what they said before
            facts = [one for one in facts if not self.standing.stands(one.refs, one.text)]
        edges, refused = _edges(facts, names)
        linker = self._linker(before, window)
        said = yield from self._compare(window, linker, edges)
        if said is None:
            return
        dated = yield from self._dated(window, linker, edges, items)
        if dated is None:
            return
        beside = [(item.item, item.reason) for item in vetting.rejected]
        for item, reason in (*strange, *matched, *beside, *refused, *said[1]):
            self.draft.reject(item, reason)
        for named in names:
            linker.name(named)
        linker.link(dated, said[0])
        self.touched.update(linker.touched)
        self.settled.append(window)

    def _before(self, window: Window) -> list[Record]:
        """What was said before the window in the scope, by anybody: history sees its past only."""
        first = min(self.places.get(ref, 0) for ref in window.ids)
        own = set(window.ids)
        found: list[Record] = []
        for place in range(first - 1, -1, -1):
            if len(found) >= self.params.previous:
                break
            record = self.said[place]
            if record.text.strip() and record.id not in own:
                found.append(record)
        return found[::-1]

    # --- entities -------------------------------------------------------------------------------

    def _names(self, found: Entities, records: Sequence[Record]) -> list[Named]:
        """Whom and what the window names, each once, with those who speak in it."""
        given = [Named(one.name, one.type, one.sources) for one in found.entities if one.sources]
        names = united(given)
        speakers = united(
            Named(record.speaker or "user", "person", (record.id,))
            for record in records
            if record.role in self.roles
        )
        keys = {one.key for one in names}
        if not self.by_rule:  # rules name who speaks where they draw something from it
            names += [one for one in speakers if one.key not in keys]
        for one in names:
            held = self.known.named(one.name)
            one.home = held[0].id if len(held) == 1 else None
        return names

    def _match(
        self, window: Window, names: Sequence[Named], items: tuple[Item, ...]
    ) -> Generator[Task[Any], Any, list[tuple[str, str]] | None]:
        """Ask about the names that rules leave open; what was refused, None where nothing came."""
        candidates = {
            f"name:{nth}": (one, self._candidates(one))
            for nth, one in enumerate(names, start=1)
            if one.home is None
        }
        asked = {ref: pair for ref, pair in candidates.items() if pair[1]}
        if not asked:
            return []
        shown_ = {item.ref: item for _, found in asked.values() for item in found}
        task = MatchEntities(
            tuple(Item(ref, one.name, roots=one.sources) for ref, (one, _) in asked.items()),
            tuple(shown_.values()),
            said=items,
        )
        answer: Matches | None = yield from self.ask(window, task, self._window)
        if answer is None:
            return None
        refused = []
        for match in answer.matches:
            one, found = asked.get(match.item, (None, []))
            refused += [(f"{handle} for {match.item}", "unknown-id") for handle in match.unknown]
            if one is None or match.same_as is None:
                continue
            if match.same_as in [item.ref for item in found]:
                one.home = match.same_as.partition("@")[0]
            else:
                refused.append((f"{match.same_as} for {one.name!r}", "unrelated"))
        return refused

    def _candidates(self, named: Named) -> list[Item]:
        if self.by_rule:
            return []
        found = self.known.like(
            named.name, self.ctx.embed, least=self.params.cosine, most=self.params.entities
        )
        return [
            Item(
                ref_of(one),
                " / ".join(names_of(one)),
                memory=True,
                roots=tuple(sorted(self.draft.closure(one.id))) if ref_of(one) == one.id else (),
            )
            for one in found
        ]

    # --- facts ----------------------------------------------------------------------------------

    def _facts(
        self,
        items: tuple[Item, ...],
        context: tuple[Item, ...],
        records: Sequence[Record],
        names: Sequence[Named],
    ) -> ExtractFacts:
        return ExtractFacts(
            items,
            context=context,
            speakers=voices(records, self.roles),
            attributes=tuple(sorted(self.ctx.single_valued)),
            entities=tuple(
                Item(f"name:{nth}", one.name, roots=one.sources)
                for nth, one in enumerate(names, start=1)
            ),
            repeats=True,
        )

    def _linker(self, before: Sequence[Record], window: Window) -> Linker:
        ctx = self.ctx
        wary = any(map(self._is_order, (*before, *window.records)))
        near = (ctx.related + ctx.near_duplicate) / 2
        bearing = Bearing(before, window.records, ctx.embed, near, ctx.single_valued)
        return Linker(
            self.draft,
            self.known,
            self.edges,
            self.places,
            ctx.single_valued,
            ctx.now,
            bearing if wary else None,
        )

    def _is_order(self, record: Record) -> bool:
        """Whether a record holds an order to its reader; each is read once."""
        if record.id not in self.orders:
            self.orders[record.id] = is_instruction(record.text)
        return self.orders[record.id]

    def _compare(
        self, window: Window, linker: Linker, edges: Sequence[Edge]
    ) -> Generator[Task[Any], Any, tuple[dict[str, Told], list[tuple[str, str]]] | None]:
        """What each edge is told to repeat or contradict, and what was refused."""
        asked: dict[str, list[str]] = {}
        others: dict[str, Compared] = {}
        fresh = [edge for edge in edges if linker.exact(edge) is None]
        for nth, edge in enumerate(fresh):
            others_here = [one for one in fresh[:nth] if self._may_contradict(edge, one)]
            claims = [self._claim(one, linker) for one in others_here]
            beside = self.edges.beside(edge) if self._is_open(edge) else []
            for found in (self.edges.between(edge), beside):
                claims += [_stored(self.draft, one) for one in found[: self.params.candidates]]
            if claims:
                asked[edge.ref] = [claim.item.ref for claim in claims]
                others.update((claim.item.ref, claim) for claim in claims)
        if not asked:
            return {}, []
        task = CompareClaims(
            tuple(self._claim(edge, linker) for edge in fresh if edge.ref in asked),
            tuple(others.values()),
            against=tuple((ref, tuple(refs)) for ref, refs in asked.items()),
            single_valued=self.ctx.single_valued,
        )
        answer: Verdicts | None = yield from self.ask(window, task, self._window)
        if answer is None:
            return None
        refused = [(handle, "unknown-id") for handle in answer.unknown]
        told: dict[str, Told] = {edge.ref: Told() for edge in fresh}
        by_ref = {edge.ref: edge for edge in fresh}
        for verdict in answer.verdicts:
            refused += [(f"{one} for {verdict.item}", "unknown-id") for one in verdict.unknown]
            told[verdict.item] = Told(
                list(verdict.same_as), list(verdict.contradicts), list(verdict.undecided)
            )
            if verdict.undecided and verdict.item in by_ref:
                self.undecided.update(by_ref[verdict.item].fact.refs)
        return told, refused

    def _may_contradict(self, edge: Edge, other: Edge) -> bool:
        return edge.may_contradict(other) if self._is_open(edge) else edge.joins_the_same(other)

    def _is_open(self, edge: Edge) -> bool:
        """Whether another of its relation may contradict it. Rules know that of slots only: that
        somebody likes two things is no question to them."""
        return not self.by_rule or edge.relation.lower() in self.ctx.single_valued

    def _claim(self, edge: Edge, linker: Linker) -> Compared:
        names = linker.canonical(edge.subject), linker.canonical(edge.object)
        slot = slot_of(edge, names, self.ctx.single_valued)
        fact = edge.fact
        item = Item(fact.ref, fact.text, speaker=fact.attributes.get("speaker"), roots=fact.refs)
        return Compared(
            item,
            attribute=slot.attribute if slot else None,
            value=slot.value if slot else None,
            subject=names[0],
            valid_from=fact.valid_from,
        )

    def _dated(
        self, window: Window, linker: Linker, edges: Sequence[Edge], items: tuple[Item, ...]
    ) -> Generator[Task[Any], Any, list[Edge] | None]:
        """The edges with the dates that the texts give; those that say when are not asked about."""
        undated = [edge for edge in edges if not edge.fact.dated and linker.exact(edge) is None]
        if not undated:
            return list(edges)
        days = {item.ref: item.day for item in items}
        task = DateFacts(
            tuple(
                Item(
                    edge.ref,
                    edge.fact.text,
                    day=next(filter(None, map(days.get, edge.fact.refs)), None),
                    roots=edge.fact.refs,
                )
                for edge in undated
            ),
            items,
        )
        answer: DatedFacts | None = yield from self.ask(window, task, self._window)
        if answer is None:
            return None
        dates = {one.item: one for one in answer.dates}
        return [
            replace(edge, fact=redated(edge.fact, found.valid_from, found.valid_to))
            if (found := dates.get(edge.ref)) is not None
            else edge
            for edge in edges
        ]


def _edges(
    facts: Sequence[Found], names: Sequence[Named]
) -> tuple[list[Edge], list[tuple[str, str]]]:
    """The facts that join two of the names, and those that do not, with the reason."""
    by_key = {one.key: one for one in names}
    edges, refused = [], []
    for fact in facts:
        ends = [by_key.get(Named(name).key) for name in (fact.subject, fact.object or "")]
        relation = relation_name(fact.relation or "")
        if ends[0] is None or ends[1] is None:
            refused.append((fact.text, "unknown-entity"))
        elif not relation:
            refused.append((fact.text, "no-relation"))
        else:
            edges.append(Edge(fact, ends[0], _relation(fact, relation, ends[1]), ends[1]))
    return edges, refused


def _relation(fact: Found, told: str, thing: Named) -> str:
    """The relation by the name of the slot that the fact sets to its object, if it sets one."""
    slot = fact.slot
    sets = slot is not None and Named(slot.value).key == thing.key
    return slot.attribute.upper() if slot is not None and sets else told


def _stored(view: View, memory: Any) -> Compared:
    item = item_of(
        memory, roots=sorted(view.closure(memory.id)) if ref_of(memory) == memory.id else ()
    )
    slot = memory.slot
    return Compared(
        item,
        attribute=slot.attribute if slot else None,
        value=slot.value if slot else None,
        subject=subject_of(memory),
        valid_from=memory.valid_from,
    )
