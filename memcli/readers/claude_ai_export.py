"""Exports of Claude.ai: `conversations.json`, alone or in its zip (formats.md, 6.7).

Older ones hold each conversation as a list, newer ones as a tree; one conversation as the web
interface loads it names the leaf on show. The shape rests on importers, not on a document.
"""

from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from memcli.core.found import Bad, Guess, Skipped, Unit
from memcli.core.records import Scope
from memcli.kit import attach
from memcli.kit.blocks import Content, Document, read_content
from memcli.kit.exports import Json, Message, bad, guess, opening, read_conversations, units
from memcli.kit.head import NEAR, NO, SURE
from memcli.kit.identity import Occurrences, timed
from memcli.kit.normalise import name_of, normalise, text_of
from memcli.kit.roles import role_of, unknown_role
from memcli.kit.times import to_utc, zone
from memcli.kit.turns import Conversation, Turn
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_MESSAGES = "chat_messages"
_ROOT = "00000000-0000-4000-8000-000000000000"
# What the service writes into `text` in place of a block that its older clients cannot show.
_PLACEHOLDER = "```\nThis block is not supported on your current device yet.\n```"
_FILES = ("files", "files_v2", "sync_sources")
# Notes of the program between the blocks: nobody said them.
_NO_BLOCKS = ("token_budget", "flag")


def sniff(source: Source) -> Guess:
    """Sure by `chat_messages` with a sender, or by an empty list of them beside a uuid."""
    return guess(source, _judge)


def _judge(value: Json) -> Guess:
    messages = value.get(_MESSAGES)
    if not isinstance(messages, list):
        return Guess(NO, "no object with a list of chat_messages")
    if any(isinstance(message, dict) and "sender" in message for message in messages):
        return Guess(SURE, "chat_messages with a sender")
    if not messages and name_of(value.get("uuid")):
        return Guess(SURE, "a conversation with uuid, its chat_messages empty")
    return Guess(NEAR, "chat_messages without a sender")


