"""Recorded answers as a file: JSON Lines, one call a line, so that CI carries them in git.

{"schema": "mem.call/1", "request": {task, version, model, messages, schema, parameters},
 "reply": {text, finish, model}, "tokens_in", "tokens_out", "cost_usd", "status", "at"}
"""

import json
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from memcli.core.calls import Call
from memcli.core.callvalues import reply_of, request_of, status_of, table, text
from memcli.engine import writing
from memcli.engine.clock import normalised
from memcli.errors import ExistsError, InputError
from memcli.kit.jsonio import MAX_BYTES, BadJsonError, parse

SCHEMA = "mem.call/1"
_ANY_VERSION = re.compile(r"mem\.call/[0-9]+")
_NO_FILE = "it is no file"


def line_of(call: Call) -> str:
    """The line of a call."""
    reply = call.reply
    document = {
        "schema": SCHEMA,
        "request": call.request.as_dict(),
        "reply": {"text": reply.text, "finish": reply.finish, "model": reply.model},
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "cost_usd": reply.cost_usd,
        "status": call.status,
        "at": call.at,
    }
    return json.dumps(document, ensure_ascii=False, sort_keys=True) + "\n"


def call_of(line: bytes | None) -> Call:
    """The call in a line of `lines`; raises ValueError, with what is wrong."""
    if line is None:
        raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
    return _call(parse(line))


def _call(value: Any) -> Call:
    found = table(value, "the line")
    if found.get("schema") != SCHEMA:
        raise ValueError(f"the schema is not {SCHEMA}")
    reply = reply_of(
        found.get("reply"),
        tokens_in=found.get("tokens_in"),
        tokens_out=found.get("tokens_out"),
        cost_usd=found.get("cost_usd"),
    )
    request, status = request_of(found.get("request")), status_of(found.get("status"))
    at = normalised(text(found.get("at"), "at"))
    if at is None:
        raise ValueError("at is no time")
    return Call(0, request, reply, status, at)


# --- in -------------------------------------------------------------------------------------------


@contextmanager
def opened(path: str, stdin: BinaryIO | None) -> Iterator[BinaryIO]:
    """A file, or standard input for `-`; raises InputError."""
    if path == "-":
        if stdin is None:
            raise InputError("There is no standard input.", where="-", hint="name a file")
        yield stdin
        return
    try:
        # Looked at before it is opened: opening a pipe waits for somebody to write.
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise _unreadable(path, _NO_FILE)
        file = open(path, "rb")  # noqa: SIM115 (closed below)
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error
    with file:
        yield file


def lines(file: BinaryIO, path: str) -> Iterator[bytes | None]:
    """The lines of an open file, None for one that is too long to be taken; raises InputError."""
    while piece := _read(file, path):
        if len(piece) <= MAX_BYTES:
            yield piece
            continue
        while piece and not piece.endswith(b"\n"):
            piece = _read(file, path)
        yield None


def _read(file: BinaryIO, path: str) -> bytes:
    try:
        return file.readline(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def _unreadable(path: str, why: str) -> InputError:
    return InputError(
        f"The file cannot be read: {why}.", where=path, hint="mem calls export makes such a file"
    )


# --- out ------------------------------------------------------------------------------------------


def write(path: str, found: Iterable[str]) -> None:
    """Write lines to a file, whole or not at all; a file of recorded calls is replaced.

    Raises ExistsError for a file of another kind, UsageError or StoreError where it cannot be
    written.
    """
    place = Path(path)
    try:
        if not _is_free(place):
            raise _taken(path, "There is a file already, and it holds no recorded calls.")
        writing.write(place, found)
    except FileExistsError as error:
        raise _taken(path, "There is a file already: it was made meanwhile.") from error
    except (OSError, ValueError) as error:
        raise writing.unwritten("The file", place, error) from error


def _is_free(place: Path) -> bool:
    """Whether nothing is there that is more than an empty file, or than recorded calls."""
    try:
        regular = stat.S_ISREG(place.stat().st_mode)
    except FileNotFoundError:
        return True
    if not regular:
        raise OSError(_NO_FILE)
    with place.open("rb") as file:
        first = file.readline(MAX_BYTES + 1)
    return not first or _is_ours(first)


def _is_ours(line: bytes) -> bool:
    """Whether it is a call of this version, or looks like one of another."""
    try:
        value = parse(line)
        schema = table(value, "the line").get("schema")
        if schema == SCHEMA:
            return bool(_call(value))
        told = isinstance(schema, str) and _ANY_VERSION.fullmatch(schema) is not None
        return told and {"request", "reply"} <= value.keys()
    except (BadJsonError, ValueError):
        return False


def _taken(path: str, what: str) -> ExistsError:
    return ExistsError(what, where=path, hint="choose another name")
