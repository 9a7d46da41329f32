"""OpenAI chat messages: arrays, wrappers `{messages}`, fine-tuning JSONL (formats.md, 6.2).

The standard has neither ids nor times; `id`, `created_at`, `created` and `timestamp` are taken
where a program wrote them.
"""

from collections.abc import Iterator
from typing import Any

from memcli.core.found import Guess, Unit
from memcli.kit import attach
from memcli.kit.answered import answers_to, with_answer
from memcli.kit.chats import Format, Json, MessageError, read_chats
from memcli.kit.head import FAIR, NEAR, NO, look, nearest
from memcli.kit.normalise import clean, name_of, text_of
from memcli.kit.parts import take_content
from memcli.kit.roles import role_of, unknown_role
from memcli.kit.turns import Turn
from memcli.ports import ReadOptions, Source
from memcli.registry import reader


def sniff(source: Source) -> Guess:
    """Fair: other formats are closer relatives, and say so more surely."""
    head = look(source)
    if not head.values:
        return Guess(NO, head.no_json)
    return nearest([_judge(value, head.whole) for value in head.values])


def _judge(value: Any, whole: bool) -> Guess:
    value = with_answer(value) if isinstance(value, dict) else value
    if isinstance(value, dict) and "messages" in value:
        messages, what = value["messages"], "messages with role and content"
    else:
        messages, what = value if isinstance(value, list) else [value], "role and content"
    if not isinstance(messages, list) or not messages:
        return Guess(NO, "messages is no list, or empty")
    if not whole and len(messages) > 1:
        messages = messages[:-1]  # the last one may be cut
    fits = sum(_is_message(message) for message in messages)
    if fits == len(messages):
        return Guess(FAIR, what)
    if fits:
        return Guess(NEAR, f"only {fits} of {len(messages)} messages have role and content")
    return Guess(NO, "no object with role and content")


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and role_of(value.get("role")) is not None
        and isinstance(value.get("content", ""), str | list | None)
        and ("content" in value or "tool_calls" in value or "function_call" in value)
    )


@reader(
    "openai_chat",
    title="OpenAI chat messages, fine-tuning JSONL (JSON, JSONL)",
    sniff=sniff,
    recognised="messages with role and content: an array, one a line, or wrapped in {messages}",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """The messages of each conversation; one record each. Include: `thinking`.

    Where a log repeats the history with each request, only what each adds is taken; the rest is
    counted as `repeated_history`. An answer beside or right behind its request goes on with it.
    """

    def turns(message: Json) -> list[Turn]:
        role = role_of(message.get("role"), options.roles)
        if role is None:
            raise MessageError(unknown_role(message.get("role")))
        turn = Turn(role, "")
        _fill(turn, message)
        return [turn]

    format = Format(turns, plain=with_answer, continues=answers_to)
    return read_chats(source, options, format)


def _fill(turn: Turn, message: Json) -> None:
    turn.text = take_content(message.get("content"), turn)
    refusal = text_of(message.get("refusal"))
    if refusal and not turn.text:
        turn.text = refusal
        turn.attributes["refusal"] = True
    _audio(message.get("audio"), turn)
    turn.calls = [*_calls(message.get("tool_calls")), *_calls([message.get("function_call")])]
    thought = text_of(message.get("reasoning_content") or message.get("reasoning"))
    turn.thinking = [thought] if thought else []
    name = name_of(message.get("name"))
    if turn.role == "tool":
        turn.kind = "tool_result"
        turn.call_id = name_of(message.get("tool_call_id"))
        if name is not None:
            turn.attributes["tool"] = name
    else:
        turn.speaker = name


def _audio(audio: Any, turn: Turn) -> None:
    """Speech of the model: its transcript is what was said."""
    if isinstance(audio, dict):
        turn.text = turn.text or text_of(audio.get("transcript"))
        turn.attachments.append(attach.of_base64(audio.get("data"), "audio"))


def _calls(given: Any) -> list[dict[str, Any]]:
    """Tool calls as `{id, name, arguments}`; arguments stay the text that the model wrote.

    That text need not be valid JSON: a model may have been cut off in it.
    """
    calls = []
    for call in given if isinstance(given, list) else []:
        if not isinstance(call, dict):
            continue
        inner = call.get("function") or call.get("custom") or call
        if isinstance(inner, dict):
            arguments = inner["arguments"] if "arguments" in inner else inner.get("input")
            name = name_of(inner.get("name"))
            calls.append(
                {"id": name_of(call.get("id")), "name": name, "arguments": clean(arguments)}
            )
    return calls
