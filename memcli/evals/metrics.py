"""The metrics of level 1: what a question scores for the results it got (docs/evaluation.md).

A metric is a name and perhaps a depth: `evidence_recall@10`. Of each question it gives a number,
or None where it says nothing of such a question.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from memcli.core.values import dataclass
from memcli.errors import UsageError
from memcli.evals.items import Item
from memcli.evals.suite import Probe


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and what it got: results in their order, and those that fit into the budget.

    `weak`: the search itself says that they may not answer."""

    probe: Probe
    items: tuple[Item, ...]
    packed: tuple[Item, ...] = ()
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """Metrics of one kind. `binary`: each value is 0 or 1. `lower`: less is better.

    `depth`: the depth if none is given; None where it takes none.
    """

    name: str
    says: str
    score: Callable[[Answered, int], float | None]
    binary: bool = True
    lower: bool = False
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """A family at a depth."""

    family: Family
    depth: int | None

    @property
    def name(self) -> str:
        """As it is asked for and reported."""
        return self.family.name if self.depth is None else f"{self.family.name}@{self.depth}"

    def score(self, answered: Answered) -> float | None:
        """The value for one question."""
        return self.family.score(answered, self.depth or 0)


# --- which results --------------------------------------------------------------------------------


def _asked(answered: Answered) -> bool:
    """Whether something is to be found."""
    return bool(answered.probe.current_refs) and answered.probe.kind != "abstain"


def _evidenced(answered: Answered) -> bool:
    """Whether there is evidence; LoCoMo has some for what cannot be answered, too."""
    return bool(answered.probe.evidence)


def _disputed(answered: Answered) -> bool:
    return _asked(answered) and bool(answered.probe.stale_refs)


def _first(items: Sequence[Item], side: str) -> int | None:
    """The place of the first result of this side, from 0."""
    return next((at for at, item in enumerate(items) if item.side == side), None)


def _served(answered: Answered) -> float | None:
    if not _asked(answered):
        return None
    first = next((item for item in answered.items if not item.marked), None)
    return float(first is not None and first.side == "current")


def _current(answered: Answered, depth: int) -> float | None:
    if not _asked(answered):
        return None
    return float(_first(answered.items[:depth], "current") is not None)


def _before_stale(answered: Answered, depth: int) -> float | None:
    if not _disputed(answered):
        return None
    current, stale = (_first(answered.items, side) for side in ("current", "stale"))
    return float(current is not None and (stale is None or current < stale))


def _exposed(answered: Answered, depth: int) -> float | None:
    if not _disputed(answered):
        return None
    return float(any(i.side == "stale" and not i.marked for i in answered.items[:depth]))


def _marked(answered: Answered, depth: int) -> float | None:
    if not _disputed(answered):
        return None
    return float(any(i.side == "stale" and i.marked for i in answered.items[:depth]))


def _history(answered: Answered, depth: int) -> float | None:
    probe = answered.probe
    if not _asked(answered) or (probe.kind != "history" and probe.as_of is None):
        return None
    top = answered.items[:depth]
    right, wrong = (_first(top, side) for side in ("current", "stale"))
    return float(right is not None and (wrong is None or right < wrong))


def _noise(answered: Answered, depth: int) -> float | None:
    return _served(answered) if answered.probe.kind == "noise" else None


def _take(answered: Answered, depth: int) -> float | None:
    probe = answered.probe
    once = probe.kind == "update" and len(probe.current_refs) == 1
    return _served(answered) if once else None


def _recalled(answered: Answered, depth: int) -> int:
    wanted = set(answered.probe.evidence)
    found: set[str] = set()
    for item in answered.items[:depth]:
        found |= item.covers & wanted
    return len(found)


def _recall(answered: Answered, depth: int) -> float | None:
    if not _evidenced(answered):
        return None
    return _recalled(answered, depth) / len(set(answered.probe.evidence))


def _any(answered: Answered, depth: int) -> float | None:
    return float(_recalled(answered, depth) > 0) if _evidenced(answered) else None


