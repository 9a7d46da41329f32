"""The digests that all strategies come to, as JSON: run as a process of its own, to be compared."""

import json
import sys
import tempfile
from pathlib import Path

from memcli import registry
from memcli.errors import MemError
from tests.strategies.erratic import Erratic
from tests.strategies.stories import consolidate, copied, filled


def digests(folder: Path) -> dict[str, list[str]]:
    """Strategy -> what it comes to by rule, with a model, and with one that errs."""
    folder.mkdir(parents=True, exist_ok=True)
    template = filled(folder, "reconcile")
    found: dict[str, list[str]] = {}
    for name, strategy in registry.strategies().items():
        found[name] = []
        for backend in (
            None,
            Erratic(seed=3),
            Erratic(("unknown", "valid", "invalid", "valid"), 4),
        ):
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                world = copied(template, Path(scratch))
                try:
                    report = consolidate(world, strategy, backend)
                    ended = f"{report.outcome} {dict(report.operations)} {report.pending}"
                except MemError as error:
                    ended = error.what
                found[name].append(f"{world.digest()} {ended}")
                world.close()
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        json.dump(digests(Path(made) / "stores"), sys.stdout)
