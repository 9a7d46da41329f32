"""Appending: draw facts from what is new and only ever add them; what is newer ranks first.

Source: mem0ai/mem0 2.2.1, mem0/memory/main.py, and its migration guide from v2 to v3. One call a
window. Nothing is ended: a fact that replaces another is linked to it, and the order is made when
they are read. Without a model: statements and slots by rule.
"""

from collections.abc import Iterator, Sequence

from memcli.core import ids
from memcli.core.memories import Memory, Role
from memcli.core.plan import Plan
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit.asking import Talk
from memcli.kit.bearing import Bearing
from memcli.kit.claims import KIND, Found, Vetting, kept
from memcli.kit.comparing import is_older, says_the_same
from memcli.kit.conversing import Session, by_session, check_least, listened_to, voices
from memcli.kit.dates import Begun
from memcli.kit.draft import Draft
from memcli.kit.facts import facts as stated
from memcli.kit.handles import Item, item_of
from memcli.kit.instructions import is_instruction
from memcli.kit.nearby import nearby
from memcli.kit.overlay import ref_of
from memcli.kit.shelf import replaced, slots
from memcli.kit.single import may_end
from memcli.kit.standing import Standing
from memcli.kit.windows import Window, as_context
from memcli.ports import Context, View
from memcli.registry import strategy
from memcli.tasks.extract_facts import ExtractFacts, Facts

NAME = "append"
_SAME_SLOT = "a later value of the same slot"


@dataclass(frozen=True)
class Params:
    """As on the page of the method. `related` is for rules alone: a model says what is related."""

    window: int = 20  # records
    last: int = 10  # records shown before the window
    cut: int = 300  # characters of each of those
    existing: int = 10  # facts shown that are known
    window_tokens: int = 3_000
    least_words: int = 15  # of a fact
    most_words: int = 80
    related: float = 0.75  # cosine
    by_assistant: bool = False
    retry_failed: bool = False

    def __post_init__(self) -> None:
        check_least(self, window=1, last=0, cut=1, existing=0, window_tokens=1, least_words=1)
        check_least(self, most_words=self.least_words)
        if not 0 <= self.related <= 1:
            raise ValueError("related is not between 0 and 1")

    @property
    def roles(self) -> frozenset[str]:
        """Whose words become facts."""
        return listened_to(self.by_assistant)


@strategy(
    "append",
    source="mem0ai/mem0 2.2.1",
    params=Params,
    kinds=("fact",),
    trigger="unconsumed",
    due="1 unconsumed record",
    calls="1 a window of 20 records",
    without_model="verbatim facts, replaced by slot; the rest pending",
    conflicts="keep-both",
    aliases=("mem0-v3",),
    settles=ExtractFacts.setting,
)
def append(view: View, ctx: Context, params: Params) -> Plan:
    """Plan a fact for each thing told that no fact of the scope says yet, with links to the facts
    that it is related to or replaces.

    Each session is planned on the view as it is, its windows in order; then the sessions are
    joined. A window's records are consumed when its answer came, whole and in form.
    """
    return by_session(view, ctx, params, _Session, _replace)


def _replace(draft: Draft, older: Memory, newer: Memory) -> None:
    draft.link(
        ref_of(newer),
        ref_of(older),
        "replaces",
        reason=_SAME_SLOT,
        requires=[one.id for one in (older, newer) if ids.is_draft(one.id)],
    )


