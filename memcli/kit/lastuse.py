"""When a record or memory was last of use: when it was recalled, or else said."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.values import dataclass
from memcli.kit.moments import known_time, parse_time

DAY = 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class Use:
    """How an item was used up to some moment: `since` its last use or own time (ISO 8601), `days`
    from then on, `recalls` and pieces of `evidence`."""

    since: str | None
    days: float
    recalls: int
    evidence: int

    @property
    def strength(self) -> int:
        """S: 1, and 1 more for each recall."""
        return 1 + self.recalls


class Rows(Protocol):
    """What of a view is asked for; see ports.View."""

    def get(self, ref: str) -> Record | Memory | None:
        """The record or memory of this id."""
        ...

    def closure(self, ref: str) -> frozenset[str]:
        """Ids of the records that it rests on."""
        ...

    def recalls(self) -> Mapping[str, Sequence[str]]:
        """The times of all recalls by id."""
        ...

    def stored(self) -> Mapping[str, str]:
        """When each was first stored."""
        ...


class Uses:
    """The uses of a view's items up to `now`; recalls after it have not happened yet."""

    def __init__(self, view: Rows, now: str) -> None:
        self._view = view
        self._now = parse_time(now)
        self._times: dict[str, str | None] = {}

    @cached_property
    def recalls(self) -> Mapping[str, Sequence[str]]:
        """The times of the recalls until now, by id."""
        found = {}
        for ref, times in self._view.recalls().items():
            known = [time for time in times if known_time(time) and parse_time(time) <= self._now]
            if known:
                found[ref] = known
        return found

    def of(self, item: Record | Memory, quoting: Iterable[str] = ()) -> Use:
        """How an item was used. `quoting`: of a record the memories that rest on it, for who finds
        one of those has used it. What came with it in one answer is one use."""
        times = list(self.recalls.get(item.id, ()))
        if isinstance(item, Record):
            of_memories = (time for ident in quoting for time in self.recalls.get(ident, ()))
            times += dict.fromkeys(time for time in of_memories if time not in times)
        since = max(times, key=parse_time, default=None) or self.time(item)
        days = 0.0
        if since is not None:
            days = max((self._now - parse_time(since)).total_seconds() / DAY, 0.0)
        return Use(since, days, len(times), len(item.evidence) if isinstance(item, Memory) else 1)

    def time(self, item: Record | Memory) -> str | None:
        """When it was said; of a memory when its newest record was; else when it was stored."""
        if isinstance(item, Record):
            return known_time(item.said_at) or self._stored.get(item.id)
        if item.ref not in self._times:
            self._times[item.ref] = self._newest_below(item)
        return self._times[item.ref]

    def _newest_below(self, item: Memory) -> str | None:
        said = (
            known_time(found.said_at)
            for ref in self._view.closure(item.id)
            if isinstance(found := self._view.get(ref), Record)
        )
        newest = max((time for time in said if time), key=parse_time, default=None)
        return newest or known_time(item.valid_from) or self._stored.get(item.id)

    @cached_property
    def _stored(self) -> Mapping[str, str]:
        return self._view.stored()
