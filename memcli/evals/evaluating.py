"""An evaluation from what was asked for to its report."""

import contextlib
import hashlib
import json
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli import __version__
from memcli.core.journal import Usage
from memcli.core.reports import EvalReport
from memcli.core.values import dataclass, field, replace
from memcli.engine.consolidating import Tables
from memcli.engine.embedding import StoreEmbedder
from memcli.errors import UsageError
from memcli.evals import (
    answers,
    exporting,
    forms,
    level1,
    level2,
    loading,
    summing,
    thresholds,
)
from memcli.evals.arms import ANSWERING, Arm, arms
from memcli.evals.level1 import Run
from memcli.evals.metrics import ANSWER, Metric, chosen
from memcli.evals.suite import Suite
from memcli.evals.worlds import Allowance, Bench, Stores
from memcli.gateway import settings
from memcli.gateway.settings import RULES, Limits
from memcli.ports import CallLog
from memcli.store import schema
from memcli.store.driver import sqlite3
from memcli.tasks.answer_question import AnswerQuestion
from memcli.tasks.judge_answer import JudgeAnswer

if TYPE_CHECKING:
    from memcli.gateway.model import Calls, ModelBackend

ARMS = ("none", "instruction", "raw", "raw+newest2")
UNITS = ("turn", "session")
FEW = 10  # clusters, below which a bootstrap over them promises too much
BUDGET = 1_000  # tokens, where forms are compared and none are given


@dataclass(frozen=True, slots=True)
class Wish:
    """One evaluation as it was asked for; see api.evaluate."""

    suite: str = loading.SHIPPED
    arms: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    unit: str = "turn"
    pool: bool = False
    k: int = 20
    limit: int | None = None
    budget: int | None = None
    fail_under: tuple[str, ...] = ()
    baseline: str | None = None
    level: int = 1
    strict: bool = False
    export: str | None = None
    limits: Limits = Limits()
    seed: int = 1
    told: Callable[[int, int | None], None] = field(default=lambda done, total: None)


@dataclass(frozen=True, slots=True)
class Means:
    """What there is to work with. `vectors`: whether records get vectors of the embedder."""

    embedder: StoreEmbedder
    vectors: bool = True
    tables: Tables = field(default_factory=Tables)
    model: str | None = None
    calls: "Calls" = "reuse"
    log: CallLog | None = None
    noted: Callable[[Usage], None] | None = None


def evaluate(wish: Wish, means: Means) -> EvalReport:
    """Run it. Raises UsageError and InputError, mostly before anything is built."""
    started = time.perf_counter()
    _check(wish)
    usual = () if wish.forms else ARMS[2:] if wish.level == 2 else ARMS
    wanted = arms(wish.arms or usual, answering=wish.level == 2)
    target = None if wish.export is None else exporting.target(wish.export)
    demanded = thresholds.demands(wish.fail_under)
    _check_answers(wish, demanded)
    baseline = None if wish.baseline is None else thresholds.read_baseline(wish.baseline)
    suite = loading.narrowed(
        loading.load(wish.suite),
        kinds=wish.kinds,
        categories=wish.categories,
        roles=wish.roles,
        limit=wish.limit,
        pool=wish.pool,
    )
    with tempfile.TemporaryDirectory(prefix="mem-eval-") as folder:
        stores = Stores(_bench(means, Path(folder), wish.limits))
        if wish.forms:
            report = _forms(wish, means, suite, wanted, stores)
        else:
            report = _arms(wish, means, suite, wanted, demanded, stores, target)
    met = thresholds.held(report, demanded)
    if baseline is not None:
        met += thresholds.against(report, baseline, str(wish.baseline))
    return replace(report, thresholds=met, seconds=round(time.perf_counter() - started, 3))


def _bench(means: Means, folder: Path, limits: Limits) -> Bench:
    return Bench(
        folder,
        means.embedder,
        means.vectors,
        means.tables,
        means.model,
        means.calls,
        means.log,
        means.noted,
        Allowance(limits),
    )


