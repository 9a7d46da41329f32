"""How long a command takes to start, against a bare Python."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from memcli.api import open_store
from tests.benchmarks.goal import Goal, chat, median

_RUNS = 20
_ROOT = Path(__file__).resolve().parent.parent.parent
_COMMANDS = (
    ("--help", 1.5),
    ("--version", 1.5),
    ("search garden --lexical", 8.0),
    ("search garden", 15.0),  # with the default embedder: an aim
    ("show r1", 8.0),
    ("why r1", 8.0),
    ("log", 8.0),
    ("diff", 8.0),
)


# Compiled files are kept, as they are for an installed program.
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": ""}


def _cpu_of(arguments: Sequence[str], folder: str) -> float:
    """CPU seconds of one child."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=_ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# As the installed command does it, without the machinery of `python -m`.
_ENTRY = "import sys; from memcli.__main__ import main; sys.exit(main())"


def run(size: int) -> Iterator[Goal]:
    """Commands over a store of `size` records, in turn with a bare start."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "chat.txt")
        lines = (f"{'Ada' if n % 2 else 'Tom'}: {text}" for n, text in enumerate(chat(size)))
        source.write_text("\n".join(lines))
        with open_store(Path(folder, "memory.db"), mode="create") as store:
            store.ingest([str(source)])
        for words, limit in _COMMANDS:
            ours, bare = [], []
            for _ in range(_RUNS + 1):
                bare.append(_cpu_of(["-c", "pass"], folder))
                ours.append(_cpu_of(["-c", _ENTRY, *words.split()], folder))
            middle, _ = median(ours[1:])
            base, spread = median(bare[1:])
            yield Goal(
                f"start of mem {words}, CPU s",
                size,
                middle,
                base,
                f"<= {limit}x",
                middle <= limit * base,
                spread,
            )
