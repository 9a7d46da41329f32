"""A block of recalled memory for a prompt."""

from __future__ import annotations

from typing import Literal

from memcli.core.records import Scope
from memcli.core.reports.search import Attached
from memcli.core.values import dataclass

SectionName = Literal["standing", "facts", "doubts", "said"]
# In the order of a block: what holds whatever is asked comes first, so that prompts share it.
SECTIONS: tuple[SectionName, ...] = ("standing", "facts", "doubts", "said")


@dataclass(frozen=True)
class ContextItem:
    """A record or memory of a block. Its texts are stored words; all else is said about them.

    `status`: as of a result of a search. `scope`: None where all of the block are of one scope.
    `unconfirmed_since`: ISO 8601, of what is in doubt. `disputed_by`: ids of what says otherwise,
    or of the record that may have ended what a stale one says.
    `sessions`: of a claim in dispute, in how many it was said; `beside`: the claims that it disputes, or
    that dispute it, older ones, which are told with it.
    `dates`: relative words of the text, each with what it meant when it was said. `caution`: why a
    reader should beware of it.
    """

    id: str
    layer: Literal["raw", "derived"]
    kind: str
    text: str
    status: str = "current"
    pinned: bool = False
    valid_from: str | None = None
    valid_to: str | None = None
    said_at: str | None = None
    speaker: str | None = None
    role: str | None = None
    session: str | None = None
    scope: Scope | None = None
    superseded_by: str | None = None
    unconfirmed_since: str | None = None
    disputed_by: tuple[str, ...] = ()
    sessions: int = 0
    beside: tuple[ContextItem, ...] = ()
    dates: tuple[tuple[str, str], ...] = ()
    caution: str | None = None
    evidence: tuple[str, ...] = ()
    attachments: tuple[Attached, ...] = ()


@dataclass(frozen=True)
class ContextSection:
    """Items of one sort, in a stable order: standing by id, the others by time."""

    name: SectionName
    items: tuple[ContextItem, ...]


@dataclass(frozen=True)
class ContextReport:
    """A block: no section is empty. `tokens`: a quarter of the characters of `block`.

    `as_of`: the pass whose state it is. `valid_at`: ISO 8601, when its facts held; None: now.
    `left_out`: how many were found and did not fit. `weak`: what was found may not answer (search.Match).
    `block`: the text for the prompt.
    """

    query: str
    as_of: str
    budget: int
    tokens: int = 0
    valid_at: str | None = None
    sections: tuple[ContextSection, ...] = ()
    left_out: int = 0
    weak: bool = False
    warnings: tuple[str, ...] = ()
    block: str = ""
