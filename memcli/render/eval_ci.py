"""An evaluation for continuous integration and for pages: JUnit XML, Markdown."""

from html import escape

from memcli.core.reports import EvalReport
from memcli.kit.figures import interval, number, signed
from memcli.render.eval import about, metric_rows, threshold_text
from memcli.render.text import safe


def junit(report: EvalReport) -> str:
    """A test case a demand, failed where it is not met; without demands one that passed."""
    cases = []
    for one in report.thresholds:
        name = escape(safe(f"{one.arm} {one.metric} ({one.source})"), quote=True)
        if one.ok:
            cases.append(f'    <testcase classname="mem.eval" name="{name}"/>')
        else:
            said = escape(safe(threshold_text(one)), quote=True)
            cases.append(
                f'    <testcase classname="mem.eval" name="{name}">\n'
                f'      <failure message="{said}"/>\n    </testcase>'
            )
    if not cases:
        cases.append('    <testcase classname="mem.eval" name="measured, nothing demanded"/>')
    failures = sum(not one.ok for one in report.thresholds)
    title = escape(safe(str(report.suite["name"])), quote=True)
    counts = f'tests="{len(cases)}" failures="{failures}"'
    output = escape(safe("\n".join((about(report), *report.findings))).replace("\\n", "\n"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites {counts}>\n"
        f'  <testsuite name="mem eval {title}" {counts}>\n'
        + "\n".join(cases)
        + f"\n    <system-out>{output}</system-out>\n  </testsuite>\n</testsuites>\n"
    )


def markdown(report: EvalReport) -> str:
    """Tables of metrics, differences and forms, and what they say."""
    out = [f"## mem eval: {_cell(str(report.suite['name']))}", "", _cell(about(report)), ""]
    if report.arms:
        out += _row(["metric", "n", *(arm.name for arm in report.arms)])
        out += _row(["---"] * (2 + len(report.arms)))
        for name, found in metric_rows(report):
            values = [f"{value} ({span})" if span else value for value, span, _ in found]
            out += _row([name, f"{max(n for _, _, n in found):,}", *values])
        out.append("")
    if report.forms:
        out += _row(["form", "made by", "items", "coverage", "carried"]) + _row(["---"] * 5)
        for form in report.forms:
            made = {one.name: one for one in form.metrics}
            cells = [
                "-"
                if made.get(name) is None
                else f"{number(made[name].value)} ({interval(made[name].low, made[name].high)})"
                for name in ("coverage", "carried")
            ]
            out += _row([form.form, "+".join(form.strategies) or "-", f"{form.items:,}", *cells])
        out.append("")
    if report.answers is not None:
        out += [_cell(str(report.answers["how"])), ""]
        out += _row(["arm", "n", "right", "by rules"]) + _row(["---"] * 4)
        for one in report.answers["arms"]:
            span = interval(one["low"], one["high"])
            right = f"{number(one['right'])} ({span})" if span else number(one["right"])
            out += _row([one["arm"], f"{one['n']:,}", right, number(one["right_by_rules"])])
        out.append("")
    if report.differences:
        out += _row(["arm", "against", "metric", "n", "difference", "95 %", ""])
        out += _row(["---"] * 7)
        for diff in report.differences:
            span = f"{signed(diff.low)}..{signed(diff.high)}"
            value = signed(diff.value)
            out += _row(
                [diff.arm, diff.against, diff.metric, f"{diff.n:,}", value, span, diff.verdict]
            )
        out.append("")
    out += [f"- {_cell(said)}" for said in report.findings]
    for demand in report.thresholds:
        out.append(f"- {'ok' if demand.ok else '**missed**'}: {_cell(threshold_text(demand))}")
    return "\n".join(out).rstrip("\n") + "\n"


def _row(cells: list[str]) -> list[str]:
    return ["| " + " | ".join(_cell(cell) for cell in cells) + " |"]


def _cell(text: str) -> str:
    return safe(text).replace("|", "\\|").replace("<", "&lt;")
