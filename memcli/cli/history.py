"""`mem history`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption
from memcli.cli._params import Argument
from memcli.render import history as render


@command("mem history m4", "mem history m4 --json")
def history(
    ident: Annotated[str, Argument(metavar="ID", help="A memory, such as m4.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Tell the life of one memory: what each pass did to it."""
    with api.open_store(store) as opened:
        report = opened.history(ident)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    return 0
