"""Recorded answers as a file: JSON Lines, one call a line, so that CI carries them in git.

{"schema": "mem.call/1", "request": {task, version, model, messages, schema, parameters},
 "reply": {text, finish, model}, "tokens_in", "tokens_out", "cost_usd", "status", "at"}
"""

import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from memcli.core.calls import Call, CallReply, CallRequest, CallStatus
from memcli.core.reports import BadUnit, CallLine, CallsReport, CallText
from memcli.engine.clock import normalised
from memcli.errors import ExistsError, InputError, UsageError
from memcli.kit.jsonio import BadJsonError, parse
from memcli.store import calls as stored
from memcli.store.driver import sqlite3
from memcli.store.write import transaction

SCHEMA = "mem.call/1"
_STATUSES: tuple[CallStatus, ...] = ("accepted", "refused", "spent")
_MOST = 10**12  # tokens, dollars: more is a mistake in the file


@dataclass(frozen=True)
class Which:
    """Which calls are meant; None: any. `before`: ISO 8601 UTC, recorded earlier than that.

    `status`: `refused` is also what was spent, for both did not fit.
    """

    task: str | None = None
    model: str | None = None
    status: str | None = None
    before: str | None = None

    def means(self, call: Call) -> bool:
        """Whether `call` is one of them."""
        fits = {"accepted": call.status == "accepted", "refused": call.status != "accepted"}
        return (
            self.task in (None, call.request.task)
            and self.model in (None, call.request.model)
            and (self.status is None or fits[self.status])
            and (self.before is None or call.at < self.before)
        )

    @property
    def all(self) -> bool:
        """Whether nothing narrows it."""
        return self == Which()


def listed(connection: "sqlite3.Connection", which: Which) -> CallsReport:
    """The calls, oldest first."""
    lines = tuple(_line(call) for call in stored.all_calls(connection) if which.means(call))
    return CallsReport("list", len(lines), calls=lines)


def shown(connection: "sqlite3.Connection", key: str) -> CallsReport:
    """The calls whose key begins with `key`, with what was asked and answered.

    Raises UsageError where there is none.
    """
    found = [c for c in stored.all_calls(connection) if key and c.key.startswith(key.lower())]
    if not found:
        raise UsageError(
            f"There is no recorded call {key!r}.", where="mem calls show", hint="mem calls list"
        )
    texts = tuple(
        CallText(_line(c), c.request.messages, c.reply.text, c.reply.finish) for c in found
    )
    return CallsReport("show", len(found), calls=tuple(t.line for t in texts), texts=texts)


def exported(connection: "sqlite3.Connection", which: Which) -> Iterator[str]:
    """The calls as lines of a file, in the order in which they were recorded."""
    for call in stored.all_calls(connection):
        if which.means(call):
            yield json.dumps(_document(call), ensure_ascii=False, sort_keys=True) + "\n"


def written(connection: "sqlite3.Connection", which: Which, path: str) -> CallsReport:
    """Write the calls to a file, whole or not at all; a file of recorded calls is replaced.

    Raises ExistsError for a file of another kind, UsageError where it cannot be written.
    """
    place, count = Path(path), 0
    _refuse_other(place)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            for line in exported(connection, which):
                file.write(line)
                count += 1
        os.replace(name, place)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"The file cannot be written: {getattr(error, 'strerror', None) or error}.",
            where=path,
            hint="name a file in a folder that exists and that you may write to",
        ) from error
    return CallsReport("export", count, path=path)


def _refuse_other(place: Path) -> None:
    try:
        with place.open("rb") as file:
            first = file.readline(1_000_000)
    except (OSError, ValueError):
        return
    if first.strip() and SCHEMA.encode() not in first:
        raise ExistsError(
            "There is a file already, and it holds no recorded calls.",
            where=str(place),
            hint="choose another name",
        )


