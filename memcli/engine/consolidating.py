"""From what was asked for to a pass: parameters, who thinks, the trigger, then the run."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memcli import registry
from memcli.core.journal import Usage
from memcli.core.records import Scope
from memcli.core.reports import OPERATIONS, ConsolidateReport, Due, EstimateReport
from memcli.core.values import dataclass, field, replace
from memcli.engine import audit, due, embedders, embedding, params, run
from memcli.engine.embedding import StoreEmbedder
from memcli.engine.scoping import unmatched
from memcli.errors import GatewayError
from memcli.gateway import settings
from memcli.gateway.context import Backend, Embedder, RunContext
from memcli.gateway.settings import Limits, Models
from memcli.kit.slots import SINGLE_VALUED
from memcli.ports import CallLog
from memcli.retrieval.view import SearchView
from memcli.store import journal
from memcli.store.driver import sqlite3

if TYPE_CHECKING:
    from memcli.gateway.model import Calls, ModelBackend


@dataclass(frozen=True, slots=True)
class Tables:
    """What `mem.toml` says, unread: [model], [budget], [prices], [parameters]; `where` it lies."""

    model: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    single_valued: frozenset[str] | None = None
    where: str = "mem.toml"


@dataclass(frozen=True, slots=True)
class Wish:
    """One consolidation as it was asked for; see api.Store.consolidate."""

    strategy: str
    params: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    calls: "Calls" = "reuse"
    limits: Limits = Limits()
    since: str | None = None
    session: str | None = None
    scope: Scope | None = None
    dry_run: bool = False
    if_due: bool = False
    again: bool = False
    gate: bool = False
    # Writes the plan instead of applying it; see run.Request.write_plan.
    plan: Callable[[dict[str, Any]], str] | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """What a pass works with. `now` is the time of the pass.

    `may_record` is asked before anything is asked for: it raises where an answer could not be kept.
    `writable`: whether the store is one that can be written at all. `noted` hears what answers took;
    `went`, where none are paid for, how many of how many records or methods are through.
    """

    connection: "sqlite3.Connection"
    now: str
    embedder: StoreEmbedder
    tables: Tables
    log: CallLog
    noted: Callable[[Usage], None] | None = None
    went: Callable[[int, int], None] | None = None
    may_record: Callable[[], object] = bool
    writable: bool = True


def consolidate(desk: Desk, wish: Wish) -> ConsolidateReport:
    """Run one pass. Raises UsageError, RefusedError, MovedError, GatewayError; then nothing of
    the pass was written, and answers that had come are kept."""
    found = registry.get_strategy(wish.strategy)
    values = _params(found, desk, wish)
    models = _models(desk, wish.model)
    backend = _backend(desk, wish, models)
    if wish.if_due and not _is_due(desk, found, values, models, wish.scope):
        nothing = dict.fromkeys(OPERATIONS, 0)
        return ConsolidateReport(
            None,
            found.info.name,
            models.label,
            "nothing-due",
            nothing,
            warnings=unmatched(_offline(desk)[0], wish.scope),
        )
    embedder, embed = embedders.for_pass(
        desk.connection,
        desk.embedder,
        desk.log,
        ask=wish.calls != "none",
        prices=models.prices,
        may_record=desk.may_record,
    )
    context = context_of(desk, embedder, backend)
    try:
        report = run.run_pass(
            desk.connection, _request(desk, wish, found, values, models), context, embed
        )
    except GatewayError as error:
        _told(error, backend, desk, wish)
        raise
    finally:
        if backend is not None:
            backend.close()
    # What was only planned has not ended: what was refused is not asked again to apply it. And where
    # everything was settled in the end, by a repair or in halves, the way there is a part of it: the
    # pass can be made again without asking.
    if backend is not None and report.outcome != "planned" and report.failed:
        backend.finish()
    warnings = [
        *unmatched(_offline(desk)[0], wish.scope),
        *report.warnings,
        *_unasked(desk, wish, backend),
        *(backend.warnings if backend is not None else ()),
    ]
    if mismatch := embedding.mismatch(desk.connection, desk.embedder):
        warnings.append(mismatch)
    if isinstance(embedder, embedders.Thrifty) and embedder.left:
        warnings.append(f"{embedder.left} new texts have no vector until mem reindex: --calls none")
    return replace(report, warnings=tuple(warnings))


def estimate(desk: Desk, wish: Wish) -> EstimateReport:
    """What a pass would ask, as far as that can be told without asking. Nothing is written."""
    from memcli.gateway.estimating import Estimating

    found = registry.get_strategy(wish.strategy)
    values = _params(found, desk, wish)
    models = _models(desk, wish.model)
    if not models.any:
        return EstimateReport(found.info.name, None, ())
    settings.limits(desk.tables.budget, wish.limits, desk.tables.where)  # as a pass would
    backend = Estimating(models, desk.log, calls=wish.calls)
    embedder = embedders.offline(desk.embedder)
    request = replace(
        _request(desk, wish, found, values, models),
        comparable=embedding.fits(desk.connection, embedder),
    )
    run.plan_only(desk.connection, request, context_of(desk, embedder, backend))
    return EstimateReport(found.info.name, models.label, backend.found())


def context_of(desk: Desk, embedder: Embedder, backend: Backend | None = None) -> RunContext:
    """The context of a run; by rules if there is no backend."""
    single = desk.tables.single_valued
    return RunContext(
        now=desk.now,
        backend=backend,
        embedder=embedder,
        single_valued=SINGLE_VALUED if single is None else single,
        went=desk.went if backend is None else None,
    )


def dues(desk: Desk, strategy: str | None) -> tuple[Due, ...]:
    """Which passes are due: of one strategy, or of all."""
    known = registry.strategies().values()
    wanted = known if strategy is None else [registry.get_strategy(strategy)]
    models = _models(desk, None)
    view, context = _offline(desk)
    views = due.scoped(view)
    said: list[Due] = []
    for found in wanted:
        if desk.went is not None:
            desk.went(len(said), len(wanted))
        values = params.build(found, configured(found, desk.tables), {})
        model = models.of(found.settles) is not None
        said.append(due.due_among(views, found, context, values, model=model))
    return tuple(said)


def _is_due(
    desk: Desk, found: registry.Strategy, values: Any, models: Models, scope: Scope | None
) -> bool:
    """Whether the trigger of a strategy fires."""
    view, context = _offline(desk)
    model = models.of(found.settles) is not None
    return due.due(view, found, context, values, model=model, scope=scope or Scope()).due


def _offline(desk: Desk) -> tuple[SearchView, RunContext]:
    """What triggers are given: they ask nobody, not even for vectors."""
    embedder = embedders.offline(desk.embedder)
    view = SearchView(desk.connection, journal.last_pass(desk.connection)[0])
    view.comparable = embedding.fits(desk.connection, embedder)
    return view, context_of(desk, embedder)


def _params(found: registry.Strategy, desk: Desk, wish: Wish) -> Any:
    return params.build(found, configured(found, desk.tables), wish.params)


def configured(found: registry.Strategy, tables: Tables) -> Mapping[str, Any]:
    """What [parameters] says for a strategy, under any of its names.

    Raises UsageError for a table there that is none of any strategy: it would change nothing.
    """
    values: dict[str, Any] = {}
    for name, table in tables.parameters.items():
        if registry.get_strategy(name, where=tables.where) is found:
            values |= table
    return values


def _models(desk: Desk, given: str | None) -> Models:
    tables = desk.tables
    return settings.models(tables.model, tables.prices, given=given, where=tables.where)


def _backend(desk: Desk, wish: Wish, models: Models) -> "ModelBackend | None":
    """None where rules answer: then nothing of the models' side is even imported."""
    limits = settings.limits(desk.tables.budget, wish.limits, desk.tables.where)
    if not models.any:
        return None
    from memcli.gateway.litellm_chat import LiteLLMChat
    from memcli.gateway.model import ModelBackend

    def chat() -> LiteLLMChat:
        desk.may_record()  # made when the first answer is wanted that is not recorded
        return LiteLLMChat(models.prices)

    return ModelBackend(
        models,
        desk.log,
        chat,
        calls=wish.calls,
        limits=limits,
        linking=not _writes_nothing(desk, wish),
        noted=desk.noted,
    )


