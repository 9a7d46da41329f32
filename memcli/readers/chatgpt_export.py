"""Exports of ChatGPT: `conversations.json`, alone, split, or in their zip (formats.md, 6.6).

A conversation is a tree of messages: what was regenerated or edited stays as a branch. There is
no document of the shape; this one rests on mohamed-chs/convoviz:docs/dev/chatgpt-spec.md.
"""

from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from memcli.core.found import Bad, Guess, Skipped, Unit
from memcli.core.records import Role
from memcli.kit import attach
from memcli.kit.exports import Json, Message, bad, guess, opening, read_conversations, units
from memcli.kit.head import GOOD, NEAR, NO, SURE
from memcli.kit.normalise import name_of, normalise, storable, text_of
from memcli.kit.roles import role_of, unknown_role
from memcli.kit.times import to_utc, zone
from memcli.kit.turns import Conversation, Turn
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_MAPPING = "mapping"
_INSTRUCTIONS = "custom-instructions"
_CONTEXTS = ("user_editable_context", "model_editable_context")
# The tool whose calls and answers people are shown; all others work unseen.
_SHOWN_TOOL = "python"
_PROFILE = ("user_profile", "user_instructions")
_OLD_PROFILE = ("about_user_message", "about_model_message")
# Where a content that has no parts may have its text.
_TEXTS = ("text", "result", "content", "summary")
# Types of content that may well be empty; of any other the type at least is kept.
_PLAIN = ("text", "multimodal_text", "code", "execution_output", None)
_POINTER = "_asset_pointer"


def sniff(source: Source) -> Guess:
    """Sure by a `mapping` of nodes with message, parent and children."""
    return guess(source, _judge)


def _judge(value: Json) -> Guess:
    mapping = value.get(_MAPPING)
    if not isinstance(mapping, dict):
        return Guess(NO, "no object with a mapping of messages")
    if any(_is_node(node) for node in mapping.values()):
        return Guess(SURE, "a mapping of nodes with message, parent and children")
    if not mapping and ("current_node" in value or "conversation_id" in value):
        return Guess(GOOD, "a conversation whose mapping is empty")
    return Guess(NEAR, "a mapping, but not of messages")


def _is_node(node: Any) -> bool:
    if not isinstance(node, dict):
        return False
    message = node.get("message")
    if isinstance(message, dict):
        return "author" in message or "content" in message
    # The head may end in the first node; the root has no message.
    return "message" in node and ("parent" in node or "children" in node or "id" in node)


