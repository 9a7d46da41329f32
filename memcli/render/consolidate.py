"""How a consolidation ended: `mem.consolidate/1` and a page."""

from memcli.core.reports import OPERATIONS, ConsolidateReport
from memcli.render.diff import changes_json, changes_page
from memcli.render.output import Document
from memcli.render.page import Page, Span, Style, counted
from memcli.render.text import count
from memcli.render.values import cost

SAID: dict[str, tuple[str, Style]] = {
    "applied": ("applied", "good"),
    "planned": ("would apply", "warn"),
    "no-changes": ("no changes", ""),
    "nothing-due": ("nothing due", ""),
    "partial": ("applied in part", "warn"),
    "failed": ("failed", "bad"),
}
_REJECTED = 20  # refused items listed for people; the JSON has them all


def as_json(report: ConsolidateReport) -> Document:
    """The documented object. Units that failed stand among the warnings."""
    usage = report.usage
    return {
        "schema": "mem.consolidate/1",
        "pass": report.pass_id,
        "strategy": report.strategy,
        "model": report.model,
        "outcome": report.outcome,
        "operations": {name: report.operations.get(name, 0) for name in OPERATIONS},
        "rejected": [{"item": item.item, "reason": item.reason} for item in report.rejected],
        "pending": dict(report.pending),
        "warnings": [*report.warnings, *(f"failed: {unit}" for unit in report.failed)],
        "plan": report.plan,
        "calls": usage.calls,
        "calls_recorded": usage.calls_recorded,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost_usd": usage.cost_usd,
        "changes": changes_json(report.changes),
    }


def as_page(report: ConsolidateReport) -> Page:
    """The outcome, the changes, then what was refused, left for later, and what it cost."""
    page = Page()
    said, style = SAID[report.outcome]
    if report.outcome == "no-changes" and report.pass_id and report.settled:
        said = f"nothing to change; {count(report.settled, 'record')} marked as done,"
    by = (" as ", Span(report.pass_id, "id")) if report.pass_id else ()
    done = counted(report.operations)
    page.line(
        Span(report.strategy, "strong"),
        "  ",
        Span(said, style),
        *by,
        Span(f"  {done}" if done else "", "strong"),
    )
    page.add(changes_page(report.changes))
    _left(page, report)
    page.gap()
    if report.plan is not None and report.pass_id is None and report.outcome == "planned":
        chosen = any(item.reason == "rejected" for item in report.rejected)
        how = ", with the same --reject," if chosen else ""
        page.line(
            *("The plan is in ", Span(report.plan, "strong"), f"; mem apply{how} carries it out.")
        )
    page.line(Span(cost(report.usage, report.model), "dim"))
    return page


def lost(report: ConsolidateReport) -> list[str]:
    """That not all could be done, in one line; none where it was."""
    if not report.failed and report.outcome not in ("partial", "failed"):
        return []
    why = "not all was done"
    if report.failed:
        why = f"{count(len(report.failed), 'unit')} failed, the first: {report.failed[0]}"
    return [f"{report.strategy} {SAID[report.outcome][0]}: {why}"]


def _left(page: Page, report: ConsolidateReport) -> None:
    if report.rejected:
        page.title(Span(f"Refused {count(len(report.rejected), 'item')}", "warn"))
    for item in report.rejected[:_REJECTED]:
        page.line(Span(item.reason, "strong"), f"  {item.item}", first="  ")
    if len(report.rejected) > _REJECTED:
        page.line(Span(f"and {len(report.rejected) - _REJECTED:,} more; --json has them", "dim"))
    if report.failed:
        page.title(Span(f"Failed {count(len(report.failed), 'unit')}", "bad"))
    for unit in report.failed:
        page.line(unit, first="  ")
    if report.pending:
        page.title("Left for later")
    page.facts(
        ((reason, count(number, "record")) for reason, number in report.pending.items()),
        indent="  ",
    )