def _arms(
    wish: Wish,
    means: Means,
    suite: Suite,
    wanted: Sequence[Arm],
    demanded: Sequence[thresholds.Demand],
    stores: Stores,
    target: Path | None,
) -> EvalReport:
    names = wish.metrics and (*wish.metrics, *(one.metric for one in demanded))
    metrics, whole = chosen(names, unit=wish.unit, budget=wish.budget is not None)
    if not wish.metrics and demanded:
        more, also = chosen(
            [one.metric for one in demanded], unit=wish.unit, budget=wish.budget is not None
        )
        metrics = tuple({one.name: one for one in (*metrics, *more)}.values())
        whole = tuple(dict.fromkeys((*whole, *also)))
    budget = wish.budget or (BUDGET if wish.level == 2 else None)
    how = level1.Settings(_deep(wish, metrics), budget, wish.unit)
    retrieving = [arm for arm in wanted if arm.name not in ANSWERING]
    runs = level1.run(suite, retrieving, stores, how, wish.told, keep=wish.level == 2)
    if not wish.metrics:
        metrics = _applicable(metrics, runs)
    made = tuple(summing.arm_of(run, runs, metrics, whole, how, wish.seed) for run in runs.values())
    compared = summing.differences(runs, metrics, wish.seed)
    report = EvalReport(
        _described(suite),
        {**_settings(wish, means, how.k, [arm.name for arm in wanted]), "budget": budget},
        _versions(means),
        made,
        compared,
        findings=summing.findings(made, compared),
        warnings=_warnings(suite, runs),
    )
    return (
        report
        if wish.level == 1
        else _answers(wish, means, suite, wanted, runs, stores, report, target)
    )


def _answers(
    wish: Wish,
    means: Means,
    suite: Suite,
    wanted: Sequence[Arm],
    runs: Mapping[str, Run],
    stores: Stores,
    report: EvalReport,
    target: Path | None,
) -> EvalReport:
    """The report with what a reader answered from what was found."""
    with _backend(means, stores.bench.allowance.left) as backend:
        by = [None if backend is None else _model(backend, task) for task in ("answer", "judge")]
        reader, judge = (backend if name else None for name in by)
        answered, planted = level2.run(
            suite, wanted, runs, stores, reader, judge, strict=wish.strict
        )
        usage = Usage() if backend is None else backend.usage
        warned = () if backend is None else backend.warnings
    if target is not None:
        exporting.write(target, suite, answered)
    compared = answers.differences(suite, answered, wish.seed)
    return replace(
        report,
        arms=answers.arms(report.arms, answered),
        differences=(*report.differences, *compared),
        answers=answers.described(answered, planted, reader=by[0], judge=by[1], strict=wish.strict),
        usage=usage,
        findings=(*report.findings, *answers.findings(compared, planted, reader=by[0])),
        warnings=(*report.warnings, *warned),
    )


def _model(backend: "ModelBackend", setting: str) -> str | None:
    """Who answers the tasks of a setting; None for rules."""
    name = backend.made_by(setting)
    return None if name == RULES else name


@contextlib.contextmanager
def _backend(means: Means, limits: Limits) -> "Iterator[ModelBackend | None]":
    """The reader and the judge; None where no model is named."""
    tables = means.tables
    models = settings.models(tables.model, tables.prices, given=means.model, where=tables.where)
    if not models.any:
        yield None
        return
    if means.log is None:
        raise UsageError(
            "Answers of a model are recorded, and there is no file for them.",
            where="--record",
            hint="--record answers.db",
        )
    from memcli.gateway.litellm_chat import LiteLLMChat
    from memcli.gateway.model import ModelBackend

    made = ModelBackend(
        models,
        means.log,
        lambda: LiteLLMChat(models.prices),
        calls=means.calls,
        limits=settings.limits(tables.budget, limits, tables.where),
        noted=means.noted,
    )
    try:
        yield made
        made.finish()
    finally:
        made.close()


def _forms(
    wish: Wish, means: Means, suite: Suite, wanted: Sequence[Arm], stores: Stores
) -> EvalReport:
    if wish.fail_under or wish.baseline:
        raise UsageError(
            "Thresholds are for arms, and forms are compared with each other.",
            where="--form",
            hint="leave --fail-under and --baseline out, or --form",
        )
    strategies = [name for arm in wanted for name in arm.strategies]
    budget = wish.budget or BUDGET
    asked = forms.forms(wish.forms, tuple(dict.fromkeys(strategies)))
    made, compared = forms.run(suite, asked, stores, budget, wish.seed, wish.told)
    return EvalReport(
        _described(suite),
        {**_settings(wish, means, wish.k, []), "budget": budget},
        _versions(means),
        (),
        compared,
        forms=made,
        findings=forms.findings(made, compared, budget),
        warnings=_warnings(suite, {}),
    )


