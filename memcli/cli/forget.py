"""`mem forget`."""

from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, warn
from memcli.cli._command import command
from memcli.cli._options import (
    JsonOption,
    NowOption,
    QuietOption,
    StoreOption,
    WithinOption,
    YesOption,
    pairs,
    scope_of,
)
from memcli.cli._params import Option
from memcli.render import forget as render

Policy = Literal["ebbinghaus", "heat", "ttl", "lru"]


@command(
    "mem forget --dry-run",
    "mem forget",
    "mem forget --policy lru --param capacity=500 --scope user=ada",
    "mem forget --policy ttl --param ttl_days=90 --param layer=records",
    "mem forget --param time_scale=5 --if-due --json",
    exits=(4, 5, 6),
    done="done, also if there was nothing to do",
)
def forget(
    policy: Annotated[
        Policy | None,
        Option(
            "--policy", help="By what is used less and less, is cold, too old, or longest unused."
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        Option("--param", metavar="KEY=VALUE", help="A parameter; see mem strategies forget."),
    ] = None,
    scope: WithinOption = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="List every item with its value; apply nothing.")
    ] = False,
    if_due: Annotated[
        bool, Option("--if-due", help="Only if its trigger fires; see mem due.")
    ] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Fade what is no longer used, and bring back what is.

    What has faded keeps its words and its evidence, and is left out of search and context unless
    --include faded asks for it. Nothing is deleted, and `mem rollback last` takes a pass back. Records
    that no method has settled never fade: consolidate first. `mem rate ID pinned=true` protects.
    """
    given, within = pairs(param, "--param"), scope_of(scope)
    with api.open_store(store, mode="read" if dry_run else "write", now=now) as opened:
        report = opened.forget(
            policy=policy, params=given, scope=within, dry_run=dry_run, if_due=if_due
        )
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    warn(report.done.warnings, quiet=quiet or as_json)
    return 6 if report.refused else 0
