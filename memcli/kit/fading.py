"""What of a store would fade now, and what would come back: a function of its rows and the time.

Rules shared by all policies: only what a pass has settled may fade, and never a record together
with the memory that carries its words. Source of the rules: ours; of the curves: kit.forgetting.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Literal

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.values import dataclass, replace
from memcli.kit.courtesy import is_only_courtesy
from memcli.kit.forgetting import NAME as NAME
from memcli.kit.forgetting import Params, heat, retention
from memcli.kit.lastuse import DAY, Use, Uses
from memcli.kit.moments import format_time, known_time, parse_time
from memcli.kit.selection import SELECTED
from memcli.kit.sentences import sentences
from memcli.ports import View

# Written anew by their own methods, what a reader is told whatever is asked, or what others hang on.
_KEPT_KINDS = frozenset({"model", "block", "trait", "overview", "digest", "summary", "entity"})
_LISTED = ("active", "faded", "pending")
Change = Literal["faded", "active"]


@dataclass(frozen=True, slots=True)
class Fate:
    """What a policy says of one item.

    `value`: R, heat, or a time (ISO 8601), set against `threshold`. `kept`: why it may not fade, in
    a stable word, whatever its value. `change`: the status it would get; None where it stays.
    """

    item: Record | Memory
    use: Use
    value: float | str | None
    threshold: float | str | None
    meets: bool
    kept: str = ""
    change: Change | None = None


@dataclass(frozen=True)
class Forecast:
    """The fates of all items, records first, and what follows from them."""

    fates: Sequence[Fate]
    logged: bool  # whether there are recalls at all
    pending: Mapping[str, int]  # strategy -> records that would fade and that it has not settled

    @property
    def changes(self) -> list[Fate]:
        """Those whose status would change."""
        return [fate for fate in self.fates if fate.change is not None]

    @property
    def unconsumed(self) -> list[Fate]:
        """Records that would fade, had a pass settled them."""
        return [
            fate
            for fate in self.fates
            if fate.meets
            and fate.kept == "unconsumed"
            and fate.item.status == "active"
            and fate.item.kind in SELECTED
        ]

    @property
    def refused(self) -> bool:
        """Whether there is nothing to fade but what no pass has settled."""
        return bool(self.unconsumed) and not any(
            fate.meets and not fate.kept for fate in self.fates
        )


def forecast(
    view: View, now: str, params: Params, single_valued: frozenset[str] = frozenset()
) -> Forecast:
    """What becomes of each record and memory of a scope at `now` (ISO 8601 UTC)."""
    return _Reckoning(view, now, params, single_valued).forecast()


class _Reckoning:
    def __init__(self, view: View, now: str, params: Params, single_valued: frozenset[str]) -> None:
        self._view = view
        self._now = parse_time(now)
        self._params = params
        self._single = single_valued
        self._uses = Uses(view, now)
        self._settled = view.settled()
        self._consumed = frozenset[str]().union(*self._settled.values())
        self._records = [one for one in view.records() if one.status in _LISTED]
        self._memories = [one for one in view.memories() if one.status in _LISTED]
        self._quoting: dict[str, list[str]] = defaultdict(list)  # record -> memories upon it
        for memory in self._memories:
            for evidence in memory.evidence:
                self._quoting[evidence.ref].append(memory.id)
        self._read = {
            one.session
            for one in self._records
            if one.session and (one.id in self._consumed or one.id in self._quoting)
        }

    def forecast(self) -> Forecast:
        """See above."""
        layer = self._params.layer
        records = [] if layer == "memories" else self._layer(self._records)
        memories = [] if layer == "records" else self._layer(self._memories)
        fading = {fate.item.id for fate in records if fate.change == "faded"}
        memories = [self._after_records(fate, fading) for fate in memories]
        found = Forecast((*records, *memories), bool(self._uses.recalls), {})
        refs = {fate.item.id for fate in found.unconsumed}
        pending = {name: len(refs - done) for name, done in self._settled.items() if refs - done}
        return Forecast(found.fates, found.logged, pending)

    # --- one layer ------------------------------------------------------------------------------

    def _layer(self, items: Sequence[Record | Memory]) -> list[Fate]:
        uses = [self._uses.of(item, self._quoting.get(item.id, ())) for item in items]
        kept = [self._why_kept(item) for item in items]
        values = [self._value(item, use) for item, use in zip(items, uses, strict=True)]
        over = self._beyond(items, values, kept) if self._params.limited else frozenset()
        fates = []
        for item, use, value, why in zip(items, uses, values, kept, strict=True):
            limit = self._threshold()
            meets = item.id in over or self._is_past(value)
            fate = Fate(item, use, value, limit, meets and value is not None, why)
            fates.append(self._changed(fate))
        return fates

    def _changed(self, fate: Fate) -> Fate:
        status = fate.item.status
        change: Change | None = None
        fades = fate.meets and not fate.kept
        if status == "active" and fades:
            change = "faded"
        elif status == "faded" and not fades:
            change = "active"
        if change is not None and self._view.rated_by(fate.item.id, "status") == "person":
            return replace(fate, kept="person")
        return replace(fate, change=change)

    def _after_records(self, fate: Fate, fading: set[str]) -> Fate:
        """A memory whose words a record carries that fades now, or has just faded, waits: what was
        said still stands in one of the two."""
        memory = fate.item
        if fate.change != "faded" or not isinstance(memory, Memory):
            return fate
        cited = {evidence.ref for evidence in memory.evidence}
        if not cited.isdisjoint(fading) or (self._has_just_run and self._any_faded(cited)):
            return replace(fate, kept="its-record-first", change=None)
        return fate

    @property
    def _has_just_run(self) -> bool:
        last = self._view.last_pass(NAME)
        if last is None:
            return False
        return self._now - parse_time(last[1]) < timedelta(days=self._params.every_days)

    def _any_faded(self, refs: Iterable[str]) -> bool:
        found = (self._view.get(ref) for ref in refs)
        return any(isinstance(one, Record) and one.status == "faded" for one in found)

    # --- values ---------------------------------------------------------------------------------

    def _value(self, item: Record | Memory, use: Use) -> float | str | None:
        params = self._params
        if use.since is None:
            return None
        if params.policy == "ebbinghaus":
            return round(retention(use.days, use.strength, params.time_scale), 6)
        if params.policy == "heat":
            return round(heat(use.recalls, use.evidence, use.days * DAY, params), 6)
        if params.policy == "lru":
            return use.since
        given = _expiry(item)
        if given is not None:
            return given
        own = self._uses.time(item)
        return None if own is None else _later(own, params.ttl_days)

    def _threshold(self) -> float | str | None:
        params = self._params
        if params.policy == "ebbinghaus":
            return params.threshold
        if params.policy == "ttl":
            return format_time(self._now)
        return params.min_heat or None if params.policy == "heat" else None

    def _is_past(self, value: float | str | None) -> bool:
        limit = self._threshold()
        if value is None or limit is None:
            return False
        if isinstance(value, str):
            return parse_time(value) <= self._now
        return isinstance(limit, float) and value < limit

    def _beyond(
        self,
        items: Sequence[Record | Memory],
        values: Sequence[float | str | None],
        kept: Sequence[str],
    ) -> frozenset[str]:
        """What there is no room for: the coldest, of equal ones the oldest. What may not fade takes
        up room; what no pass has settled counts like the others, and is told of."""
        places = []
        for item, value, why in zip(items, values, kept, strict=True):
            protected = why not in ("", "unconsumed") or value is None
            warm = parse_time(value).timestamp() if isinstance(value, str) else value or 0.0
            places.append((protected, warm, ids.parse(item.id).number, item.id))
        places.sort(reverse=True)
        return frozenset(place[-1] for place in places[self._params.capacity :] if not place[0])

    # --- what is left out -----------------------------------------------------------------------

    def _why_kept(self, item: Record | Memory) -> str:
        params = self._params
        own = self._uses.time(item)
        if item.pinned:
            return "pinned"
        if item.status == "pending":
            return "pending"
        if item.kind in _KEPT_KINDS:
            return "kind"
        if (item.importance or 0) >= params.keep_importance:
            return "importance"
        if own is None:
            return "no-time"
        if self._now - parse_time(own) < timedelta(days=params.min_age_days):
            return "young"
        if isinstance(item, Memory):
            return "current-value" if self._is_current_value(item) else ""
        settled = params.unconsumed or item.id in self._consumed or self._leaves_nothing(item)
        return "" if settled else "unconsumed"

    def _leaves_nothing(self, record: Record) -> bool:
        """Whether a method has read the session of a record that is a courtesy and nothing more.

        No method settles such a record, for there is nothing in it to settle (C26): it would outlive
        all that was said. A question waits, for a model may draw something from it.
        """
        if record.kind != "utterance" or record.session not in self._read:
            return False
        return is_only_courtesy(one.text for one in sentences(record.text))

    def _is_current_value(self, memory: Memory) -> bool:
        slot = memory.slot
        return slot is not None and slot.attribute in self._single and not memory.superseded


def _expiry(item: Record | Memory) -> str | None:
    """The time up to which a memory was to be kept, if it says so."""
    given = item.attributes.get("expires_at")
    return known_time(given) if isinstance(given, str) else None


def _later(moment: str, days: float) -> str | None:
    """None where the calendar ends before that."""
    try:
        return format_time(parse_time(moment) + timedelta(days=days))
    except OverflowError:
        return None


def in_words(fate: Fate, params: Params) -> str:
    """Policy, value and threshold, as they stand beside the rating."""
    value = f"{fate.value:.4g}" if isinstance(fate.value, float) else str(fate.value)
    room = f"capacity {params.capacity:,}"
    if params.policy == "ebbinghaus":
        return f"ebbinghaus: R {value}, threshold {params.threshold:g}"
    if params.policy == "heat":
        least = f", min_heat {params.min_heat:g}" if params.min_heat else ""
        return f"heat: {value}, {room}{least}"
    return f"ttl: until {value}" if params.policy == "ttl" else f"lru: used {value}, {room}"