def _writes_nothing(desk: Desk, wish: Wish) -> bool:
    """A dry run that never asks, or cannot write, leaves even the recorded calls as they are."""
    return not desk.writable or (wish.dry_run and wish.calls == "none")


def _request(
    desk: Desk, wish: Wish, found: registry.Strategy, values: Any, models: Models
) -> run.Request:
    return run.Request(
        found,
        values,
        now=desk.now,
        model=models.label,
        models={name: model.name for name, model in models.by_setting.items()},
        scope=wish.scope,
        session=wish.session,
        since=wish.since,
        dry_run=wish.dry_run,
        again=wish.again,
        gate=audit.gate if wish.gate else None,
        comparable=embedding.fits(desk.connection, desk.embedder),
        write_plan=wish.plan,
    )


def _unasked(desk: Desk, wish: Wish, backend: "ModelBackend | None") -> list[str]:
    """--calls without a model: in CI that would test nothing, and be green."""
    if backend is not None or desk.embedder.remote or wish.calls == "reuse":
        return []
    return [f"--calls {wish.calls} does nothing here: no model is named, so rules answered"]


def _told(error: GatewayError, backend: "ModelBackend | None", desk: Desk, wish: Wish) -> None:
    """Say with the failure what it cost, and close the books on answers that were of no use."""
    if backend is None:
        return
    usage = backend.usage
    if usage.calls and error.hint:
        known = "cost unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
        tokens = f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out"
        error.hint += f"; used until then: {usage.calls} calls, {tokens}, {known}"
    error.details.setdefault("calls", usage.calls)
    error.details.setdefault("calls_failed", backend.budget.failed)
    error.details.setdefault("calls_recorded", usage.calls_recorded)
    error.details.setdefault("tokens_in", usage.tokens_in)
    error.details.setdefault("tokens_out", usage.tokens_out)
    error.details.setdefault("cost_usd", usage.cost_usd)
    # Every task was answered, none usably: the pass came to its end, and the next one asks anew.
    if "failed" in error.details and not _writes_nothing(desk, wish):
        backend.finish()
