"""`mem strategies`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption
from memcli.cli._params import Argument
from memcli.render import strategies as render


@command("mem strategies", "mem strategies reflect", "mem strategies --json", exits=())
def strategies(
    name: Annotated[str | None, Argument(metavar="NAME", help="Tell all of this one.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """List the consolidation methods and where each comes from."""
    found = api.strategies(name)
    answer(
        as_json,
        lambda: render.as_json(found),
        lambda: render.one_page(found[0]) if name and found else render.as_page(found),
    )
    return 0
