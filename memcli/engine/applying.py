"""Apply a plan that was reviewed: take out what was rejected, check it anew, write one pass."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from memcli import registry
from memcli.core.journal import Usage
from memcli.core.plan import Operation, Plan, Rejection
from memcli.core.records import Record
from memcli.core.reports import ConsolidateReport
from memcli.core.values import dataclass, replace
from memcli.engine import changes, embedders, embedding, parts, planpaths, plans, tombstones
from memcli.engine.checked import Checked
from memcli.engine.embedding import StoreEmbedder
from memcli.engine.parts import Gate, Part, Said
from memcli.engine.planfile import Proposal, Proposed
from memcli.engine.validate import validate
from memcli.errors import MovedError, RefusedError, UsageError
from memcli.retrieval.view import SearchView
from memcli.store import calls, journal
from memcli.store.driver import sqlite3

Embed = Callable[[Sequence[str]], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class Request:
    """How a plan is to be applied. `reject` are labels, beside those switched in the plan."""

    now: str
    reject: tuple[str, ...] = ()
    gate: Gate | None = None
    dry_run: bool = False


def apply_plan(
    connection: "sqlite3.Connection", proposal: Proposal, request: Request, embed: Embed
) -> ConsolidateReport:
    """Apply a plan as one pass of its strategy, or (dry run) say what that would change.

    What was rejected takes along what needs it, and leaves tombstones. Raises UsageError for an
    unknown label, RefusedError for a plan of another store or one that is not sound or does not
    pass the gate, MovedError if the store moved under it or has it already; then nothing was
    written.
    """
    _refuse_other_store(connection, proposal)
    named = _rejected_labels(proposal, request.reject)
    found = [_part(connection, proposal, part, named) for part in proposal.parts]
    said = _said(connection, proposal)
    if request.dry_run:
        _refuse_stale(connection, proposal, found)
        if request.gate is not None and parts.to_write(found):
            parts.try_out(connection, said, found, embed, now=request.now, gate=request.gate)
        return parts.report(None, said, found, "planned", parts.would(found, said.strategy))
    if not parts.to_write(found):
        return parts.report(None, said, found, parts.idle(found), ())
    pass_id = parts.commit(
        connection,
        said,
        found,
        embed(parts.texts(found)),
        now=request.now,
        gate=request.gate,
        refuse=lambda: _refuse_stale(connection, proposal, found),
    )
    if parts.failed(found):
        _end_calls(connection, proposal)
    changed = any(part.checked.ops for part in found)
    diff = changes.between(connection, pass_id - 1, pass_id).changes if changed else ()
    return parts.report(pass_id, said, found, parts.outcome(found), diff)


def apply_file(
    connection: "sqlite3.Connection", path: Path, request: Request, embedder: StoreEmbedder
) -> ConsolidateReport:
    """Apply the plan in a file; `plan` of the report is its path.

    Raises InputError or UsageError for what is no plan of this program's strategies, RefusedError
    for one that was edited, GatewayError where vectors cannot be had; else see apply_plan.
    """
    proposal = planpaths.read(path)
    if proposal.said.strategy not in registry.strategies():
        raise UsageError(
            f"The plan is of the strategy {proposal.said.strategy!r}, which is not there.",
            where=str(path),
            hint="mem strategies lists those of this program",
        )
    _, embed = embedders.for_pass(
        connection, embedder, calls.StoredCalls(connection, lambda: request.now)
    )
    report = apply_plan(connection, proposal, request, embed)
    mismatch = embedding.mismatch(connection, embedder)
    warnings = report.warnings if mismatch is None else (*report.warnings, mismatch)
    return replace(report, plan=str(path), warnings=warnings)


def _end_calls(connection: "sqlite3.Connection", proposal: Proposal) -> None:
    """The pass has ended that asked about these records: what was refused is asked anew."""
    shown = {ref for part in proposal.parts for ref in (*part.plan.selected, *part.plan.unusable)}
    calls.spend_shown(connection, sorted(shown))


def _said(connection: "sqlite3.Connection", proposal: Proposal) -> Said:
    """What the pass says of itself. The calls that planned it count once: in the first pass that
    applies it, whatever became of that."""
    asked = {**proposal.said.asked, "plan": proposal.sha256, "planned_at": proposal.made_at}
    usage = proposal.said.usage
    if journal.passes_of_plan(connection, proposal.sha256, proposal.at.number, in_force=False):
        usage = Usage(calls_recorded=usage.calls + usage.calls_recorded)
    return replace(proposal.said, asked=asked, usage=usage)


# --- what speaks against it -------------------------------------------------------------------------


def _refuse_other_store(connection: "sqlite3.Connection", proposal: Proposal) -> None:
    """Passes are chained by their hashes: the same hash means the same history up to there."""
    if journal.pass_hash(connection, proposal.at.number) != proposal.at.hash:
        raise RefusedError(
            f"The plan was made for another store: p{proposal.at.number} is not that pass here.",
            where=f"the plan of {proposal.said.strategy}",
            hint="name the store that it was made from (--store), or make a new plan",
        )


def _refuse_stale(
    connection: "sqlite3.Connection", proposal: Proposal, found: Sequence[Part]
) -> None:
    """Raise MovedError if the plan is applied already, or the store moved under it (C2)."""
    done = journal.passes_of_plan(connection, proposal.sha256, proposal.at.number)
    if done:
        raise MovedError(
            f"The store moved under the plan: it was applied already, as p{done[0]}.",
            where=f"the plan of {proposal.said.strategy}",
            hint=f"mem show p{done[0]} tells what it did; mem rollback p{done[0]} takes it back",
        )
    try:
        parts.refuse_moved(connection, found, proposal.said.strategy)
    except MovedError as error:
        raise MovedError(
            error.what,
            where=f"the plan of {proposal.said.strategy}, made at p{proposal.at.number}",
            hint="make a new plan; answers that were paid for are used again",
        ) from error


# --- what is rejected -------------------------------------------------------------------------------


def _rejected_labels(proposal: Proposal, given: Iterable[str]) -> frozenset[str]:
    """The labels that a reviewer named, in the file or beside it."""
    known = {op.id for part in proposal.parts for op in part.plan.ops}
    asked = dict.fromkeys(given)
    for label in asked:
        if label not in known:
            raise UsageError(
                f"The plan has no item {label!r}.",
                where="--reject",
                hint="each item has its label in the plan, such as new:1 or op:3",
            )
    switched = (label for part in proposal.parts for label in part.switched)
    return frozenset((*switched, *asked))


def _needing(ops: Iterable[Operation], gone: Iterable[str]) -> set[str]:
    """`gone` with all that needs it: by `requires`, or by naming a draft that is not made."""
    needed_by: dict[str, list[str]] = defaultdict(list)
    for op in ops:
        for ref in (*op.requires, *plans.refs_of(op)):
            needed_by[ref].append(op.id)
    found: set[str] = set()
    todo = list(gone)
    while todo:
        label = todo.pop()
        if label not in found:
            found.add(label)
            todo += needed_by[label]
    return found


def _part(
    connection: "sqlite3.Connection",
    proposal: Proposal,
    proposed: Proposed,
    named: frozenset[str],
) -> Part:
    """The part of one scope as it was planned, without what is rejected."""
    strategy, plan = proposal.said.strategy, proposed.plan
    base = SearchView(connection, proposal.at.number, again=bool(proposal.said.asked["again"]))
    view = base.narrowed(proposed.scope)
    whole = validate(view, plan, strategy)
    _refuse_unsound(view, plan, whole, strategy)
    mine = [op for op in plan.ops if op.id in named]
    gone = _needing(plan.ops, (op.id for op in mine))
    kept, checked = _without(view, plan, gone, strategy)
    kept = replace(kept, selected=(*plan.selected, *plan.unusable))
    checked.rejected[:] = [
        Rejection(op.id, "rejected" if op.id in named else "requires-rejected")
        for op in plan.ops
        if op.id not in {left.id for left in kept.ops}
    ]
    found = (tombstones.of_operation(view, strategy, whole, op) for op in mine)
    return Part(view, kept, checked, [one for one in found if one is not None])


def _without(view: SearchView, plan: Plan, gone: set[str], strategy: str) -> tuple[Plan, Checked]:
    """The plan without `gone`, and without what is not sound any more when that is out.

    An `unlink`, for one, may only be sound because the plan brings other evidence.
    """
    while True:
        kept = replace(plan, ops=tuple(op for op in plan.ops if op.id not in gone))
        if not gone:
            return kept, validate(view, kept, strategy)
        checked = validate(view, kept, strategy)
        fallen = {item.item for item in checked.rejected} & {op.id for op in kept.ops}
        if not fallen:
            _refuse_unsound(view, kept, checked, strategy)
            return kept, checked
        gone = _needing(plan.ops, gone | fallen)


def _refuse_unsound(view: SearchView, plan: Plan, checked: Checked, strategy: str) -> None:
    """What was reviewed is what is applied: nothing may be rejected, dropped or put right here."""
    wrong = [f"{item.item}: {item.reason}" for item in checked.rejected]
    wrong += [
        f"{ref}: unknown-id" for ref in plan.unusable if not isinstance(view.get(ref), Record)
    ]
    pairs = zip(plan.ops, checked.ops, strict=False)
    wrong += [f"{before.id}: not as checked" for before, after in pairs if before != after]
    if wrong or len(plan.ops) != len(checked.ops) or list(plan.consumed) != checked.consumed:
        raise RefusedError(
            f"The plan is not sound: {wrong[0] if wrong else 'it does not come out as it stands'}.",
            where=f"the plan of {strategy}",
            hint="nothing was written; make a new plan",
            details={"items": wrong},
        )
