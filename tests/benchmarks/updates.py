"""What the current value is worth after a pass: the second table of the README, made anew.

`python -m tests.benchmarks.updates probes longmemeval.json:pool longmemeval.json beam.json`

A row an arm: records by score, the newer of two first, and a pass of each method that is registered.
Of each suite the share of questions about what changed whose first result is the right one
(`served_correct`), and the same of questions about the former value; of the own probes also how
often a stable fact holds against noise.
"""

import argparse

from memcli import api
from memcli.core.reports.evaluation import EvalArm, EvalReport
from memcli.evals import loading
from memcli.kit.figures import number
from tests.benchmarks.consolidation import passes

_PLAIN = ("raw", "raw+newest2")
_KINDS = ("update", "noise", "history")


def arms() -> list[str]:
    """The arms, as `mem eval --arm` names them."""
    return [*_PLAIN, *(f"strategy:{name}" for name in passes())]


def columns(given: str, embedder: str | None) -> list[tuple[str, list[str]]]:
    """(title, a cell for each arm) of one suite; none for kinds of which it has no question."""
    suite, *more = given.split(":")
    there = {probe.kind for probe in loading.load(suite).probes}
    report = api.evaluate(
        suite,
        arms=arms(),
        kinds=[kind for kind in _KINDS if kind in there],
        metrics=["served_correct"],
        pool="pool" in more,
        embedder=embedder,
    )
    pooled = ", pooled" if "pool" in more else ""
    out = []
    for kind in _KINDS:
        cells = [_cell(arm, kind) for arm in report.arms]
        if any(cells):
            out.append((f"{_name(report)}{pooled}: {kind}, {_count(report, kind)}", cells))
    return out


def _cell(arm: EvalArm, kind: str) -> str:
    found = (one for one in arm.metrics if one.group == f"kind={kind}")
    return next((number(one.value) for one in found), "")


def _count(report: EvalReport, kind: str) -> int:
    return next(one.n for one in report.arms[0].metrics if one.group == f"kind={kind}")


def _name(report: EvalReport) -> str:
    return str(report.suite["name"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="+", metavar="SUITE[:pool]")
    parser.add_argument("--embedder")
    given = parser.parse_args()
    table = [column for suite in given.suites for column in columns(suite, given.embedder)]
    print("| | " + " | ".join(title for title, _ in table) + " |")
    print("| --- |" + " --- |" * len(table))
    for nth, arm in enumerate(arms()):
        name = arm.removeprefix("strategy:")
        print(f"| {name} | " + " | ".join(cells[nth] for _, cells in table) + " |")


if __name__ == "__main__":
    main()
