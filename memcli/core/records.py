"""Records: what was said, never changed; and where and for whom it was said."""

from collections.abc import Mapping
from typing import Any, Literal

from memcli.core.values import dataclass, field

RecordKind = Literal["utterance", "tool_result", "thinking", "attachment", "fact", "question"]
Role = Literal["user", "assistant", "system", "tool", "memory"]
TimeSource = Literal["exact", "assumed-zone", "session", "none"]

ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool", "memory")


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Whom and what a record is about. The empty string means: not given."""

    user: str = ""
    agent: str = ""
    project: str = ""

    def as_dict(self) -> dict[str, str]:
        """Only the keys that are given."""
        pairs = (("user", self.user), ("agent", self.agent), ("project", self.project))
        return {key: value for key, value in pairs if value}

    def covers(self, other: "Scope") -> bool:
        """Whether `other` has every key that is given here: what is not given does not narrow."""
        return self.as_dict().items() <= other.as_dict().items()

    def __str__(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.as_dict().items()) or "no scope"


@dataclass(frozen=True, slots=True)
class Record:
    """One utterance or tool result.

    `said_at` is ISO 8601 in UTC with a trailing Z, or None. `seq` counts from 0 within the
    session. `active` is False for an abandoned branch and for a text that a later one supersedes.
    `attributes` holds calls, attachments and whatever else the reader kept.
    """

    id: str
    uid: str
    session: str
    seq: int
    kind: RecordKind
    role: Role
    speaker: str | None
    text: str
    said_at: str | None
    time_source: TimeSource
    scope: Scope = Scope()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    line: int | None = None
    active: bool = True
    importance: int | None = None
    status: str = "active"
    pinned: bool = False

    @property
    def ref(self) -> str:
        """The id by which a plan cites this record."""
        return self.id


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation: `s3`, its key in the source, the format and title if known."""

    id: str
    key: str
    format: str
    scope: Scope = Scope()
    title: str | None = None
