"""`mem calls`: recorded answers listed, shown, taken out, brought in and removed."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from memcli.core.calls import DAMAGED, Call, CallStatus, DamagedCall, Which
from memcli.core.reports import BadUnit, CallLine, CallsReport, CallText
from memcli.engine import callfiles
from memcli.errors import UsageError
from memcli.store import calls as stored
from memcli.store.driver import sqlite3
from memcli.store.write import transaction


def listed(connection: "sqlite3.Connection", which: Which) -> CallsReport:
    """The calls, oldest first."""
    lines = tuple(_line(call) for call in stored.rows(connection) if which.means(call))
    return CallsReport("list", len(lines), calls=lines)


def shown(connection: "sqlite3.Connection", key: str) -> CallsReport:
    """The calls whose key begins with `key`, with what was asked and answered; of those that are
    damaged no words.

    Raises UsageError where there is none.
    """
    found = [c for c in stored.rows(connection) if key and c.key.startswith(key.lower())]
    if not found:
        raise UsageError(
            f"There is no recorded call {key!r}.", where="mem calls show", hint="mem calls list"
        )
    texts = tuple(
        CallText(_line(c), c.request.messages, c.reply.text, c.reply.finish)
        for c in found
        if isinstance(c, Call)
    )
    return CallsReport("show", len(found), calls=tuple(map(_line, found)), texts=texts)


def exported(
    connection: "sqlite3.Connection",
    which: Which,
    passed_over: Callable[[BadUnit], None] = lambda unit: None,
) -> Iterator[str]:
    """The calls as lines of a file, in the order in which they were recorded.

    `passed_over` is told those that cannot be read, with their number in the store.
    """
    for call in stored.rows(connection):
        if not which.means(call):
            continue
        if isinstance(call, DamagedCall):
            passed_over(BadUnit(call.id, call.why))
        else:
            yield callfiles.line_of(call)


def written(connection: "sqlite3.Connection", which: Which, path: str) -> CallsReport:
    """Write the calls to a file, whole or not at all; a file of recorded calls is replaced.

    Raises ExistsError for a file of another kind, UsageError where it cannot be written.
    """
    count = 0
    bad: list[BadUnit] = []

    def counted() -> Iterator[str]:
        nonlocal count
        for line in exported(connection, which, bad.append):
            count += 1
            yield line

    callfiles.write(path, counted())
    return CallsReport("export", count, path=path, bad=tuple(bad))


def imported(connection: "sqlite3.Connection", file: BinaryIO, path: str) -> CallsReport:
    """Store the calls of a file that are not there yet, in one transaction.

    A line that is no call is listed and passed over. Raises InputError where the file cannot be
    read to its end: then none is stored. Answers that did not fit come in as spent:
    the pass that asked for them is not one of this store.
    """
    new = known = 0
    bad: list[BadUnit] = []
    with transaction(connection):
        for number, line in enumerate(callfiles.lines(file, path), start=1):
            if line is not None and not line.strip():
                continue
            try:
                call = callfiles.call_of(line)
            except ValueError as error:
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
        numbers = [call.id for call in stored.rows(connection) if which.means(call)]
        stored.delete(connection, numbers)
    return CallsReport("prune", len(numbers))


def _line(call: Call | DamagedCall) -> CallLine:
    if isinstance(call, DamagedCall):
        return CallLine(call.key, call.task, 0, call.model, DAMAGED, None, None, None, call.at)
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
