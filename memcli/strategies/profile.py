"""A profile with a waiting room: one odd message must not overwrite a stable fact.

Source: our derivation from one sentence about PreCoMem, whose text could not be had, and from
relatives: RecMem (arXiv:2605.16045), StageMem (arXiv:2604.16774), TOKI (arXiv:2606.06240),
MemStrata (arXiv:2606.26511). Its results must not be reported as PreCoMem's. The states of claims
are decided by code (kit.claiming), with or without a model.
"""

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from operator import mul
from typing import Any

from memcli.core.memories import Memory, Slot
from memcli.core.plan import Plan
from memcli.core.records import Record
from memcli.core.values import dataclass, replace
from memcli.kit.around import around
from memcli.kit.asking import Talk, together
from memcli.kit.beliefs import roots_of
from memcli.kit.claiming import Claiming
from memcli.kit.claims import Found, Vetting, spans_of
from memcli.kit.conversing import check_least, draft_of, fail, listened_to, voices, waiting_for
from memcli.kit.handles import Item, item_of
from memcli.kit.overlay import Overlay, ref_of
from memcli.kit.recalled import Recalled
from memcli.kit.sentences import statements
from memcli.kit.standing import RULES, Standing
from memcli.kit.waiting import KIND, Room
from memcli.kit.windows import Window, as_context, windows
from memcli.ports import Context, Failed, Pending, Task, View
from memcli.registry import strategy
from memcli.tasks.compare_claims import CompareClaims, Compared, Verdict, Verdicts
from memcli.tasks.extract_facts import ExtractFacts, Fact, FactQuote

NAME = "profile"
_CHANGE = "now,just,recently,moved,switched,changed to,no longer,actually,instead"


@dataclass(frozen=True)
class Params:
    """As on the page of the method. All are ours: there is no paper value and no reference code."""

    support: int = 2  # sessions that make a claim stable
    wait_days: int = 7  # without a rival, after which a claim is stable
    lapse_days: int = 30  # after which what was said once lapses, if its rival was said again
    change_words: str = _CHANGE  # without a model, by commas: what says that something has changed
    batch: int = 20  # records a call
    known: int = 20  # claims shown with them
    window_tokens: int = 3_000
    retry_failed: bool = False

    def __post_init__(self) -> None:
        check_least(self, support=1, wait_days=0, lapse_days=1, batch=1, known=0, window_tokens=1)

    @property
    def roles(self) -> frozenset[str]:
        """Whose words become claims: nobody's but the user's, and what another memory exported."""
        return listened_to(False)


@strategy(
    NAME,
    source="our derivation; relatives arXiv:2605.16045, 2604.16774, 2606.06240, 2606.26511",
    params=Params,
    kinds=(KIND,),
    trigger="ripe",
    due="an unconsumed record, or a claim whose state time changes",
    calls="1 for 20 records, or 2 where an attribute is new",
    without_model="the whole state machine on slot claims; statements without a slot pending",
    conflicts="invalidate",
    aliases=("precomem",),
    settles=ExtractFacts.setting,
)
def profile(view: View, ctx: Context, params: Params) -> Plan:
    """Plan claims about people from the records that wait, and the state of each.

    A value that is said once waits; support in several sessions, plain wording, words of change or
    time make it stable, and what it displaces is superseded. What time alone changes is a unit of
    its own and needs no call.
    """
    waiting = waiting_for(view, ctx, NAME, retry=params.retry_failed)
    one = _Pass(view, ctx, params, waiting.failed)
    together(ctx, [one.run([record for found in waiting.sessions.values() for record in found])])
    if waiting.aside:
        one.draft.pend("set-aside", waiting.aside)
    return one.draft.plan()


