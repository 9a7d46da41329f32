"""Reports of a few facts: init, reindex, formats, rate."""

from collections.abc import Sequence

from memcli.core.reports import DiffReport, InitReport, ReindexReport
from memcli.render.diff import changes_json, changes_page
from memcli.render.output import Document
from memcli.render.page import Column, Page, Span
from memcli.render.text import count

Formats = Sequence[tuple[str, str, str, str]]


def init_json(report: InitReport) -> Document:
    """`mem.init/1`."""
    return {
        "schema": "mem.init/1",
        "store": report.store,
        "embedder": report.embedder,
        "scope": report.scope.as_dict(),
        "requests": report.requests,
        "tokens": report.tokens,
    }


def init_page(report: InitReport) -> Page:
    """What was made, and what comes next."""
    page = Page()
    page.line(Span(f"Made {report.store}", "strong"), Span(f"  embedder {report.embedder}", "dim"))
    return page


def reindex_json(report: ReindexReport) -> Document:
    """`mem.reindex/1`."""
    return {
        "schema": "mem.reindex/1",
        "texts": report.texts,
        "vectors": report.vectors,
        "embedder": report.embedder,
        "kept": report.kept,
        "missing": report.missing,
        "requests": report.requests,
        "tokens": report.tokens,
        "warnings": list(report.warnings),
    }


def reindex_page(report: ReindexReport) -> Page:
    """What was rebuilt."""
    page = Page()
    page.line(
        Span(f"Indexed {count(report.texts, 'text')} anew", "strong"),
        f", {count(report.vectors, 'vector')} by {report.embedder}",
    )
    if report.requests:
        told = "" if report.tokens is None else f", {count(report.tokens, 'token')}"
        page.line(Span(f"{report.kept} kept, {count(report.requests, 'request')}{told}", "dim"))
    return page


def formats_json(formats: Formats) -> Document:
    """`mem.formats/1`."""
    return {
        "schema": "mem.formats/1",
        "formats": [
            {"name": name, "title": title, "recognised": how, "scope": scope}
            for name, title, how, scope in formats
        ],
    }


def formats_page(formats: Formats) -> Page:
    """A row a format."""
    page = Page()
    page.table(
        (
            Column("--format"),
            Column("what it is", wrap=True),
            Column("recognised by", wrap=True),
            Column("scope by default", wrap=True),
        ),
        [
            (Span(name, "strong"), title, how, Span(scope, "dim"))
            for name, title, how, scope in formats
        ],
    )
    return page


def rate_json(report: DiffReport) -> Document:
    """`mem.rate/1`. `pass` is null if nothing changed."""
    return {
        "schema": "mem.rate/1",
        "pass": report.end if report.changes else None,
        "changes": changes_json(report.changes),
    }


def rate_page(report: DiffReport) -> Page:
    """What the verdict changed."""
    page = Page()
    if not report.changes:
        page.line("Nothing changed: it was rated so before.")
        return page
    page.line(Span("Rated", "strong"), " as ", Span(report.end, "id"))
    page.add(changes_page(report.changes))
    return page
