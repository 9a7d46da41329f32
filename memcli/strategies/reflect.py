"""Reflection: ask what the newest memories mean, and keep the answers as cited insights.

Source: Park et al. 2023, Generative Agents, section 4.2 (arXiv:2304.03442); its code
joonspk-research/generative_agents. Without a model: verbatim themes in place of insights.
"""

import math
from collections.abc import Collection, Iterator, Sequence

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.plan import Plan
from memcli.core.records import Record
from memcli.core.values import dataclass, replace
from memcli.kit import scores
from memcli.kit.asking import Asked, ask_about, is_fault
from memcli.kit.dates import absolute
from memcli.kit.draft import Draft
from memcli.kit.handles import Item, item_of
from memcli.kit.moments import add_days, day_of
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import ref_of
from memcli.kit.salience import Salience
from memcli.kit.selection import WITH_TOOLS, set_aside
from memcli.kit.theming import plan_themes
from memcli.kit.timeline import Placed, Timeline
from memcli.kit.words import words
from memcli.ports import Context, Failed, Pending, View
from memcli.registry import strategy
from memcli.tasks.ask_questions import AskQuestions
from memcli.tasks.draw_insights import DrawInsights, Insight
from memcli.tasks.rate_importance import RateImportance, Ratings

NAME = "reflect"
RATED_A_CALL = 50
MIN_WORDS = 4  # of an insight (C13)
EQUAL_ANSWERS = 10  # that many equal ratings are suspicious (C13)
# Evidence is sought among the newest items and, beyond them, the best of a text search: older
# ones have no recency left and can win by relevance only.
NEWEST, FOUND = 2_000, 200


