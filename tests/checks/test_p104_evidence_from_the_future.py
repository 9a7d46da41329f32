from memcli.core.plan import Link, Plan
from tests.checks.support import cite, codes, found, item
from tests.engine.world import World


def test_an_edge_to_what_was_not_there_yet(told: World) -> None:
    cite(told, "m1", item(told, "r4"), made=2)
    assert found(told, "P104") == [("m1", "p2 made it cite r4, which p3 stored only later")]
    assert codes(told) == {"P104"}


def test_a_link_to_what_was_not_there_yet(told: World) -> None:
    cite(told, "m1", item(told, "r4"), made=2, role="related")
    assert found(told, "P104") == [
        ("m1", "p2 linked it (related) to r4, which p3 stored only later")
    ]


def test_new_evidence_by_a_later_pass_is_fine(told: World) -> None:
    told.apply(Plan((Link("m1", "r4", "evidence"),)))
    told.rollback("p3", cascade=True)
    told.undo()
    assert found(told, "P104") == []