class _Session(Session[Params]):
    method = NAME
    setting = ExtractFacts.setting
    former: Sequence[str] = ()  # the facts of the window before

    def run(self) -> Talk:
        """Ask about each window in order; then say what is settled."""
        params = self.params
        for window in self.talk.windows(
            exchanges=1, batch=params.window, max_tokens=params.window_tokens
        ):
            yield from self._window(window)
        self.consume(
            (record for window in self.settled for record in window.records),
            Standing(self.draft, self.roles),
        )

    def _window(self, window: Window) -> Talk:
        shown = self.heard(window)
        if not shown:
            return
        before = self.talk.before(window, self.params.last)
        task = ExtractFacts(
            tuple(map(item_of, shown)),
            context=tuple(as_context(record, self.params.cut) for record in before),
            summary=tuple(self._shown(self.former)),
            # Rules look for what is near to each fact, when they have it.
            known=() if self.by_rule else tuple(self._shown(self._nearest(shown))),
            speakers=voices(shown, self.roles),
            attributes=tuple(sorted(self.ctx.single_valued)),
            words=(self.params.least_words, self.params.most_words),
            repeats=True,
        )
        answer: Facts | None = yield from self.ask(window, task, self._window)
        if answer is None:
            return
        vetting = Vetting(self.draft, shown, self.roles, self.recalled)
        facts = vetting.all(answer.facts)
        for item in vetting.rejected:
            self.draft.reject(item.item, item.reason)
        if self.by_rule:  # which say of a record that waits for a model what they said before
            facts = [one for one in facts if not self.standing.stands(one.refs, one.text)]
        known = {item.ref for item in task.known}
        links = _Links(self.ctx, self.params, self.draft, known, before, window, self.by_rule)
        self.former = [home for home in map(links.settle, facts) if ids.is_draft(home)]
        self.settled.append(window)

    def _nearest(self, shown: Sequence[Record]) -> list[str]:
        """Ids of the facts that the window is nearest to: those of slots that it seems to set, by
        words and vectors, and where there are few facts the newest others."""
        most, draft = self.params.existing, self.draft
        live = [m for m in draft.memories(kind=KIND, superseded=False) if m.status == "active"]
        if not most or not live:
            return []
        set_here = {one.slot.attribute for r in shown for one in stated(r.text) if one.slot}
        held = [m for m in live if m.slot is not None and m.slot.attribute in set_here]
        text = "\n".join(record.text for record in shown)
        near = [one.memory for one in nearby(draft, self.ctx, text, most, kind=KIND)]
        return list(dict.fromkeys(m.id for m in (*held[-most:], *near, *reversed(live))))[:most]

    def _shown(self, idents: Sequence[str]) -> Iterator[Item]:
        for ident in idents:
            memory = self.draft.get(ident)
            if isinstance(memory, Memory):
                roots = self.draft.closure(ident) if ids.is_draft(ident) else ()
                day = memory.valid_from[:10] if memory.valid_from else None
                yield item_of(memory, day=day, roots=roots)


