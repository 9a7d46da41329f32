"""How well a memory is borne out: proof, first and last said, trend. Computed, never stored.

Source: vectorize-io/hindsight 1.1.0, hindsight_api/engine/reflect/observations.py, where the trend
is defined and not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memcli.core.memories import Memory
from memcli.core.proof import Proof as Proof
from memcli.core.proof import Trend
from memcli.core.records import Record
from memcli.kit.moments import days_between, known_time, parse_time

if TYPE_CHECKING:
    from memcli.ports import Held

RECENT_DAYS = 30
MIDDLE_DAYS = 90
STRENGTHENS, WEAKENS = 1.5, 0.5


def proof_of(view: Held, ref: str, now: str) -> Proof:
    """The proof of the memory `ref` at `now`."""
    found = (view.get(root) for root in view.closure(ref))
    return proof([one for one in found if isinstance(one, Record)], now)


def latest(view: Held, ref: Memory) -> str:
    """When the newest record of a memory was said: the time that its trend is of, where no other is
    asked about."""
    found = (view.get(root) for root in view.closure(ref.id))
    times = [one.said_at for one in found if isinstance(one, Record) and known_time(one.said_at)]
    return max((time for time in times if time), key=parse_time, default="1970-01-01")


def proof(records: Iterable[Record], now: str) -> Proof:
    """The proof that these records make at `now`."""
    held = list({record.id: record for record in records}.values())
    times = [one.said_at for one in held if one.said_at is not None and known_time(one.said_at)]
    times.sort(key=parse_time)
    ages = [days_between(time, now) for time in times]
    return Proof(len(held), times[0] if times else None, times[-1] if times else None, trend(ages))


def trend(ages: Sequence[float]) -> Trend:
    """The trend of evidence of these ages in days: how often lately, beside how often before."""
    recent = sum(age <= RECENT_DAYS for age in ages)
    if not recent:
        return "stale"
    if recent == len(ages):
        return "new"
    ratio = (recent / RECENT_DAYS) / ((len(ages) - recent) / (MIDDLE_DAYS - RECENT_DAYS))
    if ratio > STRENGTHENS:
        return "strengthening"
    return "weakening" if ratio < WEAKENS else "stable"
