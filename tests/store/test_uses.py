"""What became of records and memories: who settled them, when they came, when they were recalled."""

from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan, Rate
from memcli.store import uses
from tests.engine.world import NOW, World, said

JUNE = "2026-06-05T10:00:00Z"
JULY = "2026-07-05T10:00:00Z"


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.ingest([said("a", "I have a dog"), said("b", "I live in Ghent")])
    add = Add("fact", "Ada has a dog", (Cite("r1"),), id="new:1")
    made.apply(Plan(ops=(add,), consumed=("r1",)), "one")
    return made


def test_who_settled_what(world: World) -> None:
    world.apply(Plan(consumed=("r1", "r2")), "two")
    assert world.view.settled() == {"one": {"r1"}, "two": {"r1", "r2"}}
    world.rollback("last")
    assert world.view.settled() == {"one": {"r1"}}


def test_the_last_pass_is_one_that_is_in_force(world: World) -> None:
    assert world.view.last_pass("two") is None
    assert world.view.last_pass("one") == (f"p{world.head}", NOW)
    world.undo()
    assert world.view.last_pass("one") is None
    world.redo()
    assert world.view.last_pass("one") is not None


def test_recalls_are_told_of_a_record_and_of_a_memory_whatever_its_version(world: World) -> None:
    assert (world.view.recalls(), world.view.recalled()) == ({}, {})
    uses.log_recalls(world.connection, ["r2", "m1", "m9"], JULY)
    uses.log_recalls(world.connection, ["m1"], JUNE)
    assert world.view.recalls() == {"m1": (JUNE, JULY), "r2": (JULY,)}
    assert world.view.recalled() == {"m1": JULY, "r2": JULY}


def test_when_something_was_first_stored(world: World) -> None:
    assert world.view.stored() == dict.fromkeys(("r1", "r2", "m1"), NOW)
    assert world.view.stored(["r2"]) == {"r2": NOW}
    assert world.view.stored(["m1", "m7"]) == {"m1": NOW}
    assert world.view.stored([]) == {}


def test_who_gave_which_rating(world: World) -> None:
    world.apply(Plan(ops=(Rate("m1", "status", "faded", by="forget"),)))
    assert world.view.rated_by("m1", "status") == "forget"
    assert world.view.rated_by("m1") is None


def test_a_record_can_be_pinned(world: World) -> None:
    world.apply(Plan(ops=(Rate("r1", "pinned", True, by="person"),)))
    assert [record.pinned for record in world.view.records()] == [True, False]
