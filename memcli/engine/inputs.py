"""From what the user named to what readers find: open, walk, detect, read."""

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from memcli.core.found import Found, Skipped, Unit
from memcli.core.records import ROLES, Role
from memcli.engine.detect import detect
from memcli.engine.ingest import Input
from memcli.engine.opening import OpenSource
from memcli.engine.sources import walk
from memcli.errors import InputError, UsageError
from memcli.kit import columns
from memcli.kit.identity import canonical, digest
from memcli.kit.normalise import normalise
from memcli.ports import ReadOptions, Source
from memcli.registry import Reader

Progress = Callable[[int, int | None], None]

SHELL_SESSION = "shell"


def inputs(
    sources: Sequence[str],
    *,
    format: str | None,
    options: ReadOptions,
    stdin: BinaryIO | None,
    progress: Progress | None,
) -> list[Input]:
    """What there is to read, each with its format; reading itself happens later, unit by unit.

    Raises InputError for a named file that no reader claims, and if no reader claims anything.
    Files of a folder or zip that no reader claims are passed over, counted as `unrecognised`; so
    are tables without a map, with a warning that has one, and those that the map does not fit.
    Raises UsageError for a bad map.
    """
    if options.columns:
        columns.check(options.columns)
    found: list[Input] = []
    last: UsageError | None = None
    for source in walk(sources, stdin=stdin, progress=progress):
        try:
            reader = detect(source, format, mapped=bool(options.columns))
        except InputError as error:
            # What cannot be read is an error wherever it lies; what is no transcript is not.
            if not source.inside or "guesses" not in error.details:
                raise
            last = error
            found.append(Input(shown(source.path), "", [Skipped("unrecognised")]))
            continue
        if reader.mapped and (problem := _unmapped(reader, source, options)) is not None:
            if not source.inside:
                raise problem
            last = problem
            told = f"{problem.what} {_named(source, sources, problem.hint or '')}"
            found.append(Input(shown(source.path), "", [Skipped("unrecognised", warning=told)]))
            continue
        found.append(Input(shown(source.path), reader.name, _units(reader, source, options)))
    if last is not None and not any(given.format for given in found):
        raise last
    if not found:
        raise InputError(
            "There is nothing to read.",
            where=", ".join(sources),
            hint="name a transcript, a folder or zip with some, or - for standard input",
        )
    return found


def _unmapped(reader: Reader, source: OpenSource, options: ReadOptions) -> UsageError | None:
    """Why a table cannot be read by the map that is given, or without one; None if it can.

    Of a table that is named only the want of a map is told now: the rest comes up when it is read.
    """
    if options.columns and not source.inside:
        return None
    try:
        next(iter(reader.read(source, options)), None)
    except UsageError as error:
        if "columns" in error.details:
            return error
        raise
    return None


def _named(source: OpenSource, sources: Sequence[str], hint: str) -> str:
    """A command for the archive that was named, where the hint has one for a file inside it."""
    if os.path.exists(source.path):
        return hint
    outer = next((path for path in sources if source.path.startswith(f"{path}/")), source.path)
    return hint.replace(shlex.quote(source.path), shlex.quote(outer))


def _units(reader: Reader, source: Source, options: ReadOptions) -> Iterator[Unit]:
    yield from reader.read(source, options)


def shown(path: str) -> str:
    """A path as it is stored: bytes that are no UTF-8 are written as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def typed(text: str, *, role: str, speaker: str | None, session: str | None, said_at: str) -> Input:
    """What the user typed as the one unit of an input; raises UsageError for no text or role."""
    clean = normalise(text)
    if not clean:
        raise UsageError("There is no text to store.", where="mem add", hint='mem add "some text"')
    if role not in ROLES:
        raise UsageError(
            f"There is no role {role!r}.", where="--role", hint="use one of " + ", ".join(ROLES)
        )
    known: Role = next(one for one in ROLES if one == role)
    key = session or SHELL_SESSION
    identity = digest("shell", key, role, speaker, said_at, canonical(clean))
    unit = Found(
        identity,
        key,
        "utterance",
        known,
        clean,
        speaker=speaker,
        said_at=said_at,
        time_source="exact",
    )
    return Input(f"shell:{key}", "shell", [unit], whole=False)
