"""Provenance trees."""

from __future__ import annotations

from memcli.core.values import dataclass


@dataclass(frozen=True)
class WhyQuote:
    """Words that a memory rests on, and whether they still stand in the record as quoted."""

    text: str
    start: int | None
    end: int | None
    verified: bool


@dataclass(frozen=True)
class WhyNode:
    """A node of a provenance tree: a memory or a record, and what it rests on.

    With `derived` trees, `children` are what was made of the node instead.
    """

    id: str
    text: str
    kind: str = ""
    strategy: str | None = None
    pass_id: str | None = None
    at: str | None = None
    quotes: tuple[WhyQuote, ...] = ()
    said_at: str | None = None
    speaker: str | None = None
    role: str | None = None
    session: str | None = None
    source: str | None = None
    line: int | None = None
    status: str = "current"
    seen_before: bool = False
    children: tuple[WhyNode, ...] = ()
