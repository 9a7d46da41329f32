"""From what was ranked to what is shown: successors, what is said twice, the budget."""

import pytest

from memcli.core.memories import Slot
from memcli.core.plan import Supersede
from tests.engine.world import World
from tests.retrieval.support import fact, find, hit, ids, left_out, plan, tell, texts, turn

JAN, JUN, SEP = "2024-01-05T00:00:00Z", "2024-06-05T00:00:00Z", "2024-09-05T00:00:00Z"


@pytest.fixture
def chain(world: World) -> World:
    """m1 was superseded by m2, and that by m3; the question's words are in the first alone."""
    tell(
        world,
        turn("I live in Ghent.", at=JAN, session="a"),
        turn("We went to Bruges.", at=JUN, session="b"),
        turn("Ostend is home now.", at=SEP, session="c"),
    )
    world.apply(
        plan(
            fact("Ada lives in Ghent", "r1", nth=1, valid_from=JAN),
            fact("Ada went to Bruges", "r2", nth=2, valid_from=JUN),
            fact("Ostend is home to Ada", "r3", nth=3, valid_from=SEP),
        )
    )
    world.apply(plan(Supersede("m1", JUN, by="m2")))
    world.apply(plan(Supersede("m2", SEP, by="m3")))
    return world


class TestSuccessors:
    def test_who_finds_what_was_superseded_finds_what_holds(self, chain: World) -> None:
        report = find(chain, "live Ghent", newest=False)
        assert ids(report)[:2] == ["m3", "r1"]
        assert set(hit(report, "m3").parts) == {"successor"}
        assert left_out(report) == {"m1": "superseded", "m2": "superseded"}

    def test_the_last_comes_first(self, chain: World) -> None:
        report = find(chain, "live Ghent", include=("superseded",), newest=False, layer="derived")
        assert ids(report)[:3] == ["m3", "m2", "m1"]

    def test_none_among_records_alone(self, chain: World) -> None:
        report = find(chain, "live Ghent", layer="raw")
        assert ids(report) == ["r1"]
        assert report.results[0].superseded_by == "m2"

    def test_each_once(self, chain: World) -> None:
        found = ids(find(chain, "Ghent Bruges Ostend Ada lives home went", k=50))
        assert len(found) == len(set(found))

    def test_with_one_result(self, chain: World) -> None:
        assert ids(find(chain, "live Ghent", k=1)) == ["m3"]

    def test_each_is_left_out_once(self, chain: World) -> None:
        report = find(chain, "live Ghent Bruges went", k=50)
        reasons = [(one.id, one.reason) for one in report.left_out]
        assert len(reasons) == len(set(reasons))


class TestTwice:
    def test_a_memory_of_the_same_words_as_its_record(self, world: World) -> None:
        tell(world, turn("I keep bees."))
        world.apply(plan(fact("I keep  BEES.", "r1")))
        report = find(world, "bees")
        assert len(report.results) == 1
        assert set(left_out(report).values()) == {"same-words"}

    def test_a_record_within_the_words_of_a_memory(self, world: World) -> None:
        tell(world, turn("Some bees hum."))
        world.apply(plan(fact("Bees, bees, bees: some bees hum. And bees sting", "r1")))
        report = find(world, "bees sting", newest=False)
        assert ids(report) == ["m1"]
        assert left_out(report) == {"r1": "same-words"}

    def test_a_memory_and_the_one_it_rests_on(self, world: World) -> None:
        tell(world, turn("Honey everywhere"))
        world.apply(plan(fact("Ada keeps bees", "r1")))
        world.apply(plan(fact("Ada keeps bees", "m1")), "two")
        report = find(world, "bees", layer="derived")
        assert len(report.results) == 1
        assert set(left_out(report).values()) == {"same-words"}

    def test_not_of_two_who_say_the_same(self, world: World) -> None:
        tell(world, turn("I keep bees.", by="Ada"), turn("I keep bees.", by="Bo"))
        assert set(ids(find(world, "bees"))) == {"r1", "r2"}

    def test_not_where_a_picture_came_with_it(self, world: World) -> None:
        tell(world, turn("Bees"), turn("a hive", kind="attachment"))
        world.apply(plan(fact("Bees make honey, comb and wax", "r1")))
        assert ids(find(world, "bees honey comb wax", newest=False)) == ["m1", "r1"]


