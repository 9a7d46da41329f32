"""Search by text over both layers."""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence

from memcli.core.memories import Memory
from memcli.core.records import Record, Scope
from memcli.core.reports import SearchHit
from memcli.kit.words import STOP_WORDS, words
from memcli.retrieval.status import memory_status, record_status
from memcli.store import load, texts
from memcli.store.texts import Among
from memcli.store.view import StoreView

# bm25() gives a word that stands in more than half of the rows next to nothing, so a small store
# would be ranked by nothing: below this many texts each word gets a weight that does not clamp.
_SMALL = 200
HIDDEN = frozenset({"superseded", "faded", "lapsed", "rejected"})


def query_words(query: str) -> list[str]:
    """The words of a question that say what it is about; all of them if none does."""
    found = list(dict.fromkeys(words(query)))
    return [word for word in found if word not in STOP_WORDS] or found


def search_text(
    view: StoreView,
    query: str,
    *,
    k: int,
    layer: str = "both",
    include: Collection[str] = (),
) -> list[SearchHit]:
    """The `k` best by bm25, ties by id; what is superseded or faded only if `include` says so."""
    return search_and_warn(view, query, k=k, layer=layer, include=include)[0]


def search_and_warn(
    view: StoreView,
    query: str,
    *,
    k: int,
    layer: str,
    include: Collection[str],
    scope: Scope = Scope(),
) -> tuple[list[SearchHit], tuple[str, ...]]:
    """The same, and what there is to say about the index. Keys of `scope` not given do not narrow;
    a view of one scope sees that scope alone."""
    wanted, limit = query_words(query), k * 4 + 50
    among = Among(layer, view.scope or scope)
    try:
        while True:
            scored = _scores(view, wanted, limit, among)
            hits = _hits(view, scored, include)
            # What is superseded or faded takes places: ask for more until it does not matter.
            if len(hits) >= k or len(scored) < limit:
                return hits[:k], ()
            limit *= 4
    except texts.UnusableIndexError as error:
        scored = texts.scan(view.connection, wanted, among)
        warning = f"the text index cannot be used ({error}), so the texts were read: mem reindex"
        return _hits(view, scored, include)[:k], (warning,)


def _scores(
    view: StoreView, wanted: Sequence[str], limit: int, among: Among
) -> list[tuple[int, float]]:
    count = texts.size(view.connection)
    if count >= _SMALL:
        return texts.candidates(view.connection, wanted, limit, among)
    frequency = texts.frequencies(view.connection, wanted)
    total: dict[int, float] = defaultdict(float)
    for word in wanted:
        seen = frequency[word]
        clamped = max(math.log((count - seen + 0.5) / (seen + 0.5)), 1e-6) if seen < count else 1e-6
        weight = math.log(1 + (count + _SMALL - seen + 0.5) / (seen + 0.5)) / clamped
        for item, score in texts.word_scores(view.connection, word, limit, weight, among):
            total[item] += score
    best = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(item, round(score, 6)) for item, score in best[:limit]]


def _hits(
    view: StoreView, scored: Sequence[tuple[int, float]], include: Collection[str]
) -> list[SearchHit]:
    items = [item for item, _ in scored]
    found: dict[int, Record | Memory] = dict(load.records(view.connection, view.at, items=items))
    for item, _, memory in load.memories(view.connection, view.at, items=items):
        found[item] = memory
    hits = []
    for item, score in scored:
        value = found.get(item)
        if value is None or view.scope not in (None, value.scope):
            continue
        hit = _hit(view, value, score)
        if hit.status not in HIDDEN or hit.status in include:
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
        speaker=_speaker(value),
        valid_from=value.valid_from,
        valid_to=value.valid_to,
        superseded_by=value.superseded_by,
        scope=value.scope,
        parts=parts,
        evidence=tuple(evidence.ref for evidence in value.evidence),
    )


def _speaker(memory: Memory) -> str | None:
    """Who says "I" in a text that rules took over word for word."""
    speaker = memory.attributes.get("speaker")
    return speaker if memory.made_by == "extractive" and isinstance(speaker, str) else None
