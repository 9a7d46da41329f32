"""What strategies search with: the best records and memories by words alone.

A strategy looks for what resembles a text, and sends what it finds to a model: neither neighbours
nor dates of a question, which `searching` adds up for people, belong in there.
"""

from collections.abc import Sequence

from memcli.core.memories import Memory
from memcli.core.options import Layer
from memcli.core.records import Record
from memcli.core.reports import SearchHit
from memcli.kit.words import STOP_WORDS, words
from memcli.retrieval.pool import said_by
from memcli.retrieval.presenting import HIDDEN
from memcli.retrieval.status import memory_status, record_status
from memcli.retrieval.weights import Weights
from memcli.retrieval.words import word_scores
from memcli.store import frequent, texts
from memcli.store.texts import Among
from memcli.store.view import StoreView


def query_words(query: str) -> list[str]:
    """The words of a text that say what it is about; all of them if none does."""
    found = list(dict.fromkeys(words(query)))
    return [word for word in found if word not in STOP_WORDS] or found


def search_text(view: StoreView, query: str, *, k: int, layer: Layer = "both") -> list[SearchHit]:
    """The `k` best by bm25, ties by id; without what is superseded or faded."""
    wanted, limit = query_words(query), k * 4 + 50
    among = Among(layer, view.scope or Among().scope)
    try:
        while True:
            scored = list(word_scores(view.connection, wanted, among, Weights(limit)).items())
            hits = _hits(view, scored, k)
            # What is superseded or faded takes places: ask for more until it does not matter.
            if len(hits) >= k or len(scored) < limit // frequent.PART:
                return hits
            limit *= 4
    except texts.UnusableIndexError:
        return _hits(view, texts.scan(view.connection, wanted, among), k)


def _hits(view: StoreView, scored: Sequence[tuple[int, float]], k: int) -> list[SearchHit]:
    """The first `k` of what was scored that may be seen."""
    found = view.behind([item for item, _ in scored])
    hits: list[SearchHit] = []
    for item, score in scored:
        if len(hits) >= k:
            break
        if (value := found.get(item)) is not None:
            hit = _hit(view, value, score)
            if hit.status not in HIDDEN:
                hits.append(hit)
    return hits


def _hit(view: StoreView, value: Record | Memory, score: float) -> SearchHit:
    parts = {"text": score}
    if isinstance(value, Record):
        return SearchHit(
            value.id,
            "raw",
            value.kind,
            value.text,
            score,
            record_status(value),
            said_at=value.said_at,
            speaker=value.speaker,
            session=value.session,
            scope=value.scope,
            parts=parts,
        )
    return SearchHit(
        value.id,
        "derived",
        value.kind,
        value.text,
        score,
        memory_status(view, value),
        speaker=said_by(value),
        valid_from=value.valid_from,
        valid_to=value.valid_to,
        superseded_by=value.superseded_by,
        scope=value.scope,
        parts=parts,
        evidence=tuple(evidence.ref for evidence in value.evidence),
    )
