"""Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl` (formats.md, 6.5).

A line is an item of the Responses API, or an event about one: most messages are written as both.
Items are taken, and an event's message only where no equal item is. That is known at the end, so
the file is read twice.

The older shapes are read too: lines without the envelope, and one object `{session, items}`.
"""

from collections.abc import Iterator
from datetime import tzinfo

from memcli.core.found import Bad, Guess, Skipped, Unit
from memcli.core.records import Scope
from memcli.core.values import dataclass, field, replace
from memcli.kit.chats import Json, MessageError
from memcli.kit.forks import Fork
from memcli.kit.head import GOOD, NO, SURE, look
from memcli.kit.identity import Occurrences, digest
from memcli.kit.items import is_item, item_turns
from memcli.kit.normalise import name_of
from memcli.kit.pairs import Pairs, Rewound
from memcli.kit.parts import joined
from memcli.kit.rollout import Line, folder_of, lines, message_of, own_words
from memcli.kit.times import to_utc, zone
from memcli.kit.turns import Conversation, Turn, records
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_HEADER = frozenset({"id", "timestamp", "instructions", "git", "cwd", "cli_version", "originator"})
_REASONS = {
    "turn_context": "event",
    "world_state": "event",
    "compacted": "compact_summary",
}


def sniff(source: Source) -> Guess:
    """Sure by an envelope with its payload; also by the older header followed by items."""
    head = look(source)
    objects = head.objects
    if any(_is_envelope(line) for line in objects):
        return Guess(SURE, "lines with type and payload")
    if objects and _is_header(objects[0]):
        follows = any(is_item(line) or "record_type" in line for line in objects[1:])
        if follows or "instructions" in objects[0]:
            return Guess(SURE if follows else GOOD, "a header, and items without an envelope")
    if any(_is_old_file(value) for value in objects):
        return Guess(SURE, "an object of a session and its items")
    return Guess(NO, "no line with type and payload" if objects else head.no_json)


def _is_envelope(line: Json) -> bool:
    payload = line.get("payload")
    if not isinstance(payload, dict):
        return False
    kind = line.get("type")
    if kind == "session_meta":
        return "id" in payload or "cwd" in payload or "timestamp" in payload
    return kind in ("response_item", "event_msg") and isinstance(payload.get("type"), str)


def _is_header(line: Json) -> bool:
    named = isinstance(line.get("id"), str) and isinstance(line.get("timestamp"), str)
    return named and not set(line) - _HEADER


def _is_old_file(value: Json) -> bool:
    session, items = value.get("session"), value.get("items")
    return (
        isinstance(session, dict)
        and isinstance(session.get("id"), str)
        and isinstance(items, list)
        and any(is_item(item) for item in items[:50])
    )


