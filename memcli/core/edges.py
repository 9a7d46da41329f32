"""An edge as the store holds it: for checks."""

from memcli.core.values import dataclass


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """An edge as the store holds it, for checks: ids of both ends, role, quotes, pass."""

    item: int
    child: str
    parent: str
    role: str
    pass_id: int
    parent_pass: int | None
    parent_text: str | None
    quotes: tuple[tuple[str, int, int], ...] = ()
    parent_held: bool = True
