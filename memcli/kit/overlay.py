"""A view with operations laid over it: what the store would look like if they were applied.

Drafts show as memories with their draft ids (`new:1`). A revised memory keeps its version number,
for that is how the rest of the plan cites it (`m4@2`); the engine means its newest text by that.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain

from memcli.core import ids
from memcli.core.memories import Evidence, LinkEnd, Memory, Quote
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Operation,
    Rate,
    Retire,
    Revise,
    Supersede,
    Unlink,
)
from memcli.core.records import Record
from memcli.core.reports import SearchHit
from memcli.core.values import replace
from memcli.kit.closest import Closest
from memcli.kit.closest import Embed as Embed
from memcli.kit.graph import reached
from memcli.kit.ground import Ground
from memcli.kit.shelf import Keys, Shelf, kinds, stems
from memcli.kit.stem import stem
from memcli.kit.words import STOP_WORDS, words
from memcli.ports import View


def ref_of(item: Record | Memory) -> str:
    """The id by which a plan cites `item`: `r1`, `m4@2`, or a draft id."""
    return item.id if ids.is_draft(item.id) else item.ref


class _Cited:
    """What may be cited: what the plan takes away goes on resting on what it rested on."""

    def __init__(self, overlay: "Overlay") -> None:
        self._overlay = overlay

    def get(self, ref: str) -> Record | Memory | None:
        return self._overlay.get(ref) or self._overlay.base.get(ref)


class Overlay:
    """A View: `base` with operations laid over it, one after the other.

    `ground`: what `base` holds, where other plans are laid over it too.
    """

    def __init__(
        self,
        base: View,
        *,
        strategy: str = "",
        embed: Embed | None = None,
        ground: Ground | None = None,
    ) -> None:
        self.base = base
        self.ground = ground or Ground(base)
        self.embed = embed
        self.point = base.point
        self.strategy = strategy
        self.clear()

    def clear(self) -> None:
        """Take all operations off again."""
        self._laid = Shelf()  # memories that were added or changed
        self._turn = 0
        self._closest: Closest | None = None
        self._records: dict[str, Record] = {}  # rated, by id
        self._raters: dict[tuple[str, str], str] = {}  # by id and name of the rating
        self._gone: set[str] = set()
        self._consumed: set[str] = set()

    # --- laying ---------------------------------------------------------------------------------

    def lay(self, op: Operation, turn: int | None = None) -> None:
        """Lay one operation over the view; raises KeyError if what it changes is not here.

        `turn`: its place among the operations; None: behind all that were laid.
        """
        self._turn = self._turn + 1 if turn is None else turn
        if isinstance(op, Add):
            self._set(self._added(op))
        elif isinstance(op, Revise):
            self._set(self._revised(self._memory(op.target), op))
        elif isinstance(op, Supersede):
            memory = self._memory(op.target)
            by = None if op.by is None else ids.memory_of(op.by)
            self._set(replace(memory, valid_to=op.valid_to, superseded_by=by))
        elif isinstance(op, Retire):
            self._retire(op)
        elif isinstance(op, Link):
            self._link(op)
        elif isinstance(op, Unlink):
            self._unlink(op)
        else:
            self._rate(op)

    def lay_consumed(self, records: Iterable[str]) -> None:
        """Show these records as settled."""
        self._consumed.update(records)

    def _set(self, memory: Memory) -> None:
        self._laid.put(memory, self._turn)

    def _memory(self, ref: str) -> Memory:
        found = self.get(ids.memory_of(ref))
        if not isinstance(found, Memory):
            raise KeyError(ref)
        return found

    def _added(self, op: Add) -> Memory:
        return Memory(
            id=op.id,
            version=1,
            uid=op.id,
            kind=op.kind,
            text=op.text,
            strategy=self.strategy,
            pass_id="",
            scope=op.scope,
            attributes=op.attributes,
            slot=op.slot,
            made_by=op.made_by,
            valid_from=op.valid_from,
            valid_to=op.valid_to,
            evidence=self._evidence(op.evidence),
        )

    def _revised(self, memory: Memory, op: Revise) -> Memory:
        former = () if op.replace_evidence else memory.evidence
        return replace(
            memory,
            text=memory.text if op.text is None else op.text,
            attributes=memory.attributes if op.attributes is None else op.attributes,
            slot=op.slot or memory.slot,
            valid_from=op.valid_from or memory.valid_from,
            made_by=op.made_by,
            evidence=_joined((*former, *self._evidence(op.evidence))),
        )

    def _retire(self, op: Retire) -> None:
        memory = self._memory(op.target)
        if op.merged_into is not None:
            survivor = self._memory(op.merged_into)
            moved = (found for found in memory.evidence if ids.memory_of(found.ref) != survivor.id)
            self._set(replace(survivor, evidence=_joined((*survivor.evidence, *moved))))
        self._laid.drop(memory.id)
        self._gone.add(memory.id)

    def _link(self, op: Link) -> None:
        memory = self._memory(op.source)
        if op.role == "evidence":
            found = self._evidence([Cite(op.target, op.quotes)])
            self._set(replace(memory, evidence=_joined((*memory.evidence, *found))))
            return
        links = dict.fromkeys((*memory.links, LinkEnd(op.target, op.role)))
        self._set(replace(memory, links=tuple(links)))

    def _unlink(self, op: Unlink) -> None:
        memory = self._memory(op.source)
        target = ids.memory_of(op.target)
        if op.role == "evidence":
            kept = tuple(e for e in memory.evidence if ids.memory_of(e.ref) != target)
            self._set(replace(memory, evidence=kept))
            return
        links = tuple(
            end for end in memory.links if (ids.memory_of(end.ref), end.role) != (target, op.role)
        )
        self._set(replace(memory, links=links))

    def _rate(self, op: Rate) -> None:
        found = self.get(ids.memory_of(op.target))
        if found is None:
            raise KeyError(op.target)
        self._raters[found.id, op.name] = op.by
        if isinstance(found, Memory):
            self._set(replace(found, **{op.name: op.value}))  # type: ignore[arg-type]
        else:
            rated = replace(found, **{op.name: op.value})  # type: ignore[arg-type]
            self._records[found.id] = rated

    def _evidence(self, cites: Iterable[Cite]) -> tuple[Evidence, ...]:
        """Citations with the spans of their quotes; a quote that does not occur is left out."""
        return _joined(Evidence(cite.ref, tuple(self._quotes(cite))) for cite in cites)

    def _quotes(self, cite: Cite) -> Iterable[Quote]:
        source = self.get(cite.ref)
        for quote in cite.quotes:
            start = -1 if source is None else source.text.find(quote)
            if start >= 0:
                yield Quote(quote, start, start + len(quote))

    # --- the view -------------------------------------------------------------------------------

    def get(self, ref: str) -> Record | Memory | None:
        """The record, memory, version or draft of this id, as the operations leave it."""
        ident = ids.memory_of(ref)
        if ident in self._gone:
            return None
        found = self._laid.get(ident)
        if found is not None:
            return found if ref in (ident, found.ref) else None
        return self._records.get(ident) or self.ground.get(ref)

    def records(
        self,
        *,
        kinds: Sequence[str] | None = None,
        session: str | None = None,
        since: str | None = None,
        inactive: bool = False,
    ) -> Sequence[Record]:
        """Records in time order, with the ratings laid over them."""
        found = self.base.records(kinds=kinds, session=session, since=since, inactive=inactive)
        return [self._records.get(record.id, record) for record in found]

    def unconsumed(self, strategy: str, *, kinds: Sequence[str] | None = None) -> Sequence[Record]:
        """Records that neither `strategy` nor the operations have settled, oldest first."""
        found = self.base.unconsumed(strategy, kinds=kinds)
        return [
            self._records.get(record.id, record)
            for record in found
            if record.id not in self._consumed
        ]

    def memories(
        self, *, kind: str | None = None, strategy: str | None = None, superseded: bool = True
    ) -> Sequence[Memory]:
        """Memories held, by id, then drafts in the order in which they were added."""
        found = self._all() if kind is None else self.having(kinds, kind)
        return [
            memory
            for memory in found
            if strategy in (None, memory.strategy) and (superseded or not memory.superseded)
        ]

    def _all(self) -> list[Memory]:
        stored = self.ground.memories
        found = [self._laid.get(one.id) or one for one in stored if one.id not in self._gone]
        return found + [memory for memory in self._laid if memory.id not in stored]

    def having(self, keys: Keys, *wanted: Hashable) -> list[Memory]:
        """The memories and drafts that have one of these keys, in the order of `memories`."""
        stored = self.ground.memories.having(keys, *wanted)
        laid = self._laid.having(keys, *wanted)
        if not laid:
            return [memory for memory in stored if self._unchanged(memory.id)]
        found = [*(memory for memory in stored if self._unchanged(memory.id)), *laid]
        return sorted(found, key=lambda memory: self.place(memory.id))

    def has(self, keys: Keys, key: Hashable) -> bool:
        """Whether a memory or draft has this key."""
        stored = self.ground.memories.ids(keys, key)
        return any(map(self._unchanged, stored)) or bool(self._laid.ids(keys, key))

    def place(self, ident: str) -> tuple[bool, int]:
        """Where a memory or draft stands in the order of `memories`; raises KeyError if it is none."""
        draft = ident not in self.ground.memories
        return draft, (self._laid if draft else self.ground.memories).place(ident)

    def closure(self, ref: str) -> frozenset[str]:
        """Ids of all records that `ref` rests on (itself, if a record)."""
        found: set[str] = set()
        for ident in reached(_Cited(self), ref):
            item = _Cited(self).get(ident)
            if isinstance(item, Record):
                found.add(ident)
            elif item is None:  # gone before, but still cited
                found |= self.base.closure(ident)
        return frozenset(found)

    def rests_on(self, ref: str, memory: str) -> bool:
        """Whether `ref` is `memory` or rests on it, directly or not."""
        return ids.memory_of(memory) in reached(self, ref)

    def tombstoned(self, kind: str, near: str, evidence: Sequence[str]) -> bool:
        """As the view says; a draft in `evidence` stands for the records it rests on."""
        roots = [
            root
            for ref in evidence
            for root in (sorted(self.closure(ref)) if ids.is_draft(ref) else (ref,))
        ]
        return self.base.tombstoned(kind, near, roots)

    def rejected(self, kind: str) -> Sequence[frozenset[str]]:
        """As the view says."""
        return self.base.rejected(kind)

    def search(self, query: str, k: int) -> Sequence[SearchHit]:
        """The `k` best, drafts and new texts among them.

        A draft is scored by the share of the query's words that it holds, times the best score of
        the store, so that it stands beside stored texts of the same fit.
        """
        hits = [self._shown(hit) for hit in self.base.search(query, k) if self._unchanged(hit.id)]
        best = hits[0].score if hits else 1.0
        return self._with_laid(hits, self._worded(query, best, k), k)

    def _worded(self, query: str, best: float, k: int) -> dict[str, float]:
        """id -> score of laid memories that hold words of the query: of at least the `k` best."""
        asked = {stem(word) for word in words(query) if word not in STOP_WORDS}
        having = (self._laid.ids(stems, word) for word in asked)
        by_score = defaultdict(list)
        for ident, count in Counter(chain.from_iterable(having)).items():
            by_score[round(count / len(asked) * best, 6)].append(ident)
        found: dict[str, float] = {}
        for score in sorted(by_score, reverse=True):
            if len(found) < k:
                some = heapq.nsmallest(k, by_score[score], key=self._laid.place)
                found.update(dict.fromkeys(some, score))
        return found

    def nearest(self, text: str, vector: Sequence[float], k: int) -> Sequence[SearchHit]:
        """The `k` memories nearest by cosine; drafts and new texts too if there is an embedder."""
        stored = self.ground.memories
        asked = k + len(self._gone) + sum(memory.id in stored for memory in self._laid)
        hits = [hit for hit in self.base.nearest(text, vector, asked) if self._unchanged(hit.id)]
        if self.embed is None:
            return hits[:k]
        if self._closest is None:
            self._closest = Closest(self.embed)
            self._laid.tell(self._closest)
        return self._with_laid(hits, self._closest.best(vector, k), k)

    def _with_laid(
        self, hits: Sequence[SearchHit], scores: Mapping[str, float], k: int
    ) -> list[SearchHit]:
        """The best of both, best first; of equal ones what is stored, then what was laid first."""
        order = sorted(scores, key=lambda ident: (-scores[ident], self._laid.place(ident)))
        laid = ((self._laid.get(ident), scores[ident]) for ident in order[:k])
        found = [*hits, *(memory_hit(one, score) for one, score in laid if one is not None)]
        return sorted(found, key=lambda hit: -hit.score)[:k]

    def failures(self, strategy: str) -> Mapping[str, int]:
        """As the view says."""
        return self.base.failures(strategy)

    def rated_by(self, ref: str, name: str = "importance") -> str | None:
        """Who gave the rating of this name that counts."""
        return self._raters.get((ids.memory_of(ref), name)) or self.base.rated_by(ref, name)

    def recalled(self) -> Mapping[str, str]:
        """When each record or memory was last recalled."""
        return self.base.recalled()

    def recalls(self) -> Mapping[str, Sequence[str]]:
        """As the view says."""
        return self.base.recalls()

    def stored(self) -> Mapping[str, str]:
        """As the view says."""
        return self.base.stored()

    def settled(self) -> Mapping[str, frozenset[str]]:
        """As the view says, with what the operations settle."""
        found = dict(self.base.settled())
        if self._consumed:
            found[self.strategy] = found.get(self.strategy, frozenset()) | self._consumed
        return found

    def last_pass(self, strategy: str) -> tuple[str, str] | None:
        """As the view says."""
        return self.base.last_pass(strategy)

    def _unchanged(self, ident: str) -> bool:
        return ident not in self._gone and ident not in self._laid

    def _shown(self, hit: SearchHit) -> SearchHit:
        record = self._records.get(hit.id)
        return (
            hit
            if record is None or record.status == "active"
            else replace(hit, status=record.status)
        )


def _joined(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """One entry for each source, with all its quotes, in the order of first mention."""
    found: dict[str, tuple[Quote, ...]] = {}
    for one in evidence:
        found[one.ref] = tuple(dict.fromkeys((*found.get(one.ref, ()), *one.quotes)))
    return tuple(Evidence(ref, quotes) for ref, quotes in found.items())


def memory_hit(memory: Memory, score: float) -> SearchHit:
    """A result that is this memory, with this score."""
    return SearchHit(
        id=memory.id,
        layer="derived",
        kind=memory.kind,
        text=memory.text,
        score=score,
        status="superseded" if memory.superseded else memory.status,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        superseded_by=memory.superseded_by,
        evidence=tuple(evidence.ref for evidence in memory.evidence),
    )
