"""Whether what was found still stands: for memories of several strategies, and for records.

A memory may be superseded by its own strategy. It counts as superseded too where a later memory of
any strategy holds another value of its slot, and a record where what it says to the question is
what a superseded memory was drawn from. A method that keeps both leaves the older of its own values
current: it is only marked, as what another memory is linked to as replacing it. Nothing is written:
this is decided when it is read.
"""

from collections.abc import Sequence
from functools import cached_property

from memcli.core.ids import parse
from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.kit.asked import Asked
from memcli.kit.moments import known_time, parse_time
from memcli.kit.slots import KEEPING_BOTH, SINGLE_VALUED
from memcli.kit.stem import stem, stems
from memcli.kit.waiting import KIND as CLAIM
from memcli.kit.waiting import plain
from memcli.retrieval.status import memory_status, record_status
from memcli.store import citing, load
from memcli.store.view import StoreView

Verdict = tuple[str, str | None]  # status, superseded by


class Standing:
    """Verdicts on what is shown for one question. `now`: ISO 8601; what is to end, or to begin, only
    after it has not done so yet. None: as if all that is known of had come."""

    def __init__(self, view: StoreView, asked: Asked, now: str | None = None) -> None:
        self._view = view
        self._asked = asked
        self._now = known_time(now)
        self._slots: dict[tuple[object, ...], list[Memory]] = {}

    @cached_property
    def _wanted(self) -> frozenset[str]:
        return frozenset(map(stem, self._asked.words))

    def of_memory(self, memory: Memory) -> Verdict:
        """Its status, and the memory that took its place."""
        status = memory_status(self._view, memory)
        if status == "superseded" and self._is_to_come(memory.valid_to):
            return "current", None
        if status != "current":
            return status, self._heir(memory.superseded_by)
        later = self._later(memory)
        if later is not None and not _may_end(memory):
            later = None  # what else it says still stands
        if later is not None and not _keeps_both(memory, later):
            return "superseded", later.id
        by = self._replacing(memory) or later
        return "current", None if by is None else by.id

    def _heir(self, by: str | None) -> str | None:
        """What took a memory's place, or the memory that this was joined with since."""
        if by is None or self._view.get(by) is not None:
            return by
        return self._view.merged_into(by) or by

    def of_records(self, found: Sequence[tuple[int, Record]]) -> dict[int, Verdict]:
        """item -> the status of each record, and the memory that took its words' place."""
        view = self._view
        on = citing.citing(view.connection, view.at, [item for item, _ in found])
        memories = view.some({number for pairs in on.values() for number, _ in pairs})
        quoted = load.quotes(
            view.connection, view.at, [edge for pairs in on.values() for _, edge in pairs]
        )
        out: dict[int, Verdict] = {}
        for item, record in found:
            status = record_status(record)
            if status != "current":
                out[item] = (status, None)
                continue
            drawn = [
                (memories[f"m{number}"], [quote.text for quote in quoted.get(edge, ())])
                for number, edge in on.get(item, ())
                if f"m{number}" in memories
            ]
            out[item] = self._of_record(drawn)
        return out

    def _of_record(self, drawn: Sequence[tuple[Memory, Sequence[str]]]) -> Verdict:
        """By the memory whose quote is nearest to the question; of equal ones what still stands."""
        best: tuple[int, bool] = (-1, False)
        verdict: Verdict = ("current", None)
        for memory, quotes in drawn:
            status, by = self.of_memory(memory)
            if by is None and _says_otherwise(memory, quotes):
                by = memory.id
            gone = by is not None  # superseded, also where it has faded since
            near = max((self._shared(text) for text in quotes or [memory.text]), default=0)
            if (near, not gone) > best:
                best = (near, not gone)
                # What is said once and in doubt is so in the record, too.
                waits = status == "pending" and memory.kind == CLAIM
                verdict = ("superseded", by) if gone else ("pending" if waits else "current", None)
        return verdict

    def _shared(self, text: str) -> int:
        return len(self._wanted & stems(text))

    def _later(self, memory: Memory) -> Memory | None:
        """The newest memory of its slot that holds another value since later; None if there is
        none, or if nothing says since when either holds."""
        slot = memory.slot
        if slot is None or slot.attribute not in SINGLE_VALUED or memory.valid_from is None:
            return None
        began = parse_time(memory.valid_from)
        rivals = [
            other
            for other in self._in_slot(memory)
            if other.id != memory.id
            and other.valid_from is not None
            and parse_time(other.valid_from) > began
            and not self._is_to_come(other.valid_from)
        ]
        newest = max(rivals, key=lambda other: parse_time(other.valid_from or ""), default=None)
        if newest is None or newest.slot is None or newest.slot.value == slot.value:
            return None
        return newest

    def _replacing(self, memory: Memory) -> Memory | None:
        """The newest of the memories that are linked as what replaces it, and still count."""
        view = self._view
        numbers = citing.replacing(view.connection, view.at, parse(memory.id).number)
        found = view.some(numbers).values() if numbers else ()
        live = [
            one
            for one in found
            if one.status == "active"
            and one.scope == memory.scope
            and not self._is_to_come(one.valid_from)
        ]
        return max(live, key=lambda one: (_since(one), parse(one.id).number), default=None)

    def _is_to_come(self, moment: str | None) -> bool:
        """Whether a time is still ahead."""
        then = known_time(moment)
        return (
            then is not None and self._now is not None and parse_time(then) > parse_time(self._now)
        )

    def _in_slot(self, memory: Memory) -> list[Memory]:
        """Those of the same slot whose claim stands."""
        assert memory.slot is not None
        scope = memory.scope
        key = (memory.slot.subject, memory.slot.attribute, scope)
        if key not in self._slots:
            numbers = citing.in_slot(
                self._view.connection,
                self._view.at,
                memory.slot.subject,
                memory.slot.attribute,
                (scope.user, scope.agent, scope.project),
            )
            self._slots[key] = [
                other
                for other in self._view.some(numbers).values()
                if not other.superseded and other.status == "active"
            ]
        return self._slots[key]


def _keeps_both(memory: Memory, later: Memory) -> bool:
    return memory.strategy in KEEPING_BOTH and memory.strategy == later.strategy


def _may_end(memory: Memory) -> bool:
    """Whether a later value of its slot ends all that it says."""
    from memcli.kit.single import may_end  # as below: the patterns take time

    return may_end(memory)


def _says_otherwise(memory: Memory, quotes: Sequence[str]) -> bool:
    """Whether it rests on words that set its slot to another value: those of a former version."""
    slot = memory.slot
    if slot is None or slot.attribute not in SINGLE_VALUED:
        return False
    from memcli.kit.facts import facts  # few searches meet a slot, and its patterns take time

    set_here = (one.slot for text in quotes for one in facts(text) if one.slot is not None)
    told = {plain(one.value) for one in set_here if one.attribute == slot.attribute}
    return bool(told) and plain(slot.value) not in told


def _since(memory: Memory) -> float:
    since = known_time(memory.valid_from)
    return float("-inf") if since is None else parse_time(since).timestamp()


def holds_at(start: str | None, end: str | None, moment: str | None) -> bool:
    """Whether what was true from `start` to `end` was at `moment`; always where none is asked for."""
    if moment is None:
        return True
    then = parse_time(moment)
    if start is not None and parse_time(start) > then:
        return False
    return end is None or then < parse_time(end)
