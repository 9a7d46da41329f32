"""Requests to Anthropic's Messages API: `{system, messages: [{role, content}]}` (formats.md, 6.4).

One object, an array of them, one a line, or the bare messages. Tool results come in user
messages and become records of role tool.
"""

from collections.abc import Iterator
from typing import Any

from memcli.core.found import Guess, Unit
from memcli.kit.answered import answers_to, with_answer
from memcli.kit.blocks import read_content
from memcli.kit.chats import Format, Json, MessageError, read_chats
from memcli.kit.head import GOOD, NEAR, NO, look
from memcli.kit.normalise import name_of
from memcli.kit.roles import role_of, unknown_role
from memcli.kit.turns import Turn, spoken
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_ROLES = ("user", "assistant")
_OWN_BLOCKS = frozenset(
    ("tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use")
)


def sniff(source: Source) -> Guess:
    """Good by blocks that only this API has, or by a `system` beside the messages."""
    head = look(source)
    if not head.objects:
        return Guess(NO, head.no_json)
    guesses = [_judge(value, head.whole) for value in head.objects]
    # Of bare messages or requests only some have blocks of their own.
    return max(guesses, key=lambda guess: guess.score)


def _judge(value: Json, whole: bool) -> Guess:
    value = with_answer(value)
    listed = value.get("messages")
    messages = listed if isinstance(listed, list) else [value]
    if not whole and len(messages) > 1:
        messages = messages[:-1]  # the last one may be cut
    if not messages or not all(_is_message(message) for message in messages):
        return Guess(NO, "no messages of role user or assistant with content")
    blocks = [
        block.get("type")
        for message in messages
        for block in (message["content"] if isinstance(message["content"], list) else ())
        if isinstance(block, dict)
    ]
    if _OWN_BLOCKS.intersection(kind for kind in blocks if isinstance(kind, str)):
        return Guess(GOOD, "messages with content blocks of Anthropic's API")
    if isinstance(listed, list) and isinstance(value.get("system"), str | list):
        return Guess(GOOD, "system beside messages")
    return Guess(NEAR, "neither system nor content blocks of Anthropic's API")


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("role") in _ROLES
        and isinstance(value.get("content"), str | list)
    )


@reader(
    "anthropic_messages",
    title="Anthropic messages (JSON, JSONL)",
    sniff=sniff,
    recognised="system beside messages, or content blocks tool_use, tool_result, thinking",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """The messages of each conversation, its system prompt first.

    A user message with two tool results and a text gives three records. Text of documents comes
    as attachment records. Include: `thinking`.
    """

    def turns(message: Json) -> list[Turn]:
        role = role_of(message.get("role"), options.roles)
        if role is None:
            raise MessageError(unknown_role(message.get("role")))
        if not isinstance(message.get("content"), str | list | None):
            raise MessageError("content that is neither text nor blocks")
        model = name_of(message.get("model"))
        content = read_content(message.get("content"))
        return spoken(role, content, {"model": model} if model else {})

    format = Format(turns, _system, plain=with_answer, continues=answers_to)
    return read_chats(source, options, format)


def _system(wrapper: Json) -> list[Turn]:
    text = read_content(wrapper.get("system")).text
    return [Turn("system", text)] if text else []
