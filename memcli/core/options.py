"""What the user may ask of readers and of a search."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from memcli.core.records import Scope
from memcli.core.values import dataclass, field
from memcli.errors import UsageError

# Above it lie nearly all questions whose answer was found; see docs/search.md.
FLOOR = 0.55
Layer = Literal["both", "raw", "derived"]
LAYERS: tuple[Layer, ...] = ("both", "raw", "derived")
_HIDDEN = ("superseded", "faded", "lapsed")


def included(words: Iterable[str], known: Sequence[str] = _HIDDEN) -> tuple[str, ...]:
    """What is asked for although it is left out as a rule: of a search superseded, faded, lapsed.

    Raises UsageError for a word that is not `known`.
    """
    # A word is a sequence of letters: ["superseded"] is meant, and the letters are none of these.
    for word in words:
        if word not in known:
            raise UsageError(
                f"There is nothing called {word!r} to include.",
                where="--include",
                hint=f"one of {', '.join(known)}",
            )
    return tuple(words)


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


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What a search may be told besides its question.

    `k`: most results. `budget`: most tokens of their texts (characters / 4), None for no limit.
    `now`: ISO 8601, what "last May" and recency count from; None: no such words are understood.
    `valid_at`: ISO 8601, what was true then. `include`: statuses that are otherwise left out.
    `rank`: a published scoring (retrieval/ranks.py). `newest`: of two that answer alike the newer
    first. `recency`: whether the scoring `mem0-v3` counts age. `vectors`: False ranks by words alone.
    `floor`: the share of what is asked for (0..1) that one result has to say, for what was found not to
    be called weak; 0 calls nothing so.
    """

    k: int = 10
    layer: Layer = "both"
    scope: Scope = Scope()
    include: tuple[str, ...] = ()
    now: str | None = None
    valid_at: str | None = None
    rank: str = "recipe"
    budget: int | None = None
    newest: bool = True
    recency: bool = True
    vectors: bool = True
    floor: float = FLOOR