def _all(answered: Answered, depth: int) -> float | None:
    wanted = len(set(answered.probe.evidence))
    return float(_recalled(answered, depth) == wanted) if _evidenced(answered) else None


def _gains(answered: Answered, depth: int) -> list[int]:
    """1 for each result that brings evidence that none before it brought."""
    missing = set(answered.probe.evidence)
    gains = []
    for item in answered.items[:depth]:
        gains.append(int(not missing.isdisjoint(item.covers)))
        missing -= item.covers
    return gains


def _ndcg(answered: Answered, depth: int) -> float | None:
    return _normalised(answered, depth, lambda rank: math.log2(rank + 1))


def _ndcg_longmemeval(answered: Answered, depth: int) -> float | None:
    return _normalised(answered, depth, lambda rank: 1.0 if rank == 1 else math.log2(rank))


def _normalised(answered: Answered, depth: int, discount: Callable[[int], float]) -> float | None:
    if not _evidenced(answered):
        return None
    gains = _gains(answered, depth)
    best = min(depth, len(set(answered.probe.evidence)))
    ideal = sum(1 / discount(rank) for rank in range(1, best + 1))
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, 1)) / ideal


def _abstained(answered: Answered, depth: int) -> float | None:
    return float(_abstains(answered)) if answered.probe.kind == "abstain" else None


def _abstained_wrongly(answered: Answered, depth: int) -> float | None:
    return float(_abstains(answered)) if _asked(answered) else None


def _abstains(answered: Answered) -> bool:
    """Whether nothing is served: no result without a mark, or all of them called weak."""
    return answered.weak or all(item.marked for item in answered.items)


def _coverage(answered: Answered, depth: int) -> float | None:
    return _share(answered, [item.covers for item in answered.packed])


def _carried(answered: Answered, depth: int) -> float | None:
    return _share(answered, [item.carries for item in answered.packed])


def _share(answered: Answered, found: Sequence[frozenset[str]]) -> float | None:
    if not _asked(answered):
        return None
    wanted = set(answered.probe.current_refs)
    return len(wanted & set().union(*found)) / len(wanted)


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family(
            "served_correct",
            "the first unmarked result is the current fact",
            lambda answered, depth: _served(answered),
        ),
        Family("current", "a current fact is among the first", _current, depth=5),
        Family(
            "current_before_stale", "the current fact stands before the stale one", _before_stale
        ),
        Family(
            "stale_exposure",
            "a stale fact is among the first without a mark",
            _exposed,
            lower=True,
            depth=5,
        ),
        Family("stale_marked", "a stale fact is among the first, marked", _marked, depth=5),
        Family("history", "what held then comes first, among the first", _history, depth=5),
        Family("noise_hold", "the stable fact is still first after one odd message", _noise),
        Family("update_take", "one plain mention of a new value is taken", _take),
        Family("evidence_recall", "share of the evidence found", _recall, binary=False, depth=10),
        Family("recall_any", "some evidence is found", _any, depth=10),
        Family("recall_all", "all evidence is found", _all, depth=10),
        Family("ndcg", "evidence found, by rank", _ndcg, binary=False, depth=10),
        Family(
            "ndcg_longmemeval",
            "the same, with the discount of LongMemEval's code",
            _ndcg_longmemeval,
            binary=False,
            depth=10,
        ),
        Family("hit", "evidence is among the first", _any, depth=1),
        Family("abstained", "nothing is served where there is no answer", _abstained),
        Family(
            "abstained_wrongly",
            "nothing is served though there is an answer",
            _abstained_wrongly,
            lower=True,
        ),
        Family(
            "coverage",
            "share of the evidence that what fits into the budget rests on",
            _coverage,
            binary=False,
        ),
        Family(
            "carried",
            "share of the evidence whose own words fit into the budget",
            _carried,
            binary=False,
        ),
    )
}
# Of all questions together, or against another arm: see level1.
WHOLE = {
    "waiting_room": "harmonic mean of noise_hold and update_take",
    "abstention": "harmonic mean of abstained and 1 - abstained_wrongly",
    "displaced": "of the right first results of raw on other kinds, the share that is not first here",
}
# Of answers, at level 2: see answers.py.
ANSWER = "answer_right"
# Older names, or names in other reports.
_SAME = {"recall": "evidence_recall"}

