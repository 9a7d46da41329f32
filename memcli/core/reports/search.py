"""Results of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from memcli.core.proof import Proof
from memcli.core.records import Scope
from memcli.core.values import dataclass, field


@dataclass(frozen=True)
class Attached:
    """What came with a message: the caption of a picture, the text of a document."""

    id: str
    text: str


@dataclass(frozen=True)
class LeftOut:
    """What ranked high enough and is no result; `reason`: superseded, faded, lapsed, rejected,
    not-then, same-words, budget, or k (what may have ended the one result that was asked for)."""

    id: str
    reason: str
    detail: str
    score: float


@dataclass(frozen=True)
class SearchHit:
    """One result. `status`: current, superseded, pending, faded, lapsed, rejected or stale.

    `unconfirmed_since`: ISO 8601, of what is pending. `disputed_by`: ids of claims that say otherwise,
    or of the record that may have ended what a stale one says. `proof`, `quotes`: of an observation,
    how well it is borne out and by which words."""

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
    attachments: tuple[Attached, ...] = ()
    unconfirmed_since: str | None = None
    disputed_by: tuple[str, ...] = ()
    proof: Proof | None = None
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Understood:
    """What was read out of a question: its words, the speakers and the times that it names, and
    which of two that answer alike comes first (kit.asked.Order).

    `first`: why the first result stands there: score, newer, older, states, then, own or ends (what
    the second says)."""

    words: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    order: str = "score"
    first: str = "score"


@dataclass(frozen=True)
class Match:
    """How far one of the results says what is asked for, by words.

    `share`: 0..1, of the question's words that the best one holds, less where it asks itself or speaks
    of somebody else; None where no single text is asked for (a sum, an order, advice) or nothing was
    found. `weak`: the share is below the floor, or nothing holds a name that the question has: what
    was found may not answer. `missing`: words that the best one lacks; `nowhere`: those of them that no
    text holds.
    """

    share: float | None = None
    weak: bool = False
    missing: tuple[str, ...] = ()
    nowhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchReport:
    """Results, best first. `exact` is False only where candidates were cut before scoring.

    `left_out`: what would have been a result, and why it is none. `understood`: what was read out
    of the question. `match`: whether the results answer it.
    """

    query: str
    results: tuple[SearchHit, ...]
    exact: bool = True
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    understood: Understood = Understood()
    match: Match = Match()