def _check(wish: Wish) -> None:
    if wish.level not in (1, 2):
        raise UsageError(f"There is no level {wish.level}.", where="--level", hint="1 or 2")
    if wish.level == 2 and (wish.forms or wish.unit != "turn"):
        raise UsageError(
            "Answers are given from turns, by arms.",
            where="--level 2",
            hint="leave --form and --unit out",
        )
    if wish.level == 1 and (wish.export is not None or wish.strict):
        raise UsageError(
            "Nothing is answered at level 1.",
            where="--export" if wish.export is not None else "--strict",
            hint="--level 2",
        )
    settings.limits({}, wish.limits, "")  # before anything is built
    if wish.unit not in UNITS:
        raise UsageError(
            f"There is no unit {wish.unit!r}.", where="--unit", hint=" or ".join(UNITS)
        )
    for value, option in ((wish.k, "-k"), (wish.limit, "--limit"), (wish.budget, "--budget")):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value} asks for nothing.", where=option, hint="1 or more")


def _check_answers(wish: Wish, demanded: Sequence[thresholds.Demand]) -> None:
    asked = {"--metric": wish.metrics, "--fail-under": [one.metric for one in demanded]}
    for option, names in asked.items():
        if wish.level == 1 and ANSWER in names:
            raise UsageError(
                f"{ANSWER} is of answers, and nothing is answered at level 1.",
                where=option,
                hint="--level 2",
            )


def _deep(wish: Wish, metrics: Sequence[Metric]) -> int:
    """Results enough for the deepest metric."""
    return max(wish.k, *(metric.depth or 0 for metric in metrics)) if metrics else wish.k


def _applicable(metrics: tuple[Metric, ...], runs: Mapping[str, Run]) -> tuple[Metric, ...]:
    """Those of the usual metrics that say something of some question of this suite."""
    answered = next(iter(runs.values())).answered
    return tuple(m for m in metrics if any(m.score(one) is not None for one in answered))


def _described(suite: Suite) -> dict[str, Any]:
    kinds: dict[str, int] = {}
    for probe in suite.probes:
        kinds[probe.kind] = kinds.get(probe.kind, 0) + 1
    return {
        "name": suite.name,
        "format": suite.format,
        "sha256": suite.sha256,
        "worlds": len(suite.worlds),
        "records": suite.records,
        "probes": len(suite.probes),
        "kinds": dict(sorted(kinds.items())),
        "problems": dict(sorted(suite.problems.items())),
    }


def _settings(wish: Wish, means: Means, k: int, names: Sequence[str]) -> dict[str, Any]:
    return {
        "arms": list(names),
        "forms": list(wish.forms),
        "kinds": list(wish.kinds),
        "categories": list(wish.categories),
        "roles": list(wish.roles),
        "unit": wish.unit,
        "pool": wish.pool,
        "k": k,
        "limit": wish.limit,
        "budget": wish.budget,
        "embedder": means.embedder.name if means.vectors else "none",
        "model": means.model,
        "level": wish.level,
        "strict": wish.strict,
        "calls": means.calls,
        "seed": wish.seed,
        "tokens": "characters / 4, rounded up",
        "intervals": "95 %: Wilson for yes or no, else a bootstrap of 2,000 draws by cluster",
    }


def _versions(means: Means) -> dict[str, str]:
    import numpy

    return {
        "mem": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "numpy": numpy.__version__,
        "embedder": means.embedder.name if means.vectors else "none",
        "vectors": _fingerprint(means.embedder) if means.vectors else "none",
        "store": str(schema.SCHEMA),
        **{task.name: str(task.version) for task in (AnswerQuestion, JudgeAnswer)},
    }


def _fingerprint(embedder: StoreEmbedder) -> str:
    """Of all that decides over its vectors."""
    described = json.dumps(dict(embedder.described()), sort_keys=True, default=str)
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def _warnings(suite: Suite, runs: Mapping[str, Run]) -> tuple[str, ...]:
    said = [
        f"the suite has {count:,} {key.replace('_', ' ')}"
        for key, count in sorted(suite.problems.items())
    ]
    clusters = len({probe.cluster for probe in suite.probes})
    if 1 < clusters < FEW:
        said.append(
            f"bootstrap intervals rest on {clusters} clusters: with so few they are too narrow"
        )
    for name, run in runs.items():
        said += [f"{name}: {text}" for text in sorted(run.warnings)]
    return tuple(said)
