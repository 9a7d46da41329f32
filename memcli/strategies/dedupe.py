"""Deduplication: memories that say the same become one, which rests on the evidence of all.

Source: ours. Wanted in letta-ai/letta#3116 and vectorize-io/hindsight#1566; the warnings that shaped
its guard are getzep/graphiti PR #1241 and mem0ai/mem0#1674. Near memories are candidates only:
cosine proposes and never decides (C21). No text is written, and no model is needed.
"""

from collections import defaultdict
from collections.abc import Sequence

from memcli.core import ids
from memcli.core.memories import LinkEnd, Memory
from memcli.core.plan import Plan
from memcli.core.values import dataclass
from memcli.kit import doubles
from memcli.kit.asking import ask_about
from memcli.kit.claims import subject_of
from memcli.kit.doubles import KINDS
from memcli.kit.draft import Draft
from memcli.kit.guard import may_join
from memcli.kit.handles import item_of
from memcli.kit.words import listed
from memcli.ports import Context, Failed, Pending, View
from memcli.registry import strategy
from memcli.tasks.compare_claims import CompareClaims, Compared, Verdicts

NAME = "dedupe"
_NEAREST = 5  # of a kind, for each memory (Hindsight asks about as many)
_MORE = 4  # the nearest of all kinds take places
_PAIRS = 20  # a call
Pair = tuple[Memory, Memory]  # the newer, the older


@dataclass(frozen=True)
class Params:
    """As on the page of the method."""

    near_dup: float = 0.0  # cosine of a pair to look at; 0: the embedder's
    kinds: str = " ".join(KINDS)
    min_new: int = 50  # memories since the last pass
    judge: bool = False  # ask a model about near pairs
    propose: bool = False  # link near pairs that nothing joins, for review

    def __post_init__(self) -> None:
        if not 0 <= self.near_dup <= 1:
            raise ValueError("near_dup is not between 0 and 1")
        if self.min_new < 1:
            raise ValueError("min_new is less than 1")
        if unknown := sorted(self.chosen - {*KINDS}):
            raise ValueError(f"kinds: {unknown[0]} is none of {', '.join(KINDS)}")
        if not self.chosen:
            raise ValueError("kinds names none")

    @property
    def chosen(self) -> frozenset[str]:
        """The kinds as a set; they may be parted by blanks or commas."""
        return listed(self.kinds.replace(",", " "))


@strategy(
    NAME,
    source="ours; letta-ai/letta#3116, vectorize-io/hindsight#1566",
    params=Params,
    kinds=(),
    trigger="duplicates",
    due="an exact duplicate, or 50 new memories with near ones",
    calls="0 (with judge: 1 for 20 pairs)",
    without_model="all but judge",
    conflicts="none",
    settles=CompareClaims.setting,
)
def dedupe(view: View, ctx: Context, params: Params) -> Plan:
    """Plan a retire into the oldest for each memory that says what an older one says.

    Equal are those of one near key that the guard lets pass. With `judge`, a model is asked about
    pairs that are near by cosine, and where it says "the same" the guard has the last word.
    """
    draft = Draft(view, strategy=NAME, made_by=ctx.made_by(CompareClaims.setting), embed=ctx.embed)
    found = doubles.find(draft, params.chosen, ctx.now)
    for refused in found.refused:
        draft.reject(refused.item, refused.reason)
    joining = _Joining(draft, view)
    for one in found.joins:
        joining.join(one.target, one.survivor, "duplicate")
    if params.judge or params.propose:
        pairs = _pairs(joining, ctx, params)
        if params.judge:
            _judge(joining, ctx, pairs)
        if params.propose:
            for newer, older in pairs:
                joining.propose(newer, older, "near by cosine")
    joining.finish()
    return draft.plan()


