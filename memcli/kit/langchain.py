"""Messages as LangChain serialises them, read as plain data (formats.md, 6.10).

`messages_to_dict` writes `{type, data}`, `dumpd` `{lc, type: "constructor", id, kwargs}`, and
LangGraph's state the fields alone. A dump names classes: none is ever looked up, let alone built.
"""

import json
from collections.abc import Mapping
from typing import Any

from memcli.core.values import dataclass, field
from memcli.kit import attach
from memcli.kit.blocks import read_content
from memcli.kit.chats import Json, MessageError
from memcli.kit.normalise import clean, name_of, normalise, text_of
from memcli.kit.parts import joined, take_content
from memcli.kit.roles import role_of, unknown_role
from memcli.kit.times import to_utc
from memcli.kit.turns import Turn

# What `RemoveMessage` names instead of an id to take out all before it.
REMOVE_ALL = "__remove_all__"
_CHUNK = "MessageChunk"
_TAGS = frozenset(("human", "ai", "system", "tool", "function", "chat", "generic", "remove"))
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")
_MEDIA = ("image", "audio", "video", "file", "text-plain", "document")
_CALLS = ("tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call")
_TIMES = ("created_at", "timestamp")


@dataclass(frozen=True, slots=True)
class Message:
    """A message out of its packing: `tag` as in `_TAGS`; `chunk`: a piece of a streamed one."""

    tag: str
    fields: Json
    chunk: bool = False

    @property
    def ident(self) -> str | None:
        """The id that LangChain gave it, if any."""
        return name_of(self.fields.get("id"))


@dataclass(slots=True)
class Piece(Turn):
    """A turn that may go on in the next message: its text and calls as they came."""

    raw: str = ""
    pieces: list[Json] = field(default_factory=list)


def unpack(value: Any) -> Message | None:
    """The message in `value`, whichever of the three ways it was written; None if it is none."""
    if not isinstance(value, dict):
        return None
    if value.get("lc") == 1 and value.get("type") == "constructor":
        name, fields = value.get("id"), value.get("kwargs")
        if not isinstance(name, list) or not isinstance(fields, dict):
            return None
        # A class of somebody's own says by its `type` which kind of message it is.
        return _tagged(name[-1] if name else None, fields) or _tagged(fields.get("type"), fields)
    data = value.get("data")
    if isinstance(data, dict):
        return _tagged(value.get("type"), data)
    return _tagged(value.get("type"), value) if "content" in value or "id" in value else None


def _tagged(word: Any, fields: Json) -> Message | None:
    if not isinstance(word, str):
        return None
    tag = word.removesuffix(_CHUNK).removesuffix("Message").casefold()
    return Message(tag, fields, word.endswith(_CHUNK)) if tag in _TAGS else None


def turn_of(message: Message, roles: Mapping[str, str]) -> Turn:
    """The turn of a message that is no `remove`; raises MessageError."""
    fields = message.fields
    turn = Piece("user", "") if message.chunk else Turn("user", "")
    _author(turn, message, roles)
    inner = _content(fields.get("content"), turn)
    turn.calls = _calls(fields, inner)
    if isinstance(turn, Piece):
        content = fields.get("content")
        turn.raw = content if isinstance(content, str) else turn.text
        turn.pieces = _objects(fields.get("tool_call_chunks"))
    about = _table(fields.get("response_metadata"))
    model = name_of(about.get("model_name")) or name_of(about.get("model"))
    if model is not None:
        turn.attributes["model"] = model
    turn.native = message.ident
    for place in (fields, about, _table(fields.get("additional_kwargs"))):
        for name in _TIMES:
            if turn.said_at is None:
                turn.said_at, turn.time_source = to_utc(place.get(name))
    return turn


def _author(turn: Turn, message: Message, roles: Mapping[str, str]) -> None:
    fields, name = message.fields, name_of(message.fields.get("name"))
    turn.speaker = name
    word = message.tag
    if word in ("chat", "generic"):
        # A free role, such as `critic`, is somebody who speaks.
        word = text_of(fields.get("role"))
        role = role_of(word, roles)
        if role is None or word.casefold() in {given.strip().casefold() for given in roles}:
            turn.speaker = word or name
        turn.role = role or "user"
    else:
        known = role_of(word, roles)
        if known is None:
            raise MessageError(unknown_role(word))
        turn.role = known
    if turn.role == "tool":
        turn.kind, turn.speaker = "tool_result", None
        turn.call_id = name_of(fields.get("tool_call_id"))
        if name is not None:
            turn.attributes["tool"] = name
        if fields.get("status") == "error":
            turn.attributes["is_error"] = True
        _artifact(fields.get("artifact"), turn)


