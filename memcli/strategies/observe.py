"""Observations: beliefs without doubles, each with the words that bear it, refined by what is new.

Source: vectorize-io/hindsight 1.1.0 (hindsight-api-slim/hindsight_api: config.py, consolidation).
Conflicts: every refinement is a version, and the former one stays readable. Proof, dates and trend
are computed when they are read (kit.proving).
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from operator import mul
from typing import Any, Literal

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Cite, Plan
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit.around import around
from memcli.kit.asking import Talk, is_fault, is_useless, together
from memcli.kit.beliefs import bases, interleaved, live, newest_day, roots_of
from memcli.kit.claims import Vetting, subject_of
from memcli.kit.conversing import check_least, draft_of, listened_to, voices, waiting_for
from memcli.kit.handles import Item, item_of
from memcli.kit.instructions import is_instruction
from memcli.kit.observing import KIND, Accepted, Observing
from memcli.kit.overlay import Overlay, ref_of
from memcli.kit.recalled import Recalled
from memcli.kit.shelf import slots
from memcli.kit.soundness import tidy
from memcli.kit.standing import RULES, Standing
from memcli.kit.windows import as_context
from memcli.ports import Context, Failed, Pending, Task, View
from memcli.registry import strategy
from memcli.tasks.compare_claims import CompareClaims, Compared, Verdicts
from memcli.tasks.extract_facts import Fact, FactQuote
from memcli.tasks.observe import Belief, Created, Observe, Observed

NAME = "observe"
_SOUGHT = 20  # memories nearest to a text, of whatever kind


@dataclass(frozen=True)
class Params:
    """The constants are those of the reference code; there is no paper."""

    batch: int = 8  # items a call
    pool_tokens: int = 512  # of observations shown for an item
    evidence_tokens: int = 256  # shown below an observation
    all_evidence_tokens: int = 4_096
    near_top: int = 5  # observations that a new text is compared with
    re_asks: int = 2  # how often a line that a reply leaves out is asked about again
    over: Literal["records", "facts"] = "records"
    by_assistant: bool = False
    retry_failed: bool = False

    def __post_init__(self) -> None:
        check_least(self, batch=1, pool_tokens=0, evidence_tokens=0, all_evidence_tokens=0)
        check_least(self, near_top=0, re_asks=0)
        if self.over not in ("records", "facts"):
            raise ValueError("over is neither records nor facts")

    @property
    def roles(self) -> frozenset[str]:
        """Whose words become observations."""
        return listened_to(self.by_assistant)


@dataclass(frozen=True)
class Thing:
    """What is asked about: a record, or a fact with the records below it.

    `cite`: what an observation cites beside the records: the fact. `words`: (record, words quoted
    from it) that the fact rests on.
    """

    item: Item
    records: tuple[Record, ...]
    cite: Cite | None = None
    words: tuple[tuple[str, str], ...] = ()


@strategy(
    NAME,
    source="vectorize-io/hindsight 1.1.0",
    params=Params,
    kinds=(KIND,),
    trigger="fresh",
    due="1 unconsumed record",
    calls="1 for 8 records, and for what a reply leaves out; 1 more a batch with near pairs",
    without_model="one observation a fact, word for word; proof, dates, trend; the rest pending",
    conflicts="keep-both",
    aliases=("hindsight",),
    settles=Observe.setting,
)
def observe(view: View, ctx: Context, params: Params) -> Plan:
    """Plan what the records that wait, or the facts above them, mean for the observations.

    Batch after batch, each beside the observations nearest to it: new ones, new versions, ends,
    unions. A record is consumed only if the reply cites or skips it; else it is asked about again.
    """
    waiting = waiting_for(view, ctx, NAME, retry=params.retry_failed)
    one = _Pass(view, ctx, params)
    records = [record for found in waiting.sessions.values() for record in found]
    together(ctx, [one.run(records, waiting.failed)])
    if waiting.aside:
        one.draft.pend("set-aside", waiting.aside)
    return one.draft.plan()


class _Pass:
    """The plan of one pass."""

    def __init__(self, view: View, ctx: Context, params: Params) -> None:
        self.ctx = ctx
        self.params = params
        self.draft = draft_of(view, ctx, NAME, Observe.setting)
        self.by_rule = ctx.made_by(Observe.setting) == RULES
        self.recalled = Recalled(view, self.draft.ground)
        self.standing = Standing(Overlay(view, ground=self.draft.ground), params.roles, kind=KIND)
        self.settled: dict[str, Record] = {}

    def run(self, waiting: Sequence[Record], failed: frozenset[str]) -> Talk:
        """Ask about each batch in order; then say what is settled."""
        over_facts = self.params.over == "facts"
        things = self._facts(waiting) if over_facts else self._spoken(waiting)
        fresh: list[Thing] = []
        late: list[Thing] = []
        for one in things:
            (fresh if failed.isdisjoint(_ids([one])) else late).append(one)
        size = self.params.batch
        batches = [tuple(fresh[at : at + size]) for at in range(0, len(fresh), size)]
        batches += [(one,) for one in late]
        for batch in batches:
            yield from self._batch(batch, self.params.re_asks)
        tidy(self.draft, KIND)
        self._consume()

    def _spoken(self, waiting: Sequence[Record]) -> list[Thing]:
        """The records whose words become observations. The others help to understand; there is
        nothing to ask about them."""
        spoken = []
        for record in waiting:
            if record.role in self.params.roles and record.text.strip():
                spoken.append(Thing(item_of(record), (record,)))
            else:
                self.draft.select([record.id])
                self.draft.consume([record.id])
        return spoken

    def _facts(self, waiting: Sequence[Record]) -> list[Thing]:
        """Live facts of any method that rest on a record that waits."""
        open_ = {record.id for record in waiting}
        known = {record.id: record for record in self.draft.records()}
        found = []
        for memory in self.draft.memories(kind="fact", superseded=False):
            roots = self.draft.closure(memory.id)
            if memory.status == "active" and not roots.isdisjoint(open_):
                below = tuple(known[root] for root in known if root in roots)
                speaker = memory.attributes.get("speaker")
                day = newest_day(self.draft, [memory.id])
                item = Item(ref_of(memory), memory.text, memory=True, day=day, speaker=speaker)
                words = tuple((one.ref, q.text) for one in memory.evidence for q in one.quotes)
                found.append(Thing(item, below, Cite(ref_of(memory)), words))
        return found

    # --- a batch --------------------------------------------------------------------------------

    def _batch(self, batch: tuple[Thing, ...], again: int) -> Talk:
        refs = _ids(batch)
        self.draft.select(refs)
        pool = self._pool(batch)
        answer = yield self._task(batch, pool)
        if isinstance(answer, Pending):
            self.draft.pend(answer.reason, len(refs))
            return
        if isinstance(answer, Failed):
            yield from self._fail(batch, answer, again)
            return
        observing = self._observing(batch, pool)
        accepted = self._accepted(batch, answer, observing)
        same = yield from self._compare(accepted)
        if isinstance(same, Failed):
            yield from self._fail(batch, same, again)
            return
        for nth, one in enumerate(accepted):
            twins = same.get(f"new:{nth}", [])
            (observing.create if one.target is None else observing.update)(one, twins)
            if self.by_rule and one.target is None:
                self._relate(one)
        for gone in answer.deletes:
            observing.delete(gone.target, gone.merged_into, gone.reason, gone.unknown)
        for handle in answer.unknown:
            self.draft.reject(f"{handle} skipped", "unknown-id")
        observing.mentioned.update(answer.skipped)
        yield from self._left(batch, observing.mentioned, again)

    def _left(self, batch: Sequence[Thing], mentioned: set[str], again: int) -> Talk:
        """Settle what the reply mentions; ask about the rest once more, in halves."""
        if self.by_rule:  # what stands word for word is settled, and seen to in the end
            mentioned = {thing.item.ref for thing in batch}
        left = tuple(thing for thing in batch if thing.item.ref not in mentioned)
        for thing in batch:
            if thing.item.ref in mentioned:
                self.settled.update((record.id, record) for record in thing.records)
        if left and not again:
            self.draft.fail(f"{', '.join(thing.item.ref for thing in left)}: unanswered")
            self.draft.mark_failed(_ids(left))
        elif left:
            for half in _halves(left):
                yield from self._batch(half, again - 1)

    def _fail(self, batch: tuple[Thing, ...], answer: Failed, again: int) -> Talk:
        """Ask about the halves; what fails alone is marked (C11)."""
        if is_useless(answer) and len(batch) > 1:
            for half in _halves(batch):
                yield from self._batch(half, again)
            return
        first, last = batch[0].item.ref, batch[-1].item.ref
        self.draft.fail(f"{first if first == last else f'{first} to {last}'}: {answer.reason}")
        if is_fault(answer):
            self.draft.mark_failed(_ids(batch))

    def _observing(self, batch: Sequence[Thing], pool: Sequence[Memory]) -> Observing:
        records = _records(batch)
        return Observing(
            self.draft,
            {ref_of(memory): memory for memory in pool},
            self.ctx.now,
            self.ctx.single_valued,
            self.draft.made_by,
            said=self.draft.newest(record.id for record in records),
            ordered=any(is_instruction(record.text) for record in records),
        )

    def _accepted(
        self, batch: Sequence[Thing], answer: Observed, observing: Observing
    ) -> list[Accepted]:
        """The creates and updates that may be stored, in order, the updates first."""
        things = {thing.item.ref: thing for thing in batch}
        cites = {ref: thing.cite for ref, thing in things.items()}
        vetting = Vetting(self.draft, _records(batch), self.params.roles, self.recalled, kind=KIND)
        found = []
        for one in (*answer.updates, *answer.creates):
            fact = as_fact(one, things)
            if self.by_rule and self.standing.stands(fact.sources, one.text):
                continue
            accepted = observing.vet(one, fact, cites, vetting)
            if accepted is not None and one in answer.updates:
                accepted = observing.aim(accepted, one.target, one.current_text)
            if accepted is not None:
                found.append(accepted)
        return found

    # --- what is shown --------------------------------------------------------------------------

    def _pool(self, batch: Sequence[Thing]) -> list[Memory]:
        """The observations near to the items, in their order.

        By rule those that set a slot, wherever they stand: nothing else could be updated.
        """
        if self.by_rule:
            slotted = self.draft.having(slots, (KIND, None))
            return [one for one in slotted if not one.superseded and one.status == "active"]
        known = live(self.draft, KIND)
        wanted: set[str] = set()
        for thing in batch if known else ():
            room = self.params.pool_tokens
            wanted.update(interleaved(self.draft, self.ctx, thing.item.text, known, room))
        return [memory for ident, memory in known.items() if ident in wanted]

    def _task(self, batch: Sequence[Thing], pool: Sequence[Memory]) -> Observe:
        records = _records(batch)
        said = around(self.draft, records) if self.params.over == "records" else []
        each, whole = self.params.evidence_tokens, self.params.all_evidence_tokens
        basis = bases(self.draft, pool, self.ctx.now, each=each, whole=whole)
        return Observe(
            tuple(thing.item for thing in batch),
            pool=tuple(map(self._belief, pool)),
            basis=tuple(basis),
            context=tuple(map(as_context, said)),
            speakers=voices(records, self.params.roles),
            single_valued=self.ctx.single_valued,
        )

    def _belief(self, memory: Memory) -> Belief:
        slot = memory.slot
        return Belief(
            item_of(memory, roots=roots_of(self.draft, memory)),
            slot.attribute if slot else None,
            slot.value if slot else None,
            subject_of(memory),
            memory.valid_from,
        )

    # --- one and the same -----------------------------------------------------------------------

    def _compare(
        self, accepted: Sequence[Accepted]
    ) -> Generator[Task[Any], Any, dict[str, list[Memory]] | Failed]:
        """By `new:n` of an accepted item, the observations that a model says are the same."""
        if self.by_rule:
            return {}
        known = live(self.draft, KIND)
        near: dict[str, list[Memory]] = {}
        for nth, one in enumerate(accepted):
            target = None if one.target is None else one.target.id
            twins = self._twins(one.found.text, [m for m in known.values() if m.id != target])
            if twins:
                near[f"new:{nth}"] = twins
        if not near:
            return {}
        others = {memory.id: memory for twins in near.values() for memory in twins}
        answer: Verdicts | Pending | Failed = yield CompareClaims(
            tuple(
                Compared(Item(f"new:{nth}", one.found.text, roots=one.found.refs))
                for nth, one in enumerate(accepted)
                if f"new:{nth}" in near
            ),
            tuple(Compared(self._belief(memory).item) for memory in others.values()),
            against=tuple((ref, tuple(map(ref_of, twins))) for ref, twins in near.items()),
            single_valued=self.ctx.single_valued,
        )
        if isinstance(answer, Failed):
            return answer
        if isinstance(answer, Pending):
            return {}
        by_ref = {ref_of(memory): memory for memory in others.values()}
        return {one.item: [by_ref[ref] for ref in one.same_as] for one in answer.verdicts}

    def _twins(self, text: str, others: Sequence[Memory]) -> list[Memory]:
        """The observations nearest to a text, as near as what says the same is."""
        own, *vectors = self.ctx.embed([text, *(memory.text for memory in others)])
        cosines = [round(sum(map(mul, own, other)), 6) for other in vectors]
        found = sorted(zip(cosines, others, strict=True), key=lambda pair: -pair[0])
        near = [memory for cosine, memory in found if cosine >= self.ctx.near_duplicate]
        return near[: self.params.near_top]

    def _relate(self, one: Accepted) -> None:
        """By rule what is near is linked and never merged, at any cosine."""
        home = self.draft.same(KIND, one.found.text)
        if home is None or not ids.is_draft(home.id):
            return
        text = one.found.text
        hits = self.draft.nearest(text, self.ctx.embed([text])[0], _SOUGHT)
        near = [hit for hit in hits if hit.kind == KIND and hit.id != home.id]
        nearest = self.draft.get(near[0].id) if near else None
        if isinstance(nearest, Memory) and near[0].score >= self.ctx.related:
            needed = [ref for ref in (home.id, nearest.id) if ids.is_draft(ref)]
            self.draft.link(home.id, ref_of(nearest), "related", requires=needed)

    def _consume(self) -> None:
        """What a reply cites or skips is settled; what rules settled, if all of it stands (C26)."""
        standing = Standing(self.draft, self.params.roles, kind=KIND)
        done = [
            ref
            for ref, record in self.settled.items()
            if not self.by_rule or standing.is_settled(record)
        ]
        left = len(self.settled) - len(done)
        if done:
            self.draft.consume(done)
        if left:
            self.draft.pend("needs-model", left)
            self.draft.settle()


def as_fact(one: Created, things: Mapping[str, Thing]) -> Fact:
    """The item as a fact that rests on the records below its lines.

    A quote from a fact counts where its words stand in a record below; where the fact itself words
    them, the words that the fact rests on stand for them.
    """
    lines = [things[ref] for ref in one.sources if ref in things]
    quotes = []
    for quote in one.quotes:
        thing = things.get(quote.source)
        if thing is None:
            continue
        pairs = [(record.id, quote.text) for record in thing.records]
        if " ".join(quote.text.split()) in " ".join(thing.item.text.split()):
            pairs += thing.words
        quotes += [FactQuote(source=ref, text=words) for ref, words in pairs]
    return Fact(
        text=one.text,
        sources=tuple(record.id for record in _records(lines)),
        quotes=tuple(dict.fromkeys(quotes)),
        attribute=one.attribute,
        value=one.value,
    )


def _records(things: Iterable[Thing]) -> list[Record]:
    """The records below these, each once."""
    return list({record.id: record for thing in things for record in thing.records}.values())


def _ids(things: Iterable[Thing]) -> list[str]:
    return [record.id for record in _records(things)]


def _halves(things: tuple[Thing, ...]) -> list[tuple[Thing, ...]]:
    middle = (len(things) + 1) // 2
    return [half for half in (things[:middle], things[middle:]) if half]
