"""Run one consolidation pass: view, plan, validate, diff, apply (style.md, "One pass")."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memcli.core.journal import Usage
from memcli.core.plan import Operation, Plan, Rejection
from memcli.core.records import Scope
from memcli.core.reports import OPERATIONS, Change, ConsolidateReport, Outcome
from memcli.engine import changes, plans
from memcli.engine.apply import Applier, run_content, texts_to_embed
from memcli.engine.moved import check_unmoved
from memcli.engine.planned import planned
from memcli.engine.validate import Checked, validate
from memcli.errors import GatewayError, RefusedError
from memcli.ports import Context
from memcli.registry import Strategy
from memcli.retrieval.view import SearchView
from memcli.store import journal
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView
from memcli.store.write import PassWriter, transaction

Embed = Callable[[Sequence[str]], Mapping[str, bytes]]
# Given the state that would be; raises RefusedError if it must not come about.
Gate = Callable[[StoreView], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What one pass was asked to do. Each scope that `scope` covers is consolidated by
    itself."""

    strategy: Strategy
    params: Any
    now: str
    model: str | None = None
    scope: Scope | None = None
    session: str | None = None
    since: str | None = None
    dry_run: bool = False
    again: bool = False
    gate: Gate | None = None
    asked: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Part:
    """The plan of one scope, and what is sound of it."""

    view: SearchView
    plan: Plan
    checked: Checked


def run_pass(
    connection: "sqlite3.Connection", request: Request, context: Context, embed: Embed
) -> ConsolidateReport:
    """One pass of one strategy, applied or (dry run) only planned.

    Raises RefusedError for a plan that is unsound as a whole or does not pass the gate,
    MovedError if the store changed under it, GatewayError if everything failed.
    """
    name = request.strategy.info.name
    at = journal.last_pass(connection)[0]
    parts = _plan(connection, at, request, context)
    vectors = embed([t for part in parts for t in texts_to_embed(part.view, part.checked)])
    ops = [op for part in parts for op in part.checked.ops]
    consumed = [ref for part in parts for ref in part.checked.consumed]
    _fail_if_nothing_settled(parts, name)
    if request.dry_run:
        return _report(None, request, parts, "planned", _would(parts, name))
    if not ops and not consumed:
        return _report(None, request, parts, _idle(parts), ())
    pass_id = _apply(connection, request, context, parts, vectors)
    diff = changes.between(connection, at, pass_id).changes if ops else ()
    return _report(pass_id, request, parts, _outcome(parts), diff)


def _plan(
    connection: "sqlite3.Connection", at: int, request: Request, context: Context
) -> list[_Part]:
    base = SearchView(
        connection, at, session=request.session, since=request.since, again=request.again
    )
    asked = request.scope or Scope()
    scopes = [scope for scope in base.scopes() if asked.covers(scope)]
    parts, first = [], 1
    for scope in scopes:
        view = base.narrowed(scope)
        plan = request.strategy.run(view, context, request.params)
        plan, first = plans.renumbered(plan, first)
        checked = validate(view, plan, request.strategy.info.name)
        parts.append(_Part(view, plan, checked))
    return parts


def _fail_if_nothing_settled(parts: list[_Part], name: str) -> None:
    """C4: a pass of which every unit failed and nothing is left to write has failed."""
    failed = [unit for part in parts for unit in part.plan.failed]
    written = any(part.checked.ops or part.checked.consumed for part in parts)
    if failed and not written and not any(part.plan.settled for part in parts):
        raise GatewayError(
            f"No part of the pass succeeded: {failed[0]}.",
            where=f"mem consolidate --strategy {name}",
            hint="nothing was written; run it again, or with another model",
            details={"failed": failed},
        )


def _apply(
    connection: "sqlite3.Connection",
    request: Request,
    context: Context,
    parts: list[_Part],
    vectors: Mapping[str, bytes],
) -> int:
    name = request.strategy.info.name
    with transaction(connection):
        head = StoreView(connection, journal.last_pass(connection)[0])
        for part in parts:
            check_unmoved(part.view, head, part.checked, part.plan, name)
        writer = PassWriter(connection, "consolidate", request.now)
        writer.op("run", content=_content(request, context, parts))
        for part in parts:
            applier = Applier(writer, part.view, name, part.checked, vectors)
            applier.apply()
            applier.consume(part.checked.consumed, context.backend)
        pass_id = writer.finish(strategy=name, model=request.model, usage=usage_of(context))
        if request.gate is not None:
            request.gate(StoreView(connection, pass_id))
    return pass_id


def usage_of(context: Context) -> Usage:
    """What the backend used; the built-in one uses nothing."""
    used = getattr(context, "usage", None)
    return used if isinstance(used, Usage) else Usage()


def _content(request: Request, context: Context, parts: list[_Part]) -> dict[str, Any]:
    """What was asked and what was left: kept with the pass, shown by `mem show pN`."""
    return run_content(
        {
            "params": dataclasses.asdict(request.params),
            "backend": context.backend,
            "scope": None if request.scope is None else request.scope.as_dict(),
            "session": request.session,
            "since": request.since,
            "again": request.again or None,
            "pending": _pending(parts),
            "rejected": [[r.item, r.reason] for r in _rejected(parts)],
            "failed": [unit for part in parts for unit in part.plan.failed],
            "warnings": [text for part in parts for text in part.plan.warnings],
        }
    )


def _pending(parts: list[_Part]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part.plan.pending)
    return dict(sorted(total.items()))


def _rejected(parts: list[_Part]) -> tuple[Rejection, ...]:
    return tuple(item for part in parts for item in (*part.plan.rejected, *part.checked.rejected))


def _outcome(parts: list[_Part]) -> Outcome:
    if any(part.plan.failed for part in parts):
        return "partial"
    return "applied" if any(part.checked.ops for part in parts) else "no-changes"


def _idle(parts: list[_Part]) -> Outcome:
    """Nothing to write: nothing was there to look at, or all of it is settled already."""
    if any(part.plan.failed for part in parts):
        return "partial"
    looked = any(
        p.plan.selected or p.plan.pending or p.plan.rejected or p.checked.rejected for p in parts
    )
    return "no-changes" if looked else "nothing-due"


def _would(parts: list[_Part], name: str) -> tuple[Change, ...]:
    return tuple(change for part in parts for change in planned(part.view, part.checked.ops, name))


def _report(
    pass_id: int | None,
    request: Request,
    parts: list[_Part],
    outcome: Outcome,
    diff: Sequence[Change],
) -> ConsolidateReport:
    ops: list[Operation] = [op for part in parts for op in part.checked.ops]
    return ConsolidateReport(
        pass_id=None if pass_id is None else f"p{pass_id}",
        strategy=request.strategy.info.name,
        model=request.model,
        outcome=outcome,
        operations=plans.counts(ops, OPERATIONS),
        changes=tuple(diff),
        rejected=_rejected(parts),
        pending=_pending(parts),
        failed=tuple(unit for part in parts for unit in part.plan.failed),
        warnings=tuple(text for part in parts for text in part.plan.warnings),
    )


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
