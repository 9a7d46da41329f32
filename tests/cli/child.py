"""`mem` in a process of its own over the fake store: `python -m tests.cli.child ARGUMENTS`.

With MODULES set, the names of the modules loaded in the end are written to that file.
"""

import os
import sys


def _fake() -> None:
    from memcli import api
    from tests.cli.fakes import FakeStore
    from tests.render import samples

    def open_store(path: str | None = None, **kwargs: object) -> FakeStore:
        return FakeStore([])

    api.open_store = open_store  # type: ignore[assignment]
    api.strategies = lambda name=None: samples.STRATEGIES
    api.formats = lambda: samples.FORMATS


def main() -> int:
    if not os.environ.get("BARE"):
        _fake()
    from memcli.__main__ import main as run

    code = run()
    if path := os.environ.get("MODULES"):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(sorted(sys.modules)))
    return code


if __name__ == "__main__":
    sys.exit(main())