@contextmanager
def opened(path: str, stdin: BinaryIO | None) -> Iterator[Iterable[bytes]]:
    """The lines of a file, or of standard input for `-`; raises InputError."""
    if path == "-":
        if stdin is None:
            raise InputError("There is no standard input.", where="-", hint="name a file")
        yield stdin
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below)
    except (OSError, ValueError) as error:
        raise InputError(
            f"The file cannot be read: {getattr(error, 'strerror', None) or error}.",
            where=path,
            hint="mem calls export makes such a file",
        ) from error
    with file:
        yield file


def imported(connection: "sqlite3.Connection", lines: Iterable[bytes], path: str) -> CallsReport:
    """Store the calls of a file that are not there yet, in one transaction.

    A line that is no call is listed and passed over. Answers that did not fit come in as spent:
    the pass that asked for them is not one of this store.
    """
    new = known = 0
    bad: list[BadUnit] = []
    with transaction(connection):
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                call = _call(parse(line))
            except (BadJsonError, ValueError) as error:
                bad.append(BadUnit(number, str(error)))
                continue
            if stored.known(connection, call):
                known += 1
                continue
            status: CallStatus = "accepted" if call.status == "accepted" else "spent"
            stored.insert(connection, call.request, call.reply, status, call.at)
            new += 1
    return CallsReport("import", new, known=known, path=path, bad=tuple(bad))


def pruned(connection: "sqlite3.Connection", which: Which) -> CallsReport:
    """Remove the calls; a rerun would have to ask them again."""
    with transaction(connection):
        numbers = [call.id for call in stored.all_calls(connection) if which.means(call)]
        stored.delete(connection, numbers)
    return CallsReport("prune", len(numbers))


def _line(call: Call) -> CallLine:
    reply = call.reply
    return CallLine(
        key=call.key,
        task=call.request.task,
        version=call.request.version,
        model=call.request.model,
        status=call.status,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost_usd=reply.cost_usd,
        at=call.at,
    )


def _document(call: Call) -> dict[str, Any]:
    reply = call.reply
    return {
        "schema": SCHEMA,
        "request": call.request.as_dict(),
        "reply": {"text": reply.text, "finish": reply.finish, "model": reply.model},
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "cost_usd": reply.cost_usd,
        "status": call.status,
        "at": call.at,
    }


def _call(value: Any) -> Call:
    """The call in a line; raises ValueError, with what is wrong."""
    line = _table(value, "the line")
    if line.get("schema") != SCHEMA:
        raise ValueError(f"the schema is not {SCHEMA}")
    asked, said = _table(line.get("request"), "request"), _table(line.get("reply"), "reply")
    messages = asked.get("messages")
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        raise ValueError("request.messages are no chat messages")
    request = CallRequest(
        task=_text(asked.get("task"), "request.task"),
        version=_whole(asked.get("version"), "request.version") or 0,
        model=_text(asked.get("model"), "request.model"),
        messages=tuple(messages),
        schema=_table(asked.get("schema"), "request.schema"),
        parameters=_table(asked.get("parameters"), "request.parameters"),
    )
    reply = CallReply(
        text=_text(said.get("text"), "reply.text", empty=True),
        finish=_text(said.get("finish"), "reply.finish", empty=True),
        model=_text(said.get("model"), "reply.model", empty=True),
        tokens_in=_whole(line.get("tokens_in"), "tokens_in"),
        tokens_out=_whole(line.get("tokens_out"), "tokens_out"),
        cost_usd=_dollars(line.get("cost_usd")),
    )
    status = line.get("status")
    if status not in _STATUSES:
        raise ValueError("status is not accepted, refused or spent")
    at = normalised(_text(line.get("at"), "at"))
    if at is None:
        raise ValueError("at is no time")
    _ = request.key  # raises ValueError for what no JSON can hold
    return Call(0, request, reply, status, at)


def _table(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no object")
    return value


def _text(value: Any, name: str, *, empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or empty):
        raise ValueError(f"{name} is no text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is no Unicode") from None
    return value


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == {"role", "content"}
        and all(isinstance(one, str) for one in value.values())
    )


def _whole(value: Any, name: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
        raise ValueError(f"{name} is no whole number")
    return value


def _dollars(value: Any) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not 0 <= value <= _MOST:
        raise ValueError("cost_usd is no amount")
    return float(value)
