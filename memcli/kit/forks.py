"""Where the own turns of a forked session begin, behind the replay of its parent's.

A fork copies the parent's lines with new timestamps, all within milliseconds, so times cannot tell
(kenn-io/agentsview#657: 658 messages instead of 65). The ids of turns can: they are UUIDs of
version 7, which begin with the time at which the turn really ran.
"""

import uuid
from datetime import datetime
from typing import Any

from memcli.kit.chats import Json


def milliseconds(ident: Any) -> int | None:
    """The time in a UUID of version 7, in milliseconds since 1970; None for any other value."""
    if not isinstance(ident, str) or len(ident) > 45:
        return None
    try:
        found = uuid.UUID(ident)
    except ValueError:
        return None
    return found.int >> 80 if found.version == 7 else None


class Fork:
    """The lines of a fork, taken in order, and which of them are the parent's.

    `key` is the id of the fork, `started` its time where the id has none. Where no turn tells its
    time, only what is older than the fork, and what stands before that, is the parent's.
    """

    def __init__(self, key: str, started: str | None) -> None:
        begun = None if started is None else _since(started)
        own = milliseconds(key)
        self._born = own if own is not None else begun  # what turns are compared with
        self._stamped = begun if begun is not None else own  # what lines are
        self._start: int | None = None
        self._told = False
        self._past = 0

    def take(self, place: int, kind: str, data: Json, said_at: str | None) -> None:
        """Note the line at `place`; places only grow."""
        if self._start is not None or self._born is None or self._stamped is None:
            return
        # Lines of the fork itself may be stamped a little before it.
        older = said_at is not None and _since(said_at) < self._stamped - 1000
        if older or kind == "session_meta":
            self._past = place + 1
        at = self._turn(kind, data)
        if at is not None:
            self._told = True
            if at >= self._born:
                self._start = place

    def _turn(self, kind: str, data: Json) -> int | None:
        """When the turn began that this line begins, in milliseconds; None if it does not say."""
        starts = kind == "event_msg" and data.get("type") in ("task_started", "turn_started")
        if kind != "turn_context" and not starts:
            return None
        at = milliseconds(data.get("turn_id"))
        seconds = data.get("started_at")
        if at is None and starts and isinstance(seconds, int | float) and 0 < seconds < 1e11:
            # Whole seconds: the turn may have begun at the end of this one.
            at = int(seconds) * 1000 + 999
        return at

    def __contains__(self, place: int) -> bool:
        """Whether the line at `place` is the parent's."""
        if self._start is not None:
            return place < self._start
        return self._told or place < self._past


def _since(said_at: str) -> int:
    moment = datetime.fromisoformat(said_at.removesuffix("Z") + "+00:00")
    return int(moment.timestamp() * 1000)
