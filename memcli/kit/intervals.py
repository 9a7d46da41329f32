"""Which of two facts that contradict each other ends, and when: by dates alone.

After the edge resolution of Graphiti (arXiv:2501.13956, section 2.2.3; getzep/graphiti 0.31.2,
graphiti_core/utils/maintenance/edge_operations.py). Intervals are half open, [start, end).
"""

from typing import Literal

from memcli.core.values import dataclass
from memcli.kit.moments import day_of, is_day, parse_time

Order = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class Span:
    """When a claim was true; ISO 8601, None for open and for unknown.

    `said`: when its record was said, which is its start where it has none. `place`: of its record
    in the sequence; the later one wins where dates tell nothing.
    """

    start: str | None
    end: str | None = None
    said: str | None = None
    place: int = 0

    @property
    def begun(self) -> str | None:
        """Its start, or when it was said."""
        return self.start or self.said


@dataclass(frozen=True, slots=True)
class Ended:
    """What the rules make of two claims: which of them is `over`, if either, and their ends
    afterwards; of the one that is over None means that nobody knows when it ended.

    `rule`: 1 later news, 2 disjoint, 3 late news, 4 same start; 0 where no date tells. `open_gap`:
    the new claim is over too, and nothing is known of the time after it.
    """

    rule: int
    over: Literal["old", "new"] | None
    old_end: str | None
    new_end: str | None
    open_gap: bool = False

    @property
    def reason(self) -> str:
        """The rule in words."""
        return _REASONS[self.rule]


_REASONS = (
    "undated: by sequence",
    "rule 1: later news",
    "rule 2: disjoint",
    "rule 3: late news",
    "rule 4: same_start",
)


def ended(old: Span, new: Span) -> Ended:
    """What becomes of `old` and of `new`, which cannot both be true at one time."""
    if old.begun is None or new.begun is None:
        return _undated(old, new)
    if _is_over(old.end, new.begun) or _is_over(new.end, old.begun):
        return Ended(2, None, old.end, new.end)
    order = compared(old.begun, new.begun)
    if order < 0:
        gap = new.end is not None and not _is_over(old.end, new.end)
        return Ended(1, "old", new.begun, new.end, open_gap=gap)
    if order > 0:
        return Ended(3, "new", old.end, old.begun)
    if new.place >= old.place:
        return Ended(4, "old", old.begun, new.end)
    return Ended(4, "new", old.end, new.begun)


def compared(one: str, two: str) -> Order:
    """-1, 0, 1: whether one time is before the other. A day is no earlier than its hours."""
    if is_day(one) or is_day(two):
        first, second = parse_time(day_of(one)), parse_time(day_of(two))
    else:
        first, second = parse_time(one), parse_time(two)
    return -1 if first < second else 1 if first > second else 0


def _is_over(end: str | None, start: str) -> bool:
    """Whether what ends at `end` has ended when the other starts."""
    return end is not None and compared(end, start) <= 0


def _undated(old: Span, new: Span) -> Ended:
    """The one whose record comes later in sequence stands; when the other ended is unknown."""
    if new.place >= old.place:
        return Ended(0, "old", new.begun or old.end, new.end)
    return Ended(0, "new", old.end, old.begun or new.end)