@dataclass(frozen=True)
class Params:
    """As on the page of the method; weights and decay as the paper has them."""

    threshold: float = 150.0
    recent: int = 100  # records and insights shown to the model, a window
    questions: int = 3
    insights: int = 5  # at most, a question
    evidence: int = 30  # records and insights fetched for a question
    decay: float = 0.995  # an hour
    recency: float = 1.0
    relevance: float = 1.0
    importance: float = 1.0
    unrated: float = 4.0
    expiry_days: float = 30.0
    windows: int = 1  # a pass
    retry_failed: bool = False  # also what failed alone in three passes

    def __post_init__(self) -> None:
        for name in ("recent", "questions", "insights", "evidence", "windows"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is less than 1")
        for name in ("threshold", "recency", "relevance", "importance", "expiry_days"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is less than 0")
        if not 0 < self.decay <= 1:
            raise ValueError("decay is not above 0 and up to 1")
        if not 1 <= self.unrated <= 10:
            raise ValueError("unrated is not a rating from 1 to 10")


@dataclass(frozen=True)
class _Window:
    """Records not yet reflected on, and all that stands up to the last of them."""

    name: str
    fresh: tuple[Record, ...]
    upto: tuple[Placed, ...]


@strategy(
    "reflect",
    source="arXiv:2304.03442",
    params=Params,
    kinds=("insight", "theme"),
    trigger="importance",
    due="importance of unconsumed records sums to 150",
    calls="ceil(unrated/50) + 4 a window of 100 records",
    without_model="ratings by rule, verbatim themes; insights pending",
    conflicts="keep-both",
    aliases=("generative-agents",),
    settles=AskQuestions.setting,
)
def reflect(view: View, ctx: Context, params: Params) -> Plan:
    """Plan what the newest memories mean: ratings, and up to five insights a salient question.

    A window ends at the `recent`-th oldest unconsumed record, so that a backlog is worked off in
    order and no insight sees its own future. Each insight cites what the model named and was
    shown. A window's records are consumed when all its questions are settled. A record whose
    rating failed alone in three passes is set aside: it is not rated, and no window waits for it.
    """
    made_by = ctx.made_by(DrawInsights.setting)
    draft = Draft(view, strategy=NAME, made_by=made_by, looked=ctx.looked)
    aside = set_aside(view.failures(NAME), retry=params.retry_failed)
    waiting = _waiting(draft, aside)
    ctx.waits(record.id for record in waiting)
    held_back = len(view.unconsumed(NAME, kinds=WITH_TOOLS)) - len(waiting)
    for number in range(params.windows):
        fresh = waiting[number * params.recent : (number + 1) * params.recent]
        if not fresh:
            break
        if not _reflect_on(draft, ctx, params, _window(draft, f"window {number + 1}", fresh)):
            _without_model(draft, ctx, params, _waiting(draft, aside))
            break
    if held_back:
        draft.pend("set-aside", held_back)
    return draft.plan()


def _waiting(draft: Draft, aside: Collection[str]) -> list[Record]:
    """The records to reflect on, oldest first."""
    found = draft.unconsumed(NAME, kinds=WITH_TOOLS)
    return [record for record in found if record.id not in aside]


def _window(draft: Draft, name: str, fresh: Sequence[Record]) -> _Window:
    timeline = Timeline(draft, WITH_TOOLS, "insight")
    known = {record.id for record in fresh}
    # What a partial pass drew from these very records is left out, so that the next pass asks
    # the same again, meets its recorded answers, and adds only what was missing.
    upto = timeline.up_to(max(timeline.place(ref) for ref in known), without=known)
    return _Window(name, tuple(fresh), tuple(upto))


def _reflect_on(draft: Draft, ctx: Context, params: Params, window: _Window) -> bool:
    """Plan one window; False if the backend has no questions to ask (`needs-model`)."""
    shown = tuple(_shown(draft, placed) for placed in window.upto[-params.recent :])
    if not shown:  # only records without text: nothing to ask, and settled (C26)
        draft.select(record.id for record in window.fresh)
        draft.consume(record.id for record in window.fresh)
        return True
    asked = ctx.ask(AskQuestions(shown, params.questions))
    if isinstance(asked, Pending):
        return False
    draft.select(record.id for record in window.fresh)
    unrated = _rate(draft, ctx, window.fresh)
    if isinstance(asked, Failed):
        draft.fail(f"{window.name}: questions: {asked.reason}")
        return True
    settled = _answer(draft, ctx, params, window, asked.questions)
    if settled:
        draft.consume(record.id for record in window.fresh if record.id not in unrated)
    return True


# --- ratings ------------------------------------------------------------------------------------


def _rate(draft: Draft, ctx: Context, records: Sequence[Record]) -> set[str]:
    """Rate what nobody rated, and what only the rules did if a model answers.

    Gives the ids of records whose rating failed.
    """
    items = [item_of(record) for record in records if _needs_rating(draft, ctx, record)]
    failed: set[str] = set()
    values: list[int] = []
    for asked in _ask_ratings(draft, ctx, items):
        if isinstance(asked.answer, Failed):
            refs = [item.ref for item in asked.items]
            failed.update(refs)
            one = refs[0] if len(refs) == 1 else f"{len(refs)} records from {refs[0]}"
            draft.fail(f"rating of {one}: {asked.answer.reason}")
            if is_fault(asked.answer):
                draft.mark_failed(refs)
        elif not isinstance(asked.answer, Pending):
            for rating in asked.answer.ratings:
                draft.rate(
                    rating.item, "importance", rating.rating, by=ctx.made_by(RateImportance.setting)
                )
                values.append(rating.rating)
            for handle in asked.answer.unknown:
                draft.reject(f"rating of {handle}", "unknown-id")
    if len(values) >= EQUAL_ANSWERS and len(set(values)) == 1 and not _by_rule(ctx):
        draft.warn(f"constant-answers: {len(values)} ratings are all {values[0]}")
    return failed


def _ask_ratings(
    draft: Draft, ctx: Context, items: Sequence[Item]
) -> Iterator[Asked[Item, Ratings]]:
    """Ratings, 50 a call; what failed alone in an earlier pass comes last and alone (C27)."""
    marked = draft.failures(NAME)
    first = [item for item in items if item.ref not in marked]
    last = [item for item in items if item.ref in marked]
    yield from ask_about(ctx, first, RateImportance, size=RATED_A_CALL)
    yield from ask_about(ctx, last, RateImportance, size=1)


def _needs_rating(draft: Draft, ctx: Context, record: Record) -> bool:
    if not record.text.strip():
        return False
    if record.importance is None:
        return True
    return not _by_rule(ctx) and draft.rated_by(record.id) == "extractive"


def _by_rule(ctx: Context) -> bool:
    """Whether ratings are given by rule: they may have a model of their own, or none."""
    return ctx.made_by(RateImportance.setting) == "extractive"


# --- insights -----------------------------------------------------------------------------------


def _shown(draft: Draft, placed: Placed) -> Item:
    day = None if placed.when is None else day_of(placed.when)
    roots = draft.closure(placed.item.id) if ids.is_draft(placed.item.id) else ()
    return item_of(placed.item, day, roots)


def _answer(
    draft: Draft, ctx: Context, params: Params, window: _Window, questions: Sequence[str]
) -> bool:
    """Plan the insights of a window; whether every question was settled."""
    evidence = _evidence(draft, ctx, params, window, questions)
    tasks = [
        DrawInsights(question, tuple(_shown(draft, one) for one in found), params.insights)
        for question, found in zip(questions, evidence, strict=True)
    ]
    settled = True
    for question, answer in zip(questions, ctx.ask_all(tasks), strict=True):
        if isinstance(answer, Failed):
            draft.fail(f"{window.name}: {question}: {answer.reason}")
            settled = False
        elif isinstance(answer, Pending):
            draft.pend(answer.reason, len(window.fresh))
            settled = False
        else:
            for insight in answer.insights:
                _keep(draft, ctx, params, question, insight)
            draft.settle()
    return settled


def _evidence(
    draft: Draft, ctx: Context, params: Params, window: _Window, questions: Sequence[str]
) -> list[list[Placed]]:
    """For each question the `evidence` best items up to the window's end, oldest first.

    Last uses are read once, before any question, so that their order does not matter.
    """
    weights = scores.Weights(params.recency, params.relevance, params.importance)
    # With the ratings of this pass: a rerun after a partial one then finds the same evidence.
    upto = [
        replace(placed, item=draft.get(placed.item.id) or placed.item) for placed in window.upto
    ]
    salience = Salience(upto, draft.recalled(), params.decay, weights, params.unrated)
    found = []
    for question in questions:
        pool = upto
        if len(pool) > NEWEST:
            hits = {hit.id for hit in draft.search(question, FOUND)}
            older = (placed for placed in pool[:-NEWEST] if placed.item.id in hits)
            pool = [*older, *pool[-NEWEST:]]
        found.append(salience.best(pool, question, ctx.embed, params.evidence))
    return found


def _keep(draft: Draft, ctx: Context, params: Params, question: str, insight: Insight) -> None:
    """Add an insight, or its evidence to the one that says the same already."""
    for handle in insight.unknown:
        draft.reject(f"{handle} in {insight.text!r}", "unknown-id")
    text = _checked(draft, insight)
    if text is None:
        return
    same = draft.same("insight", text)
    if same is not None and not draft.apart(same, text):
        _join(draft, same, insight.because_of)
        return
    added = draft.add(
        "insight",
        text,
        evidence=insight.because_of,
        attributes={
            "question": question,
            "depth": _depth(draft, insight.because_of),
            "expires_at": add_days(ctx.now, params.expiry_days),
        },
        valid_from=draft.newest(insight.because_of),
    )
    draft.rate(added, "importance", insight.importance, requires=[added])
    if same is not None:  # the guard keeps them apart: for review (C19)
        draft.link(added, ref_of(same), "duplicate", requires=[added])


def _checked(draft: Draft, insight: Insight) -> str | None:
    """The text to store; None, with the reason reported, if the insight is refused."""
    text: str | None = None
    reason = ""
    if not insight.because_of:
        reason = "no-evidence"
    elif len(words(insight.text)) < MIN_WORDS:
        reason = "too-short"
    else:
        text = absolute(insight.text, _days(draft, insight.because_of))
        if text is None:
            reason = "relative-date"
        elif draft.tombstoned("insight", near_key(text), insight.because_of):
            reason = "tombstoned"
    if reason:
        draft.reject(insight.text, reason)
        return None
    return text


def _days(draft: Draft, refs: Sequence[str]) -> frozenset[str]:
    """The dates of all records that `refs` rest on; none if one of them has no time."""
    times = [draft.newest([root]) for ref in refs for root in draft.closure(ref)]
    if not all(times):
        return frozenset()
    return frozenset(day_of(time) for time in times if time)


def _join(draft: Draft, known: Memory, refs: Sequence[str]) -> None:
    for ref in refs:
        draft.link(ref_of(known), ref, "evidence", reason="the same insight again")
    depth = _depth(draft, refs)
    if ids.is_draft(known.id) and depth > known.attributes["depth"]:
        draft.revise(known.id, attributes={**known.attributes, "depth": depth})


def _depth(draft: Draft, refs: Sequence[str]) -> int:
    """One more than the deepest evidence; a record has depth 0, a memory without depth 1."""
    depths = [0]
    for ref in refs:
        found = draft.get(ref)
        if isinstance(found, Memory):
            depth = found.attributes.get("depth")
            depths.append(depth if isinstance(depth, int) else 1)
    return 1 + max(depths)


# --- without a model ----------------------------------------------------------------------------


def _without_model(draft: Draft, ctx: Context, params: Params, waiting: Sequence[Record]) -> None:
    """Ratings by rule for all that waits, and themes; nothing is consumed.

    All windows at once, for nothing moves on without a model: a second pass over the same store
    finds the same themes and has nothing left to do.
    """
    fresh = [record.id for record in waiting]
    draft.select(fresh)
    _rate(draft, ctx, waiting)
    most = params.questions * math.ceil(len(waiting) / params.recent)
    plan_themes(draft, ctx.embed, ctx.related, fresh=frozenset(fresh), most=most)
    draft.pend("needs-model", len(waiting))
