"""LongMemEval (xiaowu0162/LongMemEval): one world a question.

Of a knowledge update the evidence of the last session is current and that of earlier ones stale;
a question for the former state has them the other way round. An id that ends in `_abs` asks for
what nobody said.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from memcli.core.found import Found
from memcli.evals import fields
from memcli.evals.suite import Probe, Suite, World

NAME = "longmemeval"
UPDATE = "knowledge-update"
_PAST = re.compile(r"\b(previous(ly)?|initial(ly)?|before|earlier|former(ly)?|original(ly)?)\b")
_FIELDS = {"question_id", "question", "haystack_sessions"}


def recognises(value: Any) -> bool:
    """Whether it is a list of such questions."""
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], dict)
        and value[0].keys() >= _FIELDS
    )


def convert(value: Any, name: str, sha256: str) -> Suite:
    """The suite; raises InputError."""
    worlds: dict[str, World] = {}
    probes: list[Probe] = []
    problems: Counter[str] = Counter()
    for number, given in enumerate(fields.rows(value, name), 1):
        where = f"{name}, question {number}"
        entry = fields.table(given, where)
        ident = fields.text(entry, "question_id", where)
        if ident in worlds:
            fields.bad(f"Two questions have the id {ident[:60]!r}.", where)
        evidence: list[list[str]] = []
        worlds[ident] = _world(entry, ident, evidence, problems, where)
        probes.append(_probe(entry, ident, evidence, problems, where))
    return Suite(name, NAME, worlds, tuple(probes), sha256, dict(+problems))


def _world(
    entry: Mapping[str, Any],
    ident: str,
    evidence: list[list[str]],
    problems: Counter[str],
    where: str,
) -> World:
    """The world; `evidence` gets the refs of each session that has some, oldest first."""
    sessions = fields.rows(entry.get("haystack_sessions"), f"{where}, haystack_sessions")
    names = _beside(entry, "haystack_session_ids", len(sessions), where)
    dates = _beside(entry, "haystack_dates", len(sessions), where)
    dated: list[tuple[str, int, list[str]]] = []
    units: list[Found] = []
    refs: dict[str, tuple[str, ...]] = {}
    for nth, turns in enumerate(sessions):
        said_at = fields.slashed(dates[nth])
        if said_at is None:
            problems["sessions_without_time"] += 1
        # The same session may stand there twice: its place keeps the two apart.
        session = f"{fields.plain(names[nth]) or 'session'}#{nth + 1}"
        of_session: list[str] = []
        for place, value in enumerate(fields.rows(turns, f"{where}, session {nth + 1}")):
            turn = fields.table(value, f"{where}, session {nth + 1}")
            words = fields.plain(turn.get("content"))
            if not words:
                problems["empty_turns"] += 1
                continue
            ref = f"{session}:{place + 1}"
            at = f"{where}, session {nth + 1}, turn {place + 1}"
            units += fields.record(
                world=ident,
                session=session,
                ref=ref,
                role=turn.get("role"),
                words=words,
                said_at=said_at,
                where=at,
            )
            refs[f"{ident}/{ref}"] = (ref,)
            if turn.get("has_answer"):
                of_session.append(ref)
        if of_session:
            dated.append((said_at or "", nth, of_session))
    evidence += [found for _, _, found in sorted(dated)]
    return World(ident, tuple(units), refs)


def _beside(entry: Mapping[str, Any], key: str, count: int, where: str) -> list[Any]:
    found = list(fields.rows(entry.get(key, []), f"{where}, {key}"))
    if found and len(found) != count:
        fields.bad(f"{key} has {len(found)} entries for {count} sessions.", where)
    return found or [None] * count


def _probe(
    entry: Mapping[str, Any],
    ident: str,
    evidence: list[list[str]],
    problems: Counter[str],
    where: str,
) -> Probe:
    category = fields.plain(entry.get("question_type"))
    question = fields.text(entry, "question", where)
    kind, current, stale = "recall", [ref for part in evidence for ref in part], list[str]()
    if ident.endswith("_abs"):
        kind = "abstain"
    elif category == UPDATE and len(evidence) > 1:
        kind, current = "update", evidence[-1]
        stale = [ref for part in evidence[:-1] for ref in part]
        if _PAST.search(question.casefold()):
            kind, current, stale = "history", stale, current
    if not current and kind != "abstain":
        problems["questions_without_evidence"] += 1
    return Probe(
        ident,
        kind,
        ident,
        question,
        fields.slashed(entry.get("question_date")),
        fields.texts(entry.get("answer"), f"{where}, answer"),
        current_refs=() if kind == "abstain" else tuple(current),
        stale_refs=tuple(stale),
        evidence_refs=() if kind == "abstain" else tuple(ref for part in evidence for ref in part),
        category=category,
        cluster=ident,
        original={key: entry[key] for key in entry if not key.startswith("haystack_")},
    )
