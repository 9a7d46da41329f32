"""Reconciliation: draw facts from what is new, and decide what each means for what is known.

Source: Chhikara et al. 2025, Mem0, section 2.1 (arXiv:2504.19413); its code mem0ai/mem0 0.1.40.
Nothing is overwritten: what a fact replaces is closed and kept. Without a model: statements and
slots by rule.
"""

from collections.abc import Generator, Iterable, Sequence
from functools import cached_property
from typing import Any

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Plan, Rejection
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit.asking import Talk
from memcli.kit.bearing import Bearing
from memcli.kit.claims import KIND, Found, Vetting, subject_of
from memcli.kit.comparing import says_the_same
from memcli.kit.conversing import Session, by_session, check_least, listened_to, voices
from memcli.kit.handles import Item, item_of
from memcli.kit.instructions import is_instruction
from memcli.kit.nearby import Near, nearby
from memcli.kit.overlay import ref_of
from memcli.kit.rolling import Rolling
from memcli.kit.sessions import end
from memcli.kit.settling import Settler
from memcli.kit.shelf import slots
from memcli.kit.standing import Standing
from memcli.kit.windows import Window, as_context
from memcli.ports import Context, Failed, Pending, Task, View
from memcli.registry import strategy
from memcli.tasks.extract_facts import ExtractFacts, Facts
from memcli.tasks.reconcile import Decisions, KnownMemory, NewFact, Reconcile
from memcli.tasks.summarise import Summarise, Summary

NAME = "reconcile"


@dataclass(frozen=True)
class Params:
    """As on the page of the method."""

    exchanges: int = 1  # a window: a message with its replies
    batch: int = 0  # records a window instead, up to 20; 0: by exchanges
    last: int = 10  # records shown before the window
    similar: int = 10  # memories sought for a fact
    summary_every: int = 20  # records of a session
    window_tokens: int = 3_000
    keep_rejected: bool = True
    by_assistant: bool = False
    retry_failed: bool = False

    def __post_init__(self) -> None:
        check_least(self, exchanges=1, similar=1, summary_every=1, window_tokens=1, last=0)
        if not 0 <= self.batch <= 20:
            raise ValueError("batch is not between 0 and 20")

    @property
    def roles(self) -> frozenset[str]:
        """Whose words become facts."""
        return listened_to(self.by_assistant)


@strategy(
    "reconcile",
    source="arXiv:2504.19413",
    params=Params,
    kinds=("fact", "summary"),
    trigger="unconsumed",
    due="1 unconsumed record",
    calls="at most 2 a window + 1 for 20 records of a session",
    without_model="verbatim facts, slot rules, verbatim summaries; the rest pending",
    conflicts="invalidate",
    aliases=("mem0",),
    settles=ExtractFacts.setting,
)
def reconcile(view: View, ctx: Context, params: Params) -> Plan:
    """Plan facts from the records that wait, and what they change: add, update, delete or noop.

    Each session is planned on the view as it is, its windows in order, each seeing what the
    former ones planned; then the sessions are joined. What a fact replaces is superseded at the
    fact's own time. A window's records are consumed when all that was asked about it is settled.
    """
    return by_session(view, ctx, params, _Session, end)


