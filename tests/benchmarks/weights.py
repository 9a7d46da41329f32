"""What each constant of the search is worth: recall with it halved and doubled, on a suite.

`python -m tests.benchmarks.weights locomo10.json --metric evidence_recall@10`

A line of JSON each. The same suite gives the same figures. What lies on a plateau can be trusted
elsewhere; what gains on one suite alone cannot.
"""

import argparse
import json
from dataclasses import fields, replace
from functools import partial

from memcli import api
from memcli.evals import asking
from memcli.retrieval.searching import search
from memcli.retrieval.weights import RECIPE, Weights

_FACTORS = (0.5, 2.0)


def measured(suite: str, metric: str, weights: Weights, **how: object) -> tuple[float | None, int]:
    """(value, number of questions) of the arm `raw` with these weights."""
    asking.search = partial(search, weights=weights)  # type: ignore[assignment]
    report = api.evaluate(suite, arms=["raw"], metrics=[metric], **how)  # type: ignore[arg-type]
    found = next(one for one in report.arms[0].metrics if one.group == "all")
    return found.value, found.n


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite")
    parser.add_argument("--metric", default="evidence_recall@10")
    parser.add_argument("--categories", help="only these of the suite's, with commas")
    parser.add_argument("--embedder")
    parser.add_argument("--pool", action="store_true")
    parser.add_argument("--only", action="append", metavar="NAME", help="this constant; repeatable")
    given = parser.parse_args()
    how = {
        "embedder": given.embedder,
        "pool": given.pool,
        "categories": tuple(filter(None, (given.categories or "").split(","))),
    }
    names = given.only or [one.name for one in fields(Weights)]
    lots = [("as it is", None, RECIPE)]
    for name in names:
        old = getattr(RECIPE, name)
        for factor in _FACTORS:
            new = type(old)(old * factor)
            lots.append((name, new, replace(RECIPE, **{name: new})))
    for name, new, weights in lots:
        value, n = measured(given.suite, given.metric, weights, **how)
        line = {"weight": name, "value": new, given.metric: value, "n": n}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
