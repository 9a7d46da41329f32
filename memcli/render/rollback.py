"""What a rollback, an undo or a redo took back: `mem.rollback/1` and a page."""

from memcli.core.reports import RollbackReport
from memcli.render.output import Document
from memcli.render.page import Page, Part, Span
from memcli.render.text import count, listed


def as_json(report: RollbackReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.rollback/1",
        "pass": report.pass_id,
        "target": report.target,
        "retired": list(report.retired),
        "restored": list(report.restored),
        "dependents": list(report.dependents),
        "released_records": report.released_records,
        "records_closed": report.records_closed,
        "records_restored": report.records_restored,
    }


def as_page(report: RollbackReport) -> Page:
    """What was taken back and put back; `Would take back` where nothing was written."""
    page = Page()
    verb = "Took back" if report.pass_id else "Would take back"
    by: tuple[Part, ...] = (" as ", Span(report.pass_id, "id")) if report.pass_id else ()
    page.line(Span(f"{verb} ", "strong"), Span(report.target, "id"), *by)
    facts: list[tuple[str, Part]] = []
    for name, ids in (
        ("retired", report.retired),
        ("restored", report.restored),
        ("with it", report.dependents),
    ):
        if ids:
            facts.append((name, f"{listed(ids)}  ({len(ids):,})"))
    for name, number, why in (
        ("records out", report.records_closed, "no longer held"),
        ("records back", report.records_restored, "held again"),
        ("freed", report.released_records, "a later pass may use them again"),
    ):
        if number:
            facts.append((name, f"{count(number, 'record')}, {why}"))
    page.facts(facts, indent="  ")
    return page
