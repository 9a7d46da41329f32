"""`mem demo`."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from memcli.cli._answer import answer, note
from memcli.cli._command import command
from memcli.cli._loop import Loop
from memcli.cli._options import JsonOption, NowOption, QuietOption, StoreOption, YesOption
from memcli.cli._params import Argument
from memcli.errors import ExistsError, UsageError
from memcli.render import demo as render

_NAME = "transcripts"


@command(
    "mem demo",
    "mem demo ~/.claude/projects/app",
    "mem demo --store kept.db --now 2026-03-10T09:00:00Z",
    exits=(3, 4, 6),
    done="every claim held",
    no="a claim did not hold",
)
def demo(
    source: Annotated[
        str | None,
        Argument(metavar="SOURCE", help="Your own transcripts; else packaged ones."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Show the whole loop on sample transcripts, proving its claims.

    Works in a temporary folder that is deleted in the end; with --store the store is kept
    there. Each step's command line is shown before what it answers.
    """
    kept = None if store is None else Path(store).absolute()
    if kept is not None and kept.exists():
        raise ExistsError(
            "There is a file already.", where=str(kept), hint="give --store a path that is free"
        )
    with _workshop(source) as given:
        loop = Loop(
            str(kept or "memory.db"),
            given,
            typed=given if source is None else source,
            kept=store,
            now=now,
            silent=as_json,
        )
        loop.run()
    answer(as_json, lambda: render.as_json(loop.result), lambda: render.claims_page(loop.result))
    if kept is not None:
        note(f"kept as {store}", quiet=quiet or as_json)
    return 0 if loop.result.ok else 1


@contextlib.contextmanager
def _workshop(source: str | None) -> Iterator[str]:
    """A temporary folder as the current one; what comes back is the source as seen from there."""
    if source == "-":
        raise UsageError(
            "The demo reads its source twice.", where="SOURCE", hint="give it a file or a folder"
        )
    origin = None if source is None else Path(source).absolute()
    packaged = _packaged() if origin is None else None
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="mem-demo-") as folder:
        if packaged is not None:
            shutil.copytree(packaged, Path(folder, _NAME))
        os.chdir(folder)
        try:
            yield _NAME if origin is None else str(origin)
        finally:
            os.chdir(before)


def _packaged() -> Path:
    package = Path(__file__).resolve().parent.parent
    for folder in (package / _NAME, package.parent / "sample_stores" / _NAME):
        if folder.is_dir():
            return folder
    raise UsageError(
        "The sample transcripts are not installed.",
        where=str(package / _NAME),
        hint="mem demo SOURCE with transcripts of your own",
    )
