"""A sentence that says two things does not end with one of them: no rule ends it, in any method."""

import pytest

from memcli.registry import get_strategy
from tests.engine.world import World
from tests.strategies.passes import Passes, line

JAN, JUNE = "2026-01-05T10:00:00Z", "2026-06-05T10:00:00Z"
KINDS = {
    "reconcile": "fact",
    "append": "fact",
    "invalidate": "fact",
    "profile": "claim",
    "observe": "observation",
}
BOTH = "I live in Hamburg and I work at Lufthansa as a dispatcher."
LATER = "I moved to Bremen on Saturday."


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("at_once", [True, False])
class TestTwoFacts:
    def told(self, world: World, name: str, first: str, then: str, *, at_once: bool) -> Passes:
        passes = Passes(world, name, get_strategy(name).params())
        passes.tell(line("a", first, JAN))
        if not at_once:
            passes.offline()
        passes.tell(line("b", then, JUNE, session="two"))
        passes.offline()
        return passes

    def test_both_stay_and_are_linked(self, world: World, name: str, at_once: bool) -> None:
        passes = self.told(world, name, BOTH, LATER, at_once=at_once)
        kind = KINDS[name]
        assert passes.live(kind) == [BOTH, LATER]
        old, new = (passes.held(text, kind).id for text in (BOTH, LATER))
        assert passes.links("conflict") == [(new, old)]
        assert passes.links("replaces") == []
        if name != "profile":  # there the claim waits, and not its record
            assert passes.waiting() == ["r2"]
        found = {hit.text: hit for hit in passes.find("where does Ada work").results}
        assert found[BOTH].status in ("current", "pending")
        assert found[BOTH].superseded_by is None

    def test_what_says_one_thing_still_ends(self, world: World, name: str, at_once: bool) -> None:
        passes = self.told(world, name, "I live in Hamburg.", LATER, at_once=at_once)
        assert passes.links("conflict") == []
        (hit, *_) = passes.find("where does Ada live").results
        assert hit.text == LATER
