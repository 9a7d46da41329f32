"""`mem undo`."""

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, NowOption, QuietOption, StoreOption, YesOption
from memcli.render import rollback as render


@command("mem undo", "mem undo --json", exits=(4, 5, 6))
def undo(
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Take back the newest pass in force.

    Undo and redo themselves are passed over, so that one undo after the other goes further back.
    `mem redo` takes the newest undo back.
    """
    with api.open_store(store, mode="write", now=now) as opened:
        report = opened.undo()
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    return 0