@reader(
    "claude_ai_export",
    title="Claude.ai export (JSON, in its zip)",
    sniff=sniff,
    recognised="conversations with chat_messages, each with a sender",
    scope="user: the account's uuid, where the conversation names one",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """The messages of each conversation; what tools did stays with the answer, as its calls.

    Identity is the message's uuid. Text of attachments comes as attachment records. Messages off
    the branch on show come as `inactive_branch`, or with `--all-branches` as inactive records;
    where no leaf is named, the last child at each fork is shown. Include: `thinking`.
    """
    return read_conversations(source, _MESSAGES, _Export(options).conversation)


class _Export:
    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._zone: tzinfo = zone(options.tz)
        self._occurrences = Occurrences()

    def conversation(self, data: Json, line: int) -> Iterator[Unit]:
        """The units of one conversation."""
        key, listed = name_of(data.get("uuid")), data.get(_MESSAGES)
        if not isinstance(listed, list | None):
            yield bad(f"{_MESSAGES} is no list", line, key)
            return
        messages: dict[str, Message] = {}
        for number, given in enumerate(listed or ()):
            message = self._message(given, line, number, key)
            former = messages.setdefault(message.key, message)
            if former is message:
                continue
            if any(isinstance(item, Turn) for item in former.items):
                yield from _spoiled(message) or (Skipped("duplicate_uuid", line),)
            else:
                yield from _spoiled(former)
                messages[message.key] = message
        found = _linked(list(messages.values()))
        session = key or opening(found, self._options.session)
        for message in found:
            if not message.name:
                message.name = self._name(message, session)
        account = data.get("account")
        user = name_of(account.get("uuid")) if isinstance(account, dict) else None
        about = Conversation(
            key=session,
            said_at=to_utc(data.get("created_at"), self._zone)[0],
            title=name_of(data.get("name")),
            scope=Scope(user=user or ""),
            thinking="thinking" in self._options.include,
            all_branches=self._options.all_branches,
        )
        leaf = name_of(data.get("current_leaf_message_uuid"))
        yield from units(found, leaf, "last-child", about)

    def _message(self, data: Any, line: int, number: int, conversation: str | None) -> Message:
        if not isinstance(data, dict):
            why = bad("a message that is no object", line, conversation)
            return Message(_no_uuid(number), "", None, [why])
        uuid = name_of(data.get("uuid"))
        found = Message(uuid or _no_uuid(number), uuid or "", _parent(data))
        found.said_at, source = to_utc(data.get("created_at"), self._zone)
        role = role_of(data.get("sender"), self._options.roles)
        if role is None:
            found.items.append(bad(unknown_role(data.get("sender")), line, conversation))
            return found
        turn = _turn(Turn(role, ""), data)
        turn.native, turn.line = uuid, line
        turn.said_at, turn.time_source = found.said_at, source
        found.items.append(turn)
        return found

    def _name(self, message: Message, session: str) -> str:
        """The identity of a message that has no uuid."""
        turn = next((item for item in message.items if isinstance(item, Turn)), None)
        if turn is None:
            return message.key
        return self._occurrences.name(timed(session, turn.role, turn.said_at, turn.text))


def _spoiled(message: Message) -> list[Bad]:
    return [item for item in message.items if isinstance(item, Bad)]


def _no_uuid(number: int) -> str:
    # No id that was read has such a character (kit.normalise).
    return f"\x00{number}"


def _parent(data: Json) -> str | None:
    return name_of(data.get("parent_message_uuid"))


def _linked(messages: list[Message]) -> list[Message]:
    """The messages as a tree, or as the list they are where none answers another.

    The root of a tree is a message that is never written; it is put in, so that two first
    messages are a fork like any other.
    """
    keys = {message.key for message in messages}
    if not any(message.parent in keys for message in messages):
        for before, message in zip([None, *messages], messages, strict=False):
            message.parent = None if before is None else before.key
        return messages
    if any(message.parent == _ROOT for message in messages) and _ROOT not in keys:
        return [Message(_ROOT, _ROOT, None), *messages]
    return messages


def _turn(turn: Turn, data: Json) -> Turn:
    """Fill in what a message says, calls and attaches."""
    given = data.get("content")
    blocks = given if isinstance(given, list) else [given]
    content = read_content([block for block in blocks if not _is_note(block)])
    turn.text = content.text or _plain(data.get("text"))
    turn.calls = _calls(content, blocks)
    turn.thinking = content.thinking
    turn.attachments, turn.documents = content.attachments, content.documents
    for result in content.results:
        turn.attachments += result.attachments
        turn.documents += result.documents
    model = name_of(data.get("model"))
    if model is not None:
        turn.attributes["model"] = model
    _attachments(turn, data.get("attachments"))
    _files(turn, data)
    return turn


def _is_note(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in _NO_BLOCKS


def _plain(text: Any) -> str:
    return normalise(text_of(text).replace(_PLACEHOLDER, ""))


def _calls(content: Content, blocks: list[Any]) -> list[dict[str, Any]]:
    """The tool calls, each with its `result`; a result whose call is lost stands for itself."""
    calls = content.calls
    by_id = {call["id"]: call for call in calls if call["id"] is not None}
    # Without ids a result follows its call.
    nameless = [call for call in calls if call["id"] is None]
    for result in content.results:
        call = by_id.get(result.call_id) if result.call_id is not None else None
        if call is None and result.call_id is None and nameless:
            call = nameless.pop(0)
        if call is None:
            call = {"id": result.call_id, "name": _tool(result.call_id, blocks), "arguments": None}
            calls.append(call)
        call["result"] = result.text
        if result.is_error:
            call["is_error"] = True
    return calls


def _tool(call_id: str | None, blocks: list[Any]) -> str | None:
    """The name of the tool, which the export repeats at the result."""
    for block in blocks:
        if isinstance(block, dict) and name_of(block.get("tool_use_id")) == call_id:
            return name_of(block.get("name"))
    return None


def _attachments(turn: Turn, listed: Any) -> None:
    """Texts that were pasted or drawn out of a file: a reference, and a record of their own."""
    for given in listed if isinstance(listed, list) else ():
        if not isinstance(given, dict):
            continue
        reference = attach.reference(given.get("file_type"), name=given.get("file_name"))
        reference["size"] = attach.size_of(given.get("file_size"))
        turn.attachments.append(reference)
        text = text_of(given.get("extracted_content"))
        if text:
            turn.documents.append(Document(text, reference))


def _files(turn: Turn, data: Json) -> None:
    """Files without text. The interface's form lists the same ones twice."""
    seen = set()
    for given in (given for name in _FILES for given in _listed(data.get(name))):
        name = name_of(given.get("file_name"))
        one = name_of(given.get("file_uuid")) or name
        if one not in seen:
            seen.add(one)
            reference = attach.reference(given.get("file_kind"), name=name)
            reference["size"] = attach.size_of(given.get("size_bytes"))
            turn.attachments.append(reference)


def _listed(given: Any) -> list[Json]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
