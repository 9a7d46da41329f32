import pytest

from memcli.kit.scores import Candidate, Weights, generative_agents, min_max, recency


def test_t1_recency():
    raw = [recency(hours, 0.99) for hours in (20, 10, 0)]
    assert [round(value, 4) for value in raw] == [0.8179, 0.9044, 1.0]
    assert [round(value, 3) for value in min_max(raw)] == [0.0, 0.475, 1.0]
    marks = generative_agents([Candidate(h, 0.3, 5) for h in (20, 10, 0)], decay=0.99)
    assert max(range(3), key=marks.__getitem__) == 2


def test_equal_values_are_a_half():
    assert min_max([3.0, 3.0]) == [0.5, 0.5]
    assert min_max([]) == []
    assert generative_agents([Candidate(1, 0, 4)]) == [1.5]


def test_weights():
    pair = [Candidate(0, 0.1, 1), Candidate(100, 0.9, 10)]
    assert generative_agents(pair, weights=Weights(1, 0, 0)) == [1.0, 0.0]
    assert generative_agents(pair, weights=Weights(0, 1, 0)) == [0.0, 1.0]
    assert generative_agents(pair, weights=Weights(0, 0, 1)) == [0.0, 1.0]


@pytest.mark.parametrize("hours", [-5.0, 0.0])
def test_the_future_is_as_fresh_as_now(hours):
    assert recency(hours) == 1.0
