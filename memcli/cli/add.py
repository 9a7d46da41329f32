"""`mem add`."""

import sys
from typing import Annotated, Literal

from memcli import api
from memcli.cli._answer import answer, warn
from memcli.cli._command import command
from memcli.cli._options import (
    JsonOption,
    NowOption,
    QuietOption,
    ScopeOption,
    StoreOption,
    YesOption,
    scope_of,
)
from memcli.cli._params import Argument, Option
from memcli.core.records import Scope
from memcli.errors import InputError
from memcli.render import ingest as render


@command(
    'mem add "I moved to Porto in March."',
    'mem add "Use ruff, not flake8." --scope project=app --session standup',
    "git log -1 --format=%B | mem add - --role tool",
    exits=(4, 5),
)
def add(
    text: Annotated[str, Argument(metavar="TEXT", help="What was said; - reads standard input.")],
    role: Annotated[
        Literal["user", "assistant", "system", "tool"], Option("--role", help="Who said it.")
    ] = "user",
    speaker: Annotated[str | None, Option("--speaker", metavar="NAME", help="Their name.")] = None,
    session: Annotated[
        str | None,
        Option("--session", metavar="KEY", help="The conversation; else `shell`."),
    ] = None,
    said_at: Annotated[
        str | None, Option("--said-at", metavar="ISO", help="When it was said; else now.")
    ] = None,
    scope: ScopeOption = None,
    no_redact: Annotated[bool, Option("--no-redact", help="Keep secrets as they are.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    now: NowOption = None,
    yes: YesOption = False,
) -> int:
    """Store one record from the shell.

    Makes the store if there is none.
    """
    wanted = scope_of(scope) or Scope()
    said = _stdin() if text == "-" else text
    with api.open_store(store, mode="create", now=now) as opened:
        report = opened.add(
            said,
            role=role,
            speaker=speaker,
            session=session,
            said_at=said_at,
            scope=wanted,
            redact=not no_redact,
        )
    answer(as_json, lambda: render.as_json(report), lambda: render.as_page(report))
    warn(report.warnings, quiet=quiet or as_json)
    return 0


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(
            "Standard input is not text in UTF-8.", where="mem add -", hint="convert it first"
        ) from error
