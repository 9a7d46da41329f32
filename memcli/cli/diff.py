"""`mem diff`."""

from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, write
from memcli.cli._command import command
from memcli.cli._options import JsonOption, QuietOption, StoreOption
from memcli.cli._params import Argument, Option
from memcli.core.reports import DiffReport
from memcli.errors import UsageError
from memcli.render import diff as render


@command(
    "mem diff",
    "mem diff p3 p7",
    "mem diff 2026-03-01 last",
    "mem diff --format html > diff.html",
    "mem diff --against backup.db --exit-code",
    no="something changed, with --exit-code",
)
def diff(
    start: Annotated[
        str | None, Argument(metavar="FROM", help="A point: p3, last~2, 2026-03-01.")
    ] = None,
    end: Annotated[
        str | None, Argument(metavar="TO", help="A point; else the newest pass.")
    ] = None,
    exit_code: Annotated[bool, Option("--exit-code", help="Exit 1 if anything changed.")] = False,
    format: Annotated[
        Literal["text", "json", "markdown", "html"],
        Option("--format", help="How to show it."),
    ] = "text",
    against: Annotated[
        str | None, Option("--against", metavar="STORE", help="Compare with another store.")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Show what changed between two points, or in the last pass."""
    if as_json and format not in ("text", "json"):
        raise UsageError("--json and --format disagree.", where="mem diff", hint="give one of them")
    report = _compare(store, start, end, against)
    if format == "markdown":
        from memcli.render.diff_markdown import as_markdown

        write(as_markdown(report))
    elif format == "html":
        from memcli.render.diff_html import as_html

        write(as_html(report))
    else:
        answer(
            as_json or format == "json",
            lambda: render.as_json(report),
            lambda: render.as_page(report),
        )
    return 1 if exit_code and not render.is_empty(report) else 0


def _compare(
    store: str | None, start: str | None, end: str | None, against: str | None
) -> DiffReport:
    if against is None:
        with api.open_store(store) as opened:
            return opened.diff(start, end)
    if start is not None:
        raise UsageError(
            "Two points and another store cannot be compared at once.",
            where="--against",
            hint="leave out FROM and TO",
        )
    with api.open_store(store) as opened, api.open_store(against) as other:
        return opened.diff_against(other)
