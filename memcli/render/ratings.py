"""Ratings of many records by one pass, or new statuses of many memories, told at once: they would
drown what else it did."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memcli.core.reports import Change
from memcli.render.text import count, listed

_FEW = 3  # ratings of records that are told one by one


class Ratings(NamedTuple):
    """What one pass said of one property of many records or memories: `importance 1..8`."""

    items: int
    value: str
    pass_id: str | None
    strategy: str | None
    reason: str
    what: str = "record"

    @property
    def head(self) -> str:
        """`rated 100 records`."""
        plural = "memories" if self.what == "memory" else None
        return f"rated {count(self.items, self.what, plural)}"


def folded(changes: Sequence[Change]) -> list[Change | Ratings]:
    """The changes in their order, many ratings of records by the same pass as one."""
    groups: dict[tuple[object, ...], list[Change]] = {}
    for change in changes:
        if _may_fold(change):
            groups.setdefault(_key(change), []).append(change)
    out: list[Change | Ratings] = []
    for change in changes:
        group = groups.get(_key(change), []) if _may_fold(change) else []
        if len(group) <= _FEW:
            out.append(change)
        elif change is group[0]:
            out.append(_together(group))
    return out


def _may_fold(change: Change) -> bool:
    return change.change == "rated" and (_is_record(change) or _name(change) == "status")


def _is_record(change: Change) -> bool:
    return change.memory.startswith("r")


def _name(change: Change) -> str:
    return _parted(change.after or change.before or "")[0]


def _key(change: Change) -> tuple[object, ...]:
    found = (_is_record(change), _name(change), change.pass_id, change.strategy)
    if _name(change) == "status":  # each has a reason of its own: the value that it had
        return (*found, change.before, change.after)
    return (*found, change.reason)


def _parted(value: str) -> tuple[str, str]:
    name, _, rest = value.partition(" ")
    return name, rest


def _together(group: Sequence[Change]) -> Ratings:
    first = group[0]
    name, _ = _parted(first.after or first.before or "")
    before, after = _range(c.before for c in group), _range(c.after for c in group)
    value = f"{name} {before} → {after or 'none'}" if before else f"{name} {after}"
    items = len({change.memory for change in group})
    reason = first.reason if len({change.reason for change in group}) == 1 else ""
    what = "record" if _is_record(first) else "memory"
    return Ratings(items, value.strip(), first.pass_id, first.strategy, reason, what)


def _range(values: Iterable[str | None]) -> str:
    """`1..8` of numbers, else the words; empty if none has a value."""
    found = {_parted(value)[1] for value in values if value is not None}
    if not all(text.isascii() and text.isdigit() for text in found):
        return listed(sorted(found), 4)
    numbers = sorted(map(int, found))
    return "..".join(str(number) for number in dict.fromkeys([*numbers[:1], *numbers[-1:]]))
