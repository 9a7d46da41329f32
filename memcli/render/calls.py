"""Recorded calls and estimates: `mem.calls/1`, `mem.estimate/1`, and pages."""

from memcli.core.reports import CallLine, CallsReport, CallText, EstimateReport
from memcli.render.output import Document
from memcli.render.page import Column, Page, Span, Style
from memcli.render.text import count, when
from memcli.render.values import dollars

_KEY = 12  # hex digits of a key that are shown
_STYLES: dict[str, Style] = {"accepted": "good", "damaged": "bad"}


def as_json(report: CallsReport) -> Document:
    """The documented object."""
    texts = {text.line: text for text in report.texts}
    return {
        "schema": "mem.calls/1",
        "action": report.action,
        "count": report.count,
        "known": report.known,
        "path": report.path,
        "calls": [_call_json(line, texts.get(line)) for line in report.calls],
        "bad": [{"line": unit.line, "reason": unit.reason} for unit in report.bad],
    }


def _call_json(line: CallLine, text: CallText | None) -> Document:
    return {
        "key": line.key,
        "task": line.task,
        "version": line.version,
        "model": line.model,
        "status": line.status,
        "tokens_in": line.tokens_in,
        "tokens_out": line.tokens_out,
        "cost_usd": line.cost_usd,
        "at": line.at,
        # Words only where they were asked for, by `show`: they can be long.
        "messages": None if text is None else [dict(message) for message in text.messages],
        "reply": None if text is None else text.reply,
        "finish": None if text is None else text.finish,
    }


def as_page(report: CallsReport) -> Page:
    """A table of calls, one call whole, or what was done with how many."""
    if report.action == "list":
        return _list(report)
    if report.action == "show":
        return _texts(report)
    page = Page()
    done = {"export": "Wrote", "import": "Imported", "prune": "Removed"}[report.action]
    where = {"export": " to ", "import": " from ", "prune": ""}[report.action]
    page.line(
        Span(f"{done} {count(report.count, 'recorded call')}", "strong"),
        f"{where}{report.path}" if where and report.path else "",
        f", {report.known:,} known already" if report.known else "",
    )
    for unit in report.bad:
        named = "call" if report.action == "export" else "line"
        page.line(Span(f"{named} {unit.line}: ", "bad"), unit.reason, first="  ")
    return page


def _list(report: CallsReport) -> Page:
    page = Page()
    if not report.calls:
        page.line("No call is recorded.")
    page.table(
        (
            *(Column("call"), Column("when"), Column("task"), Column("model", wrap=True)),
            *(Column("answer"), Column("in", right=True), Column("out", right=True)),
            Column("cost", right=True),
        ),
        [
            (
                Span(line.key[:_KEY], "id"),
                Span(when(line.at), "dim"),
                line.task,
                line.model,
                _status(line.status),
                _tokens(line.tokens_in),
                _tokens(line.tokens_out),
                dollars(line.cost_usd),
            )
            for line in report.calls
        ],
    )
    return page


def _texts(report: CallsReport) -> Page:
    page = Page()
    readable = {text.line for text in report.texts}
    for line in report.calls:
        if line not in readable:
            page.title(Span(line.key[:_KEY], "id"), f"  {line.task}, {line.model}")
            page.line(Span("damaged: what was asked and answered cannot be read", "bad"))
    for text in report.texts:
        line = text.line
        page.title(Span(line.key[:_KEY], "id"), f"  {line.task} {line.version}, {line.model}")
        page.line(Span(f"{line.status}, {when(line.at)}, ended by {text.finish or '-'}", "dim"))
        for message in text.messages:
            page.title(Span(message["role"], "strong"))
            for part in message["content"].splitlines():
                page.line(part, first="  ", rest="  ")
        page.title(Span("reply", "strong"))
        for part in text.reply.splitlines() or [""]:
            page.line(part, first="  ", rest="  ")
    return page


def estimate_json(report: EstimateReport) -> Document:
    """The documented object; sums first. A sum of dollars is null if a part of it is unknown."""
    return {
        "schema": "mem.estimate/1",
        "strategy": report.strategy,
        "model": report.model,
        "calls": sum(task.calls for task in report.tasks),
        "calls_recorded": sum(task.calls_recorded for task in report.tasks),
        "tokens_in": sum(task.tokens_in for task in report.tasks),
        "tokens_out": sum(task.tokens_out for task in report.tasks),
        "cost_usd": _cost(report),
        "tasks": [
            {
                "task": task.task,
                "model": task.model,
                "calls": task.calls,
                "calls_recorded": task.calls_recorded,
                "tokens_in": task.tokens_in,
                "tokens_out": task.tokens_out,
                "cost_usd": task.cost_usd,
            }
            for task in report.tasks
        ],
    }


def estimate_page(report: EstimateReport) -> Page:
    """A row a task, and the sums."""
    page = Page()
    if report.model is None and not report.tasks:
        page.line("No model is asked: rules answer, and cost nothing.")
        return page
    if not report.tasks:
        page.line(f"{report.strategy} would ask {report.model} nothing.")
        return page
    sums = estimate_json(report)
    page.line(
        Span(report.strategy, "strong"),
        f"  would make {count(sums['calls'], 'call')}, {sums['calls_recorded']:,} recorded already",
    )
    page.table(
        (
            *(Column("task"), Column("model", wrap=True), Column("calls", right=True)),
            *(Column("recorded", right=True), Column("tokens in", right=True)),
            *(Column("tokens out", right=True), Column("cost", right=True)),
        ),
        [
            (
                *(task.task, task.model, f"{task.calls:,}", f"{task.calls_recorded:,}"),
                *(f"{task.tokens_in:,}", f"{task.tokens_out:,}", dollars(task.cost_usd)),
            )
            for task in report.tasks
        ],
    )
    page.gap()
    page.line(
        f"about {sums['tokens_in']:,} tokens in, {sums['tokens_out']:,} out, ",
        "cost unknown" if sums["cost_usd"] is None else f"{dollars(sums['cost_usd'])}",
        Span("  (counted from lengths, without repairs; what is asked depends on answers)", "dim"),
    )
    return page


def _cost(report: EstimateReport) -> float | None:
    costs = [task.cost_usd for task in report.tasks]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _status(status: str) -> Span:
    """`spent` is for machines: whether a refused answer still serves an unfinished pass."""
    shown = "refused" if status == "spent" else status
    return Span(shown, _STYLES.get(shown, "warn"))


def _tokens(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
