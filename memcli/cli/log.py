"""`mem log`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption
from memcli.cli._params import Option
from memcli.render import log as render

_ALL = 1_000_000_000  # more than any store has; SQLite's integers end somewhere


@command("mem log", "mem log --limit 5", "mem log --json")
def log(
    limit: Annotated[
        int | None,
        Option("--limit", "-n", metavar="N", least=1, help="Only the newest so many."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """List the passes, newest first."""
    with api.open_store(store) as opened:
        passes = opened.log(None if limit is None else min(limit, _ALL))
    answer(as_json, lambda: render.as_json(passes), lambda: render.as_page(passes))
    return 0
