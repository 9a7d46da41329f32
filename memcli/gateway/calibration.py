"""What an unknown embedding model's cosines mean, measured on sentences of which that is known.

One global threshold would be wrong: two texts that have nothing in common lie at .02 for one model
and at .79 for another. Cosine proposes and never decides (C21), so a rough cut is enough.
"""

from collections.abc import Sequence
from itertools import combinations
from operator import mul

Vector = Sequence[float]

# Eight topics with three statements each, which say different things; the fourth sentence says the
# same as the first, in another order or with a word more or less. A change here is a new version of
# the embedder (litellm_embedder.VERSION), for stores keep what was measured.
TOPICS: tuple[tuple[str, str, str, str], ...] = (
    (
        "I go running along the river every morning before work.",
        "My running shoes fell apart after the half marathon.",
        "My running club trains for a marathon along the canal in May.",
        "Every morning before work I go running along the river.",
    ),
    (
        "Grandma's lentil soup needs cumin and a lot of lemon.",
        "I burned the onions, so the soup tastes bitter.",
        "I cook a big pot of vegetable soup with lentils on Sundays.",
        "Grandma's lentil soup needs cumin and a whole lot of lemon.",
    ),
    (
        "I practise the piano for an hour after dinner.",
        "The piano in our flat is always out of tune.",
        "My daughter takes piano lessons and plays Bach quite well.",
        "After dinner I practise the piano for an hour.",
    ),
    (
        "The tomatoes on the balcony have mould on their leaves.",
        "I planted tomatoes and beans in the raised bed of the garden.",
        "Slugs ate all the bean leaves in the garden.",
        "The tomatoes out on the balcony have mould on their leaves.",
    ),
    (
        "We booked the night train to Vienna for the tenth of June.",
        "Our train to Vienna was late, so we missed the concert.",
        "The hotel in Vienna is right beside the train station.",
        "For the tenth of June we booked the night train to Vienna.",
    ),
    (
        "The nightly build fails because a unit test times out.",
        "I moved the unit tests of the service to Python last sprint.",
        "The build server runs all tests of the Python code twice.",
        "Because a unit test times out, the nightly build fails.",
    ),
    (
        "Our cat sleeps on the radiator all winter.",
        "The cat scratched the new sofa to pieces.",
        "The vet says our cat must lose some weight.",
        "All winter our cat sleeps on the radiator.",
    ),
    (
        "The dentist wants to pull out two of my wisdom teeth.",
        "I had a toothache all week and saw the dentist at last.",
        "My new dentist cleans teeth without hurting anybody.",
        "The dentist wants to pull two of my wisdom teeth out.",
    ),
)
_PLACES = 4
# The share of pairs on two topics that may count as related. Where groups were cut at the cosine of
# this share, their statements were on one topic with each embedder tried; what separates these
# sentences best instead (.19 with MiniLM) threw together what people say in passing.
_FALSE = 0.015


def sentences() -> tuple[str, ...]:
    """All sentences, four a topic, in order."""
    return tuple(sentence for topic in TOPICS for sentence in topic)


def thresholds(vectors: Sequence[Vector]) -> tuple[float, float]:
    """(related, near_duplicate) for vectors of unit length, one for each of `sentences()`.

    `related` is the cosine that 1.5 % of the pairs on two topics reach; `near_duplicate` lies in the
    middle between the nearest pair of different statements and the farthest pair that says the
    same, and never below `related`.
    """
    stated = [(nth // 4, vector) for nth, vector in enumerate(vectors) if nth % 4 < 3]
    same: list[float] = []
    other: list[float] = []
    for (topic, left), (another, right) in combinations(stated, 2):
        (same if topic == another else other).append(cosine(left, right))
    reworded = [cosine(vectors[nth], vectors[nth + 3]) for nth in range(0, len(vectors), 4)]
    related = round(sorted(other, reverse=True)[int(_FALSE * len(other))], _PLACES)
    middle = (max(*same, *other) + min(reworded)) / 2
    return related, max(related, round(min(middle, 1.0), _PLACES))


def cosine(left: Vector, right: Vector) -> float:
    """The cosine of two vectors of unit length."""
    return float(sum(map(mul, left, right)))
