"""A store for each test, which it may leave in ruins."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan
from tests.engine.world import World, said


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty store on disk."""
    made = World(tmp_path)
    yield made
    made.close()


@pytest.fixture
def told(world: World) -> World:
    """p1: r1, r2, r3. p2: m1 quotes r1, m2 rests on m1 and r2, r1 is consumed. p3: r4.

    Its rows: records 1, 2, 3; m1 with node 4, version 5, edge 6, quote 7; m2 with node 9, version
    10, edges 11 (to m1) and 12 (to r2); consumed mark 14; record 15.
    """
    world.ingest(
        [
            said("a", "I live in Lisbon by the sea", at="2026-01-05T10:00:00Z"),
            said("b", "I like green tea"),
            said("c", "I play the piano"),
        ]
    )
    first = Add("fact", "Ada lives in Lisbon", (Cite("r1", ("live in Lisbon",)),), "new:1")
    second = Add("insight", "Ada likes the south", (Cite("new:1"), Cite("r2")), "new:2")
    world.apply(Plan((first, second), consumed=("r1",)))
    world.ingest([said("d", "I moved to Porto", session="two")], path="b.jsonl")
    return world
