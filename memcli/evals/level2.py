"""Level 2: what a reader answers from what each arm found, and who says that it is right.

All arms but `none` get the same short rule (tasks.answer_question.RULE), so that its own effect is
not credited to memory. Contexts are packed to the same budget of tokens.
"""

from collections.abc import Callable, Sequence

from memcli.core.options import SearchOptions
from memcli.core.records import Record
from memcli.core.values import dataclass, field
from memcli.evals import asking
from memcli.evals.arms import Arm
from memcli.evals.items import Item, items, tokens_of
from memcli.evals.judging import NOT_KNOWN, is_right, stale_values
from memcli.evals.level1 import Runs
from memcli.evals.metrics import pack
from memcli.evals.suite import Probe, Suite
from memcli.evals.worlds import Stores, WorldStore
from memcli.gateway.context import Backend
from memcli.kit import handles
from memcli.kit.moments import day_of
from memcli.ports import Failed, Pending
from memcli.tasks.answer_question import Answer, AnswerQuestion
from memcli.tasks.judge_answer import JudgeAnswer, Verdict

FULL = 100_000  # tokens of a world that are given whole; a longer one does not fit
LIES = ("wrong-value", "stale-value", "vague")
_PLANTED = 30  # questions that wrong answers are planted for


@dataclass(slots=True)
class Answers:
    """What one arm answered, by question; None where nothing came, or the arm has no such context.

    `judged`: by the model (None without one); `by_rules`: by rules.
    """

    arm: Arm
    texts: list[str | None] = field(default_factory=list)
    judged: list[float | None] = field(default_factory=list)
    by_rules: list[float | None] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Planted:
    """Wrong answers and what became of them: 1 for one that was accepted."""

    lie: str
    by_model: tuple[float, ...]
    by_rules: tuple[float, ...]


def run(
    suite: Suite,
    arms: Sequence[Arm],
    found: Runs,
    stores: Stores,
    reader: Backend | None,
    judge: Backend | None,
    *,
    strict: bool = False,
) -> tuple[tuple[Answers, ...], tuple[Planted, ...]]:
    """The answers of each arm with their verdicts, and the planted ones with theirs.

    `found`: what the arms that retrieve got, packed to the budget. Without `reader` an answer is
    the first result word for word, without `judge` rules alone judge.
    """
    contexts, stale = _contexts(suite, arms, found, stores)
    answered = [_answered(suite, arm, contexts[arm.name], reader) for arm in arms]
    for one in answered:
        one.by_rules = [
            None if text is None else float(is_right(probe, text, old))
            for probe, text, old in zip(suite.probes, one.texts, stale, strict=True)
        ]
        pairs = list(zip(suite.probes, one.texts, strict=True))
        one.judged = _judged(pairs, judge, strict=strict)
    planted = tuple(_planted(lie, suite, stale, judge, strict=strict) for lie in LIES)
    return tuple(answered), planted


# --- contexts -------------------------------------------------------------------------------------


def _contexts(
    suite: Suite, arms: Sequence[Arm], found: Runs, stores: Stores
) -> tuple[dict[str, list[tuple[handles.Item, ...] | None]], list[tuple[str, ...]]]:
    """What each arm shows for each question (None: it has no such context), and the values that
    are stale. Each world is opened once."""
    shown: dict[str, list[tuple[handles.Item, ...] | None]] = {
        arm.name: [() if arm.empty else None] * len(suite.probes) for arm in arms
    }
    stale: list[tuple[str, ...]] = [()] * len(suite.probes)
    others = _others(suite)
    places: dict[str, list[int]] = {}
    for nth, probe in enumerate(suite.probes):
        places.setdefault(probe.world, []).append(nth)
    for name, run in found.items():
        if name in shown and not run.arm.empty:
            shown[name] = [tuple(map(_shown, one.packed)) for one in run.answered]
    measure = next((shown[a.name] for a in reversed(arms) if a.letter in "de"), None)
    for title, here in places.items():
        with stores.opened(suite.worlds[title]) as store:
            for nth in here:
                probe = suite.probes[nth]
                stale[nth] = stale_values(store, probe)
                for arm in arms:
                    if arm.name in ("oracle", "full"):
                        shown[arm.name][nth] = _whole(store, probe, arm)
        if "placebo" in shown and title in others and measure is not None:
            with stores.opened(suite.worlds[others[title]]) as store:
                for nth in here:
                    used = sum(tokens_of(one.text) for one in measure[nth] or ())
                    shown["placebo"][nth] = _placebo(store, suite.probes[nth], used)
    return shown, stale


def _others(suite: Suite) -> dict[str, str]:
    """World -> the next one, of which the placebo is taken."""
    titles = list(suite.worlds)
    if len(titles) < 2:
        return {}
    return {title: titles[(nth + 1) % len(titles)] for nth, title in enumerate(titles)}


def _placebo(store: WorldStore, probe: Probe, tokens: int) -> tuple[handles.Item, ...]:
    """As many tokens of another world's `store`, found by the same question."""
    options = SearchOptions(
        k=200, layer="raw", now=probe.question_time, vectors=store.bench.vectors
    )
    hits = asking.ask(store.view, probe.question, options, store.bench.questions).results
    got = items(store, probe, hits)
    there = {item.id for item in got}
    rest = [record for ident, record in store.records.items() if ident not in there]
    packed = tuple(map(_shown, pack(got, tokens)))
    return packed + _fill(rest, tokens - sum(tokens_of(item.text) for item in packed))


