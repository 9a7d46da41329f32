"""The memories that a text is nearest to, by its words and by its vector together.

Source of the fusion: Cormack, Clarke and Buettcher 2009, Reciprocal Rank Fusion (SIGIR '09).
"""

from collections import defaultdict
from collections.abc import Sequence

from memcli.core.memories import Memory
from memcli.core.values import dataclass
from memcli.kit.overlay import Overlay
from memcli.kit.shelf import kinds
from memcli.ports import Context, View

RANK = 60  # the constant of the paper
# The text search knows no layers: records take places too. More of them cost time for each fact.
_MORE = 5
_MORE_BY_VECTOR = 4


@dataclass(frozen=True, slots=True)
class Near:
    """A memory with its cosine to the text; 0 where it is not among the nearest by vector."""

    memory: Memory
    cosine: float


def nearby(view: View, ctx: Context, text: str, k: int, *, kind: str) -> list[Near]:
    """The `k` live memories of `kind` nearest to `text`, best first; ties by order of the view.

    By rank in the text search and by rank among cosines, so that the two need no common scale.
    """
    over = view if isinstance(view, Overlay) else Overlay(view)
    if not text.strip() or not over.has(kinds, kind):
        return []
    live: dict[str, Memory] = {}
    cosines = {
        hit.id: hit.score
        for hit in view.nearest(text, ctx.embed([text])[0], k * _MORE_BY_VECTOR)
        if _is_among(over, hit.id, kind, live)
    }
    found = view.search(text, k * _MORE)
    worded = [hit.id for hit in found if _is_among(over, hit.id, kind, live)]
    marks = _fused(worded, [ident for ident, cosine in cosines.items() if cosine > 0])
    best = sorted(marks, key=lambda ident: (-marks[ident], over.place(ident)))
    return [Near(live[ident], cosines.get(ident, 0.0)) for ident in best[:k]]


def _is_among(view: Overlay, ident: str, kind: str, live: dict[str, Memory]) -> bool:
    """Whether this is a live memory of the kind; then it is noted in `live`."""
    memory = view.get(ident)
    if not isinstance(memory, Memory) or memory.kind != kind:
        return False
    if not memory.superseded and memory.status == "active":
        live[ident] = memory
    return ident in live


def _fused(*rankings: Sequence[str]) -> dict[str, float]:
    marks: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, ident in enumerate(ranking, start=1):
            marks[ident] += 1 / (RANK + rank)
    return {ident: round(mark, 9) for ident, mark in marks.items()}
