"""What is measured: worlds of records, and probes, which are questions with known evidence."""

from collections.abc import Mapping
from typing import Any

from memcli.core.found import Found
from memcli.core.values import dataclass, field

# `recall` is a plain question of a benchmark: all of its evidence is current.
KINDS = (
    "update",
    "noise",
    "history",
    "stable",
    "abstain",
    "contradiction",
    "duplicate",
    "implicit",
    "recall",
)

# Where a world has no time at all. Its value means nothing, but it is the same in every run.
NO_TIME = "2000-01-01T00:00:00.000Z"


@dataclass(frozen=True, slots=True)
class World:
    """The records of one store to be: units as a reader yields them, and what they stand for.

    `refs`: identity of a unit -> the suite's names for it (an attachment has those of its
    message). `format` is the reader's, or `probes`.
    """

    name: str
    units: tuple[Found, ...]
    refs: Mapping[str, tuple[str, ...]]
    format: str = "probes"

    @property
    def newest(self) -> str:
        """The time of the newest record, the `now` of passes over it."""
        return max((unit.said_at for unit in self.units if unit.said_at), default=NO_TIME)


@dataclass(frozen=True, slots=True)
class Probe:
    """A question to a world, and what is right.

    `answer`: wordings, each right. `current_refs`: records that hold the answer; `stale_refs`:
    records that hold what it was before; `stale_answer`: the value there, where it is known.
    `evidence_refs`: what the benchmark calls evidence, the stale ones too; else the current ones are.
    `as_of`: the question is about what held then. `category` is the benchmark's own word.
    `cluster`: what may depend on each other, for intervals. `original`: the benchmark's own
    fields, for the export.
    """

    id: str
    kind: str
    world: str
    question: str
    question_time: str | None = None
    answer: tuple[str, ...] = ()
    current_refs: tuple[str, ...] = ()
    stale_refs: tuple[str, ...] = ()
    distractor_refs: tuple[str, ...] = ()
    evidence_refs: tuple[str, ...] = ()
    stale_answer: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()
    as_of: str | None = None
    category: str = ""
    cluster: str = ""
    original: Mapping[str, Any] = field(default_factory=dict)

    @property
    def evidence(self) -> tuple[str, ...]:
        """What recall is measured by."""
        return self.evidence_refs or self.current_refs


@dataclass(frozen=True, slots=True)
class Suite:
    """Worlds by name, probes in order. `problems` counts what the source has wrong or lacks."""

    name: str
    format: str
    worlds: Mapping[str, World]
    probes: tuple[Probe, ...]
    sha256: str
    problems: Mapping[str, int] = field(default_factory=dict)

    @property
    def records(self) -> int:
        """How many records all worlds have."""
        return sum(len(world.units) for world in self.worlds.values())
