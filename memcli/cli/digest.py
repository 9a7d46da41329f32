"""`mem digest`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption
from memcli.cli._params import Option
from memcli.render import digest as render


@command("mem digest", "mem digest --at last~1", "mem digest --at 2026-03-01 --json")
def digest(
    at: Annotated[
        str | None, Option("--at", metavar="POINT", help="As of then: p3, last~2, a date.")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Print hashes of what the store holds.

    Two stores with the same `records` and `memories` hold the same, whatever their ids. A pass
    that is rolled back leaves `memories` as it was. `journal` differs between any two stores.
    """
    with api.open_store(store) as opened:
        report = opened.digest(at)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    return 0
