"""A digest without a model: the statements that stand for a conversation, word for word.

Maximal marginal relevance (Carbonell and Goldstein 1998) over the centroid of all statements: each
next one is near to the middle and far from those that were picked. What tells of somebody by name,
number, date or in the first person comes first among near equals.
"""

from collections.abc import Callable, Iterable, Sequence
from math import fsum, sqrt

from memcli.core.values import dataclass
from memcli.kit import signs
from memcli.kit.dates import relative_words
from memcli.kit.nearkey import near_key
from memcli.kit.salience import cosine
from memcli.kit.sentences import statements
from memcli.kit.words import words

LAMBDA = 0.7  # the share of nearness to the middle; the rest is distance from what was picked
LEAST_WORDS = 6
MOST = 6
LONGEST = 500  # characters of a statement
_BOOST = 0.2  # for each sign that something is told
_MOST_READ = 1000  # statements compared; the newest, if there are more

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Pick:
    """A statement of the text number `place`."""

    place: int
    text: str


def digest(
    texts: Sequence[str], embed: Embed, most: int = MOST, whole: Iterable[int] = ()
) -> tuple[Pick, ...]:
    """At most `most` statements out of `texts`, in their order; no two alike by near key.

    `embed` gives vectors of unit length. `whole`: numbers of texts that were picked before and are
    taken or left as they are, however short.
    """
    pool = _pool(texts, frozenset(whole))
    if not pool or most < 1:
        return ()
    vectors = embed([one.text for one in pool])
    marks = weights([one.text for one in pool], vectors)
    picks = [pool[index] for index in sorted(_picked(marks, vectors, most))]
    return tuple(sorted(picks, key=lambda one: one.place))


def weights(texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> list[float]:
    """What each text is worth: near to the middle of all, and telling of somebody.

    `vectors`: those of the texts, of unit length.
    """
    middle = _centroid(vectors)
    return [
        cosine(middle, vector) + _BOOST * _telling(text)
        for text, vector in zip(texts, vectors, strict=True)
    ]


def quotable(text: str) -> list[str]:
    """The statements of a text that may stand in a digest: not too short, and not too long."""
    return [
        one.text
        for one in statements(text)
        if len(words(one.text)) >= LEAST_WORDS and len(one.text) <= LONGEST
    ]


def _pool(texts: Sequence[str], whole: frozenset[int]) -> list[Pick]:
    found: dict[str, Pick] = {}
    for place, text in enumerate(texts):
        for statement in [text] if place in whole else quotable(text):
            found.setdefault(near_key(statement), Pick(place, statement))
    pool = list(found.values())
    kept = [one for one in pool if one.place in whole]
    rest = [one for one in pool if one.place not in whole]
    return [*kept, *rest[-_MOST_READ:]]


def _telling(text: str) -> int:
    """0..4: first person, names, numbers, dates."""
    return (
        signs.first_person(text)
        + bool(signs.names(text))
        + bool(signs.numbers(text))
        + (signs.has_date(text) or bool(relative_words(text)))
    )


def _centroid(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Of unit length; zero if there is no vector but zero."""
    sums = [fsum(column) for column in zip(*vectors, strict=True)]
    length = sqrt(fsum(value * value for value in sums))
    return [value / length for value in sums] if length else sums


def _picked(marks: Sequence[float], vectors: Sequence[Sequence[float]], most: int) -> list[int]:
    """Indexes of the picks; ties go to the earlier statement."""
    picks: list[int] = []
    nearest = [0.0] * len(marks)
    left = list(range(len(marks)))
    while left and len(picks) < most:
        best = max(
            left,
            key=lambda index: (
                round(LAMBDA * marks[index] - (1 - LAMBDA) * nearest[index], 6),
                -index,
            ),
        )
        picks.append(best)
        left.remove(best)
        for index in left:
            nearest[index] = max(nearest[index], cosine(vectors[best], vectors[index]))
    return picks
