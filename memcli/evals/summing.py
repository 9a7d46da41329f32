"""From what each question scored to what a report says: estimates, differences, plain words."""

from collections.abc import Mapping, Sequence

from memcli.core.reports import (
    EvalArm,
    EvalCost,
    EvalDifference,
    EvalIntegrity,
    EvalMetric,
    EvalTimings,
)
from memcli.evals.arms import NEWEST, RAW
from memcli.evals.level1 import Run, Runs, Settings, percentile
from memcli.evals.metrics import FAMILIES, Answered, Metric
from memcli.evals.statistics import NOTHING, Estimate, bootstrap, paired, wilson
from memcli.kit.figures import number, signed

_GROUPED = ("served_correct", "current_before_stale", "evidence_recall@10", "hit@1", "coverage")


def arm_of(
    run: Run,
    runs: Runs,
    metrics: Sequence[Metric],
    whole: Sequence[str],
    settings: Settings,
    seed: int,
) -> EvalArm:
    """The report of one arm."""
    found = [_metric(metric, run.answered, seed, "all") for metric in metrics]
    found += [one for name in whole if (one := _whole(name, run, runs)) is not None and one.n]
    found += _groups(run, metrics, seed)
    return EvalArm(
        run.arm.name,
        tuple(found),
        cost=_cost(run, settings),
        integrity=_integrity(run),
        outcomes=dict(sorted(run.outcomes.items())),
        timings=None
        if run.arm.empty
        else EvalTimings(
            round(run.build_s, 3),
            round(run.consolidate_s, 3),
            round(1000 * percentile(run.search_s, 0.5), 3),
            round(1000 * percentile(run.search_s, 0.95), 3),
            run.calls["calls"],
            run.calls["tokens_in"],
            run.calls["tokens_out"],
        ),
    )


def scores(metric: Metric, answered: Sequence[Answered]) -> list[float | None]:
    """The value of each question."""
    return [metric.score(one) for one in answered]


def estimate(metric: Metric, answered: Sequence[Answered], seed: int) -> Estimate:
    """The mean over the questions that it says something of."""
    values = [
        (value, one.probe.cluster)
        for one, value in zip(answered, scores(metric, answered), strict=True)
        if value is not None
    ]
    if metric.family.binary:
        return wilson(sum(value for value, _ in values), len(values))
    return bootstrap([value for value, _ in values], [cluster for _, cluster in values], seed)


def _metric(metric: Metric, answered: Sequence[Answered], seed: int, group: str) -> EvalMetric:
    found = estimate(metric, answered, seed)
    kind = "wilson" if metric.family.binary else "bootstrap"
    return EvalMetric(
        metric.name,
        found.value,
        found.low,
        found.high,
        found.n,
        kind,
        metric.family.lower,
        group,
    )


def _groups(run: Run, metrics: Sequence[Metric], seed: int) -> list[EvalMetric]:
    """The main metrics by kind and by category, where there is more than one."""
    out = []
    shown = [m for m in metrics if m.name in _GROUPED] or list(metrics[:1])
    for field in ("kind", "category"):
        names = sorted({getattr(one.probe, field) for one in run.answered} - {""})
        for name in names if len(names) > 1 else ():
            some = [one for one in run.answered if getattr(one.probe, field) == name]
            made = [_metric(metric, some, seed, f"{field}={name}") for metric in shown]
            out += [one for one in made if one.n]
    return out


def _whole(name: str, run: Run, runs: Runs) -> EvalMetric | None:
    if name == "waiting_room":
        return _both(name, run, "noise_hold", "update_take")
    if name == "abstention":
        return _both(name, run, "abstained", "abstained_wrongly")
    return _displaced(run, runs)


def _both(name: str, run: Run, *parts: str) -> EvalMetric:
    """The harmonic mean of two metrics that can be had for each other; of one that is better the less
    it is, what it lacks to 1."""
    values: list[float | None] = []
    count = 0
    for part in parts:
        metric = Metric(FAMILIES[part], None)
        found = estimate(metric, run.answered, 0)
        less = metric.family.lower and found.value is not None
        values.append(1 - (found.value or 0.0) if less else found.value)
        count += found.n
    one, other = values
    value = None
    if one is not None and other is not None:
        value = 0.0 if one + other == 0 else round(2 * one * other / (one + other), 6)
    return EvalMetric(name, value, None, None, count, "none")


def _displaced(run: Run, runs: Runs) -> EvalMetric | None:
    """Of the right first results of `raw` where nothing changed, the share that is lost here."""
    raw = runs.get(RAW)
    if raw is None or run.arm.empty or run is raw:
        return None
    lost = total = 0
    for ours, theirs in zip(run.answered, raw.answered, strict=True):
        if ours.probe.kind in ("update", "history") or not _right_first(theirs):
            continue
        total += 1
        lost += not _right_first(ours)
    found = wilson(lost, total)
    return EvalMetric(
        "displaced", found.value, found.low, found.high, found.n, "wilson", lower=True
    )


def _right_first(answered: Answered) -> bool:
    wanted = set(answered.probe.current_refs)
    return bool(answered.items) and not wanted.isdisjoint(answered.items[0].covers)


