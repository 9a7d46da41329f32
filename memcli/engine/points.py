"""Points in a store's history: `p7`, `last`, `last~2`, or a time."""

import re

from memcli.core import ids
from memcli.engine.clock import end_of
from memcli.errors import UsageError
from memcli.store import journal
from memcli.store.driver import sqlite3

_BACK = re.compile(r"last(?:~([0-9]{1,9}))?")


def resolve_point(connection: "sqlite3.Connection", point: str) -> int:
    """The number of the pass that `point` names; a time means the state then.

    A day or minute means its end, so that the time `mem log` prints names that pass. Raises
    UsageError for a point that is none, or lies outside the journal.
    """
    newest = journal.last_pass(connection)[0]
    number = _number(connection, point, newest)
    if number is None or not 0 <= number <= newest:
        raise UsageError(
            f"{point!r} is not a point in this store's history.",
            where="the point given",
            hint=f"use p0 to p{newest}, last, last~2 or a time such as 2026-03-31 (mem log)",
        )
    return number


def _number(connection: "sqlite3.Connection", point: str, newest: int) -> int | None:
    back = _BACK.fullmatch(point)
    if back is not None:
        return newest - int(back[1] or 0)
    if point == "p0":
        return 0
    parsed = ids.try_parse(point)
    if parsed is not None:
        return parsed.number if parsed.letter == "p" else None
    moment = end_of(point)
    return None if moment is None else journal.pass_at(connection, moment)
