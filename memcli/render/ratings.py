"""Ratings of many records by one pass, told at once: they would drown what else it did."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memcli.core.reports import Change
from memcli.render.text import count, listed

_FEW = 3  # ratings of records that are told one by one


class Ratings(NamedTuple):
    """What one pass said of one property of many records: `importance 1..8`."""

    records: int
    value: str
    pass_id: str | None
    strategy: str | None
    reason: str

    @property
    def head(self) -> str:
        """`rated 100 records`."""
        return f"rated {count(self.records, 'record')}"


def folded(changes: Sequence[Change]) -> list[Change | Ratings]:
    """The changes in their order, many ratings of records by the same pass as one."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in changes:
        if _of_record(change):
            groups.setdefault(_key(change), []).append(change)
    out: list[Change | Ratings] = []
    for change in changes:
        group = groups.get(_key(change), []) if _of_record(change) else []
        if len(group) <= _FEW:
            out.append(change)
        elif change is group[0]:
            out.append(_together(group))
    return out


def _of_record(change: Change) -> bool:
    return change.change == "rated" and change.memory.startswith("r")


def _key(change: Change) -> tuple[object, ...]:
    name, _ = _parted(change.after or change.before or "")
    return name, change.pass_id, change.strategy, change.reason


def _parted(value: str) -> tuple[str, str]:
    name, _, rest = value.partition(" ")
    return name, rest


def _together(group: Sequence[Change]) -> Ratings:
    first = group[0]
    name, _ = _parted(first.after or first.before or "")
    before, after = _range(c.before for c in group), _range(c.after for c in group)
    value = f"{name} {before} → {after or 'none'}" if before else f"{name} {after}"
    records = len({change.memory for change in group})
    return Ratings(records, value.strip(), first.pass_id, first.strategy, first.reason)


def _range(values: Iterable[str | None]) -> str:
    """`1..8` of numbers, else the words; empty if none has a value."""
    found = {_parted(value)[1] for value in values if value is not None}
    if not all(text.isascii() and text.isdigit() for text in found):
        return listed(sorted(found), 4)
    numbers = sorted(map(int, found))
    return "..".join(str(number) for number in dict.fromkeys([*numbers[:1], *numbers[-1:]]))
