"""From the messages of one conversation to units with identities, for formats without good ids.

A reader turns each message into `Turn`s; this module knows the prefix chain, the opening, native
ids and what belongs to what (formats.md, section 4).
"""

from collections.abc import Iterable, Iterator
from itertools import chain as chained
from typing import Any

from memcli.core.found import Bad, Found, Skipped, Unit
from memcli.core.records import RecordKind, Role, Scope, TimeSource
from memcli.core.values import dataclass, field
from memcli.kit.blocks import Content, Document
from memcli.kit.identity import Chain, Histories

# The opening ends with the first user's turn; a stream that has none is not held for ever.
_LONGEST_OPENING = 64


@dataclass(slots=True)
class Turn:
    """One utterance or tool result, with what hangs on it.

    `native` is the source's id of the message, `part` names one of several records of it (the id
    of a call). `thinking`: texts; an empty one is encrypted. `left`: the reason why it is no longer
    part of the conversation, if it is not. `speaks` False: nothing was said.
    """

    role: Role
    text: str
    kind: RecordKind = "utterance"
    speaker: str | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)
    call_id: str | None = None
    said_at: str | None = None
    time_source: TimeSource = "none"
    attributes: dict[str, Any] = field(default_factory=dict)
    attachments: list[dict[str, Any]] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    native: str | None = None
    part: str | None = None
    line: int | None = None
    left: str | None = None

    @property
    def speaks(self) -> bool:
        """Whether it becomes a record: it has text, a call or an attachment, or is a result."""
        return bool(self.text or self.calls or self.attachments or self.kind == "tool_result")


