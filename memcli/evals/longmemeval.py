"""LongMemEval (xiaowu0162/LongMemEval): one world a question.

Of a knowledge update the evidence of the last session is current and that of earlier ones stale;
a question for the former state has them the other way round. An id that ends in `_abs` asks for
what nobody said.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from memcli.core.found import Bad, Found, Skipped
from memcli.evals import fields
from memcli.evals.suite import Probe, Suite, World
from memcli.readers import longmemeval as reader

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
    """The world, by the reader that users get; `evidence` gets the refs of each session that has
    some, oldest first."""
    units: list[Found] = []
    dated: dict[str, tuple[str, list[str]]] = {}
    marked = iter(_marks(entry))
    for unit in reader.history(entry, 1):
        if isinstance(unit, Bad):
            fields.bad(f"{unit.reason}.", where)
        if isinstance(unit, Skipped):
            if unit.reason == "empty":
                next(marked, None)
                problems["empty_turns"] += 1
            continue
        units.append(unit)
        if next(marked, False):
            dated.setdefault(unit.session, (unit.said_at or "", []))[1].append(_ref(unit))
    sessions = {unit.session: unit.said_at for unit in units}
    problems["sessions_without_time"] += sum(said_at is None for said_at in sessions.values())
    # The sort is stable: of two sessions of one moment the first in the file is the older.
    evidence += [found for _, found in sorted(dated.values(), key=lambda pair: pair[0])]
    return World(ident, tuple(units), {unit.identity: (_ref(unit),) for unit in units})


def _marks(entry: Mapping[str, Any]) -> Iterator[bool]:
    """Whether each turn holds the answer, in the order of the reader, who must not know it."""
    for turns in entry["haystack_sessions"]:
        for turn in turns:
            yield bool(turn.get("has_answer"))


def _ref(unit: Found) -> str:
    """The name of a turn within its world."""
    return unit.identity.removeprefix(f"{unit.container}/")


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
        reader.moment(entry.get("question_date"))[0],
        fields.texts(entry.get("answer"), f"{where}, answer"),
        current_refs=() if kind == "abstain" else tuple(current),
        stale_refs=tuple(stale),
        evidence_refs=() if kind == "abstain" else tuple(ref for part in evidence for ref in part),
        category=category,
        cluster=ident,
        original={key: entry[key] for key in entry if not key.startswith("haystack_")},
    )
