"""Run the benchmarks."""

import argparse
import sys

from tests.benchmarks import closure, dedupe, ingest, nearest, rollback, search, start

_ALL = {
    "start": start.run,
    "ingest": ingest.run,
    "rollback": rollback.run,
    "closure": closure.run,
    "search": search.run,
    "nearest": nearest.run,
    "dedupe": dedupe.run,
}
_SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000, "1m": 1_000_000}


def main() -> int:
    """Exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(_ALL))
    parser.add_argument("--size", choices=_SIZES, default="10k")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(_ALL):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    missed = 0
    for name in asked.names or _ALL:
        for goal in _ALL[name](_SIZES[asked.size]):
            print(goal.as_json(), flush=True)
            missed += goal.ok is False
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