@reader(
    "codex_rollout",
    title="Codex rollout (JSONL)",
    sniff=sniff,
    recognised="lines with type and payload, such as session_meta; older: a header, then items",
    scope="project: cwd of the first session_meta",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """What people, the model and tools said in a session, in the file's order.

    A fork begins with the turns of its parent, which are passed over as `fork_replay`; turns that
    were taken back are `inactive_branch`. Includes: `thinking`, `sidechain` (a session that
    another agent gave its orders).
    """
    session = _first_reading(source, options)
    about = Conversation(
        key=session.key,
        said_at=session.started,
        scope=Scope(project=session.folder or ""),
        thinking="thinking" in options.include,
        all_branches=options.all_branches,
    )
    writer = _Second(session, about, options)
    for place, line in enumerate(lines(source)):
        # A live file may have grown since the first reading; the next ingest takes the rest.
        if place >= session.length:
            return
        yield from writer.units(place, line)


# --- the first reading --------------------------------------------------------------------------


@dataclass(slots=True)
class _Session:
    """What the first reading finds out."""

    zone: tzinfo
    key: str = ""
    started: str | None = None
    folder: str | None = None
    parent: str | None = None  # of a session that another agent began
    length: int = 0
    opening: str = ""
    fork: Fork | None = None
    pairs: Pairs = field(default_factory=Pairs)
    rewound: Rewound = field(default_factory=Rewound)


def _first_reading(source: Source, options: ReadOptions) -> _Session:
    session = _Session(zone(options.tz))
    met = False
    for place, line in enumerate(lines(source)):
        session.length = place + 1
        if not isinstance(line, Line):
            continue
        if line.kind == "session_meta" and not met:
            met = True
            _take_meta(session, line)
        elif session.fork is not None:
            session.fork.take(place, line.kind, line.data, _utc(session, line))
        _note(session, place, line)
    # A file whose beginning is lost is known by the first thing that was said in it.
    session.key = session.key or digest(session.opening)[:32]
    return session


def _take_meta(session: _Session, line: Line) -> None:
    meta = line.data
    session.key = name_of(meta.get("id")) or name_of(meta.get("session_id")) or ""
    session.folder = name_of(meta.get("cwd"))
    session.started = to_utc(meta.get("timestamp"), session.zone)[0] or _utc(session, line)
    source = meta.get("source")
    agent = source.get("subagent") if isinstance(source, dict) else None
    spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
    spawn = spawn if isinstance(spawn, dict) else {}
    if agent is not None or meta.get("thread_source") == "subagent":
        given = spawn.get("parent_thread_id") or meta.get("parent_thread_id")
        session.parent = name_of(given) or "unknown"
    if name_of(meta.get("forked_from_id") or spawn.get("forked_from_id")) is not None:
        session.fork = Fork(session.key, session.started)


def _utc(session: _Session, line: Line) -> str | None:
    return to_utc(line.at, session.zone)[0]


def _note(session: _Session, place: int, line: Line) -> None:
    """Note messages, to pair them, and where turns begin and are taken back."""
    if line.kind == "event_msg" and line.data.get("type") == "thread_rolled_back":
        turns = line.data.get("num_turns")
        session.rewound.back(turns if isinstance(turns, int) else 0, place)
        return
    item = message_of(line)
    if item is None:
        return
    if session.folder is None:
        session.folder = folder_of(item)
    said = own_words(item)
    session.opening = session.opening or f"{line.at}\n{item.get('role')}\n{said.texts}"
    if not said.parts or not isinstance(said.parts, list):
        return
    role, whole = name_of(item.get("role")), joined(said.texts)
    if line.kind == "event_msg":
        again = session.pairs.event(hash((role, whole)), place)
    else:
        again = session.pairs.item(hash((role, text)) for text in [whole, *said.texts])
    if role == "user" and not again:
        session.rewound.turn(place)


# --- the second reading -------------------------------------------------------------------------


class _Second:
    """Makes units of lines, with what the first reading found out."""

    def __init__(self, session: _Session, about: Conversation, options: ReadOptions) -> None:
        self._session = session
        self._about = about
        self._options = options
        self._model: str | None = None
        self._known: dict[str, int] = {}
        self._copies = Occurrences()

    def units(self, place: int, line: Line | Skipped | Bad) -> Iterator[Unit]:
        """The units of one line."""
        session = self._session
        if not isinstance(line, Line):
            yield line
        elif line.kind == "session_meta":
            yield Skipped("session_meta", line.line)
        elif session.fork is not None and place in session.fork:
            yield Skipped("fork_replay", line.line)
        elif line.kind == "event_msg":
            yield from self._event(place, line)
        elif line.kind == "response_item":
            yield from self._item(place, line)
        else:
            if line.kind == "turn_context":
                self._model = name_of(line.data.get("model"))
            yield Skipped(_REASONS.get(line.kind, "non_message_line"), line.line)

    def _event(self, place: int, line: Line) -> Iterator[Unit]:
        item = message_of(line)
        if item is None:
            yield Skipped("event", line.line)
        elif place in self._session.pairs.paired:
            # Its item may have been written after an ingest that took the event for want of it.
            yield Skipped("event", line.line, identity=self._name(line, None))
        else:
            yield from self._said(place, line, item)

    def _item(self, place: int, line: Line) -> Iterator[Unit]:
        item = message_of(line)
        if item is not None:
            yield from self._said(place, line, item)
            return
        kind = line.data.get("type")
        if kind == "agent_message":
            yield from self._from_agent(place, line)
            return
        yield from self._turns(place, line, line.data)

    def _said(self, place: int, line: Line, item: Json) -> Iterator[Unit]:
        own = own_words(item)
        if own.reason is not None:
            yield Skipped(own.reason, line.line)
            if not own.parts:
                return
        yield from self._turns(place, line, {**item, "content": own.parts})

    def _from_agent(self, place: int, line: Line) -> Iterator[Unit]:
        """A message of one agent to another: among people nobody said it."""
        data = line.data
        item = {"role": "assistant", "content": data.get("content"), "name": data.get("author")}
        if "sidechain" in self._options.include:
            yield from self._turns(place, line, {**item, "id": data.get("id")})
        else:
            yield Skipped("sidechain", line.line)

    def _turns(self, place: int, line: Line, item: Json) -> Iterator[Unit]:
        if self._session.parent is not None and "sidechain" not in self._options.include:
            yield Skipped("sidechain", line.line)
            return
        try:
            turns = item_turns(item, self._options.roles)
        except MessageError as error:
            yield Bad(str(error), line.line)
            return
        for turn in turns:
            if isinstance(turn, Skipped):
                yield replace(turn, line=line.line)
            else:
                yield from self._record(place, line, turn, name_of(item.get("id")))

    def _record(self, place: int, line: Line, turn: Turn, given: str | None) -> Iterator[Unit]:
        session = self._session
        turn.line = line.line
        turn.said_at, turn.time_source = to_utc(line.at, session.zone)
        if turn.role == "assistant" and self._model is not None:
            turn.attributes["model"] = self._model
        if session.parent is not None:
            turn.attributes["sidechain_of"] = session.parent
        if place in session.rewound:
            turn.left = "inactive_branch"
        native = given if given is not None and turn.part is None else turn.native
        name = self._name(line, native if turn.part is None else f"{native}:{turn.part}")
        if native is not None:
            if self._is_copy(name, turn):
                yield Skipped("duplicate_id", line.line)
                return
            name = self._copies.name(name)
        turn.native = name
        yield from records(turn, name, session.key, self._about)

    def _name(self, line: Line, native: str | None) -> str:
        session = self._session.key
        return f"{session}:{line.number}" if native is None else f"{session}/{native}"

    def _is_copy(self, name: str, turn: Turn) -> bool:
        """Whether the first turn of this name said the same."""
        said = hash((turn.role, turn.text, repr(turn.calls)))
        return self._known.setdefault(name, said) == said and name in self._copies
