"""Strategies side by side, each on a copy of one store: what each would change, and at what price.

The copies lie in memory and are gone with the process, however it ends; of the store itself not a
byte is written. What a model answers is kept in a file of its own.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memcli import registry
from memcli.core.calls import Call
from memcli.core.records import Scope
from memcli.core.reports import Compared, CompareReport, ConsolidateReport, EvalReport
from memcli.core.values import dataclass, field, replace
from memcli.engine import consolidating, params
from memcli.engine.consolidating import Desk, Tables, Wish
from memcli.errors import GatewayError, RefusedError, UsageError
from memcli.evals.recorded import Kept, kept_for
from memcli.evals.worlds import Allowance, used_by
from memcli.gateway import settings
from memcli.gateway.settings import Limits
from memcli.ports import CallLog
from memcli.store import file, journal
from memcli.store.calls import StoredCalls
from memcli.store.driver import sqlite3

if TYPE_CHECKING:
    from memcli.gateway.model import Calls

_THEN = "+"  # "reconcile+reflect": the one after the other


@dataclass(frozen=True, slots=True)
class Asked:
    """A comparison as it was asked for; see api.Store.compare.

    `params`: strategy -> its parameters. `limits` are those of all passes together.
    """

    strategies: tuple[str, ...]
    params: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    model: str | None = None
    calls: "Calls" = "reuse"
    limits: Limits = Limits()
    scope: Scope | None = None
    record: Path = Path("mem-compare.db")


class _Both(Kept):
    """Answers are looked for in a file and in the store, and kept in the file alone."""

    def __init__(self, kept: StoredCalls, own: StoredCalls) -> None:
        super().__init__(kept)
        self._own = own

    def recorded(self, key: str) -> Sequence[Call]:
        """See ports.CallLog."""
        return [*super().recorded(key), *map(_foreign, self._own.recorded(key))]

    def candidates(self, task: str) -> Sequence[Call]:
        """See ports.CallLog."""
        return [*super().candidates(task), *map(_foreign, self._own.candidates(task))]


def _foreign(call: Call) -> Call:
    """A call of the store: its number is none of the file's."""
    return replace(call, id=-call.id)


def compare(desk: Desk, asked: Asked, suite: Callable[[], EvalReport | None]) -> CompareReport:
    """Run each on a copy of the store that `desk` reads. `suite` evaluates, if that is wanted.

    Raises UsageError for what is unknown, before anything is run. A pass that fails or is refused
    is told of in the report.
    """
    chains = [_chain(name) for name in asked.strategies]
    _check(asked, chains)
    models = settings.models(
        desk.tables.model, desk.tables.prices, given=asked.model, where=desk.tables.where
    )
    allowance = Allowance(settings.limits(desk.tables.budget, asked.limits, desk.tables.where))
    with _log(desk, asked) as log:
        compared = tuple(
            _Run(desk, asked, log, allowance).run(name, chain)
            for name, chain in zip(asked.strategies, chains, strict=True)
        )
    point = f"p{journal.last_pass(desk.connection)[0]}"
    scores = suite()
    told = dict.fromkeys(text for one in compared for text in one.warnings)
    return CompareReport(point, models.label, compared, scores, warnings=tuple(told))


def arms_of(strategies: Iterable[str]) -> tuple[str, ...]:
    """The arms of an evaluation that measure these."""
    return tuple(f"strategy:{_THEN.join(_chain(name))}" for name in strategies)


def with_params(tables: Tables, given: Mapping[str, Mapping[str, str]]) -> Tables:
    """What `mem.toml` says, with the parameters of single strategies on top."""
    out: dict[str, dict[str, Any]] = {}
    for source in (tables.parameters, given):
        for name, values in source.items():
            own = out.setdefault(registry.get_strategy(name, "[parameters]").info.name, {})
            own |= values
    return replace(tables, parameters=out)


def _chain(name: str) -> tuple[str, ...]:
    parts = [part.strip() for part in name.split(_THEN)]
    return tuple(registry.get_strategy(part, "mem compare").info.name for part in parts)


def _check(asked: Asked, chains: Sequence[tuple[str, ...]]) -> None:
    """Raise UsageError for parameters of what is not compared, and for such as do not fit."""
    there = {name for chain in chains for name in chain}
    for name, values in asked.params.items():
        found = registry.get_strategy(name, "--param")
        if found.info.name not in there:
            raise UsageError(
                f"{name} is not compared, so its parameters would change nothing.",
                where="--param",
                hint=f"mem compare {' '.join([*asked.strategies, name])}",
            )
        params.build(found, {}, values)


@contextlib.contextmanager
def _log(desk: Desk, asked: Asked) -> Iterator[Callable[[sqlite3.Connection], CallLog]]:
    """What makes the log of calls of a copy; a file of its own is there only for models."""
    with kept_for(desk.tables, asked.model, asked.record) as kept:
        if kept is None:
            yield lambda copy: StoredCalls(copy, lambda: desk.now)
        else:
            own = StoredCalls(desk.connection, lambda: desk.now)
            both = _Both(kept.calls, own)
            yield lambda copy: both


@dataclass(frozen=True)
class _Run:
    """Runs one of them."""

    desk: Desk
    asked: Asked
    log: Callable[[sqlite3.Connection], CallLog]
    allowance: Allowance

    def run(self, name: str, chain: tuple[str, ...]) -> Compared:
        copy = file.copy_in_memory(self.desk.connection)
        try:
            return self._on(copy, name, chain)
        finally:
            copy.close()

    def _on(self, copy: sqlite3.Connection, name: str, chain: tuple[str, ...]) -> Compared:
        desk = replace(
            self.desk,
            connection=copy,
            log=self.log(copy),
            tables=with_params(self.desk.tables, self.asked.params),
            may_record=bool,
            writable=True,
        )
        passes: list[ConsolidateReport] = []
        for strategy in chain:
            wish = Wish(
                strategy,
                model=self.asked.model,
                calls=self.asked.calls,
                limits=self.allowance.left,
                scope=self.asked.scope,
            )
            try:
                report = consolidating.consolidate(desk, wish)
            except (GatewayError, RefusedError) as error:
                used = used_by(error)
                self.allowance.spent(used)
                return Compared(name, chain, tuple(passes), error.what, used)
            self.allowance.spent(report.usage)
            passes.append(report)
        return Compared(name, chain, tuple(passes))
