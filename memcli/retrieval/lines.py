"""Texts of many lines, of which each is a point of its own: summaries of days, the overview.

A search shows the points that have to do with the question, not the whole day. After MemoryBank
(arXiv:2305.10250), which finds memory pieces by themselves, six at most, and joins neighbours up to
200 characters; the pieces of a day are one result here, in their order.
"""

from collections.abc import Collection, Sequence

from memcli.core.memories import Memory
from memcli.core.values import dataclass
from memcli.kit.stem import stems

KINDS = frozenset({"day", "overview"})
MOST = 6
JOINED = 200  # characters


@dataclass(frozen=True)
class Line:
    """One point. `speaker`, `date`: who says its words and on which day, where that is known."""

    text: str
    speaker: str | None = None
    date: str | None = None

    def told(self, *, speaker: bool) -> str:
        """It with what is known beside it; `speaker`: whether that is said."""
        who = self.speaker if speaker else None
        beside = " ".join(part for part in (self.date, who) if part)
        return f"{beside}: {self.text}" if beside else self.text


def lines(memory: Memory) -> list[Line]:
    """The points of a memory, in their order."""
    texts = memory.text.splitlines()
    speakers, dates = (_list(memory, name, len(texts)) for name in ("speakers", "dates"))
    return [Line(*each) for each in zip(texts, speakers, dates, strict=True)]


def whole(memory: Memory) -> str:
    """The text of a memory, each of its lines with its date and speaker."""
    if memory.kind not in KINDS:
        return memory.text
    return "\n".join(line.told(speaker=True) for line in lines(memory))


def matching(memory: Memory, wanted: Collection[str]) -> tuple[str, str | None]:
    """(the points with most of the stems `wanted`, and what stands next to them; who says them).

    The whole text of a memory that is not made of points, and of one of which no point has any.
    """
    if memory.kind not in KINDS:
        return memory.text, None
    found = lines(memory)
    marks = [len(stems(line.text) & set(wanted)) for line in found]
    best = sorted(range(len(found)), key=lambda nth: (-marks[nth], nth))
    chosen = {nth for nth in best[:MOST] if 2 * marks[nth] >= max(marks) and marks[nth]}
    if not chosen:
        return whole(memory), None
    shown = [found[nth] for nth in sorted(_joined(found, chosen, marks))]
    speakers = {line.speaker for line in shown}
    told = [line.told(speaker=len(speakers) > 1) for line in shown]
    return "\n".join(told), speakers.pop() if len(speakers) == 1 else None


def _joined(found: Sequence[Line], chosen: set[int], marks: Sequence[int]) -> set[int]:
    """With neighbours of the best point while that makes no more than so many characters."""
    low = high = max(chosen, key=lambda nth: (marks[nth], -nth))
    taken = set(chosen)
    while True:
        near = [nth for nth in (high + 1, low - 1) if 0 <= nth < len(found)]
        room = [nth for nth in near if sum(len(found[n].text) + 1 for n in {*taken, nth}) <= JOINED]
        if not room:
            return taken
        taken.add(room[0])
        low, high = min(low, room[0]), max(high, room[0])


def _list(memory: Memory, name: str, count: int) -> list[str | None]:
    """What stands beside each line, as far as there is anything: a file may be damaged."""
    held = memory.attributes.get(name)
    found = list(held[:count]) if isinstance(held, list | tuple) else []
    found += [None] * (count - len(found))
    return [one if isinstance(one, str) else None for one in found]
