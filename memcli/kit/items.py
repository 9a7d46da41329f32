"""Items of OpenAI's Responses API: messages, calls, their outputs, thoughts (formats.md, 6.3).

An item is what one author did at once, so it makes one record; a call that the service itself
carried out holds its result too, and makes two. Codex writes the same items into its rollouts.
"""

import json
from collections.abc import Mapping
from typing import Any

from memcli.core.found import Skipped
from memcli.kit import attach
from memcli.kit.chats import Json, MessageError
from memcli.kit.normalise import clean, name_of, text_of
from memcli.kit.parts import joined, take_content
from memcli.kit.roles import role_of, unknown_role
from memcli.kit.turns import Turn

# Types that nobody says, asks or answers anything with, and why each is passed over.
_UNSAID = {
    "item_reference": "item_reference",
    "compaction": "compact_summary",
    "compaction_summary": "compact_summary",
    "context_compaction": "compact_summary",
}
# The calls that the API knows; an answer to one is called like it, with `_output`.
_CALLS = frozenset(
    f"{name}_call"
    for name in (
        "apply_patch",
        "code_interpreter",
        "computer",
        "custom_tool",
        "file_search",
        "function",
        "image_generation",
        "local_shell",
        "mcp",
        "shell",
        "tool_search",
        "web_search",
    )
)
# What a call was given, by the names that the types of calls use for it.
_GIVEN = ("arguments", "input", "action", "operation", "code", "queries", "revised_prompt")
_RESULT = "result"


def item_turns(item: Json, roles: Mapping[str, str] | None = None) -> list[Turn | Skipped]:
    """What one item becomes; `roles` is the map of `--role`. Raises MessageError.

    A type of next year is read by its name: `..._call` calls, `..._output` answers, and what has
    neither such a name nor text is skipped as `other_item`.
    """
    kind = name_of(item.get("type")) or "message"
    if kind == "message":
        return [_message(item, roles)]
    if kind == "reasoning":
        return [Turn("assistant", "", thinking=_thoughts(item), native=name_of(item.get("id")))]
    if kind.endswith("_output"):
        return [_output(item)]
    if kind.endswith("_call") or kind == "mcp_approval_request":
        return [*_call(item, kind)]
    if kind == "mcp_approval_response" and text_of(item.get("reason")):
        # That a tool may be called is no word of anybody's; why it may not be is.
        return [Turn("user", text_of(item["reason"]), native=name_of(item.get("id")))]
    return [Skipped(_UNSAID.get(kind, "other_item"))]


def is_item(value: Any) -> bool:
    """Whether a JSON value has the shape of an item, by more than a role and a content."""
    if not isinstance(value, dict) or not isinstance(value.get("type", ""), str):
        return False
    kind = value.get("type", "message")
    if kind == "message":
        return isinstance(value.get("role"), str) and _is_own(value.get("content"))
    if kind == "reasoning":
        return isinstance(value.get("summary"), list)
    if kind.removesuffix("_output") not in _CALLS:
        return False
    if kind.endswith("_output"):
        return "output" in value
    return isinstance(value.get("call_id") or value.get("id") or value.get("action"), str | dict)


def _is_own(content: Any) -> bool:
    parts = content if isinstance(content, list) else []
    kinds = [part.get("type") for part in parts if isinstance(part, dict)]
    return any(kind in ("input_text", "output_text", "input_image", "input_file") for kind in kinds)


def _message(item: Json, roles: Mapping[str, str] | None) -> Turn:
    role = role_of(item.get("role"), roles)
    if role is None:
        raise MessageError(unknown_role(item.get("role")))
    turn = Turn(role, "", native=name_of(item.get("id")), speaker=name_of(item.get("name")))
    turn.text = take_content(item.get("content"), turn)
    phase = name_of(item.get("phase"))
    if phase is not None:
        turn.attributes["phase"] = phase
    return turn


def _thoughts(item: Json) -> list[str]:
    """The text of a thought: in full if it is there, else its summary, else encrypted."""
    for name in ("content", "summary"):
        text = take_content(item.get(name), Turn("assistant", ""))
        if text:
            return [text]
    return [""]


def _call(item: Json, kind: str) -> list[Turn]:
    ident = name_of(item.get("call_id")) or name_of(item.get("id"))
    name = name_of(item.get("name")) or kind.removesuffix("_call")
    space = name_of(item.get("namespace")) or name_of(item.get("server_label"))
    given = next((item[key] for key in _GIVEN if item.get(key) is not None), None)
    call = {"id": ident, "name": name, "arguments": clean(given)}
    if space is not None:
        call["server"] = space
    turn = Turn("assistant", "", calls=[call], native=ident)
    answer = _inside(item, ident)
    return [turn] if answer is None else [turn, answer]


def _inside(item: Json, ident: str | None) -> Turn | None:
    """The result that stands in the call itself, where the service carried it out."""
    turn = Turn("tool", "", "tool_result", call_id=ident, native=ident, part=_RESULT)
    error = item.get("error")
    if error is not None:
        turn.attributes["is_error"] = True
    given = [item.get(name) for name in ("output", "outputs", "results")]
    turn.text = joined([_said(value, turn) for value in [*given, error] if value is not None])
    if isinstance(item.get("result"), str):  # a picture that was made
        turn.attachments.append(attach.of_base64(item["result"], "image"))
    return turn if turn.text or turn.attachments else None


def _output(item: Json) -> Turn:
    ident = name_of(item.get("call_id")) or name_of(item.get("id"))
    turn = Turn("tool", "", "tool_result", call_id=ident, native=ident)
    turn.part = None if ident is None else _RESULT
    given = item["output"] if "output" in item else item.get("tools")
    turn.text = _said(_unwrapped(given, turn), turn)
    if item.get("status") in ("failed", "incomplete"):
        turn.attributes["is_error"] = True
    return turn


def _unwrapped(given: Any, turn: Turn) -> Any:
    """The output of a command without the envelope that Codex puts around it.

    `{"output": ..., "metadata": {"exit_code": ...}}`, often as text; or `{content, success}`.
    """
    value = given
    if isinstance(given, str) and given.startswith('{"') and given.rstrip().endswith("}"):
        try:
            value = json.loads(given)
        except (ValueError, RecursionError):
            return given
    if not isinstance(value, dict):
        return given
    about = value.get("metadata")
    if isinstance(value.get("output"), str) and isinstance(about, dict) and len(value) == 2:
        code = about.get("exit_code")
        if isinstance(code, int) and code != 0:
            turn.attributes["is_error"] = True
        return value["output"]
    if value is given and "content" in value and not set(value) - {"content", "success"}:
        if value.get("success") is False:
            turn.attributes["is_error"] = True
        return value["content"]
    return given


def _said(value: Any, turn: Turn) -> str:
    """The text of a result: text, parts, logs, streams; other values as JSON."""
    if isinstance(value, list) and value:
        return joined([_said(inner, turn) for inner in value])
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, dict):
        streams = [value.get(name) for name in ("logs", "stdout", "stderr")]
        if any(isinstance(stream, str) for stream in streams):
            return joined([text_of(stream) for stream in streams])
        kind = value.get("type")
        if isinstance(kind, str) and "text" not in value:
            return take_content(value, turn)
        if isinstance(value.get("text"), str):
            return joined([text_of(value.get("filename")), text_of(value["text"])])
    return "" if value in (None, [], {}) else json.dumps(clean(value), ensure_ascii=False)
