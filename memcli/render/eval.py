"""An evaluation: `mem.eval/1`, and a page."""

from collections.abc import Mapping, Sequence
from typing import Any

from memcli.core.journal import Usage
from memcli.core.reports import (
    EvalArm,
    EvalDifference,
    EvalForm,
    EvalMetric,
    EvalReport,
    EvalThreshold,
)
from memcli.kit.figures import interval, number, signed
from memcli.render.output import Document
from memcli.render.page import Column, Page, Span, Style

_VERDICT: dict[str, Style] = {"gain": "good", "loss": "bad"}
_HEADLINES = ("served_correct", "coverage", "carried", "answer_right")


def as_json(report: EvalReport) -> Document:
    """The documented object. What differs by run stands under `timings` alone."""
    return {
        "schema": "mem.eval/1",
        "suite": dict(report.suite),
        "settings": dict(report.settings),
        "versions": dict(report.versions),
        "arms": [_arm(arm) for arm in report.arms],
        "differences": [_difference(one) for one in report.differences],
        "forms": [_form(form) for form in report.forms],
        "answers": None if report.answers is None else dict(report.answers),
        "findings": list(report.findings),
        "warnings": list(report.warnings),
        "thresholds": [_threshold(one) for one in report.thresholds],
        "ok": report.ok,
        "timings": {
            "seconds": report.seconds,
            "calls": report.usage.calls,
            "calls_recorded": report.usage.calls_recorded,
            "tokens_in": report.usage.tokens_in,
            "tokens_out": report.usage.tokens_out,
            "cost_usd": report.usage.cost_usd,
            "arms": {
                arm.name: {
                    "build_s": arm.timings.build_s,
                    "consolidate_s": arm.timings.consolidate_s,
                    "search_p50_ms": arm.timings.search_p50_ms,
                    "search_p95_ms": arm.timings.search_p95_ms,
                    "calls": arm.timings.calls,
                    "tokens_in": arm.timings.tokens_in,
                    "tokens_out": arm.timings.tokens_out,
                }
                for arm in report.arms
                if arm.timings is not None
            },
        },
    }


def _arm(arm: EvalArm) -> Document:
    cost, held = arm.cost, arm.integrity
    return {
        "arm": arm.name,
        "metrics": [_metric(one) for one in arm.metrics],
        "cost": None
        if cost is None
        else {
            "k": cost.k,
            "items": cost.items,
            "tokens": cost.tokens,
            "packed_tokens": cost.packed_tokens,
            "calls": cost.calls,
        },
        "integrity": None
        if held is None
        else {
            "ok": held.ok,
            "memories": held.memories,
            "sourced": held.sourced,
            "quotes": held.quotes,
            "quotes_found": held.quotes_found,
            "worlds": held.worlds,
            "records_unchanged": held.records_unchanged,
            "searches": held.searches,
            "searches_restored": held.searches_restored,
        },
        "outcomes": dict(arm.outcomes),
    }


def _metric(one: EvalMetric) -> Document:
    return {
        "metric": one.name,
        "group": one.group,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "interval": one.interval,
        "lower_is_better": one.lower,
    }


def _difference(one: EvalDifference) -> Document:
    return {
        "metric": one.metric,
        "arm": one.arm,
        "against": one.against,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "verdict": one.verdict,
    }


def _form(form: EvalForm) -> Document:
    return {
        "form": form.form,
        "strategies": list(form.strategies),
        "made": form.made,
        "items": form.items,
        "tokens": form.tokens,
        "metrics": [_metric(one) for one in form.metrics],
    }


def _threshold(one: EvalThreshold) -> Document:
    return {
        "metric": one.metric,
        "arm": one.arm,
        "least": one.least,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "ok": one.ok,
        "source": one.source,
    }


# --- for people -----------------------------------------------------------------------------------


def about(report: EvalReport) -> str:
    """One line on what was measured."""
    suite, settings = report.suite, report.settings
    said = [
        f"{suite['name']} ({suite['format']})",
        f"{suite['probes']:,} question{'' if suite['probes'] == 1 else 's'}",
        f"{suite['worlds']:,} {'world' if suite['worlds'] == 1 else 'worlds'}",
        f"{suite['records']:,} records",
        f"embedder {settings['embedder']}",
        f"seed {settings['seed']}",
    ]
    if settings["unit"] != "turn":
        said.append(f"by {settings['unit']}")
    if settings["budget"] is not None:
        said.append(f"{settings['budget']:,} tokens")
    return ", ".join(said)


def metric_rows(report: EvalReport) -> list[tuple[str, list[tuple[str, str, int]]]]:
    """(metric, [(value, interval, n) of each arm]) for the metrics over all questions."""
    names: dict[str, None] = {}
    for arm in report.arms:
        names.update((one.name, None) for one in arm.metrics if one.group == "all")
    rows = []
    for name in names:
        cells = []
        for arm in report.arms:
            one = next((m for m in arm.metrics if m.name == name and m.group == "all"), None)
            cells.append(
                ("-", "", 0)
                if one is None
                else (number(one.value), interval(one.low, one.high), one.n)
            )
        rows.append((name, cells))
    return rows


def threshold_text(one: EvalThreshold) -> str:
    """What was demanded, and what came."""
    came = f"{number(one.value)}"
    if one.low is not None:
        came += f" (95 % {interval(one.low, one.high)}, n = {one.n})"
    elif one.value is None:
        came = "no question says anything of it"
    return f"{one.arm}: {one.metric} {came}, demanded {number(one.least)} by {one.source}"


