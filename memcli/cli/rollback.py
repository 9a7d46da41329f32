"""`mem rollback`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import (
    CascadeOption,
    JsonOption,
    NowOption,
    QuietOption,
    StoreOption,
    YesOption,
)
from memcli.cli._params import Argument, Option
from memcli.errors import UsageError
from memcli.render import rollback as render


@command(
    "mem rollback last",
    "mem rollback p7 --dry-run",
    "mem rollback m4",
    "mem rollback m4@2",
    "mem rollback --to 2026-03-01 --cascade",
    exits=(4, 5, 6),
)
def rollback(
    target: Annotated[
        str | None,
        Argument(metavar="TARGET", help="A memory (m4, m4@2) or a pass (p7, last)."),
    ] = None,
    to: Annotated[
        str | None, Option("--to", metavar="POINT", help="Every pass after this point.")
    ] = None,
    cascade: CascadeOption = False,
    reject: Annotated[
        bool, Option("--reject", help="It was wrong: do not make it again from the same.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Say what would go; write nothing.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Take back a memory or a pass.

    A pass is taken back as if it had not run: what it had superseded holds again. A memory is
    taken back as wrong, and is not made again from the same evidence. What rests on it is
    listed and the rollback refused (exit 6), unless --cascade takes it along.
    """
    if (target is None) == (to is None):
        raise UsageError(
            "Give either a target or --to.", where="mem rollback", hint="mem rollback last"
        )
    with api.open_store(store, mode="read" if dry_run else "write", now=now) as opened:
        if target is not None:
            report = opened.rollback(target, cascade=cascade, reject=reject, dry_run=dry_run)
        else:
            assert to is not None
            report = opened.rollback_to(to, cascade=cascade, reject=reject, dry_run=dry_run)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    return 0
