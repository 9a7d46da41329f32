from memcli.core.plan import Add, Cite, Link, Plan
from memcli.store.rows import row
from tests.checks.support import codes, found, item, unchecked
from tests.engine.world import World


def rest(world: World, child: str, parent: str) -> None:
    """An evidence edge that validation would have refused."""
    with unchecked(world) as writer:
        edge = row(
            "edge",
            item=writer.draw(),
            child=world.view.node(child),
            parent=item(world, parent),
            parent_node=world.view.node(parent),
            role="evidence",
            **{"pass": writer.id},
        )
        writer.op("link", rows=[edge], named=[item(world, parent)])


def test_two_that_rest_on_each_other(told: World) -> None:
    rest(told, "m1", "m2@1")
    assert found(told, "P105") == [("m1", "rests on itself: m1 on m2 on m1")]
    assert codes(told) == {"P105"}


def test_one_that_rests_on_itself(told: World) -> None:
    rest(told, "m1", "m1@1")
    assert found(told, "P105") == [("m1", "rests on itself: m1 on m1")]


def test_branches_that_meet_again_and_links_are_fine(told: World) -> None:
    both = Add("insight", "Ada drinks tea in Lisbon", (Cite("m1"), Cite("m2")), "new:1")
    told.apply(Plan((both, Link("m1", "m2", "related"))))
    assert found(told, "P105") == []
