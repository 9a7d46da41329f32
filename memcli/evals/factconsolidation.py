"""The shape of MemoryAgentBench's FactConsolidation: numbered facts, of which the last one counts.

`{"context": "0. Fact one.\\n1. Fact two.\\n...", "questions": [...], "answers": [[...], ...]}`, one
object or a list. The serial number is the time. Which facts a question is about is not said there:
a fact that holds the answer is current, and an earlier one that is the same but for the words of
the answer is stale.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from memcli.core.found import Found
from memcli.evals import fields
from memcli.evals.suite import Probe, Suite, World
from memcli.kit.times import stamp
from memcli.kit.words import words

NAME = "factconsolidation"
_FACT = re.compile(r"^\s*(\d+)[.:)]\s+(\S.*)$", re.MULTILINE)
_FIRST = datetime(2000, 1, 1, tzinfo=timezone.utc)
_ALIKE = 0.6  # of the words of the shorter one, where two facts are about one thing


def recognises(value: Any) -> bool:
    """Whether it is such an object, or a list of them."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and {"context", "questions", "answers"} <= first.keys()


def convert(value: Any, name: str, sha256: str) -> Suite:
    """The suite; raises InputError."""
    worlds: dict[str, World] = {}
    probes: list[Probe] = []
    problems: Counter[str] = Counter()
    for nth, given in enumerate(value if isinstance(value, list) else [value], 1):
        where = f"{name}, object {nth}"
        entry = fields.table(given, where)
        title = f"facts {nth}"
        facts = _facts(fields.text(entry, "context", where), where)
        worlds[title] = _world(title, facts, where)
        asked = fields.texts(entry["questions"], f"{where}, questions")
        answers = fields.rows(entry["answers"], f"{where}, answers")
        if len(asked) != len(answers):
            fields.bad(f"There are {len(asked)} questions and {len(answers)} answers.", where)
        for number, question in enumerate(asked, 1):
            right = fields.texts(answers[number - 1], f"{where}, answer {number}")
            probes.append(_probe(worlds[title], facts, number, question, right, problems))
    return Suite(name, NAME, worlds, tuple(probes), sha256, dict(+problems))


def _facts(context: str, where: str) -> list[tuple[int, str]]:
    found = [(int(number), text.strip()) for number, text in _FACT.findall(context)]
    if not found:
        fields.bad("The context has no line such as `12. Some fact.`", where)
    return sorted(dict(found).items())


def _world(title: str, facts: Sequence[tuple[int, str]], where: str) -> World:
    units: list[Found] = []
    for number, text in facts:
        units += fields.record(
            world=title,
            session="facts",
            ref=str(number),
            role="user",
            words=text,
            said_at=stamp(_FIRST + timedelta(minutes=number)),
            where=where,
        )
    return World(title, tuple(units), {f"{title}/{number}": (str(number),) for number, _ in facts})


def _probe(
    world: World,
    facts: Sequence[tuple[int, str]],
    number: int,
    question: str,
    right: tuple[str, ...],
    problems: Counter[str],
) -> Probe:
    current, stale = _evidence(facts, question, right)
    if current is None:
        problems["questions_without_evidence"] += 1
    return Probe(
        f"{world.name}/{number}",
        "update" if stale else "recall",
        world.name,
        question,
        world.newest,
        right,
        current_refs=() if current is None else (str(current),),
        stale_refs=tuple(map(str, stale)),
        cluster=world.name,
        original={"question": question, "answer": list(right)},
    )


def _evidence(
    facts: Sequence[tuple[int, str]], question: str, right: Sequence[str]
) -> tuple[int | None, list[int]]:
    """The newest fact that holds the answer and shares most words with the question, and earlier
    ones that are alike but for it."""
    wanted = set(words(question))
    holding = [
        (len(wanted & set(words(text))), number, text)
        for number, text in facts
        if any(one.casefold() in text.casefold() for one in right)
    ]
    if not holding or max(holding)[0] == 0:
        return None, []
    _, current, said = max(holding)
    own = _without(said, right)
    stale = [
        number
        for number, text in facts
        if number < current
        and not any(one.casefold() in text.casefold() for one in right)
        and len(own & set(words(text))) >= max(2, _ALIKE * len(set(words(text))))
        and len(own & set(words(text))) >= _ALIKE * len(own)
    ]
    return current, stale


def _without(text: str, right: Sequence[str]) -> set[str]:
    gone = {word for one in right for word in words(one)}
    return set(words(text)) - gone
