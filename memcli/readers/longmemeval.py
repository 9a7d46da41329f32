"""LongMemEval histories (xiaowu0162/LongMemEval; Wu et al. 2025; formats.md, 6.13).

What a question has beside its sessions (`question`, `answer`, `question_date`, `has_answer`,
`answer_session_ids`) is the answer key and is never read. Used by `mem eval` too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any

from memcli.core.found import Bad, Found, Guess, Skipped, Unit
from memcli.core.records import TimeSource
from memcli.core.values import dataclass
from memcli.kit.frame import read_json
from memcli.kit.head import NEAR, NO, SURE, look
from memcli.kit.identity import digest
from memcli.kit.normalise import name_of, text_of
from memcli.kit.roles import role_of, unknown_role
from memcli.kit.times import UTC, local, to_utc, zone
from memcli.kit.values import Value
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_DATE = re.compile(r"(\d{4})/(\d\d?)/(\d\d?)(?: \(\w{1,12}\))? (\d\d?):(\d\d)", re.ASCII)
_BESIDE = ("haystack_session_ids", "haystack_dates")


def sniff(source: Source) -> Guess:
    """Sure by `question_id` beside one of the lists of the haystack."""
    head = look(source)
    for value in head.objects:
        lists = [name for name in ("haystack_sessions", *_BESIDE) if name in value]
        if lists and all(isinstance(value[name], list) for name in lists):
            if "question_id" in value or len(lists) > 1:
                return Guess(SURE, "questions with haystack_sessions")
            return Guess(NEAR, "a haystack without question_id")
    return Guess(NO, "no haystack_sessions" if head.objects else head.no_json)


@reader(
    "longmemeval",
    title="LongMemEval histories (JSON, JSONL)",
    sniff=sniff,
    recognised="question_id beside haystack_sessions",
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """All turns of each question's sessions, in the order of the file, with their session's time.

    A question is the container of its sessions; the same session of two questions is two. Only
    one question is held at a time, and only what is passed over or bad has a line.
    """
    where = zone(options.tz)
    seen: set[str] = set()
    for unit in read_json(source):
        if not isinstance(unit, Value):
            yield unit
        elif not isinstance(unit.data, dict):
            yield Bad("a question that is no object", unit.line)
        elif (key := question_key(unit.data)) in seen:
            # Its turns would have the names of those that were given, whatever they say.
            yield Bad(f"a second question called {key[:60]!r}", unit.line)
        else:
            seen.add(key)
            yield from history(unit.data, unit.line, where, options.roles)


@dataclass(frozen=True, slots=True)
class _Session:
    key: str
    container: str
    said_at: str | None
    time_source: TimeSource


def history(
    question: Mapping[str, Any],
    line: int,
    where: tzinfo = UTC,
    roles: Mapping[str, str] | None = None,
) -> Iterator[Unit]:
    """The sessions of one question. Identity is question id, session id, its occurrence, place.

    A session id may stand there twice, with two dates (xiaowu0162/LongMemEval#54).
    """
    sessions = question.get("haystack_sessions")
    if not isinstance(sessions, list):
        yield Bad("haystack_sessions is no list", line)
        return
    beside: list[list[Any]] = []
    for name in _BESIDE:
        given = question.get(name)
        beside.append(given if isinstance(given, list) else [])
        if given and len(beside[-1]) != len(sessions):
            yield Bad(f"{name} has {len(beside[-1])} entries for {len(sessions)} sessions", line)
    container = question_key(question)
    seen: Counter[str] = Counter()
    for place, turns in enumerate(sessions):
        name = (name_of(beside[0][place]) if place < len(beside[0]) else None) or f"{place}"
        seen[name] += 1
        key = f"{container}/{name}" + (f"#{seen[name]}" if seen[name] > 1 else "")
        said_at, _ = moment(beside[1][place] if place < len(beside[1]) else None, where)
        session = _Session(key, container, said_at, "session" if said_at else "none")
        if not isinstance(turns, list):
            yield Bad(f"session {place + 1} is no list of turns", line)
        elif not turns:
            yield Skipped("empty_session", line)
        else:
            for number, turn in enumerate(turns):
                yield _turn(turn, f"{key}/{number}", session, line, roles)


def question_key(question: Mapping[str, Any]) -> str:
    """The name of a question; of one without an id, a digest of its first session."""
    key = name_of(question.get("question_id"))
    if key is None:
        sessions = question.get("haystack_sessions")
        first = sessions[:1] if isinstance(sessions, list) else None
        key = digest("longmemeval", text_of(str(first)))[:32]
    return key


def _turn(
    turn: Any, identity: str, session: _Session, line: int, roles: Mapping[str, str] | None
) -> Unit:
    if not isinstance(turn, dict):
        return Bad(f"{identity} is no object", line)
    text = text_of(turn.get("content"))
    if not text:
        return Skipped("empty", line)
    role = role_of(turn.get("role"), roles)
    if role is None:
        return Bad(unknown_role(turn.get("role")), line)
    return Found(
        identity,
        session.key,
        "tool_result" if role == "tool" else "utterance",
        role,
        text,
        said_at=session.said_at,
        time_source=session.time_source,
        container=session.container,
        native=identity,
    )


def moment(given: Any, where: tzinfo = UTC) -> tuple[str | None, TimeSource]:
    """The time in a date such as `2023/05/30 (Tue) 23:40`, or in an ISO one."""
    found = _DATE.fullmatch(text_of(given))
    if found is None:
        return to_utc(given if isinstance(given, str) else None, where)
    try:
        year, month, day, hour, minute = map(int, found.groups())
        return local(datetime(year, month, day, hour, minute), where)
    except ValueError:  # a 31st of June
        return None, "none"
