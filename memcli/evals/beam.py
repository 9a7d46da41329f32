"""BEAM (mohammadtavakoli78/BEAM): a long chat with twenty questions of ten kinds.

`updated_info` is current and `original_info` stale; both sides of a contradiction are current.
The mark of the generator at the end of a message (`->-> 1,1`) was said by nobody. A batch of the
chat is a session; a message without a time has that of the last one that has one.
"""

import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from memcli.core.found import Found
from memcli.evals import fields
from memcli.evals.suite import Probe, Suite, World
from memcli.kit.times import stamp

NAME = "beam"
_MARK = re.compile(r"\s*->\s*->\s*[\d, ]*$")
_LONGEST_MARK = 60
_KINDS = {
    "abstention": "abstain",
    "contradiction_resolution": "contradiction",
    "knowledge_update": "update",
}
_ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")


def recognises(value: Any) -> bool:
    """Whether it is a list of chats with questions, or one of them."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and {"chat", "probing_questions"} <= first.keys()


def convert(value: Any, name: str, sha256: str) -> Suite:
    """The suite; raises InputError."""
    worlds: dict[str, World] = {}
    probes: list[Probe] = []
    problems: Counter[str] = Counter()
    for nth, sample in enumerate(value if isinstance(value, list) else [value], 1):
        where = f"{name}, chat {nth}"
        given = fields.table(sample, where)
        title = fields.text(given, "chat_id", where, default=str(nth))
        if title in worlds:
            fields.bad(f"Two chats have the id {title[:60]!r}.", where)
        worlds[title] = _world(given, title, where)
        kinds = fields.table(given.get("probing_questions"), f"{where}, probing_questions")
        for category, asked in kinds.items():
            at = f"{where}, {category}"
            for number, question in enumerate(fields.rows(asked, at), 1):
                ident = f"{title}/{category}/{number}"
                entry = fields.table(question, at)
                probes.append(_probe(entry, ident, category, worlds[title], problems, at))
    return Suite(name, NAME, worlds, tuple(probes), sha256, dict(+problems))


def _world(given: Mapping[str, Any], title: str, where: str) -> World:
    units: list[Found] = []
    refs: dict[str, tuple[str, ...]] = {}
    said_at: str | None = None
    for number, value in enumerate(fields.rows(given.get("chat"), f"{where}, chat"), 1):
        batch = fields.table(value, f"{where}, batch {number}")
        said_at = _anchor(batch.get("time_anchor")) or said_at
        for group in fields.rows(batch.get("turns"), f"{where}, batch {number}, turns"):
            for one in fields.rows(group, f"{where}, batch {number}, turns"):
                at = f"{where}, batch {number}"
                turn = fields.table(one, at)
                said_at = _anchor(turn.get("time_anchor")) or said_at
                ref = fields.text(turn, "id", at)
                words = _unmarked(fields.plain(turn.get("content")))
                if not words or f"{title}/{ref}" in refs:
                    continue
                units += fields.record(
                    world=title,
                    session=f"batch {fields.plain(batch.get('batch_number')) or number}",
                    ref=ref,
                    role=turn.get("role"),
                    words=words,
                    said_at=said_at,
                    where=at,
                )
                refs[f"{title}/{ref}"] = (ref,)
    return World(title, tuple(units), refs)


def _unmarked(text: str) -> str:
    """A message without the mark at its end; only the end is looked at, for messages are long."""
    return text[:-_LONGEST_MARK] + _MARK.sub("", text[-_LONGEST_MARK:])


def _anchor(value: Any) -> str | None:
    """`March-15-2024` as a day in UTC."""
    try:
        day = datetime.strptime(fields.plain(value), "%B-%d-%Y")
    except ValueError:
        return None
    return stamp(day.replace(tzinfo=timezone.utc))


def _probe(
    entry: Mapping[str, Any],
    ident: str,
    category: str,
    world: World,
    problems: Counter[str],
    where: str,
) -> Probe:
    sources = entry.get("source_chat_ids")
    known = {ref for names in world.refs.values() for ref in names}

    def refs(value: Any) -> tuple[str, ...]:
        found = dict.fromkeys(_flat(value))
        problems["evidence_missing"] += sum(ref not in known for ref in found)
        return tuple(ref for ref in found if ref in known)

    kind = _KINDS.get(category, "recall")
    stale: tuple[str, ...] = ()
    if kind == "update" and isinstance(sources, dict):
        current = refs(sources.get("updated_info"))
        stale = tuple(r for r in refs(sources.get("original_info")) if r not in current)
        if not stale:  # it names one message for both: there is nothing to tell apart
            kind = "recall"
    else:
        current = refs(list(sources.values()) if isinstance(sources, dict) else sources)
    if not current and kind != "abstain":
        problems["questions_without_evidence"] += 1
    return Probe(
        ident,
        kind,
        world.name,
        fields.text(entry, "question", where),
        world.newest,
        next((fields.texts(entry[key], where) for key in _ANSWERS if entry.get(key)), ()),
        current_refs=() if kind == "abstain" else current,
        stale_refs=stale,
        evidence_refs=() if kind == "abstain" else (*current, *stale),
        rubric=fields.texts(entry.get("rubric"), f"{where}, rubric"),
        category=category,
        cluster=world.name,
        original=dict(entry),
    )


def _flat(value: Any) -> list[str]:
    if isinstance(value, list):
        return [ref for inner in value for ref in _flat(inner)]
    if isinstance(value, dict):
        return [ref for inner in value.values() for ref in _flat(inner)]
    found = fields.plain(value)
    return [found] if found else []
