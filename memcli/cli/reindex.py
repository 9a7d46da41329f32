"""`mem reindex`."""

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, NowOption, QuietOption, StoreOption, YesOption
from memcli.render import small


@command("mem reindex", "mem reindex --store team.db", exits=(4, 5))
def reindex(
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Build the text and vector indexes anew.

    Nothing is only in an index, so this is always safe.
    """
    with api.open_store(store, mode="write", now=now) as opened:
        report = opened.reindex()
    answer(as_json, lambda: small.reindex_json(report), lambda: small.reindex_page(report))
    return 0
