"""How well a memory is borne out: proof, first and last said, trend. Computed, never stored.

Source: vectorize-io/hindsight 1.1.0, hindsight_api/engine/reflect/observations.py, where the trend
is defined and not used.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memcli.core.records import Record
from memcli.kit.dates import days_between, known_time, parse_time
from memcli.ports import View

Trend = Literal["new", "strengthening", "stable", "weakening", "stale"]
RECENT_DAYS = 30
MIDDLE_DAYS = 90
STRENGTHENS, WEAKENS = 1.5, 0.5


@dataclass(frozen=True, slots=True)
class Proof:
    """`count`: distinct records that a memory rests on; `first`, `last`: when they were said, ISO
    8601, None if nothing says; `trend`: at the time asked about."""

    count: int
    first: str | None
    last: str | None
    trend: Trend


def proof_of(view: View, ref: str, now: str) -> Proof:
    """The proof of the memory `ref` at `now`."""
    found = (view.get(root) for root in view.closure(ref))
    return proof([one for one in found if isinstance(one, Record)], now)


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
