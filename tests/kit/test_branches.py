"""Which messages of a tree are on the branch shown, and in which order all of them stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.kit.branches import arrange

FORK = {"root": None, "a": "root", "b": "root", "a1": "a", "b1": "b"}


def shown(parents, times=None, leaf=None, pick="newest-leaf"):
    return "".join(
        key if on else f"({key})" for key, on in arrange(parents, times or {}, leaf, pick)
    )


def test_a_named_leaf_decides():
    assert shown(FORK, leaf="a1") == "root(b)(b1)aa1"
    assert shown(FORK, leaf="b1") == "root(a)(a1)bb1"


def test_a_leaf_may_have_children():
    assert shown(FORK, leaf="b") == "root(a)(a1)b(b1)"


def test_the_newest_leaf_and_the_last_child_may_differ():
    times = {"a": "2026-01-01", "b": "2026-01-02", "b1": "2026-01-03", "a1": "2026-01-04"}
    assert shown(FORK, times) == "root(b)(b1)aa1"
    assert shown(FORK, times, pick="last-child") == "root(a)(a1)bb1"


def test_without_times_the_order_of_the_file_decides():
    assert shown(FORK) == "root(a)(a1)bb1"
    assert shown(FORK, pick="last-child") == "root(a)(a1)bb1"


@pytest.mark.parametrize("pick", ["newest-leaf", "last-child"])
def test_each_group_has_a_branch_of_its_own(pick):
    parents = {"a": None, "b": "a", "lost": "gone", "c": "lost", "x": "y", "y": "x"}
    assert shown(parents, leaf="b", pick=pick) == "ablostcxy"


def test_groups_stand_in_the_order_in_which_they_began():
    parents = {"late": "gone", "later": "late", "root": None, "a": "root", "none": "lost"}
    times = {"late": "2026-01-03", "later": "2026-01-04", "a": "2026-01-02"}
    assert shown(parents, times) == "nonerootalatelater"
    assert shown(parents) == "latelaterrootanone"


@given(st.dictionaries(st.integers(0, 30), st.integers(0, 30), max_size=20), st.integers(0, 30))
def test_whatever_the_tree_each_message_comes_once(parents, leaf):
    named = {str(key): str(parent) for key, parent in parents.items()}
    for pick in ("newest-leaf", "last-child"):
        order = arrange(named, {}, str(leaf), pick)
        assert sorted(key for key, _ in order) == sorted(named)
        if str(leaf) in named:
            assert (str(leaf), True) in order