class _Pass:
    """The plan of one pass. `failed`: records that failed alone in an earlier one."""

    def __init__(self, view: View, ctx: Context, params: Params, failed: frozenset[str]) -> None:
        self.ctx = ctx
        self.params = params
        self.failed = failed
        self.draft = draft_of(view, ctx, NAME, ExtractFacts.setting)
        self.by_rule = ctx.made_by(ExtractFacts.setting) == RULES
        self.recalled = Recalled(view, self.draft.ground)
        known = Overlay(view, ground=self.draft.ground)
        self.standing = Standing(known, params.roles, kind=KIND, slotted=True)
        self.room = Room(self.draft, ctx.single_valued, params)
        self.claiming = Claiming(self.draft, self.room, ctx.now, self.draft.made_by)
        self.settled: list[Record] = []
        words = "|".join(re.escape(word.strip()) for word in params.change_words.split(","))
        self.change = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)

    def run(self, waiting: Sequence[Record]) -> Talk:
        """Ask about each batch in order, then see to what time changes, then say what is settled."""
        spoken = [one for one in waiting if one.role in self.params.roles and one.text.strip()]
        known = {record.id for record in spoken}
        # The others help to understand; there is nothing to ask about them.
        silent = [record for record in waiting if record.id not in known]
        self.draft.select(record.id for record in silent)
        self.settled += silent
        fresh = [record for record in spoken if record.id not in self.failed]
        batches = windows(
            fresh, exchanges=1, batch=self.params.batch, max_tokens=self.params.window_tokens
        )
        batches += [Window((record,)) for record in spoken if record.id in self.failed]
        for batch in batches:
            yield from self._batch(batch)
        self.claiming.ripen(self.ctx.now)
        self._consume(known)

    def _batch(self, window: Window) -> Talk:
        self.draft.select(window.ids)
        known = [] if self.by_rule else self._known(window)  # rules look claims up by slot
        answer = yield ExtractFacts(
            tuple(map(item_of, window.records)),
            context=tuple(map(as_context, around(self.draft, window.records))),
            known=tuple(map(self._item, known)),
            speakers=voices(window.records, self.params.roles),
            attributes=tuple(sorted({*self.ctx.single_valued, *_attributes(known)})),
            form="claims",
            repeats=True,
        )
        if isinstance(answer, Pending):
            self.draft.pend(answer.reason, len(window.records))
            return
        if isinstance(answer, Failed):
            yield from fail(self.draft, window, answer, self._batch)
            return
        told = [grounded(one, window.records) for one in answer.facts]
        vetting = Vetting(self.draft, window.records, self.params.roles, self.recalled, kind=KIND)
        found = vetting.all(told)
        verdicts = yield from self._compare(window, found)
        if verdicts is None:
            return
        for item in vetting.rejected:
            self.draft.reject(item.item, item.reason)
        numbered = {f"fact:{nth}": one for nth, one in enumerate(told, start=1)}
        for one in found:
            self._take(self._placed(one, verdicts.get(one.ref)), numbered[one.ref])
        self.settled += window.records

    def _take(self, fact: Found, told: Fact) -> None:
        if self.by_rule:
            if fact.slot is None or self.standing.stands(fact.refs, fact.text):
                return  # the record waits for a model, or stood so before
            fact = replace(fact, change=self.change.search(fact.text) is not None)
        if fact.slot is not None:
            self.claiming.take(fact, explicit=told.explicit)
        elif told.replaces:
            gone = (self.draft.get(ref) for ref in told.replaces)
            self.claiming.take_back(fact, [one for one in gone if isinstance(one, Memory)])
        else:
            self.draft.reject(fact.text, "no-slot")

    # --- names of attributes --------------------------------------------------------------------

    def _compare(
        self, window: Window, found: Sequence[Found]
    ) -> Generator[Task[Any], Any, dict[str, Verdict] | None]:
        """By ref of a fact with a new attribute, what it means for claims of others; None where
        the call failed and the window has been seen to."""
        near = {one.ref: self._alike(one) for one in found} if not self.by_rule else {}
        near = {ref: claims for ref, claims in near.items() if claims}
        if not near:
            return {}
        others = {one.id: one for claims in near.values() for one in claims}
        answer: Verdicts | Pending | Failed = yield CompareClaims(
            tuple(_compared_fact(one) for one in found if one.ref in near),
            tuple(self._compared(one) for one in others.values()),
            against=tuple((ref, tuple(map(ref_of, claims))) for ref, claims in near.items()),
            single_valued=self.ctx.single_valued,
        )
        if isinstance(answer, Failed):
            yield from fail(self.draft, window, answer, self._batch)
            return None
        if isinstance(answer, Pending):
            return {}
        return {one.item: one for one in answer.verdicts}

    def _alike(self, fact: Found) -> list[Memory]:
        """Claims near to a fact whose attribute nobody has used yet, of the same subject."""
        if fact.slot is None:
            return []
        mine = fact.slot.subject.casefold()
        claims = [
            one for one in self.room.live() if one.slot and one.slot.subject.casefold() == mine
        ]
        if fact.slot.attribute in _attributes(claims):
            return []
        own, *vectors = self.ctx.embed([fact.text, *(one.text for one in claims)])
        cosines = [round(sum(map(mul, own, other)), 6) for other in vectors]
        return [
            claim
            for claim, cosine in zip(claims, cosines, strict=True)
            if cosine >= self.ctx.related
        ]

    def _placed(self, fact: Found, verdict: Verdict | None) -> Found:
        """The fact in the slot of the claim that it repeats or contradicts."""
        if verdict is None or fact.slot is None:
            return fact
        for ref in (*verdict.same_as, *verdict.contradicts):
            claim = self.draft.get(ref)
            if isinstance(claim, Memory) and claim.slot is not None:
                value = claim.slot.value if ref in verdict.same_as else fact.slot.value
                return replace(fact, slot=Slot(claim.slot.subject, claim.slot.attribute, value))
        return fact

    # --- what is shown --------------------------------------------------------------------------

    def _known(self, window: Window) -> list[Memory]:
        """The live claims nearest to what is asked about, in their order."""
        claims = self.room.live()
        if len(claims) <= self.params.known:
            return claims
        said = self.ctx.embed([record.text for record in window.records])
        nearest: dict[str, float] = {}
        for claim, vector in zip(claims, self.ctx.embed([one.text for one in claims]), strict=True):
            nearest[claim.id] = max(round(sum(map(mul, vector, other)), 6) for other in said)
        best = sorted(claims, key=lambda one: -nearest[one.id])[: self.params.known]
        kept = {one.id for one in best}
        return [one for one in claims if one.id in kept]

    def _item(self, claim: Memory) -> Item:
        assert claim.slot is not None
        times = self.room.support(claim)
        state = "stable" if claim.status == "active" else "not confirmed"
        often = "once" if times == 1 else f"in {times} sessions"
        text = f"{claim.text} ({claim.slot.attribute}: {claim.slot.value}; {state}, said {often})"
        return replace(item_of(claim, roots=roots_of(self.draft, claim)), text=text)

    def _compared(self, claim: Memory) -> Compared:
        slot = claim.slot
        assert slot is not None
        item = item_of(claim, roots=roots_of(self.draft, claim))
        return Compared(item, slot.attribute, slot.value, slot.subject, claim.valid_from)

    def _consume(self, spoken: Iterable[str]) -> None:
        """What a model settled is settled; what rules settled, if all of it stands (C26)."""
        standing = Standing(self.draft, self.params.roles, kind=KIND, slotted=True)
        asked = set(spoken)
        done = [
            record.id
            for record in self.settled
            if not self.by_rule or record.id not in asked or standing.is_settled(record)
        ]
        left = len(self.settled) - len(done)
        if done:
            self.draft.consume(done)
        if left:
            self.draft.pend("needs-model", left)
            self.draft.settle()