class _Session(Session[Params]):
    method = NAME
    setting = ExtractFacts.setting
    unsummed: frozenset[str] = frozenset()  # records of a part that has no summary yet

    @cached_property
    def rolling(self) -> Rolling:
        """The summary of the session so far."""
        return Rolling(self.draft, self.session, self.ctx.made_by(Summarise.setting))

    def run(self) -> Talk:
        """Ask about each window in order; then say what is settled."""
        for window in self.talk.windows(
            exchanges=self.params.exchanges,
            batch=self.params.batch,
            max_tokens=self.params.window_tokens,
        ):
            yield from self._summarise(self.talk.start(window))
            yield from self._window(window)
        # What a former pass consumed and could not sum up is caught up with too.
        yield from self._summarise(len(self.talk.said))
        self.consume(self._finished(), Standing(self.draft, self.roles))

    # --- a window -------------------------------------------------------------------------------

    def _window(self, window: Window) -> Talk:
        shown = self.heard(window)
        if not shown:
            return
        before = self.talk.before(window, self.params.last)
        task = ExtractFacts(
            tuple(map(item_of, shown)),
            context=tuple(map(as_context, before)),
            summary=self.rolling.shown(),
            speakers=voices(shown, self.roles),
            attributes=tuple(sorted(self.ctx.single_valued)),
        )
        answer: Facts | None = yield from self.ask(window, task, self._window)
        if answer is None:
            return
        vetting = Vetting(self.draft, shown, self.roles, self.recalled)
        facts = vetting.all(answer.facts)
        if self.by_rule:  # which say of a record that waits for a model what they said before
            facts = [one for one in facts if not self.standing.stands(one.refs, one.text)]
        yield from self._decide(window, facts, vetting.rejected, before)

    def _decide(
        self,
        window: Window,
        facts: Sequence[Found],
        rejected: Iterable[Rejection],
        before: Sequence[Record],
    ) -> Talk:
        facts = [fact for fact in facts if not self.standing.told(fact.cites, NAME)]
        near = {fact.ref: self._near(fact) for fact in facts if not self._is_known(fact)}
        known = {one.memory.id: one.memory for found in near.values() for one in found}
        answer: Decisions | None = Decisions(decisions=())
        if known:
            asked = [fact for fact in facts if fact.ref in near]
            task = self._task(asked, list(known.values()), near)
            answer = yield from self.ask(window, task, self._window)
        if answer is None:
            return
        for item in rejected:
            self.draft.reject(item.item, item.reason)
        self._settle(facts, answer, known.values(), near, before, window)
        self.settled.append(window)

    def _settle(
        self,
        facts: Sequence[Found],
        answer: Decisions,
        known: Iterable[Memory],
        near: dict[str, list[Near]],
        before: Sequence[Record],
        window: Window,
    ) -> None:
        ctx = self.ctx
        settler = Settler(
            self.draft,
            shown={ref_of(memory): memory for memory in known},
            near={
                ref: [one for one in found if one.cosine >= ctx.related]
                for ref, found in near.items()
            },
            # What is related may have nothing in common, in one pair of seventy; halfway to what says
            # the same no two texts on different topics were found, with any embedder.
            bearing=Bearing(
                before,
                window.records,
                ctx.embed,
                (ctx.related + ctx.near_duplicate) / 2,
                ctx.single_valued,
            ),
            now=ctx.now,
            facts_by=ctx.made_by(ExtractFacts.setting),
            decided_by=ctx.made_by(Reconcile.setting),
            wary=any(is_instruction(record.text) for record in (*before, *window.records)),
            keep_rejected=self.params.keep_rejected,
        )
        refs = {fact.ref for fact in facts}
        for decision in answer.decisions:
            if decision.fact not in refs:
                named = " ".join(decision.unknown) or "no fact"
                self.draft.reject(f"{decision.op} for {named}", "unknown-id")
        for fact in facts:
            settler.settle(fact, [one for one in answer.decisions if one.fact == fact.ref])
        self.undecided |= settler.undecided

    def _is_known(self, fact: Found) -> bool:
        """Whether a memory says just this: then there is nothing to decide (C20)."""
        same = self.draft.same(KIND, fact.text)
        return same is not None and says_the_same(fact, same)

    def _near(self, fact: Found) -> list[Near]:
        """The memories nearest to a fact, and those of its slot wherever they are."""
        found = nearby(self.draft, self.ctx, fact.text, self.params.similar, kind=KIND)
        shown = {one.memory.id for one in found}
        slot = fact.slot
        if slot is None or slot.attribute not in self.ctx.single_valued:
            return found
        for memory in self.draft.having(slots, (KIND, slot.attribute)):
            if not memory.superseded and memory.id not in shown and fact.in_slot_of(memory):
                found.append(Near(memory, 0.0))
        return found

    def _task(
        self, facts: Sequence[Found], known: Sequence[Memory], near: dict[str, list[Near]]
    ) -> Task[Decisions]:
        related = (
            (ref, tuple(ref_of(one.memory) for one in found if one.cosine >= self.ctx.related))
            for ref, found in near.items()
        )
        return Reconcile(
            tuple(map(_new, facts)),
            tuple(self._known(memory) for memory in known),
            near=tuple((ref, refs) for ref, refs in related if refs),
            single_valued=self.ctx.single_valued,
        )

    def _known(self, memory: Memory) -> KnownMemory:
        roots = self.draft.closure(memory.id) if ids.is_draft(memory.id) else ()
        slot = memory.slot
        return KnownMemory(
            item_of(memory, roots=roots),
            attribute=slot.attribute if slot else None,
            value=slot.value if slot else None,
            subject=subject_of(memory),
            valid_from=memory.valid_from,
        )

    # --- around the windows ---------------------------------------------------------------------

    def _summarise(self, end: int) -> Generator[Task[Any], Any, None]:
        """Bring the summary up to place `end`, in steps of `summary_every` records."""
        every = self.params.summary_every
        while not self.rolling.stuck and end - self.rolling.covered >= every:
            part = self.talk.said[self.rolling.covered : self.rolling.covered + every]
            shown = tuple(item_of(record) for record in part if record.text.strip())
            answer: Summary | Pending | Failed = Pending()
            if shown:
                answer = yield Summarise("rolling", shown, former=self.rolling.points())
            if isinstance(answer, Failed):
                self.draft.fail(f"summary from {part[0].id} to {part[-1].id}: {answer.reason}")
                self._leave(part)
            elif isinstance(answer, Pending) and shown:
                self.draft.pend(answer.reason, len(part))
                self._leave(part)
            elif isinstance(answer, Pending):
                self.rolling.skip(every)
            else:
                self.rolling.take(answer, part)

    def _leave(self, part: Sequence[Record]) -> None:
        """No summary of this part came: its records wait for it, and so does what follows it."""
        self.rolling.stuck = True
        self.unsummed = frozenset(record.id for record in part)

    def _finished(self) -> list[Record]:
        """The records that wait for no summary.

        Windows are left whole, or the next pass would cut them anew and ask about them again. If
        all of the part is consumed already, the last window waits, so that there is a next pass.
        """
        open_ = [window for window in self.settled if not self.unsummed.isdisjoint(window.ids)]
        if self.unsummed and not open_:
            open_ = self.settled[-1:]
        return [one for window in self.settled if window not in open_ for one in window.records]


def _new(fact: Found) -> NewFact:
    item = Item(fact.ref, fact.text, speaker=fact.attributes.get("speaker"), roots=fact.refs)
    slot = fact.slot
    return NewFact(
        item,
        attribute=slot.attribute if slot else None,
        value=slot.value if slot else None,
        subject=fact.subject,
        valid_from=fact.valid_from,
        change=fact.change,
    )
