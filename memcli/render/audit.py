"""Findings: `mem.audit/1` and a page. `audit_ci` has the formats of others."""

from memcli.core.reports import AuditReport, Finding, Severity
from memcli.render.output import Document
from memcli.render.page import Page, Span, Style
from memcli.render.text import count

_STYLE: dict[Severity, Style] = {"error": "bad", "warning": "warn", "info": "dim"}
_ORDER: tuple[Severity, ...] = ("error", "warning", "info")


def as_json(report: AuditReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.audit/1",
        "findings": [
            {
                "code": found.code,
                "name": found.name,
                "severity": found.severity,
                "subject": found.subject,
                "message": found.message,
                "hint": found.hint,
            }
            for found in report.findings
        ],
        "counts": {severity: report.count(severity) for severity in _ORDER},
        "checked": list(report.checked),
    }


def as_page(report: AuditReport, *, planted: bool = False) -> Page:
    """The findings, worst first, then one line of totals; `planted`: of a self-test."""
    page = Page()
    for severity in _ORDER:
        for found in report.findings:
            if found.severity == severity:
                _finding(page, found)
    page.gap()
    checks = count(len(report.checked), "check")
    if not report.checked and not report.findings:
        page.line(Span("Nothing was checked.", "warn"))
        return page
    if not report.findings and planted:
        page.line(
            Span(f"{count(len(report.checked), 'defect')} planted", "good"),
            ", each in a copy of its own and found by its check alone:",
        )
        page.line(", ".join(report.checked), first="  ")
        return page
    if not report.findings:
        page.line(Span("No finding", "good"), f" in {checks}.")
        return page
    totals = [
        count(number, word)
        for number, word in (
            (report.count("error"), "error"),
            (report.count("warning"), "warning"),
            (report.count("info"), "note"),
        )
        if number
    ]
    page.line(Span(", ".join(totals), "strong"), f" in {checks}.")
    return page


def _finding(page: Page, found: Finding) -> None:
    page.line(
        Span(f"{found.code} {found.severity:<7}", _STYLE[found.severity]),
        "  ",
        Span(found.subject, "id"),
        f"  {found.message}",
        Span(f"  {found.name}", "dim"),
        rest=" " * 14,
    )
    if found.hint:
        page.line(Span(f"try: {found.hint}", "dim"), first=" " * 14)
