from hypothesis import given
from hypothesis import strategies as st

from memcli.kit.graph import cycles, depths, knots

GRAPHS = st.dictionaries(
    st.sampled_from("abcdefg"), st.lists(st.sampled_from("abcdefgxy"), max_size=4), max_size=7
)


def reached(rests: dict[str, list[str]], start: str) -> set[str]:
    """All that `start` rests on, by one step or more."""
    out: set[str] = set()
    todo = list(rests.get(start, ()))
    while todo:
        node = todo.pop()
        if node not in out:
            out.add(node)
            todo += rests.get(node, ())
    return out


@given(GRAPHS)
def test_knots_are_what_rests_on_each_other_and_come_after_what_they_rest_on(
    rests: dict[str, list[str]],
) -> None:
    found = knots(rests)
    assert sorted(node for knot in found for node in knot) == sorted(rests)
    below = {node: reached(rests, node) for node in rests}
    seen: set[str] = set()
    for knot in found:
        for node in knot:
            together = {one for one in rests if one in below[node] and node in below[one]}
            assert set(knot) == together | {node}
            assert below[node] & rests.keys() <= seen | set(knot)
        seen |= set(knot)


@given(GRAPHS)
def test_cycles_are_ways_round(rests: dict[str, list[str]]) -> None:
    found = cycles(rests)
    on_themselves = {node for node in rests if node in reached(rests, node)}
    assert bool(found) == bool(on_themselves)
    for way in found:
        assert len(set(way)) == len(way)
        for node, step in zip(way, [*way[1:], way[0]], strict=True):
            assert step in rests[node]


@given(GRAPHS)
def test_depths_count_the_longest_way_down(rests: dict[str, list[str]]) -> None:
    found = depths(rests)
    assert found.keys() == rests.keys()
    for node, below in rests.items():
        over = [found[one] for one in below if one in found and node not in reached(rests, one)]
        if node not in reached(rests, node):
            assert found[node] == 1 + max(over, default=0)
        else:
            assert found[node] >= 1 + max(over, default=0)


def test_a_long_chain() -> None:
    chain = {str(n): [str(n + 1)] for n in range(50_000)}
    assert depths(chain)["0"] == 50_000
    assert cycles(chain) == []
    chain["50000"] = ["0"]
    (way,) = cycles(chain)
    assert len(way) == 50_001
