"""Scores of a question's words and of those akin to them (kit.akin): "bought" for "buy"."""

from collections.abc import Sequence

from memcli.kit.akin import akin
from memcli.retrieval.weights import Weights
from memcli.retrieval.words import word_scores
from memcli.store.driver import sqlite3
from memcli.store.texts import Among


def scores_with_akin(
    index: "sqlite3.Connection",
    words: Sequence[str],
    among: Among,
    weights: Weights,
    *,
    whole: bool = False,
) -> dict[int, float]:
    """item -> score, of the best `weights.candidates`: that of the question's own words, and
    `weights.akin` times that of those akin to them. `whole`: see words.word_scores. Raises
    UnusableIndexError."""
    own = word_scores(index, words, among, weights, whole=whole)
    others = akin(words) if weights.akin else ()
    if not others:
        return own
    total = dict(own)
    for item, score in word_scores(index, others, among, weights, whole=whole).items():
        total[item] = round(total.get(item, 0.0) + weights.akin * score, 6)
    best = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(best[: weights.candidates])
