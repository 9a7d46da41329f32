"""Active branches of damaged and sound trees."""

from hypothesis import given
from hypothesis import strategies as st

from memcli.kit.tree import Node, active, components, way_up


def test_way_up_ends_at_the_root_or_a_lost_parent():
    parents = {"a": None, "b": "a", "c": "b", "x": "lost"}
    assert way_up("c", parents) == (["c", "b", "a"], False)
    assert way_up("x", parents) == (["x"], False)
    assert way_up("lost", parents) == ([], False)


def test_way_up_ends_in_a_cycle():
    assert way_up("a", {"a": "b", "b": "a"}) == (["a", "b"], True)
    assert way_up("a", {"a": "a"}) == (["a"], True)


def test_way_up_may_be_long():
    parents = {str(n): str(n - 1) if n else None for n in range(5000)}
    assert len(way_up("4999", parents)[0]) == 5000


def test_components_keep_the_order():
    parents = {"a": None, "x": None, "b": "a", "y": "x", "z": "lost"}
    assert components(parents) == [["a", "b"], ["x", "y"], ["z"]]


def test_last_branch_is_active():
    nodes = {"a": Node(None), "b": Node("a"), "c": Node("a"), "d": Node("c")}
    assert active(nodes) == {"a", "c", "d"}


def test_lines_of_one_branch_may_stand_in_any_order():
    chain = {str(number): Node(str(number - 1) if number else None) for number in range(5)}
    assert active(dict(reversed(chain.items()))) == set(chain)
    chain["aside"] = Node("2", speaks=False)
    mixed = {name: chain[name] for name in ("4", "0", "2", "aside", "3", "1")}
    assert active(mixed) == set(chain) - {"aside"}


def test_several_roots_are_all_active():
    nodes = {"a": Node(None), "b": Node("a"), "c": Node("lost"), "d": Node("c")}
    assert active(nodes) == set(nodes)


def test_companions_of_the_way_are_active():
    nodes = {
        "u": Node(None),
        "a1": Node("u", message="m", calls=("t1",)),
        "a2": Node("a1", message="m", calls=("t2",)),
        "r1": Node("a1", speaks=False, answers=("t1",)),
        "r2": Node("a2", speaks=False, answers=("t2",)),
        "end": Node("r1"),
    }
    assert active(nodes) == set(nodes)


def test_lines_that_share_one_id_by_the_thousand_are_met_once():
    # Asked for again by each of its lines, a group of n would be walked n times.
    nodes = {
        f"{n}": Node(f"{n - 1}" if n else None, message="m", calls=("c",), answers=("c",))
        for n in range(20_000)
    }
    assert active(nodes) == set(nodes)


def test_group_without_a_speaker_is_active():
    assert active({"a": Node(None, speaks=False), "b": Node("a", speaks=False)}) == {"a", "b"}


NAMES = st.sampled_from("abcdefg")


@given(
    st.dictionaries(
        NAMES,
        st.builds(
            Node,
            parent=st.none() | NAMES,
            speaks=st.booleans(),
            message=st.none() | st.sampled_from("mn"),
            calls=st.lists(st.sampled_from("tu"), max_size=2).map(tuple),
            answers=st.lists(st.sampled_from("tu"), max_size=2).map(tuple),
        ),
    )
)
def test_any_graph_has_active_nodes_in_each_component(nodes):
    found = active(nodes)
    assert found <= set(nodes)
    parents = {name: node.parent for name, node in nodes.items()}
    for group in components(parents):
        assert found & set(group)
