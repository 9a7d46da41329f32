"""`mem calls`."""

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, warn, write
from memcli.cli._command import command
from memcli.cli._options import JsonOption, NowOption, QuietOption, StoreOption, YesOption
from memcli.cli._params import Argument, Option
from memcli.errors import UsageError
from memcli.render import calls as render

if TYPE_CHECKING:
    from memcli.core.reports import BadUnit


@command(
    "mem calls list --status refused",
    "mem calls show 3f9c2a",
    "mem calls export recordings.jsonl",
    "mem calls import recordings.jsonl",
    "mem calls export - --task RateImportance | gzip > ratings.jsonl.gz",
    "mem calls prune --before 2026-01-01",
    exits=(3, 4, 5),
)
def calls(
    action: Annotated[
        Literal["list", "show", "export", "import", "prune"],
        Argument(metavar="list|show|export|import|prune", help="What to do."),
    ],
    what: Annotated[
        str | None,
        Argument(metavar="FILE|KEY", help="The file (- is standard input or output); the call."),
    ] = None,
    task: Annotated[str | None, Option("--task", metavar="NAME", help="Only of this task.")] = None,
    model: Annotated[
        str | None, Option("--model", metavar="NAME", help="Only by this model.")
    ] = None,
    status: Annotated[
        Literal["accepted", "refused", "damaged"] | None,
        Option("--status", help="Only answers that fitted, did not, or cannot be read."),
    ] = None,
    before: Annotated[
        str | None, Option("--before", metavar="DATE", help="Only what was recorded before.")
    ] = None,
    every: Annotated[bool, Option("--all", help="With prune: all that is recorded.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """List, show, export, import or prune recorded answers of models.

    A file holds one call a line. It belongs in git beside a test: after mem calls import,
    mem consolidate --calls none replays it and asks nobody.
    """
    narrowed = any(value is not None for value in (task, model, status, before))
    _fits(action, what, narrowed=narrowed, every=every)
    _speaks_once(action, what, as_json=as_json)
    mode: Literal["read", "write"] = "write" if action in ("import", "prune") else "read"
    with api.open_store(store, mode=mode, now=now) as opened:
        which = opened.which_calls(task=task, model=model, status=status, before=before)
        if action == "export" and what == "-":
            return _exported(
                lambda told: opened.exported_calls(which, passed_over=told), quiet=quiet
            )
        if action == "export":
            report = opened.export_calls(str(what), which)
        elif action == "import":
            report = opened.import_calls(str(what), stdin=sys.stdin.buffer)
        elif action == "prune":
            report = opened.prune_calls(which)
        elif action == "show":
            report = opened.recorded_call(str(what))
        else:
            report = opened.calls(which)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    if report.bad:
        said = _damaged if action == "export" else _no_calls
        warn([said(len(report.bad))], quiet=quiet or as_json)
    return 3 if report.bad else 0


def _exported(lines: "Callable[[Callable[[BadUnit], None]], Iterable[str]]", *, quiet: bool) -> int:
    """Write the lines to standard output; the exit code. `lines` tells what is passed over."""
    bad: list[BadUnit] = []
    # Whole, so that what fails on the way has written nothing.
    write("".join(lines(bad.append)))
    if bad:
        warn([_damaged(len(bad))], quiet=quiet)
    return 3 if bad else 0


def _no_calls(lines: int) -> str:
    if lines == 1:
        return "1 line is no call, and was passed over"
    return f"{lines:,} lines are no calls, and were passed over"


def _damaged(calls: int) -> str:
    if calls == 1:
        return "1 recorded call is damaged, and was passed over: mem audit"
    return f"{calls:,} recorded calls are damaged, and were passed over: mem audit"


def _speaks_once(action: str, what: str | None, *, as_json: bool) -> None:
    """Raise UsageError for two answers to standard output."""
    if as_json and action == "export" and what == "-":
        raise UsageError(
            "Both would go to standard output: the lines are the answer already, and are JSON.",
            where="--json",
            hint="mem calls export -, or mem calls export FILE --json",
        )


def _fits(action: str, what: str | None, *, narrowed: bool, every: bool) -> None:
    """Raise UsageError where something is missing, or has no meaning for this action."""
    wanted = {"show": "KEY", "export": "FILE", "import": "FILE"}.get(action)
    if wanted and not what:
        raise UsageError(
            f"{action} needs a {wanted}.", where="mem calls", hint=f"mem calls {action} {wanted}"
        )
    if not wanted and what:
        raise UsageError(
            f"{action} takes no {what!r}.", where="mem calls", hint=f"mem calls {action}"
        )
    if narrowed and action in ("show", "import"):
        raise UsageError(
            f"{action} cannot be narrowed; list, export and prune can.",
            where="mem calls",
            hint=f"mem calls {action} {wanted}",
        )
    if action == "prune" and every == narrowed:
        raise UsageError(
            "prune needs to be told which calls: by what narrows them, or with --all.",
            where="mem calls prune",
            hint="mem calls prune --before 2026-01-01, or mem calls prune --all",
        )
    if every and action != "prune":
        raise UsageError(
            "--all goes with prune alone: list and export take all by themselves.",
            where="--all",
            hint=f"mem calls {action}",
        )
