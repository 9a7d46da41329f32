"""`mem why`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer, write
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption
from memcli.cli._params import Argument, Option
from memcli.errors import UsageError
from memcli.render import why as render


@command(
    "mem why m4",
    "mem why m4 --json",
    "mem why m4 --dot | dot -Tsvg > why.svg",
    "mem why r12 --derived",
)
def why(
    ident: Annotated[str, Argument(metavar="ID", help="A memory, a version or a record.")],
    derived: Annotated[
        bool, Option("--derived", help="The other way: what was made of it.")
    ] = False,
    dot: Annotated[bool, Option("--dot", help="As text for Graphviz.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Show what a memory rests on, down to the exact words.

    Each quote comes with who said it, when, in which file and line, and whether it still stands
    there as quoted.
    """
    if dot and as_json:
        raise UsageError("--dot and --json disagree.", where="mem why", hint="give one of them")
    with api.open_store(store) as opened:
        root = opened.why(ident, derived=derived)
    if dot:
        from memcli.render.why_dot import as_dot

        write(as_dot(root, derived=derived))
    else:
        answer(
            as_json,
            lambda: render.as_json(root, derived=derived),
            lambda: render.as_page(root, derived=derived),
        )
    return 0
