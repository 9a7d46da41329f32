"""Lines of Codex's rollouts in one shape, and what of a message is its author's own.

Today's lines have an envelope, `{timestamp, type, payload}`; some versions put the payload's
fields beside the type, older ones wrote bare items after a header, and the oldest one object
`{session, items}`. Among the user's words stand the program's, which are cut out.
"""

import re
from collections.abc import Iterator
from typing import Any

from memcli.core.found import Bad, Skipped
from memcli.core.values import dataclass, field
from memcli.kit.chats import Json
from memcli.kit.frame import read_json
from memcli.kit.normalise import name_of, normalise, text_of
from memcli.kit.values import Value
from memcli.ports import Source

_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")
# How the program's own words begin that it puts among the user's.
_INJECTED = (
    "# AGENTS.md",
    "<environment_context>",
    "<permissions",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<apps_instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<personality_spec>",
    "<plugins_instructions>",
    "<skills_instructions>",
    "<skill>",
    "<subagent_notification>",
    "<warning>",
)
_OTHER_WORDS = {
    "<user_shell_command>": "local_command",
    "<turn_aborted>": "interrupt_marker",
    "Another language model started to solve this problem": "compact_summary",
}
_EDITOR, _REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
_IMAGE_TAG = re.compile(r"</?image(?: name=[^>]*)?>")
_CWD = re.compile(r"<cwd>([^<]+)</cwd>")


@dataclass(frozen=True, slots=True)
class Line:
    """A line in today's shape. `number` is what names it: the line, or the item's place."""

    kind: str
    data: Json
    at: Any
    line: int
    number: int


def lines(source: Source) -> Iterator[Line | Skipped | Bad]:
    """The lines of a rollout of any age; of one object, its header and its items."""
    for value in read_json(source):
        if not isinstance(value, Value):
            yield value
        elif isinstance(value.data, dict) and isinstance(value.data.get("items"), list):
            yield from _old_file(value.data, value.line)
        else:
            yield _line(value.data, value.line, value.line)


def _old_file(value: Json, line: int) -> Iterator[Line | Bad]:
    header = value.get("session")
    yield Line("session_meta", header if isinstance(header, dict) else {}, None, line, 0)
    for number, item in enumerate(value["items"], 1):
        yield _line(item, line, number)


def _line(value: Any, line: int, number: int) -> Line | Bad:
    if not isinstance(value, dict):
        return Bad("not a line of Codex: no object", line)
    kind, payload = value.get("type"), value.get("payload")
    at = value.get("timestamp")
    if not isinstance(kind, str):
        if "record_type" in value:
            return Line("state", value, at, line, number)
        if isinstance(value.get("id"), str):
            return Line("session_meta", value, None, line, number)
        return Bad("not a line of Codex: no type", line)
    if isinstance(payload, dict):
        return Line(kind, payload, at, line, number)
    if kind in ("response_item", "event_msg"):
        return Bad(f"a line of type {kind} without a payload", line)
    # Some versions write the payload's fields beside the type, older ones have no envelope at all.
    return Line(kind if kind in _LINES else "response_item", value, at, line, number)


@dataclass(slots=True)
class Own:
    """A message without what the program put into it: its parts, their texts, what was cut out."""

    parts: Any
    texts: list[str] = field(default_factory=list)
    reason: str | None = None


def message_of(line: Line) -> Json | None:
    """The message of a line as an item of the API; None where the line is no message."""
    data = line.data
    if line.kind == "response_item":
        return data if data.get("type", "message") == "message" else None
    return _event(data) if line.kind == "event_msg" else None


def _event(data: Json) -> Json | None:
    kind = data.get("type")
    if kind == "item_completed" and isinstance(data.get("item"), dict):
        item = data["item"]
        role = {"UserMessage": "user", "AgentMessage": "assistant"}.get(str(item.get("type")))
        parts = item.get("content")
        texts = [part.get("text") for part in _list(parts) if isinstance(part, dict)]
        return {"role": role, "content": list(filter(text_of, texts))} if role else None
    role = {"user_message": "user", "agent_message": "assistant"}.get(str(kind))
    if role is None or not isinstance(data.get("message"), str):
        return None
    images = [*_list(data.get("images")), *_list(data.get("local_images"))]
    seen = [{"type": "input_image", "image_url": image} for image in images]
    return {"role": role, "content": [data["message"], *seen], "phase": data.get("phase")}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [content]
    parts = _list(content)
    return [part.get("text") if isinstance(part, dict) else part for part in parts]


def own_words(item: Json) -> Own:
    """A message without the program's words: whole parts, and what an editor put before the text."""
    content = item.get("content")
    if item.get("role") == "developer":
        return Own([], reason="injected_context")
    parts = [content] if isinstance(content, str) else content
    if not isinstance(parts, list):
        return Own(parts)
    own = Own([])
    for part, given in zip(parts, _texts(content), strict=True):
        text = text_of(given)
        reason = _injected(text) if item.get("role") == "user" else None
        if reason is not None:
            own.reason = reason
        elif not _IMAGE_TAG.fullmatch(text):
            kept = _request(text)
            own.parts.append({**part, "text": kept} if isinstance(part, dict) and text else part)
            if isinstance(part, str):
                own.parts[-1] = kept
            if kept:
                own.texts.append(kept)
    return own


def _injected(text: str) -> str | None:
    """Why a text is none of the user's, or None."""
    if text.startswith(_INJECTED):
        return "injected_context"
    return next((why for start, why in _OTHER_WORDS.items() if text.startswith(start)), None)


def _request(text: str) -> str:
    """What was asked, without what an editor said of its open files before it."""
    if not text.startswith(_EDITOR) or _REQUEST not in text:
        return text
    return normalise(text.split(_REQUEST, 1)[1])


def folder_of(item: Json) -> str | None:
    """The working directory, which the oldest shape names only in what it tells the model."""
    for text in map(text_of, _texts(item.get("content"))):
        found = _CWD.search(text) if text.startswith("<environment_context>") else None
        if found is not None:
            return name_of(found[1])
    return None
