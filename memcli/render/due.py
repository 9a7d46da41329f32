"""Which passes are due: `mem.due/1` and a table."""

from collections.abc import Sequence

from memcli.core.reports import Due
from memcli.render.output import Document
from memcli.render.page import BREAK, Cell, Column, Page, Span, counted, spans


def as_json(found: Sequence[Due]) -> Document:
    """The documented object."""
    return {
        "schema": "mem.due/1",
        "due": [
            {
                "strategy": one.strategy,
                "due": one.due,
                "why": one.why,
                "value": one.value,
                "threshold": one.threshold,
                "warning": one.warning,
                "pending": dict(one.pending),
            }
            for one in found
        ],
    }


def as_page(found: Sequence[Due]) -> Page:
    """A row a strategy, with its value against the threshold."""
    page = Page()
    if not found:
        page.line("No strategy is known.")
    page.table(
        (
            Column("strategy"),
            Column("due"),
            Column("now", right=True),
            Column("at", right=True),
            Column("why", wrap=True),
        ),
        [
            (
                Span(one.strategy, "strong"),
                Span("yes", "good") if one.due else Span("no", "dim"),
                f"{one.value:,g}",
                f"{one.threshold:,g}",
                _why(one),
            )
            for one in found
        ],
    )
    return page


def _why(one: Due) -> Cell:
    parts: list[Span | str] = [one.why]
    if one.pending:
        parts += [BREAK, Span(f"waiting: {counted(one.pending)}", "dim")]
    if one.warning:
        parts += [BREAK, Span(one.warning, "warn")]
    return spans(*parts)
