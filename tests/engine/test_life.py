"""`mem history`: what a memory is now stands before what happened to it."""

from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan, Rate, Supersede
from memcli.engine.show import life_of
from tests.engine.world import World, said

THEN = "2026-03-01T12:00:00.000Z"


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.ingest([said("a", "I live in Ghent.", at=THEN)])
    made.apply(Plan((Add("fact", "Ada lives in Ghent", (Cite("r1"),), "new:1"),)))
    return made


def test_what_is_current_has_no_state(world: World) -> None:
    report = life_of(world.view, "m1")
    assert (report.held, report.state) == (True, ())


def test_superseded_and_faded_are_both_told(world: World) -> None:
    world.apply(Plan((Supersede("m1", THEN),)))
    assert life_of(world.view, "m1").state == ("superseded",)
    world.apply(Plan((Rate("m1", "status", "faded"),)))
    report = life_of(world.view, "m1")
    assert (report.held, report.state) == (True, ("superseded", "faded"))


def test_what_is_held_no_more_has_no_state(world: World) -> None:
    world.rollback("last")
    report = life_of(world.view, "m1")
    assert (report.held, report.state) == (False, ())
