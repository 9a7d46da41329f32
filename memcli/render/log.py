"""The passes of a store: `mem.log/1` and a table."""

from collections.abc import Sequence

from memcli.core.journal import Pass
from memcli.render.output import Document
from memcli.render.page import Cell, Column, Page, Span, counted, spans
from memcli.render.text import listed, when


def as_json(passes: Sequence[Pass]) -> Document:
    """The documented object."""
    return {"schema": "mem.log/1", "passes": [pass_json(entry) for entry in passes]}


def pass_json(entry: Pass) -> Document:
    """One pass."""
    return {
        "id": entry.id,
        "kind": entry.kind,
        "strategy": entry.strategy,
        "at": entry.at,
        "model": entry.model,
        "operations": dict(entry.operations),
        "calls": entry.usage.calls,
        "cost_usd": entry.usage.cost_usd,
        "reverts": list(entry.reverts),
        "reverted_by": list(entry.reverted_by),
        "hash": entry.hash,
    }


def as_page(passes: Sequence[Pass]) -> Page:
    """A row a pass, newest first; one that was taken back is dimmed."""
    page = Page()
    if not passes:
        page.line("No pass yet.")
    page.table(
        (Column("pass"), Column("when"), Column("what", wrap=True), Column("did", wrap=True)),
        [
            (Span(entry.id, "id"), Span(when(entry.at), "dim"), _what(entry), _did(entry))
            for entry in passes
        ],
    )
    return page


def name_of(entry: Pass) -> str:
    """`consolidate reflect`, `undo of p3`, `ingest`."""
    kind = entry.manner or entry.kind
    target = f" of {listed(entry.reverts)}" if entry.reverts else ""
    return f"{kind}{f' {entry.strategy}' if entry.strategy else ''}{target}"


def _what(entry: Pass) -> Cell:
    if not entry.reverted_by:
        return spans(name_of(entry))
    return spans(
        Span(name_of(entry), "dim"), Span(f"  taken back by {listed(entry.reverted_by)}", "warn")
    )


def _did(entry: Pass) -> Cell:
    done = counted(entry.operations)
    if not entry.usage.calls:
        return spans(done)
    money = "cost unknown" if entry.usage.cost_usd is None else f"${entry.usage.cost_usd:.4f}"
    return spans(done, Span(f"  {entry.usage.calls:,} calls, {money}", "dim"))
