"""A block for a prompt: what stands, what holds now, what is in doubt, what was said."""

from collections.abc import Iterable, Mapping, Sequence

from memcli.core.ids import parse
from memcli.core.memories import Memory
from memcli.core.options import SearchOptions
from memcli.core.records import Record
from memcli.core.reports import (
    ContextItem,
    ContextReport,
    SearchHit,
    SearchReport,
    SectionName,
)
from memcli.core.values import dataclass, replace
from memcli.kit import asked as asking
from memcli.kit.claims import subject_of
from memcli.kit.facts import is_order
from memcli.kit.moments import known_time, parse_time
from memcli.kit.words import folded
from memcli.retrieval import lines
from memcli.retrieval.claims import Rivals, newest_first, others_in_slot
from memcli.retrieval.covering import Covering
from memcli.retrieval.ending import over_in
from memcli.retrieval.packing import Layout, Unit, pack
from memcli.retrieval.presenting import ends
from memcli.retrieval.recalled import Recalled
from memcli.retrieval.standing import Standing, Verdict, holds_at
from memcli.store import load
from memcli.store import standing as lasting
from memcli.store.view import StoreView

# Of these a prompt should always have what there is, whatever is asked. No summaries: there is one a
# conversation, and on conversations of months they took the room of what answers the question.
KINDS = ("model", "claim", "trait", "block", "document", "overview")
# A search for a block asks for one result for so many tokens of its budget: a line takes some thirty
# (a guess), and what ranks lower is noise to whoever reads the prompt.
TOKENS_A_RESULT = 50
LEAST_RESULTS = 10

_MOST_READ = 200  # the newest of those kinds that are read
_MOST_STANDING = 60  # the most important of those that are tried
_DOUBTFUL = ("pending", "stale")
_RIVALS: tuple[Verdict, ...] = tuple((status, None) for status in ("current", *_DOUBTFUL))
_LATER = 1_000_000  # a rank after all others


