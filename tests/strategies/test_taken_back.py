"""What who said it takes back in the next message of the session becomes no fact by rule."""

import pytest

from memcli.registry import get_strategy
from tests.engine.world import World
from tests.strategies.passes import Passes, line

JAN = "2026-01-05T10:00:00Z"
KINDS = {
    "reconcile": "fact",
    "append": "fact",
    "invalidate": "fact",
    "profile": "claim",
    "observe": "observation",
}


@pytest.mark.parametrize("name", KINDS)
class TestTakenBack:
    def live(self, world: World, name: str, *texts: str, by: str | None = "Ada") -> list[str]:
        passes = Passes(world, name, get_strategy(name).params())
        last = len(texts) - 1
        passes.tell(
            *(
                line(str(nth), text, JAN, by=by if nth == last else "Ada")
                for nth, text in enumerate(texts)
            )
        )
        passes.offline()
        assert not passes.due(model=False).due
        return passes.live(KINDS[name])

    def test_a_joke(self, world: World, name: str) -> None:
        assert self.live(world, name, "I live in Rome. I'm 34.", "That was a joke.") == []

    def test_a_slip(self, world: World, name: str) -> None:
        said = "I live in Rome. I work at Globex."
        assert self.live(world, name, said, "Actually no, scratch that.") == ["I live in Rome."]

    def test_of_another_speaker(self, world: World, name: str) -> None:
        left = self.live(world, name, "I live in Rome.", "That was a joke.", by="Bob")
        assert left == ["I live in Rome."]


def test_no_to_a_question_takes_nothing_back(world: World) -> None:
    passes = Passes(world, "reconcile", get_strategy("reconcile").params())
    passes.tell(
        line("a", "I live in Rome.", JAN),
        line("b", "Shall I book a table?", JAN, role="assistant"),
        line("c", "Actually no.", JAN),
    )
    passes.offline()
    assert passes.live() == ["I live in Rome."]
