"""LoCoMo (snap-research/LoCoMo): conversations by the reader that users get, and their questions.

Captions are records of their own and stand for their message; the `query` of an image, which
nobody said, is not read. Category 5 has no answer in the conversation.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from memcli.core.found import Found
from memcli.evals import fields
from memcli.evals.suite import Probe, Suite, World
from memcli.ports import ReadOptions
from memcli.readers import locomo

NAME = "locomo"
_ADVERSARIAL = "5"
# `D8:6; D9:17` is two ids in one text, and `D:11:26` one in an odd form.
_ID = re.compile(r"D:?(\d+):(\d+)")


class _Whole:
    """Implements ports.Source over bytes in memory."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self._data = data

    def chunks(self, size: int = 65536) -> Iterator[bytes]:
        for start in range(0, len(self._data), size):
            yield self._data[start : start + size]

    def head(self, size: int = 65536) -> bytes:
        return self._data[:size]


def recognises(value: Any) -> bool:
    """Whether it is a list of conversations with questions, or one of them."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and "qa" in first and "conversation" in first


def convert(value: Any, name: str, sha256: str, data: bytes) -> Suite:
    """The suite; `data` are the bytes of the file, which the reader reads."""
    worlds = _worlds(name, data)
    probes: list[Probe] = []
    problems: Counter[str] = Counter()
    for nth, sample in enumerate(value if isinstance(value, list) else [value]):
        place = f"{name}, conversation {nth + 1}"
        given = fields.table(sample, place)
        title = fields.text(given, "sample_id", place)
        if title not in worlds:
            fields.bad("No turn of this conversation could be read.", place)
        for number, qa in enumerate(fields.rows(given.get("qa"), f"{place}, qa"), 1):
            at = f"{place}, question {number}"
            probes.append(_probe(fields.table(qa, at), title, number, worlds[title], problems, at))
    return Suite(name, NAME, worlds, tuple(probes), sha256, dict(+problems))


def _worlds(name: str, data: bytes) -> dict[str, World]:
    units: dict[str, list[Found]] = {}
    for unit in locomo.read(_Whole(name, data), ReadOptions()):
        if isinstance(unit, Found) and unit.container:
            units.setdefault(unit.container, []).append(unit)
    return {
        title: World(
            title,
            tuple(found),
            {one.identity: (one.native,) for one in found if one.native is not None},
            NAME,
        )
        for title, found in units.items()
    }


def _probe(
    qa: Any, title: str, number: int, world: World, problems: Counter[str], where: str
) -> Probe:
    known = {ref for names in world.refs.values() for ref in names}
    evidence: dict[str, None] = {}
    for given in fields.rows(qa.get("evidence", []), f"{where}, evidence"):
        found = [f"D{session}:{turn}" for session, turn in _ID.findall(fields.plain(given))]
        if not found:
            problems["evidence_no_id"] += 1
        for ref in found:
            if ref in known:
                evidence[ref] = None
            else:
                problems["evidence_missing"] += 1
    category = fields.plain(qa.get("category"))
    if not evidence:
        problems["questions_without_evidence"] += 1
    adversarial = category == _ADVERSARIAL
    return Probe(
        f"{title}/{number}",
        "abstain" if adversarial else "recall",
        title,
        fields.text(qa, "question", where),
        world.newest,
        () if adversarial else fields.texts(qa.get("answer"), f"{where}, answer"),
        current_refs=tuple(evidence),
        category=category,
        cluster=title,
        original=dict(qa),
    )
