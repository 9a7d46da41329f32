"""`mem due`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, NowOption, QuietOption, StoreOption
from memcli.cli._params import Argument
from memcli.render import due as render
from memcli.render.progress import Counter


@command(
    "mem due",
    "mem due reflect && mem consolidate --strategy reflect",
    "mem due --json",
    done="a pass is due",
    no="none is due",
)
def due(
    strategy: Annotated[
        str | None, Argument(metavar="STRATEGY", help="Ask for this one only.")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
) -> int:
    """Say which passes are due, and why."""
    with (
        Counter("due", quiet=quiet or as_json) as counter,
        api.open_store(store, now=now) as opened,
    ):
        found = opened.due(strategy, went=lambda done, total: counter(f"{done} of {total} methods"))
    answer(as_json, lambda: render.as_json(found), lambda: render.as_page(found))
    return 0 if any(one.due for one in found) else 1