def grounded(fact: Fact, records: Sequence[Record]) -> Fact:
    """The fact as its quotes bear it: `explicit` and `change` count only where each one occurs.

    Where none occurs, the sentence of a cited record that holds the value stands for them.
    """
    by_id = {record.id: record for record in records}
    cited = [by_id[ref] for ref in fact.sources if ref in by_id]
    good = {
        quote
        for record in cited
        for quote in fact.quotes
        if quote.source == record.id and spans_of(record, [quote])
    }
    if fact.quotes and good == set(fact.quotes):
        return fact
    doubted: Mapping[str, object] = {"explicit": False, "change": False}
    if good or not fact.value:
        return fact.model_copy(update=doubted)
    value = fact.value.casefold()
    quotes = tuple(
        FactQuote(source=record.id, text=said.text)
        for record in cited
        for said in statements(record.text)
        if value in said.text.casefold()
    )
    return fact.model_copy(update={**doubted, "quotes": quotes[:1] or fact.quotes})


def _attributes(claims: Iterable[Memory]) -> set[str]:
    return {claim.slot.attribute for claim in claims if claim.slot is not None}


def _compared_fact(fact: Found) -> Compared:
    assert fact.slot is not None
    slot = fact.slot
    item = Item(fact.ref, fact.text, roots=fact.refs)
    return Compared(item, slot.attribute, slot.value, slot.subject, fact.valid_from)
