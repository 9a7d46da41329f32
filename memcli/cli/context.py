"""`mem context`."""

from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, warn, write
from memcli.cli._command import command
from memcli.cli._options import (
    FloorOption,
    JsonOption,
    KnownAtOption,
    LexicalOption,
    LogRecallOption,
    NowOption,
    QuietOption,
    StoreOption,
    ValidAtOption,
    WithinOption,
    scope_of,
)
from memcli.cli._params import Argument, Option
from memcli.errors import UsageError
from memcli.render.page import Page


@command(
    'mem context "where does Ada live"',
    'mem context "what is Tom allergic to" --budget 500 --scope user=ada',
    'mem context "the release" --format xml > block.xml',
    'mem context "where does Ada live" --valid-at 2025-06-01 --known-at p3 --json',
    done="done, also if nothing was found",
)
def context(
    query: Annotated[str, Argument(metavar="QUERY", help="A question or words.")],
    budget: Annotated[
        int,
        Option(
            "--budget",
            metavar="TOKENS",
            least=1,
            most=100_000_000,
            help="At most so many tokens (characters / 4), all in all.",
        ),
    ] = 2000,
    format: Annotated[
        Literal["markdown", "xml", "json"], Option("--format", help="How to write it.")
    ] = "markdown",
    scope: WithinOption = None,
    valid_at: ValidAtOption = None,
    known_at: KnownAtOption = None,
    lexical: LexicalOption = False,
    floor: FloorOption = 55,
    log_recall: LogRecallOption = False,
    now: NowOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Write what is known about something as a block for a prompt.

    First what stands whatever is asked (pinned, profiles), then current facts, then what is in
    doubt, then what was said; each with dates and sources. Stored text is quoted and cannot leave
    its place. What does not fit into the budget is passed over, and the next is tried.
    """
    if as_json and format == "xml":
        raise UsageError(
            "--json and --format disagree.", where="mem context", hint="give one of them"
        )
    chosen = "json" if as_json else format
    wanted = scope_of(scope)
    with api.open_store(store, now=now) as opened:
        report = opened.context(
            query,
            budget=budget,
            format=chosen,
            scope=wanted,
            valid_at=valid_at,
            known_at=known_at,
            vectors=not lexical,
            floor=floor / 100,
            log_recall=log_recall,
        )
    if chosen == "json":
        from memcli.render.context import as_json as document

        answer(True, lambda: document(report), Page)
    else:
        write(report.block)
    warn(report.warnings, quiet=quiet or chosen == "json")
    return 0
