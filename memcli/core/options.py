"""What the user may ask of readers."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Reader options of `mem ingest` (formats.md, section 1)."""

    all_branches: bool = False
    include: frozenset[str] = frozenset()
    tz: str | None = None
    date_order: str | None = None
    session: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    speakers: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
