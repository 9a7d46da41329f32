"""What is demanded of metrics: `--fail-under metric=x`, and no less than an earlier report."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memcli.core.reports import EvalArm, EvalMetric, EvalReport, EvalThreshold
from memcli.core.values import dataclass
from memcli.errors import InputError, UsageError
from memcli.evals.arms import HINT, named
from memcli.evals.metrics import ANSWER, WHOLE, chosen, is_lower

_SCHEMA = "mem.eval/1"
# What decides over which questions are asked, and what they may find.
_SAME = ("unit", "pool", "kinds", "categories", "roles", "limit")
# What decides over what single metrics mean.
_ALSO = {"coverage": ("budget",), "carried": ("budget",), ANSWER: ("budget", "strict")}
_EVEN = 1e-9


@dataclass(frozen=True, slots=True)
class Demand:
    """A metric of an arm (None: of the last one) has to reach `least`; where less is better, to
    stay below it."""

    metric: str
    least: float
    arm: str | None = None


def demands(given: Sequence[str]) -> tuple[Demand, ...]:
    """`[ARM:]METRIC=NUMBER`, each; raises UsageError."""
    return tuple(map(_demand, given))


def _demand(given: str) -> Demand:
    name, equals, number = given.rpartition("=")
    arm, _, metric = name.rpartition(":")
    try:
        least = float(number)
    except ValueError:
        least = math.nan
    if not equals or not metric or not math.isfinite(least):
        raise UsageError(
            f"{given!r} demands nothing.",
            where="--fail-under",
            hint="--fail-under served_correct=0.9, or raw:evidence_recall@10=0.7",
        )
    if metric not in (*WHOLE, ANSWER):
        metric = chosen((metric,), unit="turn", budget=True)[0][0].name
    if arm:
        try:
            arm = named(arm, answering=True).name
        except UsageError as error:
            raise UsageError(error.what, where="--fail-under", hint=error.hint or HINT) from error
    return Demand(metric, least, arm or None)


def held(report: EvalReport, wanted: Sequence[Demand]) -> tuple[EvalThreshold, ...]:
    """Whether each demand is met."""
    out = []
    for demand in wanted:
        name = demand.arm or report.arms[-1].name
        arm = next((one for one in report.arms if one.name == name), None)
        if arm is None:
            raise UsageError(
                f"The arm {name!r} is not part of this run.",
                where="--fail-under",
                hint=f"--arm {name}",
            )
        out.append(_threshold(arm, demand.metric, demand.least, "--fail-under"))
    return tuple(out)


def _threshold(arm: EvalArm, metric: str, least: float, source: str) -> EvalThreshold:
    found = _of(arm, metric)
    value = None if found is None else found.value
    if value is None or found is None:
        return EvalThreshold(metric, arm.name, least, None, None, None, 0, False, source)
    met = value <= least + _EVEN if is_lower(metric) else value >= least - _EVEN
    return EvalThreshold(
        metric, arm.name, least, value, found.low, found.high, found.n, met, source
    )


def _of(arm: EvalArm, metric: str) -> EvalMetric | None:
    return next((one for one in arm.metrics if one.name == metric and one.group == "all"), None)


# --- an earlier report ----------------------------------------------------------------------------


def read_baseline(path: str) -> Mapping[str, Any]:
    """An earlier answer of `mem eval --json`; raises InputError."""
    try:
        found = json.loads(Path(path).read_bytes())
        if found["schema"] != _SCHEMA:
            raise ValueError
        for arm in found["arms"]:
            for one in arm["metrics"]:
                _ = (arm["arm"], one["metric"], one["group"], one["value"])
        _ = (found["suite"]["sha256"], [found["settings"][key] for key in _SAME])
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
    except (ValueError, KeyError, TypeError, RecursionError):
        problem = "is no answer of mem eval --json"
    else:
        return dict(found)
    raise InputError(
        f"The baseline {problem}.", where=path, hint="make one: mem eval --json > known.json"
    )


def against(
    report: EvalReport, baseline: Mapping[str, Any], path: str
) -> tuple[EvalThreshold, ...]:
    """No metric may be worse than there, of the arms and metrics that both have.

    Raises InputError where the questions are others.
    """
    if baseline["suite"]["sha256"] != report.suite["sha256"]:
        raise InputError(
            "The baseline is of another suite.",
            where=path,
            hint=f"it is of {str(baseline['suite'].get('name'))[:80]!r}: make one of this suite",
        )
    arms_here = {arm.name: arm for arm in report.arms}
    out = []
    for arm in baseline["arms"]:
        for one in arm["metrics"]:
            here = arms_here.get(arm["arm"])
            value = one["value"]
            if here is None or one["group"] != "all" or not isinstance(value, int | float):
                continue
            if _of(here, one["metric"]) is not None:
                out.append(_threshold(here, one["metric"], float(value), "baseline"))
    deciding = dict.fromkeys(key for one in out for key in _ALSO.get(one.metric, ()))
    there = baseline["settings"]
    other = [key for key in (*_SAME, *deciding) if there.get(key) != report.settings[key]]
    if other:
        raise InputError(
            f"The baseline was made with other settings: {', '.join(other)}.",
            where=path,
            hint="give the same options as there",
        )
    if not out:
        raise InputError(
            "The baseline has no arm and metric of this run.",
            where=path,
            hint="give the same --arm and --metric as there",
        )
    return tuple(out)
