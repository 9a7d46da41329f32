"""Run one consolidation pass: view, plan, validate, diff, apply (style.md, "One pass")."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from memcli.core.journal import Usage
from memcli.core.plan import Operation, Plan
from memcli.core.records import Scope
from memcli.core.reports import ConsolidateReport
from memcli.core.values import dataclass, field, replace
from memcli.engine import changes, parts, planfile, plans
from memcli.engine.apply import Applier
from memcli.engine.parts import Gate, Part, Said
from memcli.engine.validate import validate
from memcli.errors import GatewayError, RefusedError
from memcli.ports import Context
from memcli.registry import Strategy
from memcli.retrieval.view import SearchView
from memcli.store import journal
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView
from memcli.store.write import PassWriter, transaction

Embed = Callable[[Sequence[str]], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class Request:
    """What one pass was asked to do. Each scope that `scope` covers is consolidated by
    itself."""

    strategy: Strategy
    params: Any
    now: str
    model: str | None = None
    models: Mapping[str, str] = field(default_factory=dict)  # those of single settings
    scope: Scope | None = None
    session: str | None = None
    since: str | None = None
    dry_run: bool = False
    again: bool = False
    gate: Gate | None = None
    comparable: bool = True  # whether the store's vectors are those of the run's embedder
    # Takes the document of a plan that is to be reviewed, and says where it lies.
    write_plan: Callable[[dict[str, Any]], str] | None = None


def run_pass(
    connection: "sqlite3.Connection", request: Request, context: Context, embed: Embed
) -> ConsolidateReport:
    """One pass of one strategy, applied, or only planned (dry run, or a plan to be reviewed).

    Raises RefusedError for a plan that is unsound as a whole or does not pass the gate,
    MovedError if the store changed under it, GatewayError if everything failed.
    """
    at = journal.last_pass(connection)[0]
    planned = _plan(connection, at, request, context)
    _fail_if_nothing_settled(planned, request.strategy.info.name)
    said = _said(request, context)
    if request.dry_run:
        if request.gate is not None and parts.to_write(planned):
            parts.try_out(connection, said, planned, embed, now=request.now, gate=request.gate)
        return _would(_said(request, context), planned)
    if not parts.to_write(planned):
        return parts.report(None, said, planned, parts.idle(planned), ())
    if request.write_plan is not None:
        point = planfile.point(connection, at)
        path = request.write_plan(planfile.document(said, point, request.now, planned))
        return replace(_would(said, planned), plan=path)
    vectors = embed(parts.texts(planned))
    said = _said(request, context)  # with what the vectors took
    pass_id = parts.commit(connection, said, planned, vectors, now=request.now, gate=request.gate)
    changed = any(part.checked.ops for part in planned)
    diff = changes.between(connection, pass_id - 1, pass_id).changes if changed else ()
    return parts.report(pass_id, said, planned, parts.outcome(planned), diff)


def _would(said: Said, planned: Sequence[Part]) -> ConsolidateReport:
    return parts.report(None, said, planned, "planned", parts.would(planned, said.strategy))


def plan_only(
    connection: "sqlite3.Connection", request: Request, context: Context
) -> Sequence[Part]:
    """What the strategies would propose; for an estimate, which counts what they ask."""
    return _plan(connection, journal.last_pass(connection)[0], request, context)


def _plan(
    connection: "sqlite3.Connection", at: int, request: Request, context: Context
) -> list[Part]:
    base = SearchView(
        connection, at, session=request.session, since=request.since, again=request.again
    )
    base.comparable = request.comparable
    asked = request.scope or Scope()
    scopes = [scope for scope in base.scopes() if asked.covers(scope)]
    found, first = [], 1
    for scope in scopes:
        view = base.narrowed(scope)
        plan = request.strategy.run(view, context, request.params)
        plan, first = plans.renumbered(plan, first)
        checked = validate(view, plan, request.strategy.info.name)
        found.append(Part(view, plan, checked))
    return found


def _fail_if_nothing_settled(planned: Sequence[Part], name: str) -> None:
    """C4: a pass of which every unit failed and nothing is left to write has failed.

    So has one that may do nothing of what there is to do, in whatever scope.
    """
    refused = [part.plan.refused for part in planned if part.plan.refused]
    if refused and not parts.to_write(planned):
        raise RefusedError(
            f"Nothing may be done: {refused[0]}.",
            where=f"mem consolidate --strategy {name}",
            hint="nothing was written; mem due and mem strategies say what a pass needs",
            details={"refused": refused},
        )
    failed = parts.failed(planned)
    if failed and not parts.settled(planned) and not parts.to_write(planned):
        raise GatewayError(
            f"No part of the pass succeeded: {failed[0]}.",
            where=f"mem consolidate --strategy {name}",
            hint="nothing was written; " + _what_to_do(failed),
            details={"failed": failed},
        )


def _what_to_do(failed: Sequence[str]) -> str:
    if all("budget: " in unit for unit in failed):
        return "raise the budget; answers that came are kept and not asked again"
    if any("budget: " in unit for unit in failed):
        return "mem calls list --status refused shows what did not fit; then raise the budget"
    return "mem calls list --status refused shows what did not fit; another model may do better"


def _said(request: Request, context: Context) -> Said:
    """What the pass says of itself: in the journal, and to whoever asked for it."""
    return Said(
        request.strategy.info.name,
        request.model,
        context.backend,
        usage_of(context),
        {
            "params": asdict(request.params),
            "models": dict(request.models),
            "scope": None if request.scope is None else request.scope.as_dict(),
            "session": request.session,
            "since": request.since,
            "again": request.again or None,
        },
    )


def usage_of(context: Context) -> Usage:
    """What the backend used; the built-in one uses nothing."""
    used = getattr(context, "usage", None)
    return used if isinstance(used, Usage) else Usage()


# --- a person's verdict -------------------------------------------------------------------------


def rate(
    connection: "sqlite3.Connection", ops: Sequence[Operation], *, now: str, refs: Sequence[str]
) -> int | None:
    """Apply ratings as a pass of their own; None if they say what holds already.

    Raises RefusedError for a value that does not fit, or an id that is not held.
    """
    with transaction(connection):
        at = journal.last_pass(connection)[0]
        view = StoreView(connection, at)
        checked = validate(view, Plan(ops=tuple(ops)), "rate")
        if checked.rejected:
            item = checked.rejected[0]
            raise RefusedError(
                f"The rating was refused: {item.reason}.",
                where=", ".join(refs),
                hint="importance=1..10, pinned=true|false, status=active|pending|faded|lapsed|rejected",
            )
        writer = PassWriter(connection, "rate", now)
        Applier(writer, view, "rate", checked, {}).apply()
        return None if writer.empty else writer.finish()
