"""A recorded call read from JSON: only what is of the right kind becomes one.

Files of recorded calls come from anywhere, and so may the rows of a store that was damaged.
"""

import json
from collections.abc import Mapping
from typing import Any

from memcli.core.calls import CallReply, CallRequest, CallStatus

STATUSES: tuple[CallStatus, ...] = ("accepted", "refused", "spent")
_MOST = 10**12  # tokens, dollars: more is a mistake


def request_of(value: Any) -> CallRequest:
    """The request in a JSON object; raises ValueError, with what is wrong."""
    asked = table(value, "request")
    messages = asked.get("messages")
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        raise ValueError("request.messages are no chat messages")
    request = CallRequest(
        task=text(asked.get("task"), "request.task"),
        version=whole(asked.get("version"), "request.version") or 0,
        model=text(asked.get("model"), "request.model"),
        messages=tuple(messages),
        schema=table(asked.get("schema"), "request.schema"),
        parameters=table(asked.get("parameters"), "request.parameters"),
    )
    _ = request.key  # raises ValueError for numbers that no JSON can hold
    try:
        json.dumps(request.as_dict(), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("request is no Unicode") from None
    return request


def reply_of(value: Any, *, tokens_in: Any, tokens_out: Any, cost_usd: Any) -> CallReply:
    """The reply in a JSON object, and what it cost; raises ValueError, with what is wrong."""
    said = table(value, "reply")
    return CallReply(
        text=text(said.get("text"), "reply.text", empty=True),
        finish=text(said.get("finish"), "reply.finish", empty=True),
        model=text(said.get("model"), "reply.model", empty=True),
        tokens_in=whole(tokens_in, "tokens_in"),
        tokens_out=whole(tokens_out, "tokens_out"),
        cost_usd=_dollars(cost_usd),
    )


def status_of(value: Any) -> CallStatus:
    """The status of this name; raises ValueError."""
    for status in STATUSES:
        if value == status:
            return status
    raise ValueError("status is not accepted, refused or spent")


def table(value: Any, name: str) -> Mapping[str, Any]:
    """`value`, if it is a JSON object; raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no object")
    return value


def text(value: Any, name: str, *, empty: bool = False) -> str:
    """`value`, if it is a text that can be stored; raises ValueError."""
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


def whole(value: Any, name: str) -> int | None:
    """`value`, if it is a count or None; raises ValueError."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
        raise ValueError(f"{name} is no whole number")
    return value


def _dollars(value: Any) -> float | None:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # Compared before it is converted: a whole number may be larger than any float.
    if not number or not 0 <= value <= _MOST:
        raise ValueError("cost_usd is no amount")
    return float(value)