def _fill(records: Sequence[Record], tokens: int) -> tuple[handles.Item, ...]:
    """Records in their order, as far as they fit: where a search of another world finds little."""
    out = []
    for record in records:
        if tokens_of(record.text) <= tokens:
            out.append(handles.item_of(record))
            tokens -= tokens_of(record.text)
    return tuple(out)


def _whole(store: WorldStore, probe: Probe, arm: Arm) -> tuple[handles.Item, ...] | None:
    """The evidence alone, or all there is where it fits; in the order in which it was said."""
    if arm.name == "oracle":
        wanted = dict.fromkeys((*probe.stale_refs, *probe.current_refs, *probe.evidence))
        ids = {record.id for ref in wanted for record in store.by_ref.get(ref, ())}
        return tuple(handles.item_of(r) for ident, r in store.records.items() if ident in ids)
    records = store.records.values()
    if sum(tokens_of(record.text) for record in records) > FULL:
        return None
    return tuple(map(handles.item_of, records))


def _shown(item: Item) -> handles.Item:
    """A result as the reader sees it: a mark stands in front, for it is a part of what is found."""
    text = f"[{item.status}] {item.text}" if item.marked else item.text
    return handles.Item(
        item.id,
        text,
        memory=item.layer != "raw",
        day=None if item.said_at is None else day_of(item.said_at),
        speaker=item.speaker,
    )


# --- answers and verdicts -------------------------------------------------------------------------


def _answered(
    suite: Suite,
    arm: Arm,
    contexts: Sequence[tuple[handles.Item, ...] | None],
    backend: Backend | None,
) -> Answers:
    out = Answers(arm)
    out.tokens = [sum(tokens_of(i.text) for i in one) for one in contexts if one is not None]
    if backend is None:
        out.texts = [None if one is None else _extracted(one) for one in contexts]
        return out
    tasks = [
        AnswerQuestion(
            probe.question,
            one,
            None if probe.question_time is None else day_of(probe.question_time),
            guided=arm.name != "none",
        )
        for probe, one in zip(suite.probes, contexts, strict=True)
        if one is not None
    ]
    came = iter(backend.answer(tasks) if tasks else [])
    out.texts = [None if one is None else _text(next(came)) for one in contexts]
    return out


def _extracted(shown: Sequence[handles.Item]) -> str:
    """The first result that bears no mark, word for word."""
    return next((one.text for one in shown if not one.text.startswith("[")), NOT_KNOWN)


def _text(came: object) -> str | None:
    return came.text if isinstance(came, Answer) else None


def _judged(
    pairs: Sequence[tuple[Probe, str | None]], backend: Backend | None, *, strict: bool
) -> list[float | None]:
    """A model's verdict on each; None without one, or where none came."""
    if backend is None:
        return [None] * len(pairs)
    tasks = [
        JudgeAnswer(
            probe.question,
            tuple(handles.Item(f"k{n}", text) for n, text in enumerate(_right(probe), 1)),
            (handles.Item("a1", text),),
            _rule(probe),
            strict,
        )
        for probe, text in pairs
        if text is not None
    ]
    came = iter(backend.answer(tasks) if tasks else [])
    return [None if text is None else _verdict(next(came)) for _, text in pairs]


def _verdict(came: "Verdict | Pending | Failed") -> float | None:
    return float(came.right) if isinstance(came, Verdict) else None


def _right(probe: Probe) -> tuple[str, ...]:
    return (*probe.answer, *probe.rubric) if probe.kind != "abstain" else ()


def _rule(probe: Probe) -> str:
    """The rule of a question's kind, or of its category where the benchmark has one."""
    if probe.kind == "recall":
        if "temporal" in probe.category:
            return "temporal"
        return "preference" if "preference" in probe.category else "recall"
    return probe.kind if probe.kind not in ("stable", "duplicate") else "recall"


# --- planted --------------------------------------------------------------------------------------


def _planted(
    lie: str,
    suite: Suite,
    stale: Sequence[tuple[str, ...]],
    backend: Backend | None,
    *,
    strict: bool = False,
) -> Planted:
    """Wrong answers of one sort, and whether they were taken for right."""
    make: Callable[[int], str | None] = {
        "wrong-value": lambda nth: _of_another(suite, nth),
        "stale-value": lambda nth: stale[nth][0] if stale[nth] else None,
        "vague": lambda nth: _vague(suite.probes[nth]),
    }[lie]
    pairs: list[tuple[Probe, str | None]] = []
    by_rules: list[float] = []
    for nth, probe in enumerate(suite.probes):
        usable = probe.answer and probe.kind not in ("abstain", "contradiction")
        if len(pairs) < _PLANTED and usable and (text := make(nth)) is not None:
            pairs.append((probe, text))
            by_rules.append(float(is_right(probe, text, stale[nth])))
    judged = _judged(pairs, backend, strict=strict)
    return Planted(lie, tuple(one for one in judged if one is not None), tuple(by_rules))


def _of_another(suite: Suite, nth: int) -> str | None:
    """The answer to the next question that has another one."""
    own = suite.probes[nth].answer
    count = len(suite.probes)
    for step in range(1, count):
        answer = suite.probes[(nth + step) % count].answer
        if answer and answer[0] not in own:
            return answer[0]
    return None


def _vague(probe: Probe) -> str:
    """On the topic, and says nothing."""
    return (
        f"You told me about that, and I remember well what it was: {probe.question.rstrip('?.')}."
    )
