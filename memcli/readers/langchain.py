"""LangChain messages and LangGraph states, as their own functions write them (formats.md, 6.10).

`messages_to_dict`, `dumpd`, the messages of a state; an array, one a line, or in `{messages}`; and
what `get_state_history` gives. Read as plain data: nothing that a dump names is ever built.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from memcli.core.found import Bad, Guess, Skipped, Unit
from memcli.core.values import dataclass, field
from memcli.kit.chats import Format, Item, Json, MessageError, read_chats
from memcli.kit.distinct import distinct
from memcli.kit.frame import read_json
from memcli.kit.head import GOOD, NO, SURE, look, nearest
from memcli.kit.identity import Occurrences
from memcli.kit.langchain import REMOVE_ALL, Message, Piece, go_on, turn_of, unpack
from memcli.kit.normalise import name_of
from memcli.kit.snapshots import Snapshot, Thread, snapshot_of
from memcli.kit.turns import Conversation, Turn
from memcli.kit.values import Value
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_REMOVED = "removed_by_RemoveMessage"
_NO_MESSAGE = "no message of LangChain"
# Only these say by their `type` alone whose message it is; `system` and `tool` others write too.
_OWN = ("human", "ai", "chat", "generic", "function", "remove")


def sniff(source: Source) -> Guess:
    """Sure by LangChain's packing or LangGraph's states; good by the bare types `human` and `ai`."""
    head = look(source)
    if not head.values:
        return Guess(NO, head.no_json)
    return nearest([_judge(value) for value in head.values])


def _judge(value: Any) -> Guess:
    if _is_state(value):
        return Guess(SURE, "states of a LangGraph thread")
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    listed = value if isinstance(value, list) else [value]
    if not listed:
        return Guess(NO, "an empty list")
    best = Guess(NO, _NO_MESSAGE)
    for one in listed:
        message = unpack(one)
        if message is None:
            # The last one may be cut off at the end of the head.
            return best if one is listed[-1] and len(listed) > 1 else Guess(NO, _NO_MESSAGE)
        if one is not message.fields:
            best = Guess(SURE, "messages as messages_to_dict or dumpd write them")
        elif (message.tag in _OWN or message.chunk) and "role" not in one and not best.score:
            best = Guess(GOOD, "messages of type human and ai")
    return best


def _is_state(value: Any) -> bool:
    """Whether it is a state of a thread; a long one may be cut off in its messages."""
    snapshot = snapshot_of(value)
    if snapshot is not None:
        return not snapshot.messages or unpack(snapshot.messages[0]) is not None
    if isinstance(value, list) and len(value) == 1:
        value = {"values": value[0]}
    if not isinstance(value, dict) or value.keys() != {"values"}:
        return False
    inner = value["values"]
    messages = inner.get("messages") if isinstance(inner, dict) else None
    return isinstance(messages, list) and bool(messages) and unpack(messages[0]) is not None


@reader(
    "langchain",
    title="LangChain messages, LangGraph states (JSON, JSONL)",
    sniff=sniff,
    recognised="{type, data} or {lc, type: constructor} with a type of message; values and config",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """The messages of each conversation; of a state history each message once.

    What a RemoveMessage took out, and what the newest state no longer has, is on no active branch.
    Include: `thinking`.
    """
    values = look(source).values
    if values and _is_state(values[0]):
        yield from _History(source, options).units()
        return
    marks = _Marks()
    if _may_remove(source):
        for _ in read_chats(source, options, Format(marks.note, marks.start)):
            pass
    marks.again()

    def turns(message: Json) -> list[Turn | Skipped]:
        found = _unpacked(message)
        if marks.is_marker(found):
            return [Skipped("remove_marker")]
        turn = turn_of(found, options.roles)
        turn.left = marks.left(found)
        return [turn]

    chats = read_chats(source, options, Format(turns, marks.start, join=_joined))
    yield from distinct(chats)


def _unpacked(value: Any) -> Message:
    found = unpack(value)
    if found is None:
        raise MessageError(_NO_MESSAGE)
    return found


def _may_remove(source: Source) -> bool:
    """Whether a message that removes others can be in it: a second reading is to be worth it."""
    held = b""
    for chunk in source.chunks():
        held = held[-32:] + chunk
        if b"remove" in held or b"RemoveMessage" in held or b"\x00r\x00e\x00m" in held:
            return True
    return False


@dataclass(slots=True)
class _Marks:
    """Which messages are removed by a later one: found in a first reading, used in a second.

    Messages are counted through all conversations; `latest` has the number of the last marker for
    an id in a conversation, which takes out what stands before it.
    """

    latest: dict[tuple[int, str], int] = field(default_factory=dict)
    conversation: int = 0
    number: int = 0

    def again(self) -> None:
        """Begin the second reading."""
        self.conversation = self.number = 0

    def start(self, wrapper: Json) -> list[Turn]:
        """Another conversation begins."""
        self.conversation += 1
        return []

    def note(self, message: Json) -> list[Turn | Skipped]:
        """First reading: remember the marker, if it is one."""
        found = unpack(message)
        if found is not None and self.is_marker(found):
            self.latest[self.conversation, found.ident or ""] = self.number
        return []

    def is_marker(self, message: Message) -> bool:
        """Count one more message, and say whether it removes others."""
        self.number += 1
        return message.tag == "remove"

    def left(self, message: Message) -> str | None:
        """The reason why the message just counted is no longer there, or None if it is."""
        for ident in (message.ident or "", REMOVE_ALL):
            if ident and self.number < self.latest.get((self.conversation, ident), 0):
                return _REMOVED
        return None


def _joined(items: Iterable[Item]) -> Iterator[Item]:
    """Pieces of a streamed message that follow each other become one turn."""
    held: Piece | None = None
    for item in items:
        more = item if isinstance(item, Piece) and item.native is not None else None
        if held is not None and more is not None and more.native == held.native:
            go_on(held, more)
            continue
        if held is not None:
            yield held
        held = more
        if more is None:
            yield item
    if held is not None:
        yield held


class _History:
    """States of threads, one thread after the other."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._source, self._options = source, options
        self._shown = Occurrences()
        self._newest: dict[str | None, tuple[str, str]] = {}

    def units(self) -> Iterator[Unit]:
        """The units of each thread; one thread is held at a time."""
        key: str | None = None
        thread: Thread | None = None
        for value in read_json(self._source):
            if not isinstance(value, Value):
                yield value
                continue
            snapshot = snapshot_of(value.data)
            if snapshot is None:
                yield Bad("no state of a LangGraph thread", value.line)
                continue
            name = _key(snapshot)
            if thread is None or name != key:
                yield from self._end(key, thread)
                key, thread = name, self._thread(name)
            yield from thread.add(snapshot, value.line)
        yield from self._end(key, thread)

    def _thread(self, key: str | None) -> Thread:
        about = Conversation(
            key,
            self._options.session,
            alone=True,
            thinking="thinking" in self._options.include,
            all_branches=self._options.all_branches,
        )
        return Thread(about, self._turn, self._shown)

    def _turn(self, value: Any) -> Turn:
        return turn_of(_unpacked(value), self._options.roles)

    def _end(self, key: str | None, thread: Thread | None) -> Iterator[Unit]:
        if thread is None:
            return
        # A thread that comes again, with older states, must not look like its newest one.
        before = self._newest.get(key)
        yield from thread.units(left=before is not None and thread.newest <= before)
        self._newest[key] = max(thread.newest, before or thread.newest)


def _key(snapshot: Snapshot) -> str | None:
    """The name of a thread; a graph within a graph has states of its own."""
    if snapshot.thread is None or snapshot.space is None:
        return snapshot.thread
    return f"{snapshot.thread}/{name_of(snapshot.space)}"
