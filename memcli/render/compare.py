"""Strategies side by side: `mem.compare/1`, and a table with what each would change below."""

from collections.abc import Sequence

from memcli.core.reports import OPERATIONS, Change, Compared, CompareReport
from memcli.render import eval as scores
from memcli.render.consolidate import SAID
from memcli.render.diff import MARKS, changes_json
from memcli.render.output import Document
from memcli.render.page import BREAK, Cell, Column, Page, Span, counted, spans
from memcli.render.text import brief, count
from memcli.render.values import cost, dollars

_LONGEST = 160  # characters of a text
_BESIDE = ("link", "unlink", "rate")
_ENDED = {"applied": "would apply", "partial": "would apply in part"}


def as_json(report: CompareReport) -> Document:
    """The documented object. Ids of what would be added hold for the copy alone."""
    return {
        "schema": "mem.compare/1",
        "as_of": report.as_of,
        "model": report.model,
        "compared": [_one(one) for one in report.compared],
        "eval": None if report.scores is None else scores.as_json(report.scores),
        "warnings": list(report.warnings),
    }


def _one(one: Compared) -> Document:
    used = one.usage
    return {
        "name": one.name,
        "strategies": list(one.strategies),
        "outcome": one.outcome,
        "operations": {name: one.operations[name] for name in OPERATIONS},
        "added": dict(one.added),
        "rejected": dict(one.rejected),
        "pending": dict(one.pending),
        "failed": list(one.failed),
        "calls": used.calls,
        "calls_recorded": used.calls_recorded,
        "tokens_in": used.tokens_in,
        "tokens_out": used.tokens_out,
        "cost_usd": used.cost_usd,
        "changes": changes_json(one.changes),
    }


def as_page(report: CompareReport, most: int) -> Page:
    """A row a strategy; then of each the first `most` changes, what failed, and the scores."""
    page = Page()
    page.line(
        Span(f"{count(len(report.compared), 'strategy', 'strategies')} on copies as of "),
        Span(report.as_of, "id"),
    )
    page.gap()
    page.table(_columns(), [_row(one) for one in report.compared])
    for one in report.compared:
        _changes(page, one, most)
    if report.scores is not None:
        page.title("Scores")
        page.add(scores.as_page(report.scores))
    total = report.compared[0].usage
    for one in report.compared[1:]:
        total = total.plus(one.usage)
    page.gap()
    page.line(Span(cost(total, report.model), "dim"))
    return page


def _columns() -> Sequence[Column]:
    numbers = ("add", "revise", "supersede", "retire", "other", "refused")
    return (
        Column("strategy"),
        Column("outcome", wrap=True),
        *(Column(name, right=True) for name in numbers),
        Column("pending", wrap=True),
        Column("calls", right=True),
        Column("cost", right=True),
    )


def _row(one: Compared) -> list[Span | str | Cell]:
    done, used = one.operations, one.usage
    counts = [done["add"], done["revise"], done["supersede"], done["retire"]]
    counts += [sum(done[name] for name in _BESIDE), sum(one.rejected.values())]
    said, style = SAID[one.outcome]
    recorded = f" + {used.calls_recorded:,} recorded" if used.calls_recorded else ""
    return [
        Span(one.name, "strong"),
        Span(_ENDED.get(one.outcome, said), style),
        *(f"{number:,}" if number else Span("-", "dim") for number in counts),
        _pending(one),
        f"{used.calls:,}{recorded}",
        dollars(used.cost_usd),
    ]


def _pending(one: Compared) -> Cell:
    parts: list[Span | str] = []
    for reason, number in one.pending.items():
        parts += [*([BREAK] if parts else []), f"{reason} {number:,}"]
    return spans(*(parts or [Span("-", "dim")]))


def _changes(page: Page, one: Compared, most: int) -> None:
    """Without the ids of what would be new: they are those of the copy."""
    shown = one.changes[:most]
    if not (shown or one.failed):
        return
    kinds = counted(one.added)
    page.title(one.name, Span(f"  adds {kinds}" if kinds else "", ""))
    for change in shown:
        mark, style = MARKS[change.change]
        known = () if change.change == "added" else (Span(change.memory, "id"), " ")
        told = brief(_words(change), _LONGEST)
        page.line(Span(f"{mark} {change.change}", style), " ", *known, change.kind, "  ", told)
    left = len(one.changes) - len(shown)
    if left and most:
        page.line(Span(f"  and {count(left, 'more change')}; --changes N shows more", "dim"))
    for unit in one.failed:
        page.line(Span("failed", "bad"), f"  {unit}")


def _words(change: Change) -> str:
    """The text that would be new, on one line; of what goes, the text that goes."""
    text = change.before if change.change == "retired" else change.after
    return " / ".join((text or change.before or "").splitlines())
