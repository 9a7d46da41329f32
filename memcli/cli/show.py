"""`mem show`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, KnownAtOption, NowOption, QuietOption, StoreOption
from memcli.cli._params import Argument, Option
from memcli.render import show as render


@command(
    "mem show m4",
    "mem show m4@2",
    "mem show r12 --json",
    "mem show p7",
    "mem show s3",
    "mem show m4 --known-at p3",
    "mem show m4 --valid-at 2025-06-01",
)
def show(
    ident: Annotated[
        str, Argument(metavar="ID", help="A record, memory, version, pass or session.")
    ],
    valid_at: Annotated[
        str | None,
        Option(
            "--valid-at", metavar="ISO", help="Say whether it was true then, and what was instead."
        ),
    ] = None,
    known_at: KnownAtOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
) -> int:
    """Show one thing whole.

    Of what is held also how it was used: t days ago, S, and what R is left of it (see mem forget).
    """
    with api.open_store(store, now=now) as opened:
        report = opened.show(ident, valid_at=valid_at, known_at=known_at)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    return 0
