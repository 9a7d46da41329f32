"""`mem search`."""

from collections.abc import Sequence
from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, warn
from memcli.cli._command import command
from memcli.cli._options import (
    JsonOption,
    QuietOption,
    StoreOption,
    WithinOption,
    scope_of,
    words,
)
from memcli.cli._params import Argument, Option
from memcli.errors import UsageError
from memcli.render import search as render

_INCLUDE = ("superseded", "faded", "lapsed")


@command(
    'mem search "where does Ada live"',
    "mem search lisbon -k 3 --layer raw",
    "mem search lisbon --include superseded --explain",
    "mem search lisbon --scope user=ada --json",
    done="done, also if nothing was found",
)
def search(
    query: Annotated[str, Argument(metavar="QUERY", help="A question or words.")],
    k: Annotated[
        int, Option("-k", metavar="N", least=1, most=10_000, help="How many results.")
    ] = 10,
    layer: Annotated[
        Literal["both", "raw", "derived"],
        Option("--layer", help="Records, memories, or both."),
    ] = "both",
    scope: WithinOption = None,
    include: Annotated[
        list[str] | None,
        Option("--include", metavar="WHAT", help="Also superseded, faded or lapsed ones."),
    ] = None,
    explain: Annotated[bool, Option("--explain", help="Show what each score is made of.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find records and memories.

    What no longer holds is left out unless asked for.
    """
    wanted, narrowed = _included(include), scope_of(scope)
    with api.open_store(store) as opened:
        report = opened.search(query, k=k, layer=layer, scope=narrowed, include=wanted)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report, explain=explain))
    warn(report.warnings, quiet=quiet or as_json)
    return 0


def _included(values: Sequence[str] | None) -> tuple[str, ...]:
    found = words(values)
    for word in found:
        if word not in _INCLUDE:
            raise UsageError(
                f"There is nothing called {word!r} to include.",
                where="--include",
                hint=f"one of {', '.join(_INCLUDE)}",
            )
    return found
