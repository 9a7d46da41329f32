"""`mem reindex`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer, note, warn
from memcli.cli._command import command
from memcli.cli._options import JsonOption, NowOption, QuietOption, StoreOption, YesOption
from memcli.cli._params import Option
from memcli.render import small
from memcli.render.progress import Counter


@command(
    "mem reindex",
    "mem reindex --store team.db",
    "mem reindex --embedder wordllama-256",
    "mem reindex --embedder litellm:openai/text-embedding-3-small",
    exits=(4, 5, 7),
)
def reindex(
    embedder: Annotated[
        str | None,
        Option("--embedder", metavar="NAME", help="Make vectors by this one from now on."),
    ] = None,
    whole: Annotated[bool, Option("--all", help="Also those that were paid for.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Build the text and vector indexes anew.

    Nothing is only in an index, so this is always safe. Embedders: wordllama-256, hash-1024,
    minilm-384, e5-384, litellm:NAME; see mem init --help. Vectors of a remote one (litellm:NAME) are
    kept while they are those of its model, and what is missing is asked for.
    """
    with (
        Counter("embedding", quiet=quiet or as_json) as counter,
        api.open_store(store, mode="write", now=now) as opened,
    ):
        report = opened.reindex(
            embedder=embedder,
            whole=whole,
            progress=lambda done, total: counter(f"{done} of {total} texts"),
        )
    answer(as_json, lambda: small.reindex_json(report), lambda: small.reindex_page(report))
    warn(report.warnings, quiet=quiet or as_json)
    if report.missing:
        note(f"{report.missing} texts have no vector: mem reindex", quiet=quiet or as_json)
    return 0