class TestBudget:
    @pytest.fixture(autouse=True)
    def bees(self, world: World) -> None:
        tell(
            world,
            turn("bees " * 8 + "x" * 8, session="a"),  # 12 tokens
            turn("bees " * 3 + "y", session="b"),  # 4
            turn("bees z", session="c"),  # 2
        )

    def test_one_that_does_not_fit_is_passed_over(self, world: World) -> None:
        report = find(world, "bees", budget=7, newest=False)
        assert ids(report) == ["r2", "r3"]
        assert [(one.id, one.reason) for one in report.left_out] == [("r1", "budget")]
        assert "7 left" in report.left_out[0].detail

    def test_it_is_never_overdrawn(self, world: World) -> None:
        for budget in range(1, 25):
            report = find(world, "bees", budget=budget)
            assert sum(-(-len(one) // 4) for one in texts(report)) <= budget
            assert len(report.results) + len(report.left_out) == 3

    def test_it_goes_on_beyond_the_first_k(self, world: World) -> None:
        tell(world, *[turn("wasps " * 40, session=f"w{n}") for n in range(12)])
        tell(world, turn("wasps with many other words around", session="last"))
        report = find(world, "wasps", budget=10, k=1, newest=False)
        assert ids(report) == ["r16"]
        assert len(report.left_out) == 12

    def test_no_more_than_k(self, world: World) -> None:
        report = find(world, "bees", budget=1000, k=2)
        assert len(report.results) == 2
        assert report.left_out == ()

    def test_what_came_with_it_counts(self, world: World) -> None:
        tell(
            world,
            turn("wasps", session="d"),
            turn("w" * 400, kind="attachment", session="d"),
        )
        assert left_out(find(world, "wasps", budget=50)) == {"r4": "budget"}


class TestValidAt:
    def test_what_was_true_then(self, chain: World) -> None:
        question = "Ada Ghent Bruges Ostend"
        for moment, true in ((JAN, {"m1"}), ("2024-07-01T00:00:00Z", {"m2"}), (SEP, {"m3"})):
            report = find(chain, question, layer="derived", valid_at=moment)
            assert set(ids(report)) == true
            assert set(left_out(report).values()) == {"not-then"}

    def test_the_end_belongs_to_what_came_after(self, chain: World) -> None:
        before = find(chain, "Ada", layer="derived", valid_at="2024-06-04T23:59:59Z")
        assert (ids(before), ids(find(chain, "Ada", layer="derived", valid_at=JUN))) == (
            ["m1"],
            ["m2"],
        )

    def test_of_records_what_had_been_said(self, chain: World) -> None:
        tell(chain, turn("Ghent or Bruges or Ostend", session="d"))
        report = find(chain, "Ghent Bruges Ostend", layer="raw", valid_at=JUN)
        assert set(ids(report)) == {"r1", "r2"}
        assert left_out(report)["r4"] == "not-then"

    def test_with_known_at(self, chain: World) -> None:
        report = find(chain, "Ada", layer="derived", valid_at=SEP, at=chain.head - 2)
        assert set(ids(report)) == {"m1", "m2", "m3"}, "nothing had an end yet"


class TestAnotherQuestion:
    """What took the place of a text comes first only for who asks about what changed."""

    @pytest.fixture
    def cats(self, world: World) -> World:
        first, then = "I live in Ghent with two cats.", "I moved to Bruges."
        tell(
            world,
            turn(first, by="Ada", at=JAN, session="a"),
            turn(then, by="Ada", at=JUN, session="b"),
        )
        world.apply(
            plan(
                fact(first, "r1", nth=1, slot=Slot("Ada", "lives_in", "Ghent"), valid_from=JAN),
                fact(then, "r2", nth=2, slot=Slot("Ada", "lives_in", "Bruges"), valid_from=JUN),
            )
        )
        world.apply(plan(Supersede("m1", JUN, by="m2")))
        return world

    def test_who_asks_about_something_else_finds_that(self, cats: World) -> None:
        report = find(cats, "how many cats does Ada have", newest=False)
        assert ids(report)[0] == "r1"
        assert hit(report, "r1").superseded_by == "m2"
        assert all("successor" not in one.parts for one in report.results)

    @pytest.mark.parametrize("question", ["where does Ada live", "does Ada live in Ghent"])
    def test_who_asks_about_the_change_finds_what_holds(self, cats: World, question: str) -> None:
        assert ids(find(cats, question, newest=False))[0] == "m2"