def _artifact(given: Any, turn: Turn) -> None:
    """What a tool gave to the program and not to the model: only a reference is kept."""
    if given is not None:
        data = json.dumps(clean(given), sort_keys=True).encode()
        turn.attachments.append(attach.of_bytes(data, "artifact"))


def _content(content: Any, turn: Turn) -> list[dict[str, Any]]:
    """Fill in text, thoughts and attachments; the calls inside the content come back."""
    if not isinstance(content, str | list | dict | None):
        raise MessageError("content that is neither text nor blocks")
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in content if isinstance(content, list) else [content]:
        if not isinstance(block, dict):
            texts.append(block if isinstance(block, str) else "")
            continue
        kind = name_of(block.get("type"))
        if kind in _CALLS:
            calls += _call(block)
        elif kind in _THOUGHTS:
            turn.thinking.append(_thought(block))
        elif kind in _MEDIA:
            _media(block, kind, turn)
        else:
            texts.append(take_content([block], turn))
    turn.text = joined(texts)
    return calls


def _thought(block: Json) -> str:
    inner = block.get("reasoning_content")
    given = inner.get("text") if isinstance(inner, dict) else None
    return text_of(given or block.get("thinking") or block.get("reasoning"))


def _media(block: Json, kind: str, turn: Turn) -> None:
    """Blocks of LangChain itself, with their data in one of several places; else a vendor's."""
    if isinstance(block.get("source"), dict):
        found = read_content([block])
        turn.attachments += found.attachments
        turn.documents += found.documents
        return
    media = name_of(block.get("mime_type")) or kind
    name = block.get("filename") or block.get("file_id")
    data = block.get("base64") or block.get("data")
    if isinstance(data, str):
        turn.attachments.append(attach.of_base64(data, media, name=name))
    elif text := text_of(block.get("text")):
        turn.attachments.append(attach.of_bytes(text.encode(), media, name=name))
    else:
        url = block.get("url") or _table(block.get(kind)).get("url")
        turn.attachments.append(attach.of_url(url, media, name=name))


def _calls(fields: Json, inner: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls of a message, from the first place that has some, and those that were invalid.

    LangChain keeps them up to three times; older dumps only as the vendor wrote them.
    """
    more = _table(fields.get("additional_kwargs"))
    places = [
        fields.get("tool_calls"),
        inner,
        more.get("tool_calls"),
        [more.get("function_call")],
    ]
    calls: list[dict[str, Any]] = []
    for place in places:
        calls = calls or [one for call in _objects(place) for one in _call(call)]
    known = {call["id"] for call in calls if call["id"] is not None}
    for call in _objects(fields.get("invalid_tool_calls")):
        calls += [one for one in _call(call) if one["id"] is None or one["id"] not in known]
    return calls


def _call(call: Json) -> list[dict[str, Any]]:
    given = call.get("function")
    inner: Json = given if isinstance(given, dict) else call
    names = ("args", "arguments", "input")
    arguments = next((inner[name] for name in names if inner.get(name) is not None), None)
    ident, name = name_of(call.get("id")), name_of(inner.get("name"))
    if ident is None and name is None and arguments is None:
        return []
    return [{"id": ident, "name": name, "arguments": clean(arguments)}]


def go_on(turn: Piece, more: Piece) -> None:
    """Add the next piece of a streamed message to the first ones."""
    turn.raw += more.raw
    turn.text = normalise(turn.raw)
    turn.thinking += more.thinking
    turn.attachments += more.attachments
    turn.documents += more.documents
    turn.attributes.update(more.attributes)
    turn.pieces += more.pieces
    if turn.pieces:
        turn.calls = _whole_calls(turn.pieces)
    else:
        turn.calls += [call for call in more.calls if call not in turn.calls]


def _whole_calls(pieces: list[Json]) -> list[dict[str, Any]]:
    """Calls whose arguments came in pieces, which their index keeps apart."""
    found: dict[Any, dict[str, Any]] = {}
    for piece in pieces:
        call = found.setdefault(
            name_of(piece.get("index")), {"id": None, "name": None, "arguments": ""}
        )
        call["id"] = call["id"] or name_of(piece.get("id"))
        call["name"] = call["name"] or name_of(piece.get("name"))
        arguments = piece.get("args")
        call["arguments"] += clean(arguments) if isinstance(arguments, str) else ""
    return list(found.values())


def _objects(given: Any) -> list[Json]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def _table(given: Any) -> Json:
    return given if isinstance(given, dict) else {}