@dataclass
class _Links:
    """Puts the facts of one window where they belong. `known`: refs of the facts shown with it."""

    ctx: Context
    params: Params
    draft: Draft
    known: set[str]
    before: Sequence[Record]
    window: Window
    by_rule: bool

    def settle(self, fact: Found) -> str:
        """Add the fact, or give its evidence to the one that says just this; gives its id."""
        alike = self.draft.alike(KIND, fact.text)
        for same in alike:
            if says_the_same(fact, same) and not self._is_back(fact, same):
                for cite in fact.cites:
                    self.draft.link(
                        ref_of(same),
                        cite.ref,
                        "evidence",
                        quotes=cite.quotes,
                        reason="the same again",
                    )
                return same.id
        # By the state before the fact itself is in it.
        related, replaced = self._by_rule(fact) if self.by_rule else self._told(fact)
        home = kept(self.draft, fact)
        apart = [one for one in alike if not says_the_same(fact, one)]
        for memory in apart:
            self.draft.link(home, ref_of(memory), "duplicate", requires=[home])
        for memory in replaced:
            if is_older(fact, memory, self.draft.newest([memory.id])):
                related.append(memory)
            else:
                ends = not self.by_rule or may_end(memory)
                role: Role = "replaces" if ends else "conflict"
                self.draft.link(home, ref_of(memory), role, requires=[home])
        done = {one.id for one in (*apart, *replaced)} - {one.id for one in related}
        for memory in related:
            if memory.id not in done:
                self.draft.link(home, ref_of(memory), "related", requires=[home])
        return home

    def _is_back(self, fact: Found, same: Memory) -> bool:
        """Whether the same was so before, was replaced since, and now is so again: a new fact, for
        by the old one it would still count as replaced."""
        return any(
            not is_older(fact, rival, self.draft.newest([rival.id])) for rival in self._rivals(same)
        )

    def _rivals(self, memory: Memory) -> list[Memory]:
        """The live facts that replace a memory, by link or by a later value of its slot."""
        slot = memory.slot
        key = (slot.subject, slot.attribute) if slot and self._is_single(slot.attribute) else None
        others = {one.id: one for one in self.draft.having(replaced, memory.id)}
        if key is not None:
            of_slot = self.draft.having(slots, (KIND, key[1]))
            others |= {one.id: one for one in of_slot}
        begun = Begun(memory.valid_from, self.draft.newest([memory.id]))
        return [
            other
            for other in others.values()
            if other.kind == KIND
            and not other.superseded
            and other.id != memory.id
            and (
                any(
                    end.role == "replaces" and ids.memory_of(end.ref) == memory.id
                    for end in other.links
                )
                or (
                    other.slot is not None
                    and (other.slot.subject, other.slot.attribute) == key
                    and _value(other) != _value(memory)
                    and begun.is_before(Begun(other.valid_from, self.draft.newest([other.id])))
                )
            )
        ]

    def _is_single(self, attribute: str) -> bool:
        return attribute in self.ctx.single_valued

    # --- what it has to do with -----------------------------------------------------------------

    def _told(self, fact: Found) -> tuple[list[Memory], list[Memory]]:
        """(related, replaced) as the backend named them, as far as that may be."""
        related = self._held(fact.related)
        replaced = []
        for memory in self._held(fact.replaces):
            reason = self._why_not(fact, memory)
            if reason is None:
                replaced.append(memory)
            else:
                self.draft.reject(f"replaces {memory.id} for {fact.text!r}", reason)
                related.append(memory)
        return related, replaced

    def _why_not(self, fact: Found, memory: Memory) -> str | None:
        """An order to its reader that stands in what was shown makes nothing outdated."""
        if fact.in_slot_of_another(memory):
            return "unrelated"
        shown = (*self.before, *self.window.records)
        if fact.ordered or any(is_instruction(record.text) for record in shown):
            return None if not fact.ordered and self._bears(fact, memory) else "instruction"
        return None

    def _bears(self, fact: Found, memory: Memory) -> bool:
        near = (self.ctx.related + self.ctx.near_duplicate) / 2
        records, single = self.window.records, self.ctx.single_valued
        return Bearing(self.before, records, self.ctx.embed, near, single).on(fact, memory)

    def _held(self, refs: Sequence[str]) -> list[Memory]:
        found = (self.draft.get(ids.memory_of(ref)) for ref in refs if ref in self.known)
        return [one for one in found if isinstance(one, Memory) and not one.superseded]

    def _by_rule(self, fact: Found) -> tuple[list[Memory], list[Memory]]:
        """The nearest fact, a grouping; and the older values of a slot that holds one."""
        near = nearby(self.draft, self.ctx, fact.text, 1, kind=KIND)
        least = max(self.params.related, self.ctx.related)
        related = [one.memory for one in near if one.cosine >= least]
        if fact.slot is None or not self._is_single(fact.slot.attribute):
            return related, []
        rivals = [
            one
            for one in self.draft.having(slots, (KIND, fact.slot.attribute))
            if not one.superseded
            and fact.in_slot_of(one)
            and _value(one) != " ".join(fact.slot.value.casefold().split())
            and one.status == "active"
        ]
        return related, rivals


def _value(memory: Memory) -> str:
    """The value of a slot, for comparing."""
    return "" if memory.slot is None else " ".join(memory.slot.value.casefold().split())
