"""Hashes of the logical state: `mem.digest/1` and three lines."""

from memcli.core.reports import DigestReport
from memcli.render.output import Document
from memcli.render.page import Page


def as_json(report: DigestReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.digest/1",
        "records": report.records,
        "memories": report.memories,
        "journal": report.journal,
    }


def as_page(report: DigestReport) -> Page:
    """A hash a line, so that `diff` and `grep` work on it."""
    page = Page()
    page.facts(
        (
            ("records", report.records),
            ("memories", report.memories),
            ("journal", report.journal),
        )
    )
    return page
