"""Health of the installation and the store: `mem.doctor/1` and a line each."""

from memcli.core.reports import DoctorReport
from memcli.render.output import Document
from memcli.render.page import Page, Span


def as_json(report: DoctorReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.doctor/1",
        "ok": report.ok,
        "lines": [
            {"name": line.name, "ok": line.ok, "value": line.value, "hint": line.hint}
            for line in report.lines
        ],
    }


def as_page(report: DoctorReport) -> Page:
    """A line each; what needs attention says what to do."""
    page = Page()
    width = max((len(line.name) for line in report.lines), default=0)
    for line in report.lines:
        mark = Span("ok  ", "good") if line.ok else Span("!!  ", "bad")
        aside = f"  ({line.hint})" if line.hint and line.ok else ""
        page.line(mark, Span(f"{line.name:<{width}}  ", "dim"), line.value, Span(aside, "dim"))
        if line.hint and not line.ok:
            page.line(f"try: {line.hint}", first=" " * (width + 6))
    return page
