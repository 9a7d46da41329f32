"""The state of a store and of the installation."""

from __future__ import annotations

from memcli.core.records import Scope
from memcli.core.values import dataclass


@dataclass(frozen=True)
class DigestReport:
    """Hashes (hex) of the logical state at a point."""

    at: str
    records: str
    memories: str
    journal: str


@dataclass(frozen=True)
class ReindexReport:
    """What was rebuilt: `texts` are indexed, and there are `vectors`, of which `kept` were there
    before; `missing` texts have none. `requests` and `tokens` (None: not told) were used."""

    texts: int
    vectors: int
    embedder: str
    kept: int = 0
    missing: int = 0
    requests: int = 0
    tokens: int | None = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class DoctorLine:
    """One fact about the installation or the store; `ok` False asks for the `hint`."""

    name: str
    ok: bool
    value: str
    hint: str = ""


@dataclass(frozen=True)
class DoctorReport:
    """Health, a line each."""

    lines: tuple[DoctorLine, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing needs attention."""
        return all(line.ok for line in self.lines)


@dataclass(frozen=True)
class InitReport:
    """A store that was made; `requests` and `tokens` (None: not told) its embedder took."""

    store: str
    embedder: str
    scope: Scope = Scope()
    requests: int = 0
    tokens: int | None = 0