def as_page(report: EvalReport) -> Page:
    """Metrics by arm with intervals, differences, what they mean, thresholds."""
    page = Page()
    page.line(Span(about(report), "strong"))
    _metrics(page, report)
    _groups(page, report)
    _forms(page, report.forms)
    _differences(page, report.differences)
    _costs(page, report)
    if report.answers is not None:
        _answers(page, report.answers, report.usage)
    if report.findings:
        page.title("What it says")
        for said in report.findings:
            page.line(said, first="  ")
    if report.thresholds:
        page.title("Demanded")
        for one in report.thresholds:
            mark = Span("✓ ", "good") if one.ok else Span("✗ ", "bad")
            page.line(mark, threshold_text(one), first="  ")
    return page


def _metrics(page: Page, report: EvalReport) -> None:
    if not report.arms:
        return
    page.gap()
    columns = [Column("metric"), Column("n", right=True)]
    columns += [Column(arm.name) for arm in report.arms]
    rows: list[Sequence[Any]] = []
    for name, cells in metric_rows(report):
        count = max(n for _, _, n in cells)
        row: list[Any] = [name, f"{count:,}"]
        row += [
            (Span(value, "strong"), Span(f" {span}" if span else "", "dim"))
            for value, span, _ in cells
        ]
        rows.append(row)
    page.table(columns, rows)


def _groups(page: Page, report: EvalReport) -> None:
    """Values alone: intervals of parts stand in the JSON."""
    keys: dict[tuple[str, str], int] = {}
    for arm in report.arms:
        for one in arm.metrics:
            if one.group != "all":
                keys[(one.group, one.name)] = max(one.n, keys.get((one.group, one.name), 0))
    if not keys:
        return
    page.gap()
    rows: list[Sequence[Any]] = []
    for (group, name), count in keys.items():
        found = [
            next((m for m in arm.metrics if (m.group, m.name) == (group, name)), None)
            for arm in report.arms
        ]
        values = ["-" if one is None else number(one.value) for one in found]
        rows.append([group, name, f"{count:,}", *values])
    columns = [Column("of"), Column("metric"), Column("n", right=True)]
    page.table([*columns, *(Column(arm.name) for arm in report.arms)], rows)


def _forms(page: Page, forms: Sequence[EvalForm]) -> None:
    rows: list[Sequence[Any]] = []
    for form in forms:
        found = {one.name: one for one in form.metrics}
        row: list[Any] = [form.form, "+".join(form.strategies) or "-", f"{form.items:,}"]
        row.append(f"{form.tokens:,.0f}")
        for name in ("coverage", "carried"):
            one = found.get(name)
            row.append("-" if one is None else f"{number(one.value)} {interval(one.low, one.high)}")
        rows.append(row)
    if rows:
        page.gap()
    titles = (Column("form"), Column("made by"), Column("items", right=True))
    page.table((*titles, Column("tokens", right=True), Column("coverage"), Column("carried")), rows)


def _differences(page: Page, found: Sequence[EvalDifference]) -> None:
    """Those that can be told from chance, and those of what matters most; the JSON has all."""
    shown = [one for one in found if one.verdict in ("gain", "loss") or one.metric in _HEADLINES]
    if shown:
        page.title("Differences, question by question")
    page.table(
        (
            Column("arm"),
            Column("against"),
            Column("metric"),
            Column("n", right=True),
            Column("difference"),
            Column(""),
        ),
        [
            (
                one.arm,
                one.against,
                one.metric,
                f"{one.n:,}",
                f"{signed(one.value)} {signed(one.low)}..{signed(one.high)}",
                Span(one.verdict, _VERDICT.get(one.verdict, "dim")),
            )
            for one in shown
        ],
    )
    if left := len(found) - len(shown):
        page.line(Span(f"{left:,} more cannot be told from chance (--json has them)", "dim"))


def _costs(page: Page, report: EvalReport) -> None:
    rows: list[Sequence[Any]] = []
    for arm in report.arms:
        cost, held, took = arm.cost, arm.integrity, arm.timings
        if cost is None or took is None:
            continue
        whole = "-" if held is None else "held" if held.ok else "BROKEN"
        rows.append(
            (
                arm.name,
                f"{cost.items:,.1f}",
                f"{cost.tokens:,.0f}",
                f"{cost.calls:,}",
                "-" if held is None else f"{held.memories:,}",
                Span(whole, "bad" if whole == "BROKEN" else ""),
                f"{took.search_p50_ms:.1f} / {took.search_p95_ms:.1f}",
            )
        )
    if rows:
        page.title("Cost of a question, and what must hold")
    page.table(
        (
            Column("arm"),
            Column("results", right=True),
            Column("tokens", right=True),
            Column("calls", right=True),
            Column("memories", right=True),
            Column("integrity"),
            Column("search p50 / p95 ms", right=True),
        ),
        rows,
    )


def _answers(page: Page, answers: Mapping[str, Any], usage: Usage) -> None:
    """How many answers are right by arm, and what the judge lets pass."""
    page.title("Answers")
    page.line(str(answers["how"]), first="  ")
    page.table(
        (
            Column(""),
            Column("arm"),
            Column("n", right=True),
            Column("right"),
            Column("by rules"),
            Column("agree"),
            Column("tokens", right=True),
        ),
        [
            (
                one["letter"],
                one["arm"],
                f"{one['n']:,}",
                f"{number(one['right'])} {interval(one['low'], one['high'])}",
                number(one["right_by_rules"]),
                number(one["agreement"]),
                f"{one['tokens']:,.0f}",
            )
            for one in answers["arms"]
        ],
    )
    if usage.calls or usage.calls_recorded:
        page.line(
            f"{usage.calls:,} calls, {usage.calls_recorded:,} recorded,"
            f" {usage.tokens_in:,} tokens in, {usage.tokens_out:,} out",
            first="  ",
        )
