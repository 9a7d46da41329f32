"""Scores by words: SQLite's own bm25, and what takes its place in a small store."""

import math
from collections import defaultdict
from collections.abc import Sequence

from memcli.retrieval.weights import Weights
from memcli.store import frequent, texts
from memcli.store.driver import sqlite3
from memcli.store.texts import Among


def word_scores(
    index: "sqlite3.Connection",
    words: Sequence[str],
    among: Among,
    weights: Weights,
    *,
    whole: bool = False,
) -> dict[int, float]:
    """item -> score of the best `weights.candidates`; raises UnusableIndexError. `whole`: whatever it
    takes, of all texts and not of the newest of very many (store.frequent).

    bm25() gives a word that stands in more than half of the rows next to nothing, so that a small
    store would be ranked by nothing: there each word gets a weight that does not clamp.
    """
    count = texts.size(index, weights.small)
    if count >= weights.small:
        most = weights.matching
        found = frequent.candidates(index, words, weights.candidates, among, most, whole=whole)
        return dict(found)
    frequency = texts.frequencies(index, words)
    total: dict[int, float] = defaultdict(float)
    for word in words:
        seen = frequency[word]
        clamped = max(math.log((count - seen + 0.5) / (seen + 0.5)), 1e-6) if seen < count else 1e-6
        weight = math.log(1 + (count + weights.small - seen + 0.5) / (seen + 0.5)) / clamped
        for item, score in texts.word_scores(index, word, weights.candidates, weight, among):
            total[item] += score
    best = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    return {item: round(score, 6) for item, score in best[: weights.candidates]}
