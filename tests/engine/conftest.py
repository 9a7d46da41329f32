"""A store for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan
from tests.engine.world import World, said


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty store on disk; whatever a test did to it has to leave it sound."""
    made = World(tmp_path)
    yield made
    made.check()
    made.close()


@pytest.fixture
def known(world: World) -> World:
    """Records r1 to r4, all of one day, and the memories m1 to m3 of r1 to r3."""
    words = ("I live in NYC", "I moved to SF", "I like tea", "I sing")
    day = "2026-05-01T10:00:00Z"
    world.ingest([said(str(nth), text, at=day) for nth, text in enumerate(words)])
    ops = (
        Add("fact", "Ada lives in NYC", (Cite("r1"),), "new:1"),
        Add("fact", "Ada really lives in NYC", (Cite("r1"), Cite("r2")), "new:2"),
        Add("fact", "Ada likes tea", (Cite("r3"),), "new:3"),
    )
    world.apply(Plan(ops=ops), "other")
    return world
