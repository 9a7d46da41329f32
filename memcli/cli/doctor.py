"""`mem doctor`."""

from memcli import api
from memcli.cli._answer import answer
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption
from memcli.render import doctor as render


@command(
    "mem doctor",
    "mem doctor --store team.db --json",
    done="all is well",
    no="something needs attention",
)
def doctor(
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Say whether the installation and the store are well.

    A line each; where something is amiss, what to do about it.
    """
    report = api.doctor(store)
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    return 0 if report.ok else 1
