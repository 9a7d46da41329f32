"""Filling a block up to its budget: what does not fit is passed over, and the next is tried."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from memcli.core.ids import parse
from memcli.core.reports import (
    SECTIONS,
    ContextItem,
    ContextReport,
    ContextSection,
    SectionName,
)
from memcli.core.values import dataclass, field, replace
from memcli.errors import UsageError
from memcli.kit.moments import known_time, parse_time

CHARACTERS_A_TOKEN = 4
STANDING_SHARE = 3  # what stands whatever is asked takes at most this part of the budget: a third


class Layout(Protocol):
    """How a block is written; the lengths of its parts add up to about the length of the whole."""

    def block(self, report: ContextReport) -> str:
        """The whole text."""
        ...

    def title(self, name: SectionName) -> str:
        """What a section takes besides its items."""
        ...

    def item(self, item: ContextItem, name: SectionName) -> str:
        """What an item takes."""
        ...


@dataclass(frozen=True)
class Unit:
    """Items that are in a block together or not at all.

    `needs`: ids without which it would mislead. `covered`: ids of memories that together say all
    of it: with them it is not missed.
    """

    items: tuple[tuple[SectionName, ContextItem], ...]
    needs: frozenset[str] = frozenset()
    covered: frozenset[str] = frozenset()

    @property
    def first(self) -> ContextItem:
        """The item it is about."""
        return self.items[0][1]


@dataclass
class _Packing:
    layout: Layout
    room: int  # characters
    taken: list[Unit] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    sections: set[SectionName] = field(default_factory=set)
    left: dict[str, None] = field(default_factory=dict)

    def take(self, unit: Unit, *, most: int | None = None) -> None:
        """Take the unit if it fits, into `most` characters if that is less than there is room."""
        items = [pair for pair in unit.items if pair[1].id not in self.shown]
        if not items:
            return
        if unit.covered and unit.covered <= self.shown:
            self.shown |= {item.id for _, item in items}  # in other items
            return
        names = {name for name, _ in items} - self.sections
        cost = sum(len(self.layout.title(name)) for name in names)
        cost += sum(len(self.layout.item(item, name)) for name, item in items)
        room = self.room if most is None else min(self.room, most)
        if cost > room or not unit.needs <= self.shown:
            self.left |= dict.fromkeys(item.id for _, item in items)
            return
        self.room -= cost
        self.sections |= names
        self.shown |= {item.id for _, item in items}
        self.taken.append(replace(unit, items=tuple(items)))

    def drop(self) -> None:
        """Take the last unit out again."""
        unit = self.taken.pop()
        gone = [item.id for _, item in unit.items]
        self.shown -= set(gone)
        self.left |= dict.fromkeys(gone)


def pack(
    empty: ContextReport, standing: Sequence[Unit], found: Sequence[Unit], layout: Layout
) -> ContextReport:
    """`empty` with as many of the units as its budget holds, the first ones first.

    The block is written once more in the end, and what is too much taken out from behind: it never
    is longer than the budget. Raises UsageError where it holds not even an empty block.
    """
    limit = empty.budget * CHARACTERS_A_TOKEN
    # A document says how many tokens it takes: at most the budget.
    longest = replace(empty, tokens=empty.budget)
    frame = max(
        len(layout.block(replace(longest, left_out=n))) for n in (0, _most(standing, found))
    )
    if frame > limit:
        raise UsageError(
            f"A budget of {empty.budget:,} tokens holds no block: an empty one takes"
            f" {-(-frame // CHARACTERS_A_TOKEN):,}.",
            where="--budget",
            hint="give more (2000 is the default)",
        )
    packing = _Packing(layout, limit - frame)
    share = limit // STANDING_SHARE
    for unit in standing:
        before = packing.room
        packing.take(unit, most=share)
        share -= before - packing.room
    for unit in found:
        packing.take(unit)
    while True:
        report = _written(empty, packing, layout)
        if len(report.block) <= limit or not packing.taken:
            return report
        packing.drop()


def _most(*units: Iterable[Unit]) -> int:
    return sum(len(unit.items) for part in units for unit in part)


def _written(empty: ContextReport, packing: _Packing, layout: Layout) -> ContextReport:
    pairs = [pair for unit in packing.taken for pair in unit.items]
    sections = []
    for name in SECTIONS:
        items = sorted((item for where, item in pairs if where == name), key=_place(name))
        if items:
            sections.append(ContextSection(name, tuple(items)))
    left = [ident for ident in packing.left if ident not in packing.shown]
    report = replace(empty, sections=tuple(sections), left_out=len(left))
    # A document says how many tokens it takes, and its length hangs on that number.
    for _ in range(5):
        block = layout.block(report)
        tokens = -(-len(block) // CHARACTERS_A_TOKEN)
        if tokens == report.tokens:
            break
        report = replace(report, tokens=tokens)
    return replace(report, block=layout.block(report))


def _place(name: SectionName) -> "_Key":
    return _by_id if name == "standing" else _by_time


def _by_id(item: ContextItem) -> tuple[float, str, int]:
    """Memories before records, by number."""
    parsed = parse(item.id)
    return (0.0, parsed.letter, parsed.number)


def _by_time(item: ContextItem) -> tuple[float, str, int]:
    """By when it was said, or since when it holds; what has no date last."""
    moment = item.said_at or item.valid_from or item.unconfirmed_since
    known = known_time(moment)
    time = float("inf") if known is None else parse_time(known).timestamp()
    return (time, *_by_id(item)[1:])


class _Key(Protocol):
    def __call__(self, item: ContextItem, /) -> tuple[float, str, int]: ...
