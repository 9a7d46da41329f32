"""Intervals."""

import pytest

from memcli.evals.statistics import bootstrap, paired, wilson


def test_wilson() -> None:
    found = wilson(8, 10)
    assert (found.value, found.n) == (0.8, 10)
    assert found.low == pytest.approx(0.4902, abs=1e-3)
    assert found.high == pytest.approx(0.9433, abs=1e-3)
    assert wilson(0, 0).value is None
    assert wilson(5, 5).high == 1.0


def test_a_bootstrap_is_the_same_with_the_same_seed() -> None:
    values = [0.0, 0.5, 1.0, 1.0, 0.25, 0.75]
    clusters = ["a", "a", "b", "b", "c", "c"]
    one = bootstrap(values, clusters, 7)
    assert one == bootstrap(values, clusters, 7)
    assert one.low is not None
    assert one.value is not None
    assert one.high is not None
    assert one.low <= one.value <= one.high
    assert bootstrap([], [], 1).n == 0


def test_clusters_widen_an_interval() -> None:
    values = [0.0] * 50 + [1.0] * 50
    alone = bootstrap(values, [str(n) for n in range(100)], 1)
    four = bootstrap(values, [str(n // 25) for n in range(100)], 1)
    assert alone.low is not None
    assert four.low is not None
    assert four.low < alone.low
    # One cluster alone says nothing of others: then values are drawn.
    assert bootstrap(values, ["a"] * 100, 1).low == pytest.approx(alone.low, abs=0.05)


def test_pairs_leave_out_what_only_one_side_has() -> None:
    found = paired([1.0, None, 1.0, 0.0], [0.0, 1.0, 1.0, None], ["a", "b", "c", "d"], 1)
    assert (found.value, found.n) == (0.5, 2)
    same = paired([1.0, 0.0], [1.0, 0.0], ["a", "b"], 1)
    assert (same.low, same.value, same.high) == (0.0, 0.0, 0.0)
