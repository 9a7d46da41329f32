"""Archives of chat services: conversations one by one, each a tree of messages with ids.

ChatGPT and Claude.ai differ in the message and in how the tree is written down; the rest is here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memcli.core.found import Bad, Guess, Skipped, Unit
from memcli.core.values import dataclass, field
from memcli.kit.arrays import read_member
from memcli.kit.branches import Pick, arrange
from memcli.kit.decode import text_chunks
from memcli.kit.frame import read_json
from memcli.kit.head import NO, look, nearest
from memcli.kit.identity import Chain
from memcli.kit.turns import Conversation, Turn, records
from memcli.kit.values import Value
from memcli.ports import Source

Json = Mapping[str, Any]
_WRAPPER = "conversations"


@dataclass(slots=True)
class Message:
    """A place in a conversation's tree: its turns, and what is passed over or bad of it.

    `key` is unique in the conversation, `name` the identity of its record. `parent` is a key.
    """

    key: str
    name: str
    parent: str | None
    items: list[Turn | Skipped | Bad] = field(default_factory=list)
    said_at: str | None = None


def guess(source: Source, judge: Callable[[Json], Guess]) -> Guess:
    """How sure a reader is of a source by `judge`, which is given conversations."""
    head = look(source)
    values = head.objects
    if not values:
        return Guess(NO, head.no_json)
    wrapped = values[0].get(_WRAPPER)
    if not head.in_array and isinstance(wrapped, list):
        values = [value for value in wrapped if isinstance(value, dict)] or values
    return nearest([judge(value) for value in values])


def read_conversations(
    source: Source, member: str, each: Callable[[Json, int], Iterator[Unit]]
) -> Iterator[Unit]:
    """The units that `each` makes of a conversation and its line; one is held at a time.

    An array, one a line, a single one, or an object `{"conversations": [...]}`. `member` is what
    each conversation has, and so tells one from that object.
    """
    head = look(source)
    first = head.objects[0] if head.objects and not head.in_array else {}
    wrapped = isinstance(first.get(_WRAPPER), list) and member not in first
    for unit in read_member(text_chunks(source), _WRAPPER) if wrapped else read_json(source):
        if not isinstance(unit, Value):
            yield unit
            continue
        for data in _unwrapped(unit.data, member):
            if not isinstance(data, dict):
                yield Bad("a conversation that is no object", unit.line)
            elif member not in data:
                yield Bad(f"a conversation without {member}", unit.line)
            else:
                yield from each(data, unit.line)


def _unwrapped(data: Any, member: str) -> list[Any]:
    """The conversations of a wrapper that the head did not show as one; else the value itself."""
    listed = data.get(_WRAPPER) if isinstance(data, dict) and member not in data else None
    return listed if isinstance(listed, list) else [data]


def bad(reason: str, line: int, name: str | None) -> Bad:
    """What cannot be read, with the conversation it is in: an export is mostly one long line."""
    return Bad(reason if name is None else f"{reason} (conversation {name})", line)


def opening(messages: Sequence[Message], apart: str | None) -> str:
    """The key of a conversation without an id: a digest up to the first user's message."""
    chain, last = Chain(apart or ""), ""
    for message in messages:
        for turn in message.items:
            if isinstance(turn, Turn):
                last = chain.step(turn.role, turn.speaker, turn.text)
                if turn.role == "user":
                    return last[:32]
    return last[:32]


def units(
    messages: Sequence[Message], leaf: str | None, pick: Pick, conversation: Conversation
) -> Iterator[Unit]:
    """The units of one conversation in its order; what is on another branch is `inactive_branch`.

    `conversation.key` is given. `messages` have keys of their own, in the file's order.
    """
    if not messages:
        yield Skipped("empty_conversation")
    by_key = {message.key: message for message in messages}
    order = arrange(
        {message.key: message.parent for message in messages},
        # Without the Z a time with milliseconds comes after the whole second, also as text.
        {message.key: (message.said_at or "").removesuffix("Z") for message in messages},
        leaf,
        pick,
    )
    for key, shown in order:
        message = by_key[key]
        for item in message.items:
            if isinstance(item, Turn):
                item.left = None if shown else "inactive_branch"
                yield from records(item, message.name, conversation.key or "", conversation)
            else:
                yield item
