"""Several strategies in one store: what one does to the memories of another, by rule."""

from pathlib import Path

import pytest

from memcli.api import open_store
from memcli.registry import get_strategy
from tests.engine.world import World
from tests.strategies.passes import Passes, cited, line

JAN, JUNE = "2026-01-05T10:00:00Z", "2026-06-05T10:00:00Z"


def passes(world: World, name: str) -> Passes:
    return Passes(world, name, get_strategy(name).params())


class TestDedupeAndInvalidate:
    """Facts of two methods become one; it is an edge still, and nothing is drawn from its record again."""

    @pytest.fixture
    def graph(self, world: World) -> Passes:
        graph = passes(world, "invalidate")
        graph.tell(line("a", "I live in NYC.", JAN), line("b", "I love chess.", JAN))
        passes(world, "reconcile").offline()
        graph.offline()
        assert len(graph.live()) == 4
        assert passes(world, "dedupe").offline().operations["retire"] == 2
        assert graph.live() == ["I live in NYC.", "I love chess."]
        return graph

    def test_the_record_stays_settled(self, graph: Passes) -> None:
        assert graph.waiting() == []
        graph.tell(line("c", "I love chess. The sky is grey.", JUNE, session="two"))
        graph.offline()
        assert graph.live() == ["I live in NYC.", "I love chess."]
        assert cited(graph.held("I love chess.")) == ["r2", "r3"]
        assert not graph.due(model=False).due
        assert graph.offline().outcome == "no-changes"

    def test_what_was_pending_too_is_not_drawn_again(self, world: World) -> None:
        graph = passes(world, "invalidate")
        graph.tell(line("a", "I love chess. The sky is grey.", JAN))
        passes(world, "reconcile").offline()
        graph.offline()
        assert passes(world, "dedupe").offline().operations["retire"] == 1
        assert not graph.due(model=False).due
        assert graph.offline().outcome == "no-changes"
        assert graph.live() == ["I love chess."]

    def test_a_later_value_ends_it(self, graph: Passes) -> None:
        graph.tell(line("c", "I moved to SF.", JUNE, session="two"))
        graph.offline()
        assert graph.held("I live in NYC.").valid_to == JUNE
        assert graph.live() == ["I love chess.", "I moved to SF."]


def test_what_two_people_say_alike_is_settled_at_once(world: World) -> None:
    """Neither contradicts the other: a second pass finds nothing that the first could have done."""
    facts = passes(world, "reconcile")
    facts.tell(
        line("a", "I like my green tea in the morning garden, hot.", JAN),
        line("b", "I like my green tea in the morning garden, cold.", JUNE, by="Tom"),
    )
    assert facts.offline().pending == {}
    assert (facts.waiting(), facts.links("duplicate")) == ([], [])
    assert facts.offline().outcome == "nothing-due"


def test_what_an_observation_says_otherwise_since_is_marked_in_the_record(world: World) -> None:
    """Its new version rests on the record of the former value too."""
    eye = passes(world, "observe")
    eye.tell(line("a", "I live in NYC.", JAN))
    eye.offline()
    eye.tell(line("b", "I moved to SF.", JUNE))
    eye.offline()
    found = eye.find("Where do I live?", layer="raw").results
    assert {one.id: (one.status, one.superseded_by) for one in found} == {
        "r1": ("superseded", "m1"),
        "r2": ("current", None),
    }


@pytest.mark.parametrize(
    "names", [("append", "observe", "invalidate"), ("profile", "observe", "reconcile")]
)
def test_what_several_hold_is_told_once_in_a_block(names: tuple[str, ...], tmp_path: Path) -> None:
    with open_store(tmp_path / "m.db", mode="create", now="2026-07-01T00:00:00Z") as store:
        store.add("I love chess.", said_at=JAN)
        store.add("My name is Ada.", said_at=JAN)
        for name in names:
            store.consolidate(name)
        block = store.context("Ada loves chess").block
        assert (block.count("I love chess."), block.count("My name is Ada.")) == (1, 1)
        tight = store.context("Ada loves chess", budget=120).block
        assert tight.count("My name is Ada.") <= 1