class _Joining:
    """Joins memories in a draft, and moves what hangs on those that go."""

    def __init__(self, draft: Draft, view: View) -> None:
        self.draft = draft
        self.gone: dict[str, str] = {}  # memory -> its survivor
        self._survivors: set[str] = set()
        self._joins: list[tuple[Memory, Memory, str]] = []  # with the label of the retire
        self._all = {memory.id: memory for memory in view.memories()}
        self._linked: dict[str, list[tuple[str, LinkEnd]]] = defaultdict(list)
        for memory in self._all.values():
            for link in memory.links:
                self._linked[ids.memory_of(link.ref)].append((memory.id, link))

    def join(self, target: Memory, survivor: Memory, reason: str) -> None:
        """Retire `target` into `survivor`. One change a memory: who was joined goes nowhere else,
        and who takes others in stays."""
        if target.id in self.gone:
            return
        if target.id in self._survivors or survivor.id in self.gone:
            self.draft.reject(f"{target.id} into {survivor.id}", "target-taken")
            return
        label = self.draft.retire(target.ref, reason=reason, merged_into=survivor.ref)
        if label is not None:
            self.gone[target.id] = survivor.id
            self._survivors.add(survivor.id)
            self._joins.append((target, survivor, label))

    def propose(self, newer: Memory, older: Memory, reason: str) -> None:
        """Link a pair that stays two, for somebody to look at."""
        if newer.id not in self.gone and older.id not in self.gone:
            self.draft.link(newer.ref, older.ref, "duplicate", reason=reason)

    def are_linked(self, one: Memory, other: Memory) -> bool:
        """Whether the pair was proposed, or found to be in conflict, before."""
        return any(
            ids.memory_of(link.ref) == end.id and link.role in ("duplicate", "conflict")
            for start, end in ((one, other), (other, one))
            for link in start.links
        )

    def finish(self) -> None:
        """Move links and ratings of those that went to their survivors."""
        for target, survivor, label in self._joins:
            self._move_links(target, survivor, label)
        by_survivor: dict[str, list[tuple[Memory, str]]] = defaultdict(list)
        for target, survivor, label in self._joins:
            by_survivor[survivor.id].append((target, label))
        for ident, targets in by_survivor.items():
            self._rate(self._all[ident], targets)

    def _move_links(self, target: Memory, survivor: Memory, label: str) -> None:
        draft = self.draft
        for link in target.links:
            end = self.gone.get(ids.memory_of(link.ref))
            ref = link.ref if end is None else self._all[end].ref
            if ids.memory_of(ref) != survivor.id and draft.get(ids.memory_of(ref)) is not None:
                draft.link(survivor.ref, ref, link.role, reason="duplicate", requires=[label])
        for ident, link in self._linked.get(target.id, ()):
            if ident in self.gone:
                continue  # its own links are moved with it
            source = self._all[ident]
            draft.unlink(source.ref, link.ref, link.role, reason="duplicate", requires=[label])
            if ident != survivor.id:
                draft.link(
                    source.ref, survivor.ref, link.role, reason="duplicate", requires=[label]
                )

    def _rate(self, survivor: Memory, targets: Sequence[tuple[Memory, str]]) -> None:
        """The highest importance; a person's verdict goes before what methods rated."""
        draft = self.draft
        best: tuple[bool, int] = (False, 0)
        chosen: tuple[Memory, str] | None = None
        for memory, label in ((survivor, ""), *targets):
            worth = (draft.rated_by(memory.id) == "person", memory.importance or 0)
            if worth > best:
                best, chosen = worth, (memory, label)
        if chosen is not None and chosen[0].id != survivor.id:
            memory, label = chosen
            by = draft.rated_by(memory.id) or NAME
            draft.rate(
                survivor.ref,
                "importance",
                memory.importance or 1,
                by=by,
                reason=f"that of {memory.id}",
                requires=[label],
            )
        for memory, label in targets:
            if memory.pinned and not survivor.pinned:
                by = draft.rated_by(memory.id, "pinned") or NAME
                draft.rate(
                    survivor.ref,
                    "pinned",
                    True,
                    by=by,
                    reason=f"that of {memory.id}",
                    requires=[label],
                )
                break


# --- pairs that the rules left open -------------------------------------------------------------------


