"""Run one command, and the one place where failures are caught and become words and exit codes."""

import contextlib
import importlib
import itertools
import os
import sys
from collections.abc import Sequence
from typing import Any

from memcli.cli import _quick
from memcli.cli._answer import silence, unwritten
from memcli.cli._command import NAMES, Command
from memcli.core.patterns import pattern
from memcli.errors import MemError, StoreError, UsageError
from memcli.render import error as error_render
from memcli.render import output

_PIPE = 141  # what a shell reports of a program that a closed pipe ended
# Parameters that are paths: file names may be any bytes.
_PATHS = frozenset(
    {"store", "sources", "source", "against", "baseline", "plan", "what", "suite", "record"}
)
_SURROGATE = pattern("[\ud800-\udfff]")
_FORMATS_WITH_JSON = ("diff", "audit", "eval", "context")


def run(name: str, arguments: Sequence[str]) -> int:
    """Run the command; the exit code comes back, nothing is raised but KeyboardInterrupt."""
    output.prepare()
    try:
        return _invoke(name, list(arguments))
    except MemError as error:
        failure = error
    except BrokenPipeError:
        silence()
        return _PIPE
    except MemoryError:
        failure = _no_memory()
    except Exception as error:  # noqa: BLE001 (whatever else there is must not reach the user raw)
        failure = _bug(error)
    return _report(failure, wants_json(name, [name, *arguments]))


def load(name: str) -> Command:
    """The command of this name, from its module alone."""
    found: Command = getattr(importlib.import_module(f"memcli.cli.{name}"), name)
    return found


def wants_json(name: str, arguments: Sequence[str]) -> bool:
    """Whether failures too are to be JSON. Asked of the bare words, for parsing may have failed."""
    words = list(arguments)
    if "--" in words:
        words = words[: words.index("--")]
    if "--json" in words or (name in _FORMATS_WITH_JSON and "--format=json" in words):
        return True
    follows = itertools.pairwise(words)
    return name in _FORMATS_WITH_JSON and ("--format", "json") in follows


def _invoke(name: str, words: list[str]) -> int:
    if name not in NAMES:
        raise _unknown(name)
    found = load(name)
    values = _quick.read(found.call, words)
    if values is None:
        values = _by_typer(name, found, words)
    if values is None:  # `--help`
        return 0
    _must_be_text(values)
    return found.call(**values)


def _by_typer(name: str, found: Command, words: list[str]) -> dict[str, Any] | None:
    from memcli.cli import _typer

    try:
        values = _typer.read(name, found, words)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:  # the help was not taken
        raise unwritten(error) from error
    return values


def _no_memory() -> MemError:
    return StoreError(
        "There is not enough memory. Nothing was written that was not acknowledged.",
        where="this process",
        hint="raise its limit, or give it less at a time (--session, --scope, fewer sources)",
    )


def _must_be_text(values: dict[str, Any]) -> None:
    for name, value in values.items():
        given = value if isinstance(value, list | tuple) else [value]
        if name not in _PATHS and any(isinstance(v, str) and _SURROGATE.search(v) for v in given):
            raise UsageError(
                "What was given is not text in the encoding of this terminal.",
                where=f"{name.replace('_', '-')}",
                hint="give it as UTF-8",
            )


def _unknown(name: str) -> UsageError:
    from difflib import get_close_matches

    if name.startswith("-"):
        return UsageError(
            f"{name} comes before the command.",
            where="mem",
            hint=f"put options after the command: mem COMMAND {name} ...; mem --help lists them",
        )
    near = get_close_matches(name, NAMES, n=3, cutoff=0.5)
    hint = " or ".join(f"mem {one}" for one in near) or "mem --help lists the commands"
    return UsageError(f"There is no command {name!r}.", where="mem", hint=hint)


def _bug(error: Exception) -> MemError:
    import traceback

    if os.environ.get("MEM_DEBUG"):
        with contextlib.suppress(OSError):
            traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    at = f"{os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}" if frames else None
    return MemError(
        f"This is a bug of mem, not of yours: {type(error).__name__}: {error}",
        where=at,
        hint="MEM_DEBUG=1 shows more; please report it with that",
    )


def _report(failure: MemError, as_json: bool) -> int:
    with contextlib.suppress(OSError):
        if as_json:
            output.show_json(error_render.as_json(failure), sys.stderr)
        else:
            output.show(error_render.as_page(failure), sys.stderr)
        sys.stderr.flush()
    return failure.code
