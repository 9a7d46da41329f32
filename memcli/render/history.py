"""The life of one memory: `mem.history/1` and a page."""

from memcli.core.reports import HistoryEntry, HistoryReport
from memcli.render.output import Document
from memcli.render.page import Page, Part, Span
from memcli.render.text import when
from memcli.render.words import compare

# Events that give the memory a text; the text of others is a value in words.
_OF_TEXT = frozenset({"added", "revised", "restored"})


def as_json(report: HistoryReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.history/1",
        "memory": report.memory,
        "held": report.held,
        "state": list(report.state),
        "entries": [
            {
                "pass": entry.pass_id,
                "at": entry.at,
                "event": entry.event,
                "version": entry.version,
                "text": entry.text,
                "strategy": entry.strategy,
                "reason": entry.reason,
            }
            for entry in report.entries
        ],
    }


def as_page(report: HistoryReport) -> Page:
    """Each event with the text then, and what it changed in the text before."""
    page = Page()
    state = Span("held", "good") if report.held else Span("no longer held", "bad")
    if report.state:
        state = Span(", ".join(("held", *report.state)), "warn")
    page.line(Span(report.memory, "id"), "  ", state)
    former: str | None = None
    for entry in report.entries:
        page.gap()
        _event(page, entry, report.memory)
        if entry.text is not None and entry.event not in _OF_TEXT:
            page.text(entry.text, first="    ")
        elif entry.text is not None and entry.text != former:
            _text(page, former, entry.text)
            former = entry.text
        if entry.reason:
            page.text(f"because: {entry.reason}", "dim", first="    ")
    return page


def _event(page: Page, entry: HistoryEntry, memory: str) -> None:
    version: tuple[Part, ...] = ()
    if entry.version is not None:
        version = (" ", Span(f"{memory}@{entry.version}", "id"))
    by = f", {entry.strategy}" if entry.strategy else ""
    page.line(
        Span(entry.pass_id, "id"),
        Span(f"  {when(entry.at)}  ", "dim"),
        Span(entry.event, "strong"),
        *version,
        Span(by, "dim"),
    )


def _text(page: Page, before: str | None, after: str) -> None:
    page.text(after if before is None else compare(before, after)[1], first="    ")
