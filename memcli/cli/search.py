"""`mem search`."""

from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, warn
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
    words,
)
from memcli.cli._params import Argument, Option
from memcli.core.options import included
from memcli.render import search as render

Rank = Literal["recipe", "generative-agents", "mem0-v3", "hindsight", "recency"]


@command(
    'mem search "where does Ada live"',
    "mem search lisbon -k 3 --layer raw",
    "mem search lisbon --include superseded --explain",
    'mem search "what did Tom plan last May" --budget 500 --scope user=ada --json',
    'mem search "where does Ada live" --valid-at 2025-06-01 --known-at p3',
    'mem search "what does Ada like" --rank generative-agents',
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
    rank: Annotated[
        Rank,
        Option("--rank", help="Rank as published: by our own recipe, or as other systems do."),
    ] = "recipe",
    budget: Annotated[
        int | None,
        Option(
            "--budget",
            metavar="TOKENS",
            least=1,
            most=100_000_000,
            help="At most so many tokens (characters / 4); what does not fit is passed over.",
        ),
    ] = None,
    valid_at: ValidAtOption = None,
    known_at: KnownAtOption = None,
    lexical: LexicalOption = False,
    floor: FloorOption = 55,
    log_recall: LogRecallOption = False,
    explain: Annotated[
        bool, Option("--explain", help="Show what each score is made of, and what was left out.")
    ] = False,
    now: NowOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find records and memories.

    What no longer holds is left out, or marked; of two statements that answer alike the newer
    comes first, if the question asks for what is so now. Times in the question ("last May") count
    from now, and --now says when that is.
    """
    wanted, narrowed = included(words(include)), scope_of(scope)
    with api.open_store(store, now=now) as opened:
        report = opened.search(
            query,
            k=k,
            layer=layer,
            scope=narrowed,
            include=wanted,
            rank=rank,
            budget=budget,
            valid_at=valid_at,
            known_at=known_at,
            vectors=not lexical,
            floor=floor / 100,
            log_recall=log_recall,
        )
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report, explain=explain))
    warn((*report.warnings, *render.doubts(report)), quiet=quiet or as_json)
    return 0
