"""`mem redo`."""

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, NowOption, QuietOption, StoreOption, YesOption
from memcli.render import rollback as render


@command("mem redo", "mem redo --json", exits=(4, 5, 6))
def redo(
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Take back the newest undo.

    Possible while nothing but undo and redo came after it.
    """
    with api.open_store(store, mode="write", now=now) as opened:
        report = opened.redo()
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    return 0
