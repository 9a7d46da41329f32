"""What changed between two points: `mem.diff/1` and a page."""

from collections.abc import Sequence

from memcli.core.ids import is_draft
from memcli.core.reports import Change, ChangeKind, DiffReport
from memcli.render.output import Document
from memcli.render.page import Line, Page, Part, Span, Style
from memcli.render.ratings import Ratings, folded
from memcli.render.text import brief, count, listed, when
from memcli.render.words import compare

MARKS: dict[ChangeKind, tuple[str, Style]] = {
    "added": ("+", "good"),
    "revised": ("~", "warn"),
    "superseded": ("×", "warn"),
    "retired": ("-", "bad"),
    "restored": ("+", "good"),
    "linked": ("·", "dim"),
    "unlinked": ("·", "dim"),
    "rated": ("*", "warn"),
}
# Changes beside a text: a line each, after the others, the first so many.
_BESIDE = frozenset({"linked", "unlinked", "rated"})
_BESIDE_ROWS = 20
_QUOTES = 6  # shown under a change; `mem why` has them all
_INDENT = "    "
_BLANK = Line(())


def as_json(report: DiffReport) -> Document:
    """The documented object."""
    return {
        "schema": "mem.diff/1",
        "from": report.start,
        "to": report.end,
        "valid_at": report.valid_at,
        "known_at": report.known_at,
        "summary": report.summary(),
        "records_added": report.records_added,
        "records_removed": report.records_removed,
        "changes": changes_json(report.changes),
    }


def changes_json(changes: Sequence[Change]) -> list[Document]:
    """Changes as they stand in every object that has them."""
    return [
        {
            "change": change.change,
            "memory": change.memory,
            "kind": change.kind,
            "before": change.before,
            "after": change.after,
            "evidence": list(change.evidence),
            "pass": change.pass_id,
            "strategy": change.strategy,
            "reason": change.reason,
        }
        for change in changes
    ]


def is_empty(report: DiffReport) -> bool:
    """Whether nothing at all changed, records included."""
    return not (report.changes or report.records_added or report.records_removed)


def headline(report: DiffReport) -> str:
    """`2 added, 1 revised; 12 records came in`, or that nothing changed."""
    said = [", ".join(f"{n:,} {name}" for name, n in report.summary().items() if n)]
    came, went = ("came in", "went out") if report.known_at is None else ("said", "not said yet")
    if report.records_added:
        said.append(f"{count(report.records_added, 'record')} {came}")
    if report.records_removed:
        said.append(f"{count(report.records_removed, 'record')} {went}")
    found = "; ".join(part for part in said if part) or "nothing changed"
    if report.valid_at is not None:
        found += f" of what was true at {when(report.valid_at)}"
    return found if report.known_at is None else f"{found}, as known at {report.known_at}"


def _point(report: DiffReport, point: str) -> str:
    """A pass as it is, a time as it is written."""
    return point if report.known_at is None else when(point)


def as_page(report: DiffReport) -> Page:
    """The points and totals, then each change with the texts and what they rest on."""
    page = Page()
    page.line(
        Span(_point(report, report.start), "id"),
        " → ",
        Span(_point(report, report.end), "id"),
        "  ",
        Span(headline(report), "strong"),
    )
    page.add(changes_page(report.changes))
    return page


def changes_page(changes: Sequence[Change]) -> Page:
    """Changes of texts as blocks, a blank line before each; then those beside, a line each."""
    page = Page()
    for change in changes:
        if change.change not in _BESIDE:
            page.blocks.append(_BLANK)
            _head(page, change)
            _texts(page, change)
            _evidence(page, change)
            if change.reason:
                page.text(f"because: {change.reason}", "dim", first=_INDENT)
    beside = [change for change in changes if change.change in _BESIDE]
    if beside:
        page.blocks.append(_BLANK)
    rows = folded(beside)
    for row in rows[:_BESIDE_ROWS]:
        if isinstance(row, Ratings):
            _rated(page, row)
        else:
            _head(page, row, _values(row))
            _evidence(page, row)
    if len(rows) > _BESIDE_ROWS:
        more = f"and {len(rows) - _BESIDE_ROWS:,} more of these; --json has them all"
        page.line(Span(more, "dim"), first="  ")
    return page


def _head(page: Page, change: Change, value: str = "") -> None:
    mark, style = MARKS[change.change]
    by = [part for part in (change.strategy, change.pass_id) if part]
    tail: list[Part] = [f"  {value}"] if value else []
    if value and change.reason:
        by.append(change.reason)
    if by:
        tail.append(Span(f"  {', '.join(by)}", "dim"))
    page.line(
        Span(f"{mark} {change.change}", style),
        " ",
        Span(change.memory, "id"),
        f" {change.kind}",
        *tail,
        rest=_INDENT,
    )


def _rated(page: Page, row: Ratings) -> None:
    mark, style = MARKS["rated"]
    by = ", ".join(part for part in (row.strategy, row.pass_id, row.reason) if part)
    rated, rest = row.head.split(" ", 1)
    tail = Span(f"  {by}" if by else "", "dim")
    page.line(Span(f"{mark} {rated}", style), f" {rest}  {row.value}", tail, rest=_INDENT)


def _values(change: Change) -> str:
    before, after = change.before, change.after
    if before is None:
        return after or "(no value)"
    return f"{before} → {after or 'none'}"


def _texts(page: Page, change: Change) -> None:
    before, after = change.before, change.after
    if change.change == "superseded":
        page.text(_values(change), first=_INDENT)
    elif before is not None and after is not None and before != after:
        old, new = compare(before, after)
        page.text(old, first="  - ", rest="    ")
        page.text(new, first="  + ", rest="    ")
    elif (only := after if after is not None else before) is not None:
        page.text(only, "old" if change.change == "retired" else "", first=_INDENT)


def _evidence(page: Page, change: Change) -> None:
    quoted = [(ref, quote) for ref in change.evidence for quote in change.quotes.get(ref, ())]
    for ref, quote in quoted[:_QUOTES]:
        said = Span(f"“{brief(quote, 400)}”", "quote")
        page.line(Span(f"{ref} ", "id"), said, first=f"{_INDENT}  ")
    if len(quoted) > _QUOTES:
        more = f"and {len(quoted) - _QUOTES:,} more"
        if not is_draft(change.memory):
            more += f"; mem why {change.memory} has them all"
        page.line(Span(more, "dim"), first=f"{_INDENT}  ")
    bare = [ref for ref in change.evidence if not change.quotes.get(ref)]
    if bare and change.change not in _BESIDE:
        page.line(Span(f"rests on {listed(bare)}", "dim"), first=f"{_INDENT}  ")
