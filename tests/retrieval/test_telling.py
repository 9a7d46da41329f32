"""Of turns that fit alike, those that tell something come first; only in talk between people."""

import pytest

from memcli.retrieval.weights import Weights
from tests.engine.world import World
from tests.retrieval.support import fact, find, hit, ids, plan, tell, turn

USUAL = 1 + Weights().told_usual


def told(world: World, query: str, ident: str) -> float:
    """The factor of a result, without what the best have as a rule."""
    return hit(find(world, query, newest=False), ident).parts.get("telling", 0.0) * USUAL


def talk(world: World, *texts: str, session: str = "one") -> None:
    """Ada and Bo in turn, after enough small talk that no turn opens the conversation."""
    small = ["Hello there.", "Hello.", "All well here.", "Good to hear."]
    tell(
        world,
        *[
            turn(text, by=("Ada", "Bo")[nth % 2], session=session)
            for nth, text in enumerate([*small, *texts])
        ],
    )


class TestWhatTells:
    @pytest.mark.parametrize(
        ("poor", "rich"),
        [
            ("kiln, how nice.", "kiln at Marlow"),
            ("kiln, how nice.", "kiln since May"),
            ("kiln, how nice.", "my kiln is here"),
            ("kiln, is it?", "kiln, it is."),
            ("kiln.", "kiln " + "and so on and on " * 20),
        ],
    )
    def test_each_sign_counts(self, world: World, poor: str, rich: str) -> None:
        talk(world, poor, rich)
        assert told(world, "kiln", "r6") > told(world, "kiln", "r5")

    def test_a_statement_comes_before_the_question_for_it(self, world: World) -> None:
        talk(world, "Is the kiln hot?", "The kiln is hot.")
        assert ids(find(world, "kiln hot", newest=False))[:2] == ["r6", "r5"]

    def test_what_opens_a_conversation(self, world: World) -> None:
        words = ["kiln one", "kiln two", "kiln six", "kiln ten"]
        tell(world, *[turn(text, by="Ada") for text in words])
        first, last = told(world, "kiln", "r1"), told(world, "kiln", "r4")
        assert first - last == pytest.approx(Weights().told_opening, abs=1e-5)

    def test_a_reply_to_a_question_that_was_found(self, world: World) -> None:
        talk(world, "Where is the kiln?", "Behind the shed.", "Good.", "The kiln.", "By the shed.")
        assert told(world, "kiln", "r6") > told(world, "kiln", "r9")

    def test_none_where_the_question_before_was_not_found(self, world: World) -> None:
        talk(world, "Where is it?", "kiln", "A lamp.", "kiln!")
        assert told(world, "kiln", "r6") == pytest.approx(told(world, "kiln", "r8"), abs=1e-3)

    def test_only_the_best_are_looked_at(self, world: World) -> None:
        most = Weights().told
        talk(world, *[f"The kiln is hot, day {nth}." for nth in range(most + 5)])
        report = find(world, "kiln", k=most + 10, newest=False)
        assert sum("telling" in one.parts for one in report.results) == most


class TestWhereItCounts:
    def test_not_with_an_assistant(self, world: World) -> None:
        tell(
            world,
            turn("Where is my kiln?", by="Ada"),
            turn("Your kiln is in Marlow.", role="assistant"),
        )
        report = find(world, "kiln", newest=False)
        assert len(report.results) == 2
        assert all("telling" not in one.parts for one in report.results)

    def test_not_where_nobody_is_named(self, world: World) -> None:
        tell(world, turn("My kiln is in Marlow."))
        assert "telling" not in hit(find(world, "kiln"), "r1").parts

    def test_not_for_a_memory(self, world: World) -> None:
        tell(world, turn("My kiln stands in Marlow.", by="Ada"))
        world.apply(plan(fact("Ada has a kiln in Marlow.", "r1")))
        report = find(world, "kiln", newest=False)
        assert "telling" in hit(report, "r1").parts
        assert "telling" not in hit(report, "m1").parts