def _pairs(joining: _Joining, ctx: Context, params: Params) -> list[Pair]:
    """(newer, older) near by cosine, by the age of the newer: so new ones come at the end, and
    calls about the others were recorded."""
    draft = joining.draft
    least = params.near_dup or ctx.near_duplicate
    found: list[Pair] = []
    known = doubles.current(draft, params.chosen, ctx.now)
    by_id = {memory.id: memory for memory in known}
    for memory, vector in zip(known, ctx.embed([one.text for one in known]), strict=True):
        hits = draft.base.nearest(memory.text, vector, (_NEAREST + 1) * _MORE)
        near = [
            other
            for hit in hits
            if hit.score >= least
            and (other := by_id.get(hit.id)) is not None
            and other.kind == memory.kind
            and other.id != memory.id
        ]
        found += [
            (memory, other)
            for other in near[:_NEAREST]
            if _number(other) < _number(memory) and _is_open(joining, memory, other)
        ]
    return found


def _is_open(joining: _Joining, newer: Memory, older: Memory) -> bool:
    return doubles.may_be_one(joining.draft, newer, older) and not joining.are_linked(newer, older)


def _judge(joining: _Joining, ctx: Context, pairs: Sequence[Pair]) -> None:
    """Ask about the pairs, and join those that are the same and that the guard lets pass."""
    draft = joining.draft
    for asked in ask_about(ctx, pairs, lambda group: _task(group, ctx), size=_PAIRS):
        count = len(asked.items)
        if isinstance(asked.answer, Pending):
            draft.pend(asked.answer.reason, count)
        elif isinstance(asked.answer, Failed):
            draft.fail(f"{_named(asked.items)}: {asked.answer.reason}")
        else:
            _take(joining, asked.items, asked.answer)


def _named(pairs: Sequence[Pair]) -> str:
    first = f"{pairs[0][0].id} beside {pairs[0][1].id}"
    return first if len(pairs) == 1 else f"{first} and {len(pairs) - 1} more pairs"


def _take(joining: _Joining, pairs: Sequence[Pair], answer: Verdicts) -> None:
    draft = joining.draft
    verdicts = {one.item: one for one in answer.verdicts}
    for handle in answer.unknown:
        draft.reject(f"a verdict on {handle}", "unknown-id")
    for verdict in answer.verdicts:
        for handle in verdict.unknown:
            draft.reject(f"{handle} beside {ids.memory_of(verdict.item)}", "unknown-id")
    draft.settle()
    for newer, older in pairs:
        verdict = verdicts[newer.ref]
        if older.ref in verdict.undecided:
            draft.pend("needs-model")
        elif older.ref in verdict.same_as:
            _join_judged(joining, newer, older)


def _join_judged(joining: _Joining, newer: Memory, older: Memory) -> None:
    draft = joining.draft
    reason: str | None = "guard"
    if may_join(newer, older):
        reason = doubles.why_not(draft, newer, older)
    if reason is None:
        joining.join(newer, older, "judged the same")
        return
    draft.reject(f"{newer.id} into {older.id}", reason)
    if reason == "guard":
        joining.propose(newer, older, "judged the same, kept apart by the guard")


def _task(pairs: Sequence[Pair], ctx: Context) -> CompareClaims:
    newer = {one.ref: one for one, _ in pairs}
    older = {other.ref: other for _, other in pairs}
    against = ((ref, tuple(other.ref for one, other in pairs if one.ref == ref)) for ref in newer)
    return CompareClaims(
        tuple(map(_shown, newer.values())),
        tuple(map(_shown, older.values())),
        against=tuple(against),
        single_valued=ctx.single_valued,
    )


def _shown(memory: Memory) -> Compared:
    slot = memory.slot
    return Compared(
        item_of(memory),
        attribute=slot.attribute if slot else None,
        value=slot.value if slot else None,
        subject=subject_of(memory),
        valid_from=memory.valid_from,
    )


def _number(memory: Memory) -> int:
    return ids.parse(memory.id, "m").number
