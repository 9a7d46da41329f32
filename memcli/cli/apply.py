"""`mem apply`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer, warn
from memcli.cli._command import command
from memcli.cli._options import (
    JsonOption,
    NowOption,
    QuietOption,
    StoreOption,
    YesOption,
    words,
)
from memcli.cli._params import Argument, Option
from memcli.render import consolidate as render


@command(
    "mem apply plan.json",
    "mem apply plan.json --dry-run",
    "mem apply plan.json --reject new:2,op:5",
    "mem apply plan.json --gate --json",
    exits=(3, 4, 5, 6),
    done="done, also if all of it was rejected",
)
def apply(
    plan: Annotated[
        str, Argument(metavar="PLAN", help="A file that mem consolidate --plan wrote.")
    ],
    reject: Annotated[
        list[str] | None,
        Option(
            "--reject",
            metavar="LABEL",
            help="Leave this item out, as wrong, with what needs it; may be repeated.",
        ),
    ] = None,
    gate: Annotated[
        bool, Option("--gate", help="Refuse the pass if an audit of it finds an error.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the changes; apply nothing.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Apply a plan as it was reviewed, as one pass.

    Items with "reject": true in the file, and those named by --reject, are left out together with
    what needs them, and are not proposed again from the same evidence. Nothing is written if the
    store moved under the plan (exit 5), or if more than those switches was changed (exit 6).
    """
    with api.open_store(store, mode="read" if dry_run else "write", now=now) as opened:
        report = opened.apply_plan(plan, reject=words(reject), gate=gate, dry_run=dry_run)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    warn(report.warnings, quiet=quiet or as_json)
    return 3 if report.failed else 0
