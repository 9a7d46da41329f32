"""`mem` in processes that are going to be killed, with litellm there already: it takes 3 s to import.

A fork server imports this module once; each process is forked from it. What a process gets comes
as arguments: it sees the environment of the server, not that of the test.
"""

import itertools
import json
import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from memcli import registry
from memcli.__main__ import main
from memcli.api import open_store
from memcli.cli import _run
from memcli.engine import consolidating, ingest, inputs  # noqa: F401 (imported late elsewhere)
from memcli.gateway import model  # noqa: F401
from memcli.gateway.litellm_access import load

NOW = "2026-05-02T00:00:00Z"  # of passes and ingests: none may lie before the last one
ROOT = Path(__file__).resolve().parent.parent


def context() -> Any:
    """What starts processes. The first one waits for the import."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload([__name__])
    return found


def start(target: Any, folder: Path, *arguments: Any) -> BaseProcess:
    """`target(folder, *arguments)` in a process of its own, that has begun."""
    process: BaseProcess = context().Process(target=target, args=(str(folder), *arguments))
    process.start()
    return process


def command(folder: str, words: Sequence[str], name: str = "run") -> None:
    """Run `mem` in a folder; what it says is in NAME.out and NAME.err there."""
    _enter(folder, name)
    sys.exit(main(list(words)))


def ingesting(folder: str, name: str) -> None:
    """Ingest one talk after the other until the end comes. Each line of NAME.out acknowledges the
    records of one: `first last`."""
    _enter(folder, name)
    for nth in itertools.count():
        path = Path(f"{name}-{nth}.jsonl")
        lines = [
            {
                "role": "user",
                "content": f"On day {nth} I said {word}, {name}.",
                "id": f"{name}{nth}{word}",
            }
            for word in ("tea", "rye", "figs")
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        with open_store("memory.db", mode="write", now=NOW) as opened:
            report = opened.ingest([str(path)])
        sys.stdout.write(f"{report.first_record} {report.last_record}\n")
        sys.stdout.flush()


def _enter(folder: str, name: str) -> None:
    assert "litellm" in sys.modules, "the fork server did not import this module"
    os.environ.pop("MEM_STORE", None)
    os.chdir(folder)
    for number, end in ((1, "out"), (2, "err")):
        handle = os.open(f"{name}.{end}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(handle, number)
        os.close(handle)


# Not in the test that imports this module to name the functions above.
if multiprocessing.current_process().name == "MainProcess" and "pytest" not in sys.modules:
    load()
    registry.strategies()
    _run.load("consolidate")
    _run.load("ingest")
