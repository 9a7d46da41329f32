"""What passes without a model bring, at equal tokens: the table of the README, made anew.

`python -m tests.benchmarks.consolidation probes:60 locomo10.json:400 longmemeval.json:400:pool`

Of each suite and token budget: the evidence covered by what fits into the budget, for records by
score, for the newer of two first, and for records and memories after a pass of each strategy that is
registered (dedupe and forget behind reconcile), with the difference to the newer of two, question by
question.
"""

import argparse

from memcli import api
from memcli.core.reports import EvalReport
from memcli.kit.figures import interval, number, signed

_NEWEST = "raw+newest2"
# What tidies up what others made is run behind a method that makes something.
_AFTER = {"dedupe": "reconcile+dedupe", "forget": "reconcile+forget"}
_METRICS = ("coverage", "carried")


def passes() -> list[str]:
    """What is run, as an arm names it after `strategy:`."""
    return [_AFTER.get(one.name, one.name) for one in api.strategies()]


def rows(given: str, embedder: str | None) -> list[list[str]]:
    """The rows of one suite: a strategy each."""
    suite, budget, *more = given.split(":")
    strategies = passes()
    report = api.evaluate(
        suite,
        arms=["raw", _NEWEST, *(f"strategy:{name}" for name in strategies)],
        metrics=_METRICS,
        budget=int(budget),
        pool="pool" in more,
        embedder=embedder,
    )
    return [_row(report, name, int(budget)) for name in strategies]


def _row(report: EvalReport, strategy: str, budget: int) -> list[str]:
    values = {
        (arm.name, one.name): one
        for arm in report.arms
        for one in arm.metrics
        if one.group == "all"
    }
    name = f"strategy:{strategy}"
    ours = values[(name, "coverage")]
    cells = [
        strategy,
        f"{report.suite['name']}, {ours.n:,}",
        f"{budget:,}",
        number(values[("raw", "coverage")].value),
        number(values[(_NEWEST, "coverage")].value),
        f"{number(ours.value)} ({interval(ours.low, ours.high)})",
    ]
    for metric in _METRICS:
        found = next(
            one
            for one in report.differences
            if (one.metric, one.arm, one.against) == (metric, name, _NEWEST)
        )
        span = f"{signed(found.low)}..{signed(found.high)}"
        cells.append(f"{signed(found.value)} ({span}) {found.verdict}")
    return cells


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="+", metavar="SUITE:TOKENS[:pool]")
    parser.add_argument("--embedder")
    given = parser.parse_args()
    titles = ["method", "questions", "tokens", "raw", "newest of two", "with memories"]
    titles += ["difference", "own words"]
    print("| " + " | ".join(titles) + " |")
    print("| " + " | ".join(["---"] * len(titles)) + " |")
    for suite in given.suites:
        for row in rows(suite, given.embedder):
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