def _cost(run: Run, settings: Settings) -> EvalCost | None:
    if run.arm.empty or not run.answered:
        return None
    top = [one.items[: settings.k] for one in run.answered]
    packed = None
    if settings.budget is not None:
        packed = _mean([sum(item.tokens for item in one.packed) for one in run.answered])
    return EvalCost(
        settings.k,
        _mean([len(one) for one in top]),
        _mean([sum(item.tokens for item in one) for one in top]),
        packed,
        run.calls["calls"] + run.calls["calls_recorded"],
    )


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3)


def _integrity(run: Run) -> EvalIntegrity | None:
    found = run.integrity
    if found is None:
        return None
    return EvalIntegrity(
        found.memories,
        found.sourced,
        found.quotes,
        found.quotes_found,
        found.worlds,
        found.records_unchanged,
        found.searches,
        found.searches_restored,
    )


# --- differences ----------------------------------------------------------------------------------


def differences(runs: Runs, metrics: Sequence[Metric], seed: int) -> tuple[EvalDifference, ...]:
    """Each arm that retrieves against raw, and against raw with newest of two."""
    out = []
    for name, run in runs.items():
        for against in (RAW, NEWEST):
            if against in runs and name != against and not run.arm.empty and name != RAW:
                out += [_difference(m, run, runs[against], seed) for m in metrics]
    return tuple(one for one in out if one.n)


def _difference(metric: Metric, ours: Run, theirs: Run, seed: int) -> EvalDifference:
    clusters = [one.probe.cluster for one in ours.answered]
    here, there = (scores(metric, run.answered) for run in (ours, theirs))
    found = paired(here, there, clusters, seed) if clusters else NOTHING
    return EvalDifference(
        metric.name,
        ours.arm.name,
        theirs.arm.name,
        found.value,
        found.low,
        found.high,
        found.n,
        verdict(found, lower=metric.family.lower),
    )


def verdict(found: Estimate, *, lower: bool = False) -> str:
    """gain or loss only if the interval leaves out 0; else none. unknown of nothing."""
    if found.value is None or found.low is None or found.high is None:
        return "unknown"
    low, high = (-found.high, -found.low) if lower else (found.low, found.high)
    return "gain" if low > 0 else "loss" if high < 0 else "none"


# --- plain words ----------------------------------------------------------------------------------

_HEADLINES = ("coverage", "carried", "served_correct")
# A share that would be worth having: an interval that reaches further says neither yes nor no.
_MATTERS = 0.05
_OTHERWISE = ("evidence_recall@10", "hit@1")


def findings(arms: Sequence[EvalArm], found: Sequence[EvalDifference]) -> tuple[str, ...]:
    """What a method is good for, a sentence for each metric that matters most.

    It counts against the newest of two, which needs no method: what both have over records by score
    is no gain of the method.
    """
    values = {
        (arm.name, one.name): one.value for arm in arms for one in arm.metrics if one.group == "all"
    }
    by = {(one.arm, one.metric, one.against): one for one in found}
    names = list(dict.fromkeys(one.metric for one in found))
    headlines = [name for name in (*_HEADLINES, *_OTHERWISE) if name in names] or names
    headlines = [name for name in headlines if name in _HEADLINES] or headlines[:2]
    out = []
    for arm in arms:
        for metric in headlines if arm.name.startswith("strategy:") else ():
            rival = by.get((arm.name, metric, NEWEST)) or by.get((arm.name, metric, RAW))
            if rival is not None:
                raw = by.get((arm.name, metric, RAW))
                out.append(_sentence(rival, raw, values))
        if arm.integrity is not None and not arm.integrity.ok:
            out.append(f"{arm.name}: what must hold after a pass does not: see integrity")
    return tuple(out)


def _is_wide(found: EvalDifference) -> bool:
    """Whether an interval around 0 leaves room for a difference that would matter."""
    return max(abs(found.low or 0.0), abs(found.high or 0.0)) > _MATTERS


def _sentence(
    rival: EvalDifference,
    raw: EvalDifference | None,
    values: Mapping[tuple[str, str], float | None],
) -> str:
    name = rival.arm.removeprefix("strategy:")
    ours, theirs = (values.get((arm, rival.metric)) for arm in (rival.arm, rival.against))
    said = {
        "gain": f"{name} is a gain over {rival.against}",
        "loss": f"{name} does not help here, it is worse than {rival.against}",
        "none": f"{name} does not help here",
    }.get(rival.verdict, f"{name} cannot be compared with {rival.against}")
    if rival.verdict == "none" and _is_wide(rival):
        some = "1 question" if rival.n == 1 else f"{rival.n:,} questions"
        said = f"{name} cannot be told from chance with {some}"
    text = (
        f"{said}: {rival.metric} {number(ours)} against {number(theirs)} of {rival.against}"
        f" (difference {signed(rival.value)}, 95 % {signed(rival.low)}..{signed(rival.high)},"
        f" n = {rival.n})"
    )
    if raw is not None and raw is not rival:
        text += f"; raw by score has {number(values.get((RAW, rival.metric)))}"
    return text
