"""`mem consolidate`."""

from typing import Annotated

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
from memcli.core.reports import Outcome
from memcli.render import consolidate as render

_CODES: dict[Outcome, int] = {"partial": 3, "failed": 7}


@command(
    "mem consolidate --strategy reflect",
    "mem consolidate --strategy reflect --dry-run",
    "mem consolidate --strategy reflect --param questions=5 --scope user=ada",
    "mem consolidate --strategy reflect --if-due --gate --json",
    exits=(3, 4, 5, 6, 7),
    done="done, also if there was nothing to do",
)
def consolidate(
    strategy: Annotated[
        str, Option("--strategy", metavar="NAME", help="The method; see mem strategies.")
    ],
    param: Annotated[
        list[str] | None,
        Option("--param", metavar="KEY=VALUE", help="A parameter of it; may be repeated."),
    ] = None,
    model: Annotated[
        str | None,
        Option("--model", metavar="NAME", help="Who answers; else no model is asked."),
    ] = None,
    since: Annotated[
        str | None, Option("--since", metavar="DATE", help="Only records said since then.")
    ] = None,
    session: Annotated[
        str | None, Option("--session", metavar="ID", help="Only this conversation.")
    ] = None,
    scope: WithinOption = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the changes; apply nothing.")] = False,
    if_due: Annotated[
        bool, Option("--if-due", help="Only if its trigger fires; see mem due.")
    ] = False,
    gate: Annotated[
        bool, Option("--gate", help="Refuse the pass if an audit of it finds an error.")
    ] = False,
    again: Annotated[bool, Option("--again", help="Allow what was rolled back as wrong.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Run one consolidation method as one pass.

    A pass is stored whole or not at all. The answer is what changed; `mem rollback last` takes it back.
    """
    params = pairs(param, "--param")
    narrowed = scope_of(scope)
    with api.open_store(store, mode="read" if dry_run else "write", now=now) as opened:
        report = opened.consolidate(
            strategy,
            params=params,
            model=model,
            since=since,
            session=session,
            scope=narrowed,
            dry_run=dry_run,
            if_due=if_due,
            again=again,
            gate=gate,
        )
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    warn(report.warnings, quiet=quiet or as_json)
    return _CODES.get(report.outcome, 0)
