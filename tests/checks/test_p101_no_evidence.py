from tests.checks.support import codes, found, item, unchecked
from tests.engine.world import World


def evidence_of(world: World, ref: str) -> list[int]:
    rows = world.connection.execute(
        "SELECT item FROM edge WHERE child = :node UNION ALL SELECT q.item FROM quote q"
        " JOIN edge e ON e.item = q.edge WHERE e.child = :node",
        {"node": world.view.node(ref)},
    )
    return [row[0] for row in rows]


def test_a_memory_that_reaches_no_record(told: World) -> None:
    with unchecked(told) as writer:
        writer.op("unlink", close=evidence_of(told, "m1"), named=[item(told, "m1@1")])
    # m2 rests on r2 as well.
    assert found(told, "P101") == [("m1", "rests on no record")]
    assert codes(told) == {"P101"}


def test_records_by_way_of_a_memory_that_is_gone_count(told: World) -> None:
    with unchecked(told) as writer:
        writer.op("unlink", close=[12], named=[item(told, "m2@1")])
        writer.op("retire", close=[item(told, "m1@1")])
    assert told.view.closure("m2") == {"r1"}
    assert found(told, "P101") == []
