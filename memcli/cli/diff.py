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
    "mem diff p3 p7 --valid-at 2025-06-01",
    "mem diff 2025-01-01 2025-06-01 --known-at last",
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
    valid_at: Annotated[
        str | None,
        Option(
            "--valid-at", metavar="ISO", help="Only of what was true then: what was learned of it."
        ),
    ] = None,
    known_at: Annotated[
        str | None,
        Option(
            "--known-at",
            metavar="POINT",
            help="What began and ceased to be true between the dates FROM and TO, as known there.",
        ),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Show what changed between two points, or in the last pass.

    A store has two times: when something was true, and when it was known. By default what is known
    is compared. --valid-at keeps the one still, --known-at the other.
    """
    if as_json and format not in ("text", "json"):
        raise UsageError("--json and --format disagree.", where="mem diff", hint="give one of them")
    report = _compare(store, start, end, against, valid_at=valid_at, known_at=known_at)
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
    store: str | None, start: str | None, end: str | None, against: str | None, **when: str | None
) -> DiffReport:
    if against is None:
        with api.open_store(store) as opened:
            return opened.diff(start, end, **when)
    if any(when.values()):
        raise UsageError(
            "Another store is compared as it is now.",
            where="--against",
            hint="leave out --valid-at and --known-at",
        )
    if start is not None:
        raise UsageError(
            "Two points and another store cannot be compared at once.",
            where="--against",
            hint="leave out FROM and TO",
        )
    with api.open_store(store) as opened, api.open_store(against) as other:
        return opened.diff_against(other)
