"""Name -> plug-in. Plug-ins are found by file name, so that a new one costs one file."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from memcli.core.found import Bad, Guess, Unit
from memcli.core.plan import Plan
from memcli.core.reports import Due, Finding, Severity, StrategyInfo
from memcli.core.values import dataclass, replace
from memcli.errors import MemError, UsageError

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
_said: list[str] = []

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
        from dataclasses import fields

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
    """All transcript readers by name, those of installed packages among them."""
    _load("readers")
    _load_foreign()
    return dict(sorted(_readers.items()))


def reader_warnings() -> tuple[str, ...]:
    """What was wrong with readers of installed packages, so far."""
    return tuple(dict.fromkeys(_said))


@cache
def _load_foreign() -> None:
    """Import what packages have under the entry point `memcli.readers`; each registers itself.

    None of them can keep the others from working: what fails is left out, with a warning.
    """
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group="memcli.readers"), key=lambda point: point.value):
        package = point.dist.name if point.dist is not None else point.value.partition(":")[0]
        before = dict(_readers)
        try:
            point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is not our code
            _readers.clear()
            _readers.update(before)
            _said.append(f"the readers of {package} cannot be loaded: {_why(error)}")
            continue
        for name, found in list(_readers.items()):
            if name not in before:
                _readers[name] = _guarded(found, package)
            elif found is not before[name]:
                _readers[name] = before[name]
                _said.append(
                    f"{package} has a reader {name} too, which is not used: that name is taken"
                )


def _guarded(found: Reader, package: str) -> Reader:
    """A reader of others: what it does wrong is told of it, and ends nothing but its own work."""

    def sniff(source: "Source") -> Guess:
        try:
            guess: Any = found.sniff(source)
        except MemError:
            raise
        except Exception as error:  # noqa: BLE001 - it is not our code
            _said.append(f"the reader {found.name} of {package} failed: {_why(error)}")
            return Guess(0, f"the reader failed: {_why(error)}")
        return guess if isinstance(guess, Guess) else Guess(0, "the reader gave no guess")

    def read(source: "Source", options: "ReadOptions") -> Iterator[Unit]:
        try:
            given: Iterator[Any] = found.read(source, options)
            for unit in given:
                if isinstance(unit, Unit):
                    yield unit
                else:
                    yield Bad(f"the reader of {package} gave a {type(unit).__name__}")
        except MemError:
            raise
        except Exception as error:  # noqa: BLE001 - it is not our code
            yield Bad(f"the reader of {package} failed: {_why(error)}")

    return replace(found, sniff=sniff, read=read)


def _why(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


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
