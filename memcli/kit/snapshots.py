"""States of a LangGraph thread, one a checkpoint, each with all messages so far (formats.md, 6.10).

`get_state_history` gives the newest first. A message that is in an older state and not in the
newest lies on a branch that was left, or was taken out.
"""

from collections.abc import Callable, Iterator
from typing import Any

from memcli.core.found import Bad, Skipped, Unit
from memcli.core.values import dataclass, replace
from memcli.kit.chats import MessageError
from memcli.kit.identity import Chain, Occurrences
from memcli.kit.normalise import name_of
from memcli.kit.times import to_utc
from memcli.kit.turns import Conversation, Turn, records, session_key, step

LEFT = "inactive_branch"
_FIELDS = ("values", "next", "config", "metadata", "created_at", "parent_config")

# The turn of a message; raises MessageError.
Read = Callable[[Any], Turn]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state at one checkpoint. `said_at`: when it was made; `root`: it has no parent."""

    thread: str | None
    space: str | None
    ident: str | None
    parent: str | None
    root: bool
    said_at: str | None
    messages: list[Any]

    @property
    def stamp(self) -> tuple[str, str]:
        """Sorts checkpoints by age: their ids are UUIDs that begin with the time."""
        return self.said_at or "", self.ident or ""


def snapshot_of(value: Any) -> Snapshot | None:
    """The snapshot in `value`: an object, or a list, as `json.dumps` writes a named tuple."""
    if isinstance(value, list) and len(value) >= 3:
        value = dict(zip(_FIELDS, value, strict=False))
    if not isinstance(value, dict) or not isinstance(value.get("values"), dict | list):
        return None
    here = _place(value, "config", "checkpoint")
    if not here and not isinstance(value.get("next"), list):
        return None
    above = _place(value, "parent_config", "parent_checkpoint")
    return Snapshot(
        name_of(here.get("thread_id")),
        name_of(here.get("checkpoint_ns")),
        name_of(here.get("checkpoint_id")),
        name_of(above.get("checkpoint_id")),
        "parent_config" in value and value["parent_config"] is None,
        to_utc(value.get("created_at"))[0],
        _messages(value["values"]),
    )


def _place(value: dict[str, Any], config: str, checkpoint: str) -> dict[str, Any]:
    """Where a checkpoint is: as the library names it, or as the platform's API does."""
    outer, inner = value.get(config), value.get(checkpoint)
    if isinstance(outer, dict) and isinstance(outer.get("configurable"), dict):
        return dict(outer["configurable"])
    return inner if isinstance(inner, dict) else {}


def _messages(values: Any) -> list[Any]:
    if isinstance(values, dict):
        values = values.get("messages")
    return values if isinstance(values, list) else []


@dataclass(slots=True)
class _Held:
    """A message of a thread: its newest version, and where it was seen first."""

    turn: Turn
    ident: str
    stamp: tuple[str, str]
    after: str | None
    first: Snapshot


class Thread:
    """The messages of one thread, each once, whatever the number of its checkpoints.

    `about.key` names the thread. `shown`: the names that the input gave before, of all threads.
    """

    def __init__(self, about: Conversation, read: Read, shown: Occurrences) -> None:
        self._about, self._read, self._shown = about, read, shown
        self._held: dict[str, _Held] = {}
        self._newest: tuple[tuple[str, str], list[str]] | None = None
        self._seen: set[str] = set()
        self._bad: set[tuple[int, str]] = set()

    @property
    def newest(self) -> tuple[str, str]:
        """The stamp of its newest checkpoint."""
        return self._newest[0] if self._newest else ("", "")

    def add(self, snapshot: Snapshot, line: int) -> Iterator[Unit]:
        """Take a checkpoint; what cannot be read of it, or is there already, comes back."""
        chain = Chain("\n".join(name for name in (self._about.key, self._about.apart) if name))
        # Held for the whole thread, which the messages of all its states would not fit into.
        light = replace(snapshot, messages=[])
        keys: list[str] = []
        again = older = 0
        for place, message in enumerate(snapshot.messages):
            try:
                turn = self._read(message)
            except MessageError as error:
                if (place, str(error)) not in self._bad:
                    self._bad.add((place, str(error)))
                    yield Bad(str(error), line)
                continue
            turn.line = line
            ident = step(chain, turn)
            key = f"id {turn.native}" if turn.native is not None else ident
            held = self._held.get(key)
            if held is None:
                before = keys[-1] if keys else None
                self._held[key] = _Held(turn, ident, snapshot.stamp, before, light)
            else:
                again += 1
                older += (held.turn.text, held.turn.calls) != (turn.text, turn.calls)
                if snapshot.stamp < held.first.stamp:
                    held.first = light
                if snapshot.stamp > held.stamp:
                    held.turn, held.stamp = turn, snapshot.stamp
            keys.append(key)
        self._note(snapshot, keys)
        if again > older:
            yield Skipped("repeated_history", line, again - older)
        if older:
            yield Skipped("superseded_version", line, older)

    def _note(self, snapshot: Snapshot, keys: list[str]) -> None:
        if snapshot.ident is not None:
            self._seen.add(snapshot.ident)
        # Where nothing dates them, the first in the file is the newest.
        if self._newest is None or snapshot.stamp > self._newest[0]:
            self._newest = (snapshot.stamp, list(dict.fromkeys(keys)))

    def units(self, *, left: bool = False) -> Iterator[Unit]:
        """The units in the order of the conversation. `left`: a newer state was given before."""
        newest = self._newest[1] if self._newest else []
        shown = [] if left else newest
        openings = (key for key in newest if self._held[key].turn.role == "user")
        opening = next(openings, newest[-1] if newest else None)
        session = session_key(self._about, self._held[opening].ident if opening else "")
        if not self._held:
            yield Skipped("empty_conversation")
        on_it = set(shown)
        for key in self._order(newest):
            held = self._held[key]
            turn = held.turn
            name = held.ident if turn.native is None else f"{session}/{turn.native}"
            if name in self._shown:
                yield Skipped("repeated_history", turn.line)
                continue
            self._shown.name(name)
            if key not in on_it:
                turn.left = LEFT
            self._date(held)
            yield from records(turn, name, session, self._about)

    def _order(self, newest: list[str]) -> Iterator[str]:
        """The newest state's messages; after each what once followed it and was left."""
        on_it = set(newest)
        behind: dict[str | None, list[str]] = {}
        for key, held in self._held.items():
            if key not in on_it:
                behind.setdefault(held.after, []).append(key)
        for start in (None, *newest):
            if start is not None:
                yield start
            waiting = [*reversed(behind.pop(start, []))]
            while waiting:
                key = waiting.pop()
                yield key
                waiting += reversed(behind.pop(key, []))
        # What followed itself, by ids that are there twice.
        for keys in behind.values():
            yield from keys

    def _date(self, held: _Held) -> None:
        """A message was said when the first state that has it was made: if its parent is known."""
        turn, first = held.turn, held.first
        known = first.root or (first.parent is not None and first.parent in self._seen)
        if turn.said_at is None and first.said_at is not None and known:
            turn.said_at, turn.time_source = first.said_at, "session"
