"""What consolidation methods there are: `mem.strategies/1`, a table, and a page for one."""

from collections.abc import Sequence

from memcli.core.reports import StrategyInfo
from memcli.render.output import Document
from memcli.render.page import BREAK, Column, Page, Span, spans
from memcli.render.values import shown


def as_json(found: Sequence[StrategyInfo]) -> Document:
    """The documented object."""
    return {
        "schema": "mem.strategies/1",
        "strategies": [
            {
                "name": one.name,
                "aliases": list(one.aliases),
                "source": one.source,
                "kinds": list(one.kinds),
                "due": one.due,
                "calls": one.calls,
                "without_model": one.without_model,
                "conflicts": one.conflicts,
                "parameters": dict(one.parameters),
            }
            for one in found
        ],
    }


def as_page(found: Sequence[StrategyInfo]) -> Page:
    """A row a method."""
    page = Page()
    page.table(
        (Column("name"), Column("what it does", wrap=True), Column("due when", wrap=True)),
        [
            (
                spans(Span(one.name, "strong"), *_aliases(one)),
                spans(_summary(one), BREAK, Span(one.source, "dim")),
                one.due,
            )
            for one in found
        ],
    )
    page.gap()
    page.line(Span("mem strategies NAME tells more of one.", "dim"))
    return page


def one_page(one: StrategyInfo) -> Page:
    """All that is known of one method."""
    page = Page()
    page.line(Span(one.name, "title"), Span(f"  {one.source}", "dim"))
    for paragraph in one.doc.split("\n\n"):
        page.gap()
        page.line(" ".join(paragraph.split()))
    page.gap()
    page.facts(
        [
            ("also called", ", ".join(one.aliases) or "-"),
            ("writes", ", ".join(one.kinds) or "nothing new"),
            ("due when", one.due),
            ("model calls", one.calls),
            ("without a model", one.without_model),
            ("on conflict", one.conflicts),
        ]
    )
    if one.parameters:
        page.title("Parameters (--param NAME=VALUE)")
        page.facts(((name, shown(value)) for name, value in one.parameters.items()), indent="  ")
    return page


def _summary(one: StrategyInfo) -> str:
    first = " ".join(one.doc.strip().split("\n\n")[0].split())
    return first or f"writes {', '.join(one.kinds)}"


def _aliases(one: StrategyInfo) -> list[Span]:
    return [BREAK, Span(", ".join(one.aliases), "dim")] if one.aliases else []
