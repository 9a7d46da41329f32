"""Newest of two: which of the two best results comes first, by what the question asks for.

No score tells the current statement from the one it replaced: they share their words. Measured on
updates of facts, the first result by score is the current one for four in ten questions, and for
eight to nine in ten by these steps; over more than the best two, newer but unrelated ones climb.
"""

from collections.abc import Callable, Sequence

from memcli.core.ids import parse
from memcli.core.reports import SearchHit
from memcli.kit.asked import Asked
from memcli.kit.dates import parse_time
from memcli.kit.sentences import sentences
from memcli.kit.stem import stem
from memcli.kit.words import words

# Below these shares of the first one's score the second is about something else.
_LEAST = 0.5
_LEAST_ALIKE = 0.6
_ALIKE = 0.5  # cosine of the two sentences that are nearest to the question

Cosine = Callable[[str, str], float]


def newest_first(hits: Sequence[SearchHit], asked: Asked, cosine: Cosine | None) -> list[SearchHit]:
    """`hits` with the first two exchanged where the question asks for that.

    `cosine` of two texts; None where there is no embedder.
    """
    if len(hits) < 2 or not _swapped(hits[0], hits[1], asked, cosine):
        return list(hits)
    first, second, *rest = hits
    return [second, first, *rest]


def _swapped(first: SearchHit, second: SearchHit, asked: Asked, cosine: Cosine | None) -> bool:
    if asked.order == "score" or not is_known(first, second):
        return False
    if asked.order == "older":
        return is_newer(first, second)
    if not is_newer(second, first):
        return False
    if asked.order == "alike":
        if second.score < _LEAST_ALIKE * first.score or cosine is None:
            return False
        return cosine(*(nearest_sentence(hit.text, asked) for hit in (first, second))) >= _ALIKE
    return second.score >= _LEAST * first.score


def is_known(one: SearchHit, other: SearchHit) -> bool:
    """Whether it can be told which is the newer."""
    return is_newer(one, other) or is_newer(other, one)


def is_newer(one: SearchHit, other: SearchHit) -> bool:
    """Whether `one` was said after `other`: later, or further on in the same conversation."""
    here, there = time_of(one), time_of(other)
    if here != there and here is not None and there is not None:
        return parse_time(here) > parse_time(there)
    same = one.session is not None and one.session == other.session
    return same and parse(one.id).number > parse(other.id).number


def time_of(hit: SearchHit) -> str | None:
    """When it was said, or since when it is true."""
    return hit.said_at or hit.valid_from


def nearest_sentence(text: str, asked: Asked) -> str:
    """The sentence with most of the question's words, the first of several."""
    wanted = {stem(word) for word in asked.words}
    best, found = -1, text
    for sentence in sentences(text):
        shared = len(wanted & {stem(word.removesuffix("'s")) for word in words(sentence.text)})
        if shared > best:
            best, found = shared, sentence.text
    return found
