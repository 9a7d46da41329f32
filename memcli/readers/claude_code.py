"""Claude Code sessions: `~/.claude/projects/<folder>/<session>.jsonl` (formats.md, 6.1).

One line is one record: an API message is written as several lines while it streams, so a record
per message would have to change. The file is read twice, first for its tree: which lines lie on
an abandoned branch is known only at the end.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any

from memcli.core.found import Bad, Found, Guess, Skipped, Unit
from memcli.core.records import Role, Scope
from memcli.core.values import dataclass, field, replace
from memcli.kit.blocks import Content, read_content
from memcli.kit.frame import read_json
from memcli.kit.head import GOOD, NO, SURE, look
from memcli.kit.identity import Occurrences, timed
from memcli.kit.normalise import name_of, normalise
from memcli.kit.times import to_utc, zone
from memcli.kit.tree import Node, active
from memcli.kit.turns import Conversation, records, spoken
from memcli.kit.values import Value
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_SIDE_LINES = {
    "summary": "leafUuid",
    "file-history-snapshot": "snapshot",
    "queue-operation": "sessionId",
}
# What the program writes in the user's name: the beginning of the text -> reason.
_INJECTED = (
    ("This session is being continued", "compact_summary"),
    ("<local-command-", "local_command"),
    ("<command-name>", "local_command"),
    ("<command-message>", "local_command"),
    ("<bash-input>", "local_command"),
    ("<bash-stdout>", "local_command"),
    ("<bash-stderr>", "local_command"),
    ("Caveat:", "local_command"),
    ("[Request interrupted by user", "interrupt_marker"),
    ("<task-notification>", "injected_context"),
    ("<teammate-message", "injected_context"),
    ("Another Claude session sent a message", "injected_context"),
    ("Stop hook feedback:", "injected_context"),
)
# Lines that name the session, the most telling first, and the field with the name.
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle"}
_REMIND, _REMIND_END = "<system-reminder>", "</system-reminder>"


def sniff(source: Source) -> Guess:
    """Sure if any of the first lines has the envelope; good if only side lines are there yet."""
    head = look(source)
    if any(_is_envelope(line) for line in head.objects):
        return Guess(SURE, "lines with type, uuid and sessionId")
    for line in head.objects:
        kind = line.get("type")
        if isinstance(kind, str) and _SIDE_LINES.get(kind) in line:
            return Guess(GOOD, f"a line of type {kind}")
    if any(_is_bare(line) for line in head.objects):
        return Guess(GOOD, "lines with type, message and timestamp")
    return Guess(NO, "no line with type, uuid and sessionId" if head.objects else head.no_json)


def _is_envelope(line: Mapping[str, Any]) -> bool:
    # The uuid stands behind the message, so beyond the head where the message is long.
    linked = isinstance(line.get("uuid"), str) or "parentUuid" in line
    return (
        linked
        and isinstance(line.get("sessionId"), str)
        and line.get("type") in ("user", "assistant", "system", "attachment", "progress")
    )


def _is_bare(line: Mapping[str, Any]) -> bool:
    """Whether a line lost its uuid or session, as in what tools cut out of sessions."""
    message = line.get("message")
    return (
        line.get("type") in ("user", "assistant")
        and isinstance(message, dict)
        and isinstance(message.get("content"), str | list)
        and isinstance(line.get("timestamp"), str)
    )


@reader(
    "claude_code",
    title="Claude Code session (JSONL)",
    sniff=sniff,
    recognised="lines with type, uuid and sessionId",
    scope="project: the folder under projects/, else the first cwd written like it",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """What people, the model and tools said in a session, in the file's order.

    Identity is the line's uuid. Lines off the active branch come as `inactive_branch`, or with
    `--all-branches` as inactive records. Includes: `thinking`, `sidechain`.
    """
    session = _first_reading(source, options)
    on_branch = active(session.trees[False]) | active(session.trees[True])
    scope = Scope(project=_project(source.path, session.folder))
    about = Conversation(title=session.title, scope=scope, thinking="thinking" in options.include)
    for number, unit in enumerate(read_json(source)):
        # A live file may have grown since the first reading; the next ingest takes the rest.
        if number >= len(session.reasons):
            return
        reason = session.reasons[number]
        if not isinstance(unit, Value):
            yield unit
            continue
        line = _typed_ahead(unit.data)
        if (defect := _defect(line)) is not None:
            yield Bad(defect, unit.line)
        elif reason is not None:
            yield Skipped(reason, unit.line)
        else:
            uuid = name_of(line.get("uuid"))
            for found in _units(line, unit.line, session, about):
                if not isinstance(found, Found) or uuid is None or uuid in on_branch:
                    yield found
                elif options.all_branches:
                    yield replace(found, active=False)
                else:
                    yield Skipped("inactive_branch", unit.line, identity=found.identity)


@dataclass(slots=True)
class _Session:
    """What the first reading keeps: the reason to skip each value, the trees (main, side)."""

    zone: tzinfo
    reasons: list[str | None] = field(default_factory=list)
    trees: dict[bool, dict[str, Node]] = field(default_factory=lambda: {False: {}, True: {}})
    titles: dict[str, str] = field(default_factory=dict)
    folder: str | None = None
    key: str | None = None
    occurrences: Occurrences = field(default_factory=Occurrences)

    @property
    def title(self) -> str | None:
        """The summary of a line in this file, for most are about another one; else a title."""
        here = (title for leaf, title in self.titles.items() if leaf in self.trees[False])
        return next(here, None) or next(
            (self.titles[kind] for kind in _TITLES if kind in self.titles), None
        )


def _first_reading(source: Source, options: ReadOptions) -> _Session:
    session = _Session(zone(options.tz))
    sidechain = "sidechain" in options.include
    known: set[str] = set()
    for unit in read_json(source):
        reason = None
        line = _typed_ahead(unit.data) if isinstance(unit, Value) else None
        if line is not None and _defect(line) is None:
            content = _content(line)
            reason = _reason(line, content, known, sidechain)
            _note(session, line, content)
        session.reasons.append(reason)
    return session


def _typed_ahead(line: Any) -> Any:
    """What a person typed while the model worked, as a line of type user; others as they are.

    The program hands it over as an attachment and writes no other line of it.
    """
    given = line.get("attachment") if isinstance(line, dict) else None
    if not isinstance(given, dict) or given.get("type") != "queued_command":
        return line
    origin, mode, prompt = given.get("origin"), given.get("commandMode"), given.get("prompt")
    human = not isinstance(origin, dict) or origin.get("kind", "human") == "human"
    if not human or mode not in (None, "prompt") or not isinstance(prompt, str | list):
        return line
    return {**line, "type": "user", "message": {"role": "user", "content": prompt}}


def _defect(line: Any) -> str | None:
    """Why a line cannot be read, if it cannot. Unknown types can: they are passed over."""
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        return "not a line of Claude Code: no type"
    if line["type"] in ("user", "assistant"):
        message = line.get("message")
        if not isinstance(message, dict):
            return f"a line of type {line['type']} without a message"
        if not isinstance(message.get("content"), str | list | None):
            return "content that is neither text nor blocks"
    return None


def _reason(line: dict[str, Any], content: Content, known: set[str], sidechain: bool) -> str | None:
    """Why a line becomes no record, or None. Notes its uuid as known."""
    kind = line["type"]
    if kind not in ("user", "assistant"):
        return {"summary": "summary_line", "system": "system_line"}.get(kind, "non_message_line")
    uuid = name_of(line.get("uuid"))
    if uuid in known:
        return "duplicate_uuid"
    if uuid is not None:
        known.add(uuid)
    if line.get("isSidechain") is True and not sidechain:
        return "sidechain"
    if line.get("isCompactSummary") is True:
        return "compact_summary"
    if line.get("isMeta") is True:
        return "meta_line"
    if kind == "user":
        injected = _injected(content.text)
        if injected is not None and not content.results:
            return injected
    elif line.get("isApiErrorMessage") is True or line["message"].get("model") == "<synthetic>":
        return "api_error"
    if content.says or content.results or content.documents:
        return None
    return None if content.thinking else "injected_context" if _reminds(line) else "empty"


def _injected(text: str) -> str | None:
    return next((why for start, why in _INJECTED if text.startswith(start)), None)


def _reminds(line: dict[str, Any]) -> bool:
    return _REMIND in read_content(line["message"].get("content")).text


def _content(line: dict[str, Any]) -> Content:
    """What a line says, system reminders cut out; nothing for lines that speak for no one."""
    if line["type"] not in ("user", "assistant"):
        return Content()
    content = read_content(line["message"].get("content"))
    if line["type"] == "user":
        content.text = _without_reminders(content.text)
        for result in content.results:
            result.text = _without_reminders(result.text)
    return content


def _without_reminders(text: str) -> str:
    pieces, at = [], 0
    while (start := text.find(_REMIND, at)) >= 0:
        end = text.find(_REMIND_END, start)
        if end < 0:
            break
        pieces.append(text[at:start])
        at = end + len(_REMIND_END)
    return normalise("".join(pieces) + text[at:]) if at else text


def _note(session: _Session, line: dict[str, Any], content: Content) -> None:
    """Put a line into its tree, and keep the first folder and key and all titles."""
    if session.folder is None:
        session.folder = name_of(line.get("cwd"))
    kind = line["type"]
    title = name_of(line.get(_TITLES.get(kind, "summary")))
    leaf = name_of(line.get("leafUuid")) if kind == "summary" else kind
    if title and leaf and (kind == "summary" or kind in _TITLES):
        session.titles[leaf] = title
    uuid = name_of(line.get("uuid"))
    if session.key is None and (uuid is not None or kind in ("user", "assistant")):
        session.key = uuid or _opening(line, content)
    if uuid is None:
        return
    tree = session.trees[line.get("isSidechain") is True]
    message = line["type"] in ("user", "assistant")
    # The first line of a uuid counts, but a hook's must not hide a message's (claude-code#22245).
    if uuid in tree and not message:
        return
    if uuid not in tree or not (tree[uuid].speaks or tree[uuid].answers):
        tree[uuid] = Node(
            parent=_parent(line, tree),
            speaks=message and not content.results,
            message=name_of(line["message"].get("id")) if line["type"] == "assistant" else None,
            calls=tuple(call["id"] for call in content.calls if call["id"]),
            answers=tuple(result.call_id for result in content.results if result.call_id),
        )


def _opening(line: dict[str, Any], content: Content) -> str:
    """The name of a session whose lines name none: the digest of its first message."""
    return timed("", line["type"], str(line.get("timestamp")), content.text)[:32]


def _parent(line: dict[str, Any], tree: dict[str, Node]) -> str | None:
    """The line before this one in the conversation.

    A compaction starts anew with `parentUuid` null. Its logical parent may have been written
    again behind it, which would close a cycle; then, or without one, the line before it counts.
    """
    parent = name_of(line.get("parentUuid"))
    if parent is None:
        parent = name_of(line.get("logicalParentUuid"))
        if line.get("subtype") == "compact_boundary" and parent not in tree:
            parent = next(reversed(tree), None)
    return parent


def _project(path: str, folder: str | None) -> str:
    """The project as Claude Code names its folder: the working directory with dashes."""
    parts = re.split(r"[/\\]", path)
    for place in range(len(parts) - 2, 0, -1):
        # Only such names: people too have folders called `projects`.
        if parts[place - 1] == "projects" and re.match(r"-|[A-Za-z]--", parts[place]):
            return parts[place]
    return re.sub(r"[^A-Za-z0-9]", "-", folder or "")


def _units(
    line: dict[str, Any], number: int, session: _Session, base: Conversation
) -> Iterator[Unit]:
    """The records of one line: thoughts, text or calls, results, attached texts."""
    content = _content(line)
    if content.results and (injected := _injected(content.text)) is not None:
        yield Skipped(injected, number)
        content.text = ""
    role: Role = "user" if line["type"] == "user" else "assistant"
    key = name_of(line.get("sessionId")) or session.key or ""
    side = line.get("isSidechain") is True
    name = name_of(line.get("uuid")) or _digest(line, content, key, session)
    thought = "thinking_block" if content.says or content.results else "thinking_only"
    for turn in spoken(role, content, _attributes(line)):
        turn.line = number
        turn.native = name_of(line.get("uuid"))
        turn.said_at, turn.time_source = to_utc(line.get("timestamp"), session.zone)
        if side:
            turn.attributes["sidechain_of"] = key
        ident = name if turn.part is None else f"{name}:{turn.part}"
        place = (name_of(line.get("agentId")) or key) if side else key
        yield from records(turn, ident, place, base, thought)


def _attributes(line: dict[str, Any]) -> dict[str, Any]:
    message = line["message"]
    if line["type"] != "assistant":
        return {}
    about = {"message": name_of(message.get("id")), "model": name_of(message.get("model"))}
    return {name: value for name, value in about.items() if value}


def _digest(line: dict[str, Any], content: Content, key: str, session: _Session) -> str:
    """The identity of a line that lost its uuid."""
    said_at, _ = to_utc(line.get("timestamp"), session.zone)
    text = content.text + "".join(result.text for result in content.results)
    return session.occurrences.name(timed(key, line["type"], said_at, text))
