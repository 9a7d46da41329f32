"""What came and went between two passes, told without walking through what stayed."""

from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan, Rate
from memcli.store import history
from memcli.store.view import StoreView
from tests.engine.world import World, said


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Records come, go, come back and go again."""
    made = World(tmp_path)
    made.ingest([said("a", "I have a dog"), said("b", "I live in Ghent")])
    made.ingest([said("c", "I have a cat")])
    made.rollback("last")
    made.undo()
    made.redo()
    made.ingest([said("d", "I have a bird"), said("c", "I have a cat")])
    made.rollback("p1", cascade=True)
    made.undo()
    return made


def test_records_that_came_and_went_between_any_two_passes(world: World) -> None:
    held = [
        {record.id for record in StoreView(world.connection, at).records(inactive=True)}
        for at in range(world.head + 1)
    ]
    assert len(set(map(frozenset, held))) > 3
    for start, before in enumerate(held):
        for end, after in enumerate(held):
            told = history.records_between(world.connection, start, end)
            assert told == (len(after - before), len(before - after)), (start, end)


def test_rows_of_memories_and_no_records(world: World) -> None:
    low = world.head
    add = Add("fact", "Ada has a dog", (Cite("r1"),), id="new:1")
    world.apply(Plan(ops=(add, Rate("r1", "pinned", True, by="person"))))
    world.ingest([said("e", "I have a fish")])
    owners = history.owners(world.connection, low, world.head)
    assert set(owners.values()) == {(1, "version"), (1, "edge")}
    rated = history.records_rated(world.connection, low, world.head)
    assert [name for _, name in rated] == ["pinned"]
