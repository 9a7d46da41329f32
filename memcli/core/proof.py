"""How well a memory is borne out. Computed when it is read, never stored."""

from __future__ import annotations

from typing import Literal

from memcli.core.values import dataclass

KIND = "observation"  # the memories of which it is told
Trend = Literal["new", "strengthening", "stable", "weakening", "stale"]


@dataclass(frozen=True)
class Proof:
    """`count`: distinct records that a memory rests on; `first`, `last`: when they were said, ISO
    8601, None if nothing says; `trend`: at the time asked about."""

    count: int
    first: str | None
    last: str | None
    trend: Trend
