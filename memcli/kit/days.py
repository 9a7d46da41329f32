"""The days of a store: the records of one date, and what a summary of them was drawn from.

A day is the unit of repair of MemoryBank (arXiv:2305.10250): late records of a date redo that date
and nothing else. Dates are counted in one time zone, from the records' own times.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date, datetime, tzinfo

from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.values import dataclass, replace
from memcli.kit.digest import quotable
from memcli.kit.handles import Item, item_of
from memcli.kit.instructions import is_instruction
from memcli.kit.moments import format_time, known_time, parse_time
from memcli.kit.nearkey import near_key
from memcli.kit.recalled import Recalled
from memcli.kit.selection import SELECTED
from memcli.kit.sentences import statements
from memcli.kit.times import UTC
from memcli.ports import View

KIND = "day"
RULES = "extractive"
_APART = "\x1f"


@dataclass(frozen=True)
class Day:
    """The records of one date, in order; or of one session, those without a time.

    `date`: YYYY-MM-DD in the zone asked for; None for records without a time.
    """

    date: str | None
    records: tuple[Record, ...]
    zone: tzinfo = UTC

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.date or f"{self.records[0].session}, without a date"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its records."""
        return tuple(record.id for record in self.records)

    @property
    def told(self) -> tuple[Record, ...]:
        """Those that have a text."""
        return tuple(record for record in self.records if record.text.strip())

    @property
    def start(self) -> str | None:
        """When the date begins, ISO 8601 in UTC; None without a date."""
        if self.date is None:
            return None
        try:
            return format_time(datetime.fromisoformat(self.date).replace(tzinfo=self.zone))
        except OverflowError:  # the first day of the calendar, east of Greenwich
            return None

    @property
    def mark(self) -> str:
        """A hash of which records it has, in their order; the same in every store."""
        return marked(record.uid for record in self.records)

    @property
    def assumed(self) -> bool:
        """Whether a record's time has a zone that was assumed: it may belong to a day beside."""
        return any(record.time_source == "assumed-zone" for record in self.records)

    def item(self, record: Record) -> Item:
        """How one of its records is shown: with the date of this zone."""
        return replace(item_of(record), day=self.date)


def marked(parts: Iterable[str]) -> str:
    """A hash of texts in their order."""
    return hashlib.sha256(_APART.join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def days(view: View, zone: tzinfo, now: str, *, open_day: bool = False) -> list[Day]:
    """The days that are over at `now`, by date; what has no time by session, at the end.

    All active records that were not rejected count, those that are consumed or faded too: what
    happened does not change when it is forgotten. With `open_day` also the day that is not over.
    """
    today = _date(now, zone)
    dated: dict[str, list[Record]] = {}
    undated: dict[str, list[Record]] = {}
    for record in view.records(kinds=SELECTED):
        if record.status == "rejected":
            continue
        moment = known_time(record.said_at)
        on = None if moment is None else _date(moment, zone)
        if on is None:
            undated.setdefault(record.session, []).append(record)
        elif open_day or today is None or on < today:
            dated.setdefault(on.isoformat(), []).append(record)
    found = [Day(on, tuple(records), zone) for on, records in sorted(dated.items())]
    return [*found, *(Day(None, tuple(records), zone) for records in undated.values())]


def _date(iso: str, zone: tzinfo) -> date | None:
    """The date there; None at the ends of the calendar."""
    try:
        return parse_time(iso).astimezone(zone).date()
    except OverflowError:
        return None


# --- summaries ----------------------------------------------------------------------------------


class Summaries:
    """The live summaries of days that a strategy holds."""

    def __init__(self, view: View, strategy: str) -> None:
        self._view = view
        self._dated: dict[str, Memory] = {}
        self._undated: dict[str, Memory] = {}
        for memory in view.memories(kind=KIND, strategy=strategy, superseded=False):
            self._place(memory)

    def _place(self, memory: Memory) -> None:
        on = memory.attributes.get("date")
        if isinstance(on, str):
            self._dated.setdefault(on, memory)
            return
        cited = (self._view.get(evidence.ref) for evidence in memory.evidence)
        session = next((one.session for one in cited if isinstance(one, Record)), None)
        if session is not None:
            self._undated.setdefault(session, memory)

    def of(self, day: Day) -> Memory | None:
        """The summary of a day."""
        if day.date is not None:
            return self._dated.get(day.date)
        return self._undated.get(day.records[0].session)

    def without(self, found: Iterable[Day]) -> list[Memory]:
        """Those of none of these days: no record of theirs is left."""
        kept = {memory.id for day in found if (memory := self.of(day)) is not None}
        return [memory for memory in self.all() if memory.id not in kept]

    def all(self) -> list[Memory]:
        """All of them: by date, then those without one."""
        return [*(self._dated[on] for on in sorted(self._dated)), *self._undated.values()]


@dataclass(frozen=True)
class Waiting:
    """Which days have something to be done about.

    `writes`: whether a model sums up; `settles`: whether all that is asked is answered by models,
    so that a pass settles the records it looks at (rule C26).
    """

    view: View
    strategy: str
    writes: bool
    settles: bool

    def changed(self, found: Sequence[Day]) -> list[Day]:
        """The days whose records are not those of their summary.

        With a model also those that only rules have summed up. Without one, none that a model
        did: rules would undo its work; and none of which rules can quote nothing.
        """
        summaries = Summaries(self.view, self.strategy)
        fresh = self.fresh()
        rejected = self.view.rejected(KIND)
        recalled = Recalled(self.view)

        def is_changed(day: Day) -> bool:
            held = summaries.of(day)
            waits = not fresh.isdisjoint(day.ids)
            if held is not None:
                return self._is_outdated(day, held, waits)
            if not waits or self.settles:
                return waits
            if any(refs <= set(day.ids) for refs in rejected):
                return False
            return self.writes or not day.told or _can_quote(day, recalled)

        return [day for day in found if is_changed(day)]

    def fresh(self) -> frozenset[str]:
        """The records that wait."""
        return frozenset(one.id for one in self.view.unconsumed(self.strategy, kinds=SELECTED))

    def _is_outdated(self, day: Day, held: Memory, waits: bool) -> bool:
        by_rule = held.made_by == RULES
        if held.attributes.get("set_hash") != day.mark:
            return self.writes or by_rule
        return self.settles and waits and (by_rule or "traits" not in held.attributes)


def _can_quote(day: Day, recalled: Recalled) -> bool:
    """Whether rules find a statement that may stand in a digest."""
    return any(
        not is_instruction(text) and not recalled.repeats(record, text)
        for record in day.told
        for text in quotable(record.text)
    )


def quoted_whole(record: Record, lines: Iterable[str]) -> bool:
    """Whether each statement of a record stands among these lines; also if it has no text."""
    if not record.text.strip():
        return True
    stand = {near_key(line) for line in lines}
    stated = statements(record.text)
    return bool(stated) and all(near_key(one.text) in stand for one in stated)