def results(budget: int) -> int:
    """How many results a block of so many tokens is made of."""
    return max(LEAST_RESULTS, budget // TOKENS_A_RESULT)


def compose(
    view: StoreView,
    found: SearchReport,
    options: SearchOptions,
    budget: int,
    layout: Layout,
) -> ContextReport:
    """The block of what a search with `options` found, of at most `budget` tokens as `layout`
    writes it. Raises UsageError where not even an empty one fits."""
    composer = _Composer(view, found, options)
    empty = ContextReport(
        found.query,
        view.point,
        budget,
        valid_at=options.valid_at,
        weak=found.match.weak,
        warnings=found.warnings,
    )
    return pack(empty, composer.standing(), composer.found(), layout)


@dataclass(frozen=True)
class _Claim:
    """A memory on its way into a block: what it is worth, and its rank."""

    memory: Memory
    verdict: Verdict
    rank: float


class _Composer:
    def __init__(self, view: StoreView, found: SearchReport, options: SearchOptions) -> None:
        self._view = view
        self._found = found
        self._options = options
        self._standing = Standing(view, asking.read(found.query), options.now)
        self._covering = Covering(asking.read(found.query))
        self._recalled = Recalled(view, options)
        self._rivals = Rivals(view)
        self._over = over_in(view, found.results, asking.read(found.query))
        self._ends = {hit.id: _ends_of(hit) for hit in found.results}
        self._lasting_ones: list[Memory] = []  # those that stand whatever is asked

    # --- whatever is asked ----------------------------------------------------------------------

    def standing(self) -> list[Unit]:
        """What is pinned, current memories of lasting kinds and standing orders; the most important
        first."""
        connection, at = self._view.connection, self._view.at
        items, pinned = lasting.pinned(connection, at)
        kinds = lasting.of_kinds(connection, at, KINDS, self._options.scope, _MOST_READ)
        orders = lasting.maybe_orders(connection, at, self._options.scope, _MOST_READ)
        memories = [
            memory
            for memory in self._memories(list(dict.fromkeys([*pinned, *kinds, *orders])))
            if (memory.kind in KINDS or memory.pinned or is_order(memory.text))
            and self._stands(memory)
        ]
        records = [
            record
            for _, record in (load.records(connection, at, items=items) if items else ())
            if record.status in ("active", "pending") and self._in_time(record)
        ]
        both: list[Memory | Record] = [*memories, *records]
        best = sorted(both, key=_worth, reverse=True)[:_MOST_STANDING]
        self._recalled.read(memories)
        self._lasting_ones = [one for one in best if isinstance(one, Memory)]
        disputes = self._disputes(self._lasting_ones)
        return [Unit((("standing", self._lasting(one, disputes)),)) for one in best]

    def _lasting(
        self, one: Memory | Record, disputes: Mapping[str, Sequence[Memory]]
    ) -> ContextItem:
        if isinstance(one, Record):
            return self._recalled.record(one, ("current", None), pinned=True)
        verdict = self._standing.of_memory(one)
        if rivals := self._rivals.of(one):
            return self._in_one_line([one, *rivals])
        others = [other.id for other in disputes[one.id]]
        told = replace(one, text=lines.whole(one))
        if not others and (over := self._ended_by(one, verdict)):
            return self._recalled.memory(told, ("stale", None), disputed_by=over)
        return self._recalled.memory(told, verdict, disputed_by=others)

    def _stands(self, memory: Memory) -> bool:
        status, by = self._then(self._standing.of_memory(memory))
        if status == "current" and by is not None:
            return False
        if status == "superseded":
            return self._options.valid_at is not None  # it has passed _memories: it held then
        return status == "current" or (memory.pinned and status in _DOUBTFUL)

    def _in_time(self, record: Record) -> bool:
        moment = self._options.valid_at
        if not self._options.scope.covers(record.scope):
            return False
        return moment is None or (
            known_time(record.said_at) is not None
            and parse_time(record.said_at or "") <= parse_time(moment)
        )

    # --- what was found -------------------------------------------------------------------------

    def found(self) -> list[Unit]:
        """Facts, doubts and records, the best first; both sides of a dispute are one unit."""
        results = list(self._found.results)
        if len(results) > 1 and ends(*results[:2]):
            results[:2] = reversed(results[:2])  # where both do not fit, the answer stays
        hits = list(enumerate(results))
        claims = self._claims(hits)
        said = [(rank, hit) for rank, hit in hits if hit.layer == "raw"]
        memories = [claim.memory for claim in claims]
        self._recalled.read(memories, [hit.id for _, hit in said])
        records = self._recalled.records(hit.id for _, hit in said)
        best: dict[str, float] = {}
        units: list[tuple[float, Unit]] = []
        for rank, hit in said:
            record = records.get(hit.id)
            if record is None or record.kind == "question":
                continue
            # A memory that says all of it stands for it, and in its place.
            covered = () if hit.attachments else self._covering.whole(record, memories)
            for ident in covered:
                best[ident] = min(best.get(ident, rank), rank - 0.5)
            if self._covering.adds_nothing(record, memories):
                rank += _LATER
            units.append((rank, self._said(record, hit, covered)))
        units += self._facts([self._moved(claim, best) for claim in claims])
        return [unit for _, unit in sorted(units, key=lambda pair: pair[0])]

    @staticmethod
    def _moved(claim: _Claim, best: dict[str, float]) -> _Claim:
        rank = min(claim.rank, best.get(claim.memory.id, claim.rank))
        return _Claim(claim.memory, claim.verdict, rank)

    def _claims(self, hits: Sequence[tuple[int, SearchHit]]) -> list[_Claim]:
        """The memories found, with those that a search left out because a record says the same:
        here the memory, which says what holds and since when, goes first."""
        ranks: dict[str, float] = {hit.id: rank for rank, hit in hits}
        verdicts = {hit.id: (hit.status, hit.superseded_by) for _, hit in hits}
        twice = {
            one.id: ranks.get(one.detail.split()[0], _LATER) - 0.25
            for one in self._found.left_out
            if one.reason == "same-words" and one.id.startswith("m")
        }
        ranks = {ident: rank for ident, rank in ranks.items() if ident.startswith("m")} | twice
        memories = self._memories([parse(ident).number for ident in ranks])
        points = {hit.id: hit for _, hit in hits if hit.kind in lines.KINDS}
        claims = [
            _Claim(
                _as_found(one, points.get(one.id)),
                verdicts.get(one.id) or self._then(self._standing.of_memory(one)),
                ranks[one.id],
            )
            for one in memories
        ]
        # Where another is linked to as what replaces it, its own method left it current: here only
        # what holds is a current fact.
        return [one for one in claims if one.verdict[0] != "current" or one.verdict[1] is None]

    def _said(self, record: Record, hit: SearchHit, covered: Iterable[str]) -> Unit:
        verdict = self._then((hit.status, hit.superseded_by))
        item = self._recalled.record(record, verdict, attached=hit.attachments)
        item = replace(item, disputed_by=hit.disputed_by)
        # What took its place, or disputes it. What may have ended it hides it never.
        needs = frozenset(filter(None, (verdict[1], *hit.disputed_by))) - {*_ends_of(hit)}
        return Unit((("said", item),), needs=needs, covered=frozenset(covered))

    def _then(self, verdict: Verdict) -> Verdict:
        """At an earlier time that is asked about, what came later had superseded nothing yet."""
        moment, by = self._options.valid_at, verdict[1]
        later = None if moment is None or by is None else self._view.get(by)
        if isinstance(later, Memory) and not holds_at(later.valid_from, None, moment):
            return ("current", None)
        return verdict

    def _facts(self, claims: Sequence[_Claim]) -> list[tuple[float, Unit]]:
        disputes = self._disputes([claim.memory for claim in claims])
        verdicts = {claim.memory.id: claim.verdict for claim in claims}
        # What several methods hold in the same words is told once.
        told = {
            (self._standing.of_memory(one)[0], *_saying(one)): one.id for one in self._lasting_ones
        }
        done: set[str] = set()
        units: list[tuple[float, Unit]] = []
        for claim in sorted(claims, key=lambda claim: claim.rank):
            memory = claim.memory
            if memory.id in done:
                continue
            others = disputes[memory.id]
            done |= {memory.id, *(other.id for other in others)}
            if not others:
                over = self._ended_by(memory, claim.verdict)
                verdict = ("stale", None) if over else claim.verdict
                doubtful = verdict[0] in _DOUBTFUL
                item = self._recalled.memory(memory, verdict, disputed_by=over)
                twin = told.setdefault((verdict[0], *_saying(memory)), memory.id)
                covered = frozenset({twin} - {memory.id})
                section: SectionName = "doubts" if doubtful else "facts"
                units.append((claim.rank, Unit(((section, item),), covered=covered)))
                continue
            sides = [memory, *others]
            if rivals := self._rivals.of(memory):
                line = self._in_one_line([memory, *rivals])
                units.append((claim.rank, Unit((("doubts", line),))))
                continue
            items = [
                self._recalled.memory(
                    side,
                    verdicts.get(side.id) or self._standing.of_memory(side),
                    disputed_by=[other.id for other in sides if other.id != side.id],
                )
                for side in sides
            ]
            units.append((claim.rank, Unit(tuple(("doubts", item) for item in items))))
        return units

    def _ended_by(self, memory: Memory, verdict: Verdict) -> tuple[str, ...]:
        """Ids of the records by which it may be over: a search says so of what it shows, and of what
        it left out as a record says the same it holds too."""
        if (found := self._ends.get(memory.id)) is not None:
            return found
        over, refs = self._over, [one.ref for one in memory.evidence]
        if over is None or verdict != ("current", None):
            return ()
        return (over.later,) if over.takes(memory.id, memory.text, refs) else ()

    def _in_one_line(self, claims: Sequence[Memory]) -> ContextItem:
        """Claims in dispute, the newest first: one that waits is never told without its mark."""
        told = [
            replace(
                self._recalled.memory(claim, self._standing.of_memory(claim)),
                sessions=self._rivals.sessions(claim),
            )
            for claim in newest_first(claims)
        ]
        return replace(told[0], beside=tuple(told[1:]))

    # --- memories -------------------------------------------------------------------------------

    def _memories(self, numbers: Sequence[int]) -> list[Memory]:
        """Those of the scope that hold at the time asked about; not those that were rejected."""
        if not numbers:
            return []
        return [
            memory
            for memory in self._view.some(numbers).values()
            if self._options.scope.covers(memory.scope)
            and holds_at(memory.valid_from, memory.valid_to, self._options.valid_at)
        ]

    def _disputes(self, memories: Sequence[Memory]) -> dict[str, list[Memory]]:
        """Id -> the memories that stand beside it and say otherwise: linked as a conflict, or of
        the same slot with another value, where nothing tells which is the newer."""
        if not memories:
            return {}
        view = self._view
        linked = lasting.disputes(view.connection, view.at, [parse(m.id).number for m in memories])
        out: dict[str, list[Memory]] = {}
        for memory in memories:
            status, by = self._standing.of_memory(memory)
            # What is replaced is no rival of what replaces it, nor of others any more.
            if status == "superseded" or by is not None:
                out[memory.id] = []
                continue
            others = self._memories(
                [*linked.get(parse(memory.id).number, ()), *others_in_slot(view, memory)]
            )
            out[memory.id] = [
                other
                for other in others
                if other.id != memory.id
                and other.scope == memory.scope
                and self._standing.of_memory(other) in _RIVALS
            ]
        return out


def _ends_of(hit: SearchHit) -> tuple[str, ...]:
    """The records by which a result may be over."""
    return tuple(ref for ref in hit.disputed_by if hit.status == "stale" and ref.startswith("r"))


def _as_found(memory: Memory, hit: SearchHit | None) -> Memory:
    """Of a day the points that were found, not all of it, with who says them if one does."""
    if hit is None:
        return memory
    spoken = {} if hit.speaker is None else {"speaker": hit.speaker}
    return replace(memory, text=hit.text, attributes={**memory.attributes, **spoken})


def _saying(memory: Memory) -> tuple[object, ...]:
    """What it says, of whom, by whom and since when."""
    speaker = memory.attributes.get("speaker")
    about = subject_of(memory).casefold()
    return memory.scope, folded(memory.text), about, speaker, memory.valid_from, memory.valid_to


def _worth(one: Memory | Record) -> tuple[bool, int, int]:
    """Pinned ones before others, then by importance, then the newest."""
    pinned = isinstance(one, Record) or one.pinned  # only those records are asked about
    return (pinned, one.importance or 0, parse(one.id).number)
