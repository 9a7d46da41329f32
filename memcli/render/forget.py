"""What faded, or would: `mem.forget/1` and a page."""

from collections.abc import Sequence

from memcli.core.reports import OPERATIONS, ForgetItem, ForgetReport
from memcli.render import consolidate
from memcli.render.diff import changes_json
from memcli.render.output import Document
from memcli.render.page import Column, Page, Span
from memcli.render.text import brief, count, when

_VALUES = {"ebbinghaus": "R", "heat": "heat", "ttl": "until", "lru": "used"}
_TEXT = 60


def as_json(report: ForgetReport) -> Document:
    """The documented object; `items` is empty but for a dry run."""
    done = report.done
    return {
        "schema": "mem.forget/1",
        "pass": done.pass_id,
        "policy": report.policy,
        "now": report.now,
        "outcome": done.outcome,
        "operations": {name: done.operations.get(name, 0) for name in OPERATIONS},
        "pending": dict(done.pending),
        "warnings": list(done.warnings),
        "changes": changes_json(done.changes),
        "items": [_item(item) for item in report.items],
    }


def _item(item: ForgetItem) -> Document:
    return {
        "id": item.id,
        "layer": item.layer,
        "kind": item.kind,
        "text": item.text,
        "scope": item.scope.as_dict(),
        "status": item.status,
        "value": item.value,
        "becomes": item.becomes,
        "kept": item.kept or None,
        "last_use": item.last_use,
        "days": round(item.days, 4),
        "strength": item.strength,
    }


def as_page(report: ForgetReport) -> Page:
    """How it ended; of a dry run every item, what would change first."""
    if not report.items:
        page = consolidate.as_page(report.done)
        if gone := _faded(report):
            page.line(
                f"{count(gone, 'item')} faded; mem search --include faded still finds "
                f"{'it' if gone == 1 else 'them'}, mem undo takes the pass back."
            )
        return page
    page = Page()
    fades = sum(item.becomes == "faded" for item in report.items)
    returns = sum(item.becomes == "active" for item in report.items)
    page.line(
        Span("forget", "strong"),
        "  ",
        Span("would be refused" if report.refused else "would apply", "warn"),
        f"  {fades:,} would fade, {returns:,} come back, of {len(report.items):,}",
    )
    page.gap()
    _table(page, report.policy, sorted(report.items, key=lambda item: item.becomes is None))
    return page


def _faded(report: ForgetReport) -> int:
    """How many a pass that was applied let fade."""
    if report.done.pass_id is None:
        return 0
    return sum(change.after == "status faded" for change in report.done.changes)


def _table(page: Page, policy: str, items: Sequence[ForgetItem]) -> None:
    page.table(
        (
            Column("id"),
            Column(_VALUES[policy], right=True),
            Column("days", right=True),
            Column("S", right=True),
            Column("status"),
            Column("text", wrap=True),
        ),
        [
            (
                Span(item.id, "id"),
                _value(item),
                f"{item.days:,.1f}",
                str(item.strength),
                _status(item),
                brief(item.text, _TEXT),
            )
            for item in items
        ],
    )


def _value(item: ForgetItem) -> str:
    if item.value is None:
        return "-"
    return f"{item.value:.3f}" if isinstance(item.value, float) else when(item.value)


def _status(item: ForgetItem) -> Span:
    if item.becomes is not None:
        return Span(f"{item.status} → {item.becomes}", "warn")
    return Span(f"{item.status}, {item.kept}" if item.kept else item.status, "dim")
