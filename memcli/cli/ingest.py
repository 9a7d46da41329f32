"""`mem ingest`."""

import sys
from collections.abc import Sequence
from typing import Annotated, BinaryIO

from memcli import api
from memcli.cli._answer import answer, lost, note, warn
from memcli.cli._command import command
from memcli.cli._options import (
    JsonOption,
    NowOption,
    QuietOption,
    ScopeOption,
    StoreOption,
    YesOption,
    pairs,
    scope_of,
    words,
)
from memcli.cli._params import Argument, Option
from memcli.core.options import included
from memcli.core.records import Scope
from memcli.errors import UsageError
from memcli.kit.columns import split_map
from memcli.kit.daymonth import check_order
from memcli.ports import ReadOptions
from memcli.render import ingest as render
from memcli.render import small
from memcli.render.progress import Counter, Progress

_INCLUDE = ("thinking", "sidechain", "custom-instructions")
_ROLES = ("user", "assistant", "system", "tool", "memory")


@command(
    "mem ingest ~/.claude/projects/app",
    "mem ingest export.zip --scope user=ada",
    "mem ingest call.txt --speaker Dana=assistant --tz Europe/Vienna",
    "mem ingest tickets.csv --map text=content,role=author --role agent=assistant",
    "cat chat.jsonl | mem ingest - --session monday",
    "mem ingest export.zip --dry-run --json",
    exits=(3, 4, 5),
    done="done, also if nothing was new",
)
def ingest(
    sources: Annotated[
        list[str] | None,
        Argument(metavar="SOURCE...", help="Files, folders, zips; - is standard input."),
    ] = None,
    format: Annotated[
        str | None, Option("--format", metavar="NAME", help="Skip the detection.")
    ] = None,
    list_formats: Annotated[
        bool, Option("--list-formats", help="Say which formats there are, and end.")
    ] = False,
    session: Annotated[
        str | None,
        Option("--session", metavar="KEY", help="Keeps apart what begins alike."),
    ] = None,
    scope: ScopeOption = None,
    roles: Annotated[
        list[str] | None,
        Option("--role", metavar="WORD=ROLE", help="What a role word means."),
    ] = None,
    speakers: Annotated[
        list[str] | None,
        Option("--speaker", metavar="NAME=ROLE", help="A speaker of a plain transcript."),
    ] = None,
    tz: Annotated[
        str | None,
        Option("--tz", metavar="ZONE", help="Zone of times that name none; else UTC."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        Option("--map", metavar="KEY=COLUMN", help="Which column of a table holds what."),
    ] = None,
    date_order: Annotated[
        str | None,
        Option("--date-order", metavar="ORDER", help="Of dates like 5/6/26: dmy, mdy or ymd."),
    ] = None,
    all_branches: Annotated[
        bool, Option("--all-branches", help="Also the branches that were left, inactive.")
    ] = False,
    include: Annotated[
        list[str] | None,
        Option(
            "--include", metavar="WHAT", help="Also thinking, sidechain or custom-instructions."
        ),
    ] = None,
    no_redact: Annotated[bool, Option("--no-redact", help="Keep secrets as they are.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Read and report; write nothing.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Read transcripts into records.

    Makes the store if there is none. The format is detected. Reading the same, a moved or a
    grown file again adds only what is new; nothing that was read ever changes.
    """
    if list_formats:
        return _formats(as_json, quiet)
    if not sources:
        raise UsageError(
            "No source is given.", where="mem ingest", hint="mem ingest chat.jsonl, or - for stdin"
        )
    wanted = scope_of(scope) or Scope()
    options = ReadOptions(
        all_branches=all_branches,
        include=frozenset(included(words(include), _INCLUDE)),
        tz=_zone(tz),
        date_order=_date_order(date_order),
        session=session,
        roles=_roles(roles, "--role"),
        speakers=_roles(speakers, "--speaker"),
        columns=pairs(split_map(columns or ()), "--map"),
    )
    with (
        api.open_store(store, mode="read-any" if dry_run else "create", now=now) as opened,
        Counter("embedding", quiet=quiet) as counter,
        Progress("reading", quiet=quiet) as progress,
    ):

        def embedded(done: int, total: int | None) -> None:
            progress.stop()
            counter(f"{done} of {total} texts")

        report = opened.ingest(
            sources,
            format=format,
            scope=wanted,
            options=options,
            redact=not no_redact,
            dry_run=dry_run,
            stdin=_stdin(quiet) if "-" in sources else None,
            progress=progress,
            embedded=embedded,
        )
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    warn(report.warnings, quiet=quiet or as_json)
    lost(render.lost(report), as_json=as_json)
    return 3 if report.partial else 0


def _formats(as_json: bool, quiet: bool) -> int:
    formats = api.formats()
    answer(as_json, lambda: small.formats_json(formats), lambda: small.formats_page(formats))
    warn(api.format_warnings(), quiet=quiet)
    return 0


def _stdin(quiet: bool) -> BinaryIO:
    if sys.stdin.isatty():
        note("reading from the terminal; end with Ctrl-D", quiet=quiet)
    return sys.stdin.buffer


def _roles(values: Sequence[str] | None, option: str) -> dict[str, str]:
    found = pairs(values, option)
    for word, role in found.items():
        if role not in _ROLES:
            raise UsageError(
                f"{role!r} is not a role.",
                where=f"{option} {word}={role}",
                hint=f"one of {', '.join(_ROLES)}",
            )
    return found


def _date_order(order: str | None) -> str | None:
    check_order(order)
    return order


def _zone(name: str | None) -> str | None:
    if name is None:
        return None
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(
            f"There is no time zone {name!r}.", where="--tz", hint="a name such as Europe/Lisbon"
        ) from error
    return name
