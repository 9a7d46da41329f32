"""A search of a large store says that not all vectors were compared."""

import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.core.options import SearchOptions
from memcli.core.reports import SearchReport
from memcli.engine.embedders import Table
from memcli.engine.finding import search, searched
from memcli.render import search as rendering
from memcli.render.output import show
from memcli.store import sketches
from tests.engine.world import World, said

WORDS = ("tea", "lake", "piano", "garden", "soup", "bike", "letter", "roof", "query", "fence")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    pytest.importorskip("numpy")
    monkeypatch.setattr(sketches, "BORDER", 20)
    monkeypatch.setattr(sketches, "SPARSE", "")
    made = World(tmp_path)
    yield made
    made.close()


def shown(report: SearchReport) -> str:
    stream = io.StringIO()
    show(rendering.as_page(report, explain=True), stream)
    return stream.getvalue()


def asked(world: World, at: int | None = None, *, vectors: bool = True) -> SearchReport:
    with searched(world.connection, world.head if at is None else at, Table) as where:
        return search(where, "tea by the lake", SearchOptions(vectors=vectors))


def test_exact_until_it_is_large_and_where_no_sketches_are_asked(world: World) -> None:
    lots = random.Random(1)
    texts = [" ".join(lots.choices(WORDS, k=4)) for _ in range(25)]
    world.ingest([said(f"a{nth}", text) for nth, text in enumerate(texts[:19])], "a.jsonl")
    assert asked(world).exact
    world.ingest([said(f"b{nth}", text) for nth, text in enumerate(texts[19:])], "b.jsonl")
    found = asked(world)
    assert not found.exact
    assert rendering.as_json(found)["exact"] is False
    assert "vectors compared: at most 2,000, chosen by sketches" in shown(found)
    assert asked(world, vectors=False).exact
    assert asked(world, at=1).exact
    assert "chosen by sketches" not in shown(asked(world, at=1))
