"""One measured goal, and the texts that are measured with."""

import json
import platform
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memcli.store.driver import DRIVER, SQLITE_VERSION

_NOISY = 0.2  # a baseline that spreads more than this gates nothing


@dataclass(frozen=True)
class Goal:
    """`ours` and `baseline` in the unit of the name; the goal is a ratio or a plain limit."""

    name: str
    size: int
    ours: float
    baseline: float | None
    goal: str
    ok: bool | None
    spread: float = 0.0

    def as_json(self) -> str:
        """One line."""
        ratio = None if not self.baseline else round(self.ours / self.baseline, 3)
        values = {
            "schema": "mem.bench/1",
            "name": self.name,
            "size": self.size,
            "ours": round(self.ours, 6),
            "baseline": None if self.baseline is None else round(self.baseline, 6),
            "ratio": ratio,
            "goal": self.goal,
            "ok": self.ok,
            "noisy": self.spread > _NOISY,
            "spread": round(self.spread, 3),
            "versions": {
                "python": platform.python_version(),
                "sqlite": SQLITE_VERSION,
                "driver": DRIVER,
            },
        }
        return json.dumps(values)


def cpu(action: Callable[[], object]) -> float:
    """CPU seconds of this process that `action` takes."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


def median(values: Sequence[float]) -> tuple[float, float]:
    """(median, relative spread between the quartiles)."""
    ordered = sorted(values)
    middle = statistics.median(ordered)
    low, high = ordered[len(ordered) // 4], ordered[(3 * len(ordered)) // 4]
    return middle, (high - low) / middle if middle else 0.0


_SUBJECTS = [
    "I",
    "we",
    "Ada",
    "Tom",
    "my\xa0sister",
    "the\xa0team",
    "the\xa0client",
    "our\xa0neighbour",
]
_VERBS = [
    "moved",
    "planned",
    "cooked",
    "fixed",
    "painted",
    "ordered",
    "forgot",
    "practised",
    "reviewed",
    "wrote",
]
_THINGS = [
    "garden",
    "report",
    "soup",
    "bike",
    "invoice",
    "piano\xa0piece",
    "test\xa0suite",
    "curtain",
    "roof",
    "letter",
    "lesson",
    "recipe",
    "query",
    "migration",
    "trip",
    "fence\xa0post",
]
_ENDS = [
    "yesterday",
    "in\xa0Lisbon",
    "twice",
    "with\xa0care",
    "for\xa0the\xa0school",
    "before\xa0noon",
    "again",
]


def chat(count: int, seed: int = 7) -> Iterator[str]:
    """`count` texts of the lengths and repeats of chat, the same for the same seed."""
    lots = random.Random(seed)
    for nth in range(count):
        clauses = []
        for _ in range(lots.choice((1, 1, 1, 2, 2, 4))):
            words = [lots.choice(part) for part in (_SUBJECTS, _VERBS, _THINGS, _ENDS)]
            clauses.append(" ".join(words).replace("\u00a0", " "))
        text = ", and ".join(clauses)
        yield text + (f", number {nth}." if lots.random() < 0.7 else ".")
