"""`mem` in a process that notes each use of the network.

`python -m tests.socket_child LINES ANSWER`: LINES is JSON, a list of command lines; ANSWER a file
that gets, for each, `code` (its exit code), `seen` (what was noted) and `litellm` (whether that is
imported by then).
"""

import contextlib
import json
import os
import sys
from typing import Any

NOTED = ("socket.", "http.client.", "urllib.")
seen: list[str] = []


def note(event: str, arguments: tuple[Any, ...]) -> None:
    """The audit hook. Nothing is kept from happening: what is caught and forgotten counts too."""
    if event.startswith(NOTED):
        seen.append(event)


def main(lines: str, path: str) -> None:
    """Run the lines, one after the other."""
    sys.addaudithook(note)
    from memcli.__main__ import main as run

    found = []
    for words in json.loads(lines):
        seen.clear()
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            code = run(words)
        found.append({"code": code, "seen": list(seen), "litellm": "litellm" in sys.modules})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