def spoken(role: Role, content: Content, attributes: dict[str, Any]) -> list[Turn]:
    """The turns of one message made of blocks: its tool results, and what its author said.

    A message that makes one record needs no `part`: the message's id is enough.
    """
    results = [
        Turn(
            "tool",
            result.text,
            "tool_result",
            call_id=result.call_id,
            attributes={"is_error": True} if result.is_error else {},
            attachments=result.attachments,
            documents=result.documents,
            part=result.call_id or f"result:{place}",
        )
        for place, result in enumerate(content.results, 1)
    ]
    if len(results) == 1 and not content.says:
        results[0].part = None
    if results and not (content.says or content.thinking):
        return results
    said = Turn(
        role,
        content.text,
        calls=content.calls,
        attributes=attributes,
        attachments=content.attachments,
        documents=content.documents,
        thinking=content.thinking,
    )
    return [*results, said] if content.results_first else [said, *results]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is known of a conversation before its turns: key in the source, time, title.

    `key` None: unnamed, so that its key is the digest of its opening. `apart` is `--session`.
    `alone`: the input holds nothing else, so that `--session` names it. `all_branches`: turns that
    were left are taken too, as inactive. `by_text`: ids come and go when history is sent again, so
    that it is known by its text alone.
    """

    key: str | None = None
    apart: str | None = None
    alone: bool = False
    said_at: str | None = None
    title: str | None = None
    scope: Scope = Scope()
    thinking: bool = False
    all_branches: bool = False
    by_text: bool = False


def units(
    items: Iterable[Turn | Skipped | Bad], conversation: Conversation, histories: Histories
) -> Iterator[Unit]:
    """The units of one conversation in its order; what was skipped or bad passes through.

    A list is checked against earlier conversations of the input (`Histories`); a one-way
    iterator, which may not fit into memory, is taken as new.
    """
    chain = Chain("\n".join(name for name in (conversation.key, conversation.apart) if name))
    steps = ((item, step(chain, item, conversation.by_text)) for item in items)
    held = list(steps) if isinstance(items, list) else _opening(steps)
    turns = [(item, ident) for item, ident in held if isinstance(item, Turn)]
    given = 0
    if isinstance(items, list) and turns:
        named = conversation.key is not None
        given = histories.repeated([ident for _, ident in turns], named=named)
    if not turns:
        yield Skipped("empty_conversation")
    if given:
        yield Skipped("repeated_history", turns[0][0].line, given)
    opening = next((ident for turn, ident in turns if turn.role == "user"), "")
    session = session_key(conversation, opening or (turns[-1][1] if turns else ""))
    # A list has been read to its end by now; of an iterator the tail is still to come.
    for item, ident in chained(held, steps):
        if not isinstance(item, Turn):
            yield item
        elif given:
            given -= 1
        else:
            name = _name(item, ident, session, histories)
            yield from records(item, name, session, conversation)


# Characters of an id that no other conversation has; `1` and `m2` may be numbers within one file.
_OWN_ID = 12

Step = tuple[Turn | Skipped | Bad, str]


def _opening(steps: Iterator[Step]) -> list[Step]:
    held = []
    for step in steps:
        held.append(step)
        first_user = isinstance(step[0], Turn) and step[0].role == "user"
        if first_user or len(held) == _LONGEST_OPENING:
            break
    return held


def step(chain: Chain, item: Turn | Skipped | Bad, by_text: bool = False) -> str:
    """The id of the next item by the chain of its conversation; empty for what is no turn."""
    if not isinstance(item, Turn):
        return ""
    if not by_text and item.native is not None and len(item.native) >= _OWN_ID:
        # The text behind such an id may be edited: the conversation is still the same.
        part = "" if item.part is None else f":{item.part}"
        return chain.step(item.role, item.speaker, f"{item.native}{part}")
    calls = item.calls if item.call_id is None else [item.call_id]
    return chain.step(item.role, item.speaker, item.text, calls)


def session_key(conversation: Conversation, opening: str) -> str:
    """The key of a conversation: its name, else that of its `opening`, a digest."""
    if conversation.key is not None:
        return conversation.key
    short = opening[:32]
    if conversation.apart is None:
        return short
    return conversation.apart if conversation.alone else f"{conversation.apart}/{short}"


def _name(turn: Turn, ident: str, session: str, histories: Histories) -> str:
    # Each turn takes its number, kept or skipped, so that options do not change ids.
    numbered = histories.occurrences.name(ident)
    if turn.native is None:
        return numbered
    part = "" if turn.part is None else f":{turn.part}"
    return f"{session}/{turn.native}{part}"


def records(
    turn: Turn,
    name: str,
    session: str,
    conversation: Conversation,
    thought: str = "thinking_block",
) -> Iterator[Unit]:
    """The record of a turn under the identity `name`, its thoughts before, its documents after.

    `thought` is the reason under which a thought is skipped.
    """
    if turn.left is not None and not conversation.all_branches:
        yield from _left(turn, turn.left, name)
        return
    for number, text in enumerate(turn.thinking, 1):
        if text and conversation.thinking:
            ident = f"{name}:thinking:{number}"
            yield _found(turn, ident, session, conversation, "thinking", text, {"of": name})
        else:
            yield Skipped(thought, turn.line)
    if turn.speaks:
        yield _found(turn, name, session, conversation, turn.kind, turn.text, _attributes(turn))
    elif not turn.thinking:
        yield Skipped("empty", turn.line)
    for number, document in enumerate(turn.documents, 1):
        about = {"of": name, "attachments": [document.reference]}
        ident = f"{name}:attachment:{number}"
        yield _found(turn, ident, session, conversation, "attachment", document.text, about)


def _left(turn: Turn, reason: str, name: str) -> Iterator[Skipped]:
    """A turn that was left, counted once; all that an earlier ingest made of it is named."""
    yield Skipped(reason, turn.line, identity=name)
    for number in range(1, len(turn.thinking) + 1):
        yield Skipped(reason, turn.line, 0, identity=f"{name}:thinking:{number}")
    for number in range(1, len(turn.documents) + 1):
        yield Skipped(reason, turn.line, 0, identity=f"{name}:attachment:{number}")


def _found(
    turn: Turn,
    identity: str,
    session: str,
    conversation: Conversation,
    kind: RecordKind,
    text: str,
    about: dict[str, Any],
) -> Found:
    said_at, time_source = turn.said_at, turn.time_source
    if said_at is None and conversation.said_at is not None:
        said_at, time_source = conversation.said_at, "session"
    return Found(
        identity=identity,
        session=session,
        kind=kind,
        role=turn.role,
        text=text,
        speaker=turn.speaker,
        said_at=said_at,
        time_source=time_source,
        attributes=about,
        scope=conversation.scope,
        line=turn.line,
        active=turn.left is None,
        title=conversation.title,
        native=turn.native,
    )


def _attributes(turn: Turn) -> dict[str, Any]:
    attributes = dict(turn.attributes)
    if turn.calls:
        attributes["calls"] = turn.calls
    if turn.call_id is not None:
        attributes["call_id"] = turn.call_id
    if turn.attachments:
        attributes["attachments"] = turn.attachments
    return attributes
