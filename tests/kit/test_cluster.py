import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.kit.cluster import average_link, cosines


def unit(values):
    length = math.sqrt(sum(value * value for value in values))
    return tuple(value / length for value in values) if length else tuple(values)


def noisy(seed, count, dimensions=8, topics=4):
    dice = random.Random(seed)
    centres = [unit([dice.gauss(0, 1) for _ in range(dimensions)]) for _ in range(topics)]
    return [unit([c + dice.gauss(0, 0.25) for c in dice.choice(centres)]) for _ in range(count)]


def by_hand(vectors, threshold):
    """The greedy method as it is written in textbooks."""
    groups = [[index] for index in range(len(vectors))]

    def mean(one, other):
        dots = [sum(x * y for x, y in zip(vectors[i], vectors[j])) for i in one for j in other]  # noqa: B905
        return sum(dots) / len(dots)

    while len(groups) > 1:
        pairs = [(i, j) for i in range(len(groups)) for j in range(i + 1, len(groups))]
        best = max(pairs, key=lambda pair: mean(groups[pair[0]], groups[pair[1]]))
        if mean(groups[best[0]], groups[best[1]]) < threshold:
            break
        groups[best[0]] += groups.pop(best[1])
    return tuple(sorted(tuple(sorted(group)) for group in groups))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_same_groups_as_the_greedy_method(seed, threshold):
    vectors = noisy(seed, 18)
    assert average_link(vectors, threshold) == by_hand(vectors, threshold)


def test_cosines():
    found = cosines([(1.0, 0.0), (0.6, -0.8), (0.0, 0.0)])
    expected = [[1.0, 0.6, 0.0], [0.6, 1.0, 0.0], [0.0, 0.0, 0.0]]
    assert all(
        abs(a - b) < 2e-4
        for one, other in zip(found, expected, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def test_edges():
    assert average_link([], 0.5) == ()
    assert average_link([(1.0, 0.0)], 0.5) == ((0,),)
    assert average_link([(1.0, 0.0)] * 4, 0.5) == ((0, 1, 2, 3),)
    assert average_link([(0.0, 0.0)] * 3, 0.5) == ((0,), (1,), (2,))
    assert average_link([(1.0, 0.0), (-1.0, 0.0)], -1.0) == ((0, 1),)


vectors = st.lists(st.lists(st.floats(-1, 1), min_size=4, max_size=4).map(unit), max_size=14)


@settings(deadline=None)
@given(vectors, st.floats(-1, 1))
def test_each_index_is_in_one_group_and_again_the_same(found, threshold):
    groups = average_link(found, threshold)
    assert sorted(index for group in groups for index in group) == list(range(len(found)))
    assert groups == average_link(found, threshold)
    assert groups == tuple(sorted(groups))


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
def test_order_of_items_does_not_change_the_groups(seed):
    items = noisy(seed, 12)
    order = list(range(12))
    random.Random(seed).shuffle(order)
    plain = {frozenset(group) for group in average_link(items, 0.5)}
    mixed = average_link([items[index] for index in order], 0.5)
    assert {frozenset(order[index] for index in group) for group in mixed} == plain