_TURNS = (
    *("served_correct", "current@1", "current@5", "current_before_stale", "stale_exposure@5"),
    *("stale_marked@5", "history@5", "noise_hold", "update_take", "waiting_room", "displaced"),
    *("evidence_recall@5", "evidence_recall@10", "evidence_recall@20", "recall_any@10"),
    *("recall_all@10", "ndcg@10", "ndcg_longmemeval@10", "hit@1", "abstained", "abstained_wrongly"),
    "abstention",
)
_SESSIONS = (
    *("hit@1", "evidence_recall@1", "evidence_recall@5", "evidence_recall@10", "recall_any@5"),
    *("recall_all@5", "ndcg@5", "ndcg@10", "ndcg_longmemeval@5"),
)
_BUDGET = ("coverage", "carried")
_ABSTENTION = ("abstained", "abstained_wrongly")
_NAME = re.compile(r"([a-z_]+)(?:@(\d{1,4}))?")


def chosen(
    names: Sequence[str], *, unit: str, budget: bool
) -> tuple[tuple[Metric, ...], tuple[str, ...]]:
    """(metrics, names of whole ones) that are asked for, or those that suit the unit.

    Raises UsageError for an unknown one.
    """
    if not names:
        names = (*(_SESSIONS if unit == "session" else _TURNS), *(_BUDGET if budget else ()))
    found: dict[str, Metric] = {}
    whole: dict[str, None] = {}
    for name in names:
        if name == ANSWER:
            continue
        if name in WHOLE:
            whole[name] = None
            continue
        metric = _parse(name)
        if metric.family.name in _BUDGET and not budget:
            raise UsageError(
                f"{metric.name} is measured at a budget, and none is given.",
                where="--metric",
                hint=f"--metric {metric.name} --budget 1000",
            )
        found[metric.name] = metric
    # What can be had for the other is printed with it, always.
    if "waiting_room" in whole:
        for name in ("noise_hold", "update_take"):
            found.setdefault(name, _parse(name))
    if "abstention" in whole or not found.keys().isdisjoint(_ABSTENTION):
        for name in _ABSTENTION:
            found.setdefault(name, _parse(name))
    return tuple(found.values()), tuple(whole)


def _parse(name: str) -> Metric:
    parsed = _NAME.fullmatch(name)
    family = FAMILIES.get(_SAME.get(parsed[1], parsed[1])) if parsed else None
    if parsed is None or family is None or (family.depth is None and parsed[2]):
        raise UsageError(
            f"There is no metric {name!r}.",
            where="--metric",
            hint="one of " + ", ".join(shown()),
        )
    depth = family.depth if parsed[2] is None else int(parsed[2])
    if depth == 0:
        raise UsageError(f"{name} looks at no result.", where="--metric", hint="give @1 or more")
    return Metric(family, depth)


def shown() -> tuple[str, ...]:
    """How the metrics are written."""
    return (
        *(name if one.depth is None else f"{name}@{one.depth}" for name, one in FAMILIES.items()),
        *WHOLE,
    )


def is_lower(name: str) -> bool:
    """Whether less is better."""
    family = FAMILIES.get(name.partition("@")[0])
    return name == "displaced" or (family is not None and family.lower)


def pack(items: Sequence[Item], budget: int) -> tuple[Item, ...]:
    """The results that fit into so many tokens, in their order; one that does not fit is skipped,
    for a shorter one may."""
    left, out = budget, []
    for item in items:
        if item.tokens <= left:
            out.append(item)
            left -= item.tokens
    return tuple(out)
