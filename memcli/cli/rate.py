"""`mem rate`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import (
    JsonOption,
    NowOption,
    QuietOption,
    StoreOption,
    YesOption,
    pairs,
)
from memcli.cli._params import Argument
from memcli.render import small


@command(
    "mem rate m4 pinned=true",
    "mem rate m4 importance=8",
    "mem rate m4 status=rejected",
    exits=(4, 5, 6),
)
def rate(
    ident: Annotated[str, Argument(metavar="ID", help="A memory or a record.")],
    values: Annotated[
        list[str],
        Argument(metavar="KEY=VALUE...", help="importance=1..10, pinned=true, status=..."),
    ],
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Give your verdict on a memory or a record.

    A pass like any other: it can be undone, and no method rates over it. Statuses are active, pending, faded, lapsed and rejected.
    """
    given = pairs(values, "mem rate ID")
    with api.open_store(store, mode="write", now=now) as opened:
        report = opened.rate(ident, given)
    answer(as_json, lambda: small.rate_json(report), lambda: small.rate_page(report))
    return 0
