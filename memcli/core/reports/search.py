"""Results of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memcli.core.records import Scope


@dataclass(frozen=True)
class SearchHit:
    """One result. `status`: current, superseded, pending, faded, lapsed, rejected or stale."""

    id: str
    layer: Literal["raw", "derived"]
    kind: str
    text: str
    score: float
    status: str
    valid_from: str | None = None
    valid_to: str | None = None
    said_at: str | None = None
    speaker: str | None = None
    session: str | None = None
    scope: Scope = Scope()
    superseded_by: str | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchReport:
    """Results, best first. `exact` is False only where candidates were cut before scoring."""

    query: str
    results: tuple[SearchHit, ...]
    exact: bool = True
    warnings: tuple[str, ...] = ()
