"""Name -> plug-in. Plug-ins are found by file name, so that a new one costs one file."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from memcli.core.found import Guess, Unit
from memcli.core.plan import Plan
from memcli.core.reports import Due, Finding, Severity, StrategyInfo
from memcli.errors import UsageError

if TYPE_CHECKING:
    from memcli.ports import Context, Inspector, ReadOptions, Source, View

StrategyRun = Callable[["View", "Context", Any], Plan]
TriggerRun = Callable[["View", "Context", Any, bool, str], Due]
CheckRun = Callable[["Inspector"], Iterator[Finding]]
Sniff = Callable[["Source"], Guess]
Read = Callable[["Source", "ReadOptions"], Iterator[Unit]]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A consolidation method: how it plans, when it is due, and what it says of itself.

    `settles`: the setting of the task whose answer settles records (C26), as in `[model.facts]`.
    """

    info: StrategyInfo
    run: StrategyRun
    params: type[Any]
    trigger: str
    settles: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """An audit check with its stable code, name and the severity of its findings.

    `deep` checks run only under `mem audit --deep`.
    """

    code: str
    name: str
    severity: Severity
    run: CheckRun
    deep: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """A transcript format: how it is recognised and read, and its default scope in words.

    `mapped`: it is read by a map of columns, which the user gives.
    """

    name: str
    title: str
    sniff: Sniff
    read: Read
    recognised: str
    scope: str = "none"
    mapped: bool = False


_strategies: dict[str, Strategy] = {}
_triggers: dict[str, TriggerRun] = {}
_checks: dict[str, Check] = {}
_readers: dict[str, Reader] = {}

Run = TypeVar("Run", bound=Callable[..., Any])


def strategy(
    name: str,
    *,
    source: str,
    params: type[Any],
    kinds: tuple[str, ...],
    trigger: str,
    due: str,
    calls: str,
    without_model: str,
    conflicts: Literal["overwrite", "keep-both", "invalidate", "none"],
    aliases: tuple[str, ...] = (),
    settles: str = "",
) -> Callable[[StrategyRun], StrategyRun]:
    """Register a strategy. `trigger` is the name of the plug-in that says when it is due.

    `settles`: the setting of the task whose answer settles records; "" where none is asked.
    """

    def register(run: StrategyRun) -> StrategyRun:
        defaults = {field.name: field.default for field in fields(params)}
        doc = (run.__doc__ or "").strip()
        info = StrategyInfo(
            name, aliases, source, kinds, due, calls, without_model, conflicts, defaults, doc
        )
        _strategies[name] = Strategy(info, run, params, trigger, settles)
        return run

    return register


def trigger(name: str) -> Callable[[TriggerRun], TriggerRun]:
    """Register a predicate that says whether a pass is due.

    It is given the view, the context, the parameters, whether a model settles records, and the
    name of the strategy that asks, for several may share a trigger.
    """

    def register(run: TriggerRun) -> TriggerRun:
        _triggers[name] = run
        return run

    return register


def check(
    code: str, name: str, *, severity: Severity = "error", deep: bool = False
) -> Callable[[CheckRun], CheckRun]:
    """Register an audit check. Codes are never used again."""

    def register(run: CheckRun) -> CheckRun:
        _checks[code] = Check(code, name, severity, run, deep)
        return run

    return register


def reader(
    name: str,
    *,
    title: str,
    sniff: Sniff,
    recognised: str,
    scope: str = "none",
    mapped: bool = False,
) -> Callable[[Read], Read]:
    """Register a transcript format."""

    def register(read: Read) -> Read:
        _readers[name] = Reader(name, title, sniff, read, recognised, scope, mapped)
        return read

    return register


@cache
def _load(package: str) -> None:
    parent = importlib.import_module(f"memcli.{package}")
    for module in sorted(found.name for found in pkgutil.iter_modules(parent.__path__)):
        if not module.startswith("_"):
            importlib.import_module(f"memcli.{package}.{module}")


def strategies() -> dict[str, Strategy]:
    """All strategies by name."""
    _load("strategies")
    return dict(sorted(_strategies.items()))


def get_strategy(name: str, where: str = "--strategy") -> Strategy:
    """The strategy of this name or alias, as `where` names it; raises UsageError if there is none."""
    known = strategies()
    for found in known.values():
        if name == found.info.name or name in found.info.aliases:
            return found
    raise UsageError(
        f"There is no strategy {name!r}.",
        where=where,
        hint="mem strategies lists them: " + ", ".join(known),
    )


def add_strategy(found: Strategy) -> None:
    """Put a strategy in by hand: for tests and for programs that bring their own."""
    strategies()
    _strategies[found.info.name] = found


def get_trigger(name: str) -> TriggerRun:
    """The trigger of this name; raises KeyError, for only strategies name triggers."""
    _load("triggers")
    return _triggers[name]


def checks() -> dict[str, Check]:
    """All audit checks by code."""
    _load("checks")
    return dict(sorted(_checks.items()))


def readers() -> dict[str, Reader]:
    """All transcript readers by name."""
    _load("readers")
    return dict(sorted(_readers.items()))


def get_reader(name: str) -> Reader:
    """The reader of this name; raises UsageError if there is none."""
    known = readers()
    if name not in known:
        raise UsageError(
            f"There is no format {name!r}.",
            where="--format",
            hint="mem ingest --list-formats lists them: " + ", ".join(known),
        )
    return known[name]
