"""A request to a chat API and its answer, as programs log them: in one object, or one after the other.

What was asked is `{messages}`, as such or under `request`, `body` or `params`; the answer is under
`response` or `completion`, or has `choices`. Of a log without its answers half would be lost.
"""

from collections.abc import Mapping
from typing import Any

from memcli.kit.blocks import read_content

Json = Mapping[str, Any]
_REQUESTS = ("request", "body", "params")
_ANSWERS = ("response", "completion")
# What is said of a request from outside and belongs to the conversation.
_ABOUT = (
    "conversation_id",
    "thread_id",
    "session_id",
    "title",
    "created_at",
    "created",
    "timestamp",
)


class Left(dict[str, Any]):
    """A message that was offered and not gone on with: the second choice, and those after it."""


class Alone(dict[str, Any]):
    """An answer without its request."""


def with_answer(value: Json) -> Json:
    """A wrapper `{messages}` with the answer as its last message; other values as they are.

    An answer alone gives a wrapper too. Its id is left out: where the history is sent again, the
    message has none.
    """
    request, answers = _request(value), _answers(value)
    if request is None:
        alone = (
            answers
            and "role" not in value
            and not any(isinstance(value.get(name), str) for name in _ANSWERS)
        )
        return Alone(messages=answers) if alone else value
    if request is not value:
        request = {**{name: value[name] for name in _ABOUT if name in value}, **request}
    elif "choices" in value:
        # Then the id and the time beside the messages are those of the answer.
        request = {name: inner for name, inner in value.items() if name not in ("id", "created")}
    messages = request["messages"]
    if not answers or (messages and _is_same(messages[-1], answers[0])):
        return request
    return {**request, "messages": [*messages, *answers]}


def answers_to(request: Json, answer: Json) -> bool:
    """Whether the second value, made plain by `with_answer`, is the answer to the first, a request."""
    asked = request.get("messages")
    last = asked[-1] if isinstance(asked, list) and asked else None
    if not isinstance(last, dict) or not isinstance(answer, Alone):
        return False
    return last.get("role") in ("user", "tool", "function")


def _request(value: Json) -> Json | None:
    for part in (value, *(value.get(name) for name in _REQUESTS)):
        if isinstance(part, dict) and isinstance(part.get("messages"), list):
            return part
    return None


def _answers(value: Json) -> list[Json]:
    for part in (value, *(value.get(name) for name in _ANSWERS)):
        found = _answer(part, inside=part is not value)
        if found:
            return found
    return []


def _answer(part: Any, *, inside: bool) -> list[Json]:
    """The messages of an answer. `inside`: it was found where an answer belongs."""
    if isinstance(part, str):
        return [{"role": "assistant", "content": part}] if part.strip() else []
    if not isinstance(part, dict):
        return []
    if isinstance(part.get("body"), dict) and inside:
        part = part["body"]
    choices = part.get("choices")
    if isinstance(choices, list):
        messages = [choice.get("message") for choice in choices if isinstance(choice, dict)]
        said = [_said(message, part) for message in messages if isinstance(message, dict)]
        return [said[0], *map(Left, said[1:])] if said else []
    message = part.get("message") if isinstance(part.get("message"), dict) else part
    if inside and isinstance(message, dict) and message.get("role") == "assistant":
        return [_said(message, part)]
    return []


def _said(message: Json, answer: Json) -> dict[str, Any]:
    said = {name: inner for name, inner in message.items() if name != "id"}
    if "created" in answer:
        said.setdefault("created", answer["created"])
    return said


def _is_same(message: Any, answer: Json) -> bool:
    """Whether the request holds the answer already, as some programs log it."""
    if not isinstance(message, dict) or message.get("role") != answer.get("role"):
        return False
    said, again = (read_content(one.get("content")).text for one in (message, answer))
    return said == again and message.get("tool_calls") == answer.get("tool_calls")