@reader(
    "chatgpt_export",
    title="ChatGPT export (JSON, split, in its zip)",
    sniff=sniff,
    recognised="conversations with a mapping of nodes: message, parent, children",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """The messages of each conversation on the branch that ends at `current_node`.

    Identity is the conversation's id and the node's. Messages off that branch come as
    `inactive_branch`, or with `--all-branches` as inactive records. Hidden messages, calls of
    tools that work unseen and their answers are passed over; `python` is kept. Includes:
    `thinking`, `custom-instructions`.
    """
    return read_conversations(source, _MAPPING, _Export(options).conversation)


class _Export:
    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._zone: tzinfo = zone(options.tz)

    def conversation(self, data: Json, line: int) -> Iterator[Unit]:
        """The units of one conversation."""
        key = name_of(data.get("conversation_id")) or name_of(data.get("id"))
        mapping = data.get(_MAPPING)
        if not isinstance(mapping, dict | None):
            yield bad(f"{_MAPPING} is no object", line, key)
            return
        mapping = mapping or {}
        messages = [
            Message(name, "", parent, *self._items(node, mapping.get(parent), line, key))
            for name, (node, parent) in _nodes(mapping).items()
        ]
        session = key or opening(messages, self._options.session)
        for message in messages:
            message.name = f"{session}/{storable(message.key)}"
        about = Conversation(
            key=session,
            said_at=to_utc(data.get("create_time"), self._zone)[0],
            title=name_of(data.get("title")),
            thinking="thinking" in self._options.include,
            all_branches=self._options.all_branches,
        )
        leaf = data.get("current_node")
        leaf = leaf if isinstance(leaf, str) else None
        yield from units(messages, leaf, "newest-leaf", about)

    def _items(
        self, node: Any, before: Any, line: int, conversation: str | None
    ) -> tuple[list[Turn | Skipped | Bad], str | None]:
        """What a node holds, and its time. `before` is the node it answers."""
        message = node.get("message") if isinstance(node, dict) else node
        if message is None:
            return [Skipped("null_message", line)], None
        if not isinstance(message, dict):
            return [bad("a message that is no object", line, conversation)], None
        said_at, time_source = to_utc(message.get("create_time"), self._zone)
        profile = _profile(message)
        if profile is not None and _INSTRUCTIONS in self._options.include:
            item: Turn | Skipped | Bad = Turn("system", profile)
        else:
            item = self._judged(message, _object(_object(before).get("message")), line)
        if isinstance(item, Bad):
            item = bad(item.reason, line, conversation)
        elif isinstance(item, Turn):
            item.line, item.native = line, name_of(message.get("id"))
            item.said_at, item.time_source = said_at, time_source
        return [item], said_at

    def _judged(self, message: Json, before: Json, line: int) -> Turn | Skipped | Bad:
        """The turn of a message that is shown, else why it is passed over.

        `before` is the message that it answers.
        """
        author, about = _object(message.get("author")), _object(message.get("metadata"))
        hidden = about.get("is_visually_hidden_from_conversation") is True
        if hidden or _kind(message) in _CONTEXTS or _profile(message) is not None:
            return Skipped("hidden", line)
        role = role_of(author.get("role"), self._options.roles)
        if role is None:
            return Bad(unknown_role(author.get("role")), line)
        if not isinstance(message.get("content"), str | list | dict | None):
            return Bad("content that is neither text nor parts", line)
        if role == "system" and about.get("is_user_system_message") is not True:
            return Skipped("hidden", line)
        if _kind(message) == "reasoning_recap":
            return Skipped("reasoning_recap", line)
        if role == "assistant" and _called(message) and not _shown(_called(message)):
            return Skipped("internal_tool_call", line)
        if role == "tool" and not _answer_shown(message, before):
            return Skipped("hidden_tool", line)
        return _turn(role, message, before)


def _nodes(mapping: Json) -> dict[str, tuple[Any, str | None]]:
    """Name -> (node, name of its parent); a parent that a node lost is taken from the parent."""
    children = {
        child: key
        for key, node in mapping.items()
        if isinstance(node, dict) and isinstance(node.get("children"), list)
        for child in node["children"]
        if isinstance(child, str)
    }
    found: dict[str, tuple[Any, str | None]] = {}
    for key, node in mapping.items():
        parent = node.get("parent") if isinstance(node, dict) else None
        if not isinstance(parent, str) or parent not in mapping:
            parent = children.get(key)
        found[key] = (node, parent)
    return found


# --- what a message is ----------------------------------------------------------------------------


def _kind(message: Json) -> str | None:
    return name_of(_object(message.get("content")).get("content_type"))


def _called(message: Json) -> str | None:
    """The tool that a message is for; None if it is for everybody."""
    recipient = name_of(message.get("recipient"))
    return None if recipient == "all" else recipient


def _shown(tool: str | None) -> bool:
    return tool is not None and tool.split(".")[0] == _SHOWN_TOOL


def _answer_shown(message: Json, before: Json) -> bool:
    """Whether people see what a tool answered: output of code, or an image that was made."""
    name = name_of(_object(message.get("author")).get("name"))
    if _shown(name) or (name is None and (_called(before) is None or _shown(_called(before)))):
        return True
    parts = _object(message.get("content")).get("parts")
    return any(
        about.get("dalle") or about.get("generation")
        for part in (parts if isinstance(parts, list) else ())
        for about in (_object(_object(part).get("metadata")),)
    )


def _profile(message: Json) -> str | None:
    """The user's custom instructions, if that is what a message holds."""
    content, about = _object(message.get("content")), _object(message.get("metadata"))
    if content.get("content_type") == "user_editable_context":
        given, names = content, _PROFILE
    elif about.get("is_user_system_message") is True and not _text(content, []):
        given, names = _object(about.get("user_context_message_data")), _OLD_PROFILE
    else:
        return None
    return "\n\n".join(text for name in names if (text := _own_words(given.get(name)))) or None


def _own_words(given: Any) -> str:
    """The user's part of an instruction: the service puts its own around it, in a fence."""
    text = text_of(given)
    if text.startswith("The user provided "):
        _, fence, inside = text.partition("```")
        if fence:
            text = normalise(inside.rpartition("```")[0] or inside)
    return text


# --- what it says ---------------------------------------------------------------------------------


def _turn(role: Role, message: Json, before: Json) -> Turn:
    author, about = _object(message.get("author")), _object(message.get("metadata"))
    turn = Turn(role, "")
    if _kind(message) == "thoughts":
        turn.thinking = _thoughts(_object(message.get("content")).get("thoughts"))
        return turn
    turn.text = _text(message.get("content"), turn.attachments)
    _uploads(about.get("attachments"), turn.attachments)
    name, model = name_of(author.get("name")), name_of(about.get("model_slug"))
    if role == "tool":
        turn.kind = "tool_result"
        turn.call_id = name_of(before.get("id")) if _called(before) else None
        turn.attachments += _drawn(about.get("aggregate_result"))
        if name is not None:
            turn.attributes["tool"] = name
    elif role == "assistant":
        if model is not None:
            turn.attributes["model"] = model
        if (tool := _called(message)) is not None:
            call = {"id": name_of(message.get("id")), "name": tool, "arguments": turn.text}
            turn.text, turn.calls = "", [call]
    else:
        turn.speaker = name
    return turn


def _thoughts(given: Any) -> list[str]:
    """The text of each thought; a single empty one where there are none to read."""
    found = [
        "\n\n".join(text for name in ("summary", "content") if (text := text_of(thought.get(name))))
        for thought in (given if isinstance(given, list) else ())
        if isinstance(thought, dict)
    ]
    return found or [""]


def _text(content: Any, references: list[dict[str, Any]]) -> str:
    """The text of a content; pointers to images and the like go to `references`."""
    given = content
    if isinstance(content, dict):
        given = content.get("parts")
        if given is None:
            given = next((content[name] for name in _TEXTS if text_of(content.get(name))), None)
    texts = []
    for part in given if isinstance(given, list) else [given]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            texts.append(_part(part, references))
    kind = name_of(_object(content).get("content_type"))
    if not given and kind not in _PLAIN:
        references.append(attach.reference(kind))
    return "\n\n".join(text for text in map(normalise, texts) if text)


def _part(part: Json, references: list[dict[str, Any]]) -> str:
    kind = name_of(part.get("content_type"))
    inner = [_object(one) for name, one in part.items() if name.endswith(_POINTER) and one]
    if text_of(part.get("text")):
        return text_of(part.get("text"))
    # A live call holds the pointers to its sound and its pictures inside.
    for pointer in inner or [part]:
        media = (name_of(pointer.get("content_type")) or kind or "unknown").removesuffix(_POINTER)
        if media == "audio" and name_of(pointer.get("format")):
            media = f"audio/{name_of(pointer.get('format'))}"
        reference = attach.reference(media, url=pointer.get("asset_pointer"))
        reference["size"] = attach.size_of(pointer.get("size_bytes"))
        references.append(reference)
    return ""


def _uploads(given: Any, references: list[dict[str, Any]]) -> None:
    """Files that a user sent; of images there is a pointer too, which gets the name."""
    for upload in given if isinstance(given, list) else ():
        if not isinstance(upload, dict):
            continue
        ident = name_of(upload.get("id"))
        media = upload.get("mime_type") or upload.get("mimeType")
        found = attach.reference(media, name=upload.get("name"))
        found["size"] = attach.size_of(upload.get("size"))
        same = (one for one in references if ident and one.get("url", "").endswith(f"//{ident}"))
        pointer = next(same, None)
        if pointer is None:
            references.append(found)
        else:
            pointer.update({key: value for key, value in found.items() if value is not None})


def _drawn(result: Any) -> list[dict[str, Any]]:
    """Pictures that code drew."""
    messages = _object(result).get("messages")
    return [
        attach.reference("image", url=one.get("image_url"))
        for one in (messages if isinstance(messages, list) else ())
        if isinstance(one, dict) and one.get("message_type") == "image"
    ]


def _object(given: Any) -> Json:
    return given if isinstance(given, dict) else {}
