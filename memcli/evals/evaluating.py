"""An evaluation from what was asked for to its report."""

import platform
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli import __version__
from memcli.core.reports import EvalReport
from memcli.engine.consolidating import Tables
from memcli.engine.embedding import StoreEmbedder
from memcli.errors import UsageError
from memcli.evals import forms, level1, loading, summing, thresholds
from memcli.evals.arms import Arm, arms
from memcli.evals.level1 import Run
from memcli.evals.metrics import Metric, chosen
from memcli.evals.suite import Suite
from memcli.evals.worlds import Bench, Stores
from memcli.ports import CallLog
from memcli.store.driver import sqlite3

if TYPE_CHECKING:
    from memcli.gateway.model import Calls

ARMS = ("none", "instruction", "raw", "raw+newest2")
UNITS = ("turn", "session")
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


def evaluate(wish: Wish, means: Means) -> EvalReport:
    """Run it. Raises UsageError and InputError, mostly before anything is built."""
    started = time.perf_counter()
    _check(wish)
    wanted = arms(wish.arms or (() if wish.forms else ARMS))
    demanded = thresholds.demands(wish.fail_under)
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
        stores = Stores(_bench(means, Path(folder)))
        if wish.forms:
            report = _forms(wish, means, suite, wanted, stores)
        else:
            report = _arms(wish, means, suite, wanted, demanded, stores)
    met = thresholds.held(report, demanded)
    if baseline is not None:
        met += thresholds.against(report, baseline, str(wish.baseline))
    return replace(report, thresholds=met, seconds=round(time.perf_counter() - started, 3))


def _bench(means: Means, folder: Path) -> Bench:
    return Bench(
        folder,
        means.embedder,
        means.vectors,
        means.tables,
        means.model,
        means.calls,
        means.log,
    )


def _arms(
    wish: Wish,
    means: Means,
    suite: Suite,
    wanted: Sequence[Arm],
    demanded: Sequence[thresholds.Demand],
    stores: Stores,
) -> EvalReport:
    names = wish.metrics and (*wish.metrics, *(one.metric for one in demanded))
    metrics, whole = chosen(names, unit=wish.unit, budget=wish.budget is not None)
    if not wish.metrics and demanded:
        more, also = chosen(
            [one.metric for one in demanded], unit=wish.unit, budget=wish.budget is not None
        )
        metrics = tuple({one.name: one for one in (*metrics, *more)}.values())
        whole = tuple(dict.fromkeys((*whole, *also)))
    settings = level1.Settings(_deep(wish, metrics), wish.budget, wish.unit)
    runs = level1.run(suite, wanted, stores, settings, wish.told)
    if not wish.metrics:
        metrics = _applicable(metrics, runs)
    made = tuple(
        summing.arm_of(run, runs, metrics, whole, settings, wish.seed) for run in runs.values()
    )
    compared = summing.differences(runs, metrics, wish.seed)
    return EvalReport(
        _described(suite),
        _settings(wish, means, settings.k, [arm.name for arm in wanted]),
        _versions(means),
        made,
        compared,
        findings=summing.findings(made, compared),
        warnings=_warnings(suite, runs),
    )


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
    if wish.unit not in UNITS:
        raise UsageError(
            f"There is no unit {wish.unit!r}.", where="--unit", hint=" or ".join(UNITS)
        )
    for value, option in ((wish.k, "-k"), (wish.limit, "--limit"), (wish.budget, "--budget")):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value} asks for nothing.", where=option, hint="1 or more")


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
    }


def _warnings(suite: Suite, runs: Mapping[str, Run]) -> tuple[str, ...]:
    said = [
        f"the suite has {count:,} {key.replace('_', ' ')}"
        for key, count in sorted(suite.problems.items())
    ]
    for name, run in runs.items():
        said += [f"{name}: {text}" for text in sorted(run.warnings)]
    return tuple(said)
