"""Memories: derived text, versioned, always citing evidence that ends in records."""

from collections.abc import Mapping
from typing import Any, Literal

from memcli.core.records import Scope
from memcli.core.values import dataclass, field

Role = Literal[
    "evidence", "child", "member", "covers", "related", "replaces", "conflict", "duplicate"
]
ROLES: tuple[Role, ...] = (
    "evidence",
    "child",
    "member",
    "covers",
    "related",
    "replaces",
    "conflict",
    "duplicate",
)
Status = Literal["active", "pending", "faded", "lapsed", "rejected"]
STATUSES: tuple[Status, ...] = ("active", "pending", "faded", "lapsed", "rejected")


@dataclass(frozen=True, slots=True)
class Quote:
    """The very words in a record's text: `text == record.text[start:end]`, in characters."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a memory rests on: `ref` is a record (`r12`) or a memory version (`m4@2`)."""

    ref: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkEnd:
    """A link that is no evidence: from the memory that holds it to `ref`, with its role."""

    ref: str
    role: Role


@dataclass(frozen=True, slots=True)
class Slot:
    """An attribute of a subject that holds one value: ("Ada", "lives_in", "Lisbon")."""

    subject: str
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One version of a memory, with all that is held beside it at the point of the view.

    `valid_from` and `valid_to` are ISO 8601 UTC or None (open), half open. `superseded_by` names
    the memory that ended it. `made_by` is the backend that answered (`extractive`, a model name).
    `importance` is 1..10 or None. `pass_id` is the pass that opened this version.
    """

    id: str
    version: int
    uid: str
    kind: str
    text: str
    strategy: str
    pass_id: str
    scope: Scope = Scope()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    slot: Slot | None = None
    made_by: str = "extractive"
    valid_from: str | None = None
    valid_to: str | None = None
    superseded_by: str | None = None
    status: Status = "active"
    importance: int | None = None
    pinned: bool = False
    evidence: tuple[Evidence, ...] = ()
    links: tuple[LinkEnd, ...] = ()

    @property
    def ref(self) -> str:
        """The id by which a plan cites exactly this version: `m4@2`."""
        return f"{self.id}@{self.version}"

    @property
    def superseded(self) -> bool:
        """Whether its claim has stopped being true."""
        return self.valid_to is not None
