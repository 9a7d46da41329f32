"""Whether what was found still stands: memories of several strategies, and the records under them."""

import pytest

from memcli.core.memories import Slot
from memcli.core.plan import Cite, Link, Rate, Retire, Revise, Supersede
from memcli.core.records import Scope
from tests.engine.world import World
from tests.retrieval.support import fact, find, hit, ids, left_out, plan, tell, turn

JAN, JUN, SEP = "2024-01-05T00:00:00Z", "2024-06-05T00:00:00Z", "2024-09-05T00:00:00Z"


def home(value: str) -> Slot:
    return Slot("Ada", "lives_in", value)


def moved(world: World) -> None:
    """m1 (Ghent, from r1) was superseded by m2 (Bruges, from r2)."""
    tell(
        world,
        turn("I live in Ghent, and I keep bees.", by="Ada", at=JAN, session="a"),
        turn("We moved: Bruges it is.", by="Ada", at=JUN, session="b"),
    )
    world.apply(
        plan(
            fact("Ada lives in Ghent", "r1", nth=1, quotes=["I live in Ghent"]),
            fact("Ada has her home in Bruges", "r2", nth=2, quotes=["Bruges it is"]),
        )
    )
    world.apply(plan(Supersede("m1", JUN, by="m2")))


class TestRecords:
    def test_one_whose_fact_was_superseded_is_shown_and_marked(self, world: World) -> None:
        moved(world)
        found = hit(find(world, "Where does Ada live?"), "r1")
        assert (found.status, found.superseded_by) == ("superseded", "m2")
        assert hit(find(world, "Bruges"), "r2").status == "current"

    def test_of_two_facts_in_one_only_the_one_asked_for_matters(self, world: World) -> None:
        moved(world)
        world.apply(plan(fact("Ada keeps bees", "r1", quotes=["I keep bees"])))
        assert hit(find(world, "Where does Ada live?"), "r1").status == "superseded"
        assert hit(find(world, "Does Ada keep bees?"), "r1").status == "current"

    def test_of_facts_as_near_the_one_that_stands_decides(self, world: World) -> None:
        moved(world)
        world.apply(
            plan(fact("Ghent is where Ada lives, and bees", "r1", quotes=["I live in Ghent"]))
        )
        assert hit(find(world, "Where does Ada live?"), "r1").status == "current"

    def test_known_at_before_it_stood(self, world: World) -> None:
        moved(world)
        assert hit(find(world, "live Ghent", at=world.head - 1), "r1").status == "current"

    def test_no_mark_where_the_end_has_no_successor(self, world: World) -> None:
        moved(world)
        tell(world, turn("I own a canoe.", by="Ada", at=JAN, session="c"))
        world.apply(plan(fact("Ada owns a canoe", "r3")))
        world.apply(plan(Supersede("m3", JUN)))
        assert hit(find(world, "canoe"), "r3").status == "current"
        assert left_out(find(world, "canoe"))["m3"] == "superseded"

    @pytest.mark.parametrize("status", ["faded", "rejected", "lapsed"])
    def test_one_that_was_rated_so_is_hidden(self, world: World, status: str) -> None:
        moved(world)
        world.apply(plan(Rate("r2", "status", status)))
        report = find(world, "Bruges", layer="raw")
        assert "r2" not in ids(report)
        assert left_out(report) == {"r2": status}
        assert hit(find(world, "Bruges", include=(status,)), "r2").status == status


class TestMemories:
    def test_superseded_by_its_own_strategy(self, world: World) -> None:
        moved(world)
        report = find(world, "Ada lives Ghent", layer="derived")
        assert "m1" not in ids(report)
        assert left_out(report)["m1"] == "superseded"
        shown = find(world, "Ada lives Ghent", include=("superseded",))
        assert (hit(shown, "m1").status, hit(shown, "m1").superseded_by) == ("superseded", "m2")

    def test_by_a_later_value_of_its_slot_of_another_strategy(self, world: World) -> None:
        tell(world, turn("I live in Ghent"), turn("I live in Bruges", session="b"))
        world.apply(
            plan(fact("Ada lives in Ghent", "r1", slot=home("Ghent"), valid_from=JAN)), "one"
        )
        assert hit(find(world, "Ada lives"), "m1").status == "current"
        world.apply(
            plan(fact("Ada lives in Bruges", "r2", slot=home("Bruges"), valid_from=JUN)), "two"
        )
        report = find(world, "Ada lives", include=("superseded",))
        assert (hit(report, "m1").status, hit(report, "m1").superseded_by) == ("superseded", "m2")
        assert hit(report, "m2").status == "current"
        assert hit(find(world, "live Ghent"), "r1").superseded_by == "m2"
        assert "m1" not in ids(find(world, "Ada lives"))

    @pytest.mark.parametrize(
        ("slot", "since"),
        [
            (home("Ghent"), JUN),  # the same value
            (home("Bruges"), JAN),  # no later
            (Slot("Bo", "lives_in", "Bruges"), JUN),  # of another
            (Slot("Ada", "works_at", "Bruges"), JUN),  # another attribute
        ],
    )
    def test_by_nothing_else(self, world: World, slot: Slot, since: str) -> None:
        tell(world, turn("I live in Ghent"))
        world.apply(
            plan(fact("Ada lives in Ghent", "r1", slot=home("Ghent"), valid_from=JAN)), "one"
        )
        world.apply(plan(fact("Another one", "r1", slot=slot, valid_from=since)), "two")
        assert hit(find(world, "Ada lives"), "m1").status == "current"

    def test_not_where_many_values_hold(self, world: World) -> None:
        tell(world, turn("I like tea and cake"))
        for nth, what in enumerate(("tea", "cake")):
            made = fact(
                f"Ada likes {what}",
                "r1",
                slot=Slot("Ada", "likes", what),
                valid_from=(JAN, JUN)[nth],
            )
            world.apply(plan(made), f"strategy{nth}")
        assert {"m1", "m2"} <= set(ids(find(world, "Ada likes")))

    @pytest.mark.parametrize("status", ["rejected", "faded", "pending"])
    def test_not_by_one_that_does_not_count(self, world: World, status: str) -> None:
        tell(world, turn("I live in Ghent"))
        world.apply(
            plan(fact("Ada lives in Ghent", "r1", slot=home("Ghent"), valid_from=JAN)), "one"
        )
        world.apply(plan(fact("Ada in Bruges", "r1", slot=home("Bruges"), valid_from=JUN)), "two")
        world.apply(plan(Rate("m2", "status", status)))
        assert hit(find(world, "Ada lives"), "m1").status == "current"

    def test_not_by_one_that_was_superseded_itself(self, world: World) -> None:
        tell(world, turn("I live in Ghent"))
        world.apply(
            plan(fact("Ada lives in Ghent", "r1", slot=home("Ghent"), valid_from=JAN)), "one"
        )
        world.apply(plan(fact("Ada in Bruges", "r1", slot=home("Bruges"), valid_from=JUN)), "two")
        world.apply(plan(Supersede("m2", SEP)), "two")
        assert hit(find(world, "Ada lives"), "m1").status == "current"

    def test_not_across_scopes(self, world: World) -> None:
        for nth, name in enumerate(("ada", "bo"), 1):
            scope = Scope(user=name)
            tell(world, turn("I live somewhere"), scope=scope)
            made = fact(
                f"The user lives in {name}ville",
                f"r{nth}",
                slot=Slot("user", "lives_in", name),
                valid_from=(JAN, JUN)[nth - 1],
                scope=scope,
            )
            world.apply(plan(made), f"strategy{nth}")
        assert hit(find(world, "user lives", layer="derived"), "m1").status == "current"

    def test_a_rollback_of_the_later_brings_it_back(self, world: World) -> None:
        tell(world, turn("I live in Ghent"))
        world.apply(
            plan(fact("Ada lives in Ghent", "r1", slot=home("Ghent"), valid_from=JAN)), "one"
        )
        world.apply(plan(fact("Ada in Bruges", "r1", slot=home("Bruges"), valid_from=JUN)), "two")
        assert "m1" not in ids(find(world, "Ada lives"))
        world.rollback("last")
        assert hit(find(world, "Ada lives"), "m1").status == "current"

    @pytest.mark.parametrize("status", ["faded", "lapsed", "rejected"])
    def test_rated_so_it_is_hidden(self, world: World, status: str) -> None:
        tell(world, turn("Bees"))
        world.apply(plan(fact("Ada keeps bees in the garden", "r1")))
        world.apply(plan(Rate("m1", "status", status)))
        report = find(world, "Ada bees")
        assert "m1" not in ids(report)
        assert left_out(report)["m1"] == status
        assert hit(find(world, "Ada bees", include=(status,)), "m1").status == status

    def test_pending_and_stale_ones_are_shown_as_such(self, world: World) -> None:
        tell(world, turn("Bees"))
        world.apply(plan(fact("Ada keeps bees in the garden", "r1")))
        world.apply(plan(fact("Ada is a bee keeper by trade", "m1")), "two")
        world.apply(plan(Rate("m1", "status", "pending")))
        assert hit(find(world, "Ada bees"), "m1").status == "pending"
        world.apply(plan(Retire("m1", "no longer")))
        assert hit(find(world, "Ada bee keeper"), "m2").status == "stale"

    def test_a_revised_one_is_found_by_its_new_words_alone(self, world: World) -> None:
        tell(world, turn("Something"))
        world.apply(plan(fact("Ada keeps bees", "r1")))
        world.apply(plan(Revise("m1", "Ada keeps wasps", evidence=(Cite("r1"),))))
        assert ids(find(world, "wasps", layer="derived")) == ["m1"]
        assert ids(find(world, "bees", layer="derived")) == []
        assert ids(find(world, "bees", layer="derived", at=world.head - 1)) == ["m1"]

    def test_links_alone_supersede_nothing(self, world: World) -> None:
        moved(world)
        world.apply(plan(fact("Ada likes Bruges", "r2", nth=1)))
        world.apply(plan(Link("m3", "m2", "replaces"), Link("m3", "m2", "conflict")))
        assert hit(find(world, "home Bruges"), "m2").status == "current"


class TestBetterOnesThatAreGone:
    """What ranked above all that is shown and has faded or lapsed is told of, and only that."""

    @pytest.fixture
    def allergy(self, world: World) -> World:
        tell(world, turn("I am allergic to penicillin", by="Ada", at=JAN))
        tell(world, turn("Penicillin was in the news", at=JUN, session="two"))
        return world

    def rate(self, world: World, ref: str, status: str) -> None:
        world.apply(plan(Rate(ref, "status", status)))

    def test_told_where_the_best_has_faded(self, allergy: World) -> None:
        self.rate(allergy, "r1", "faded")
        report = find(allergy, "is Ada allergic to penicillin")
        assert ids(report) == ["r2"]
        assert report.warnings == ("1 better result has faded; --include faded shows it",)
        again = find(allergy, "is Ada allergic to penicillin", include=("faded",))
        assert (ids(again)[0], again.warnings) == ("r1", ())

    def test_told_where_all_are_gone(self, allergy: World) -> None:
        self.rate(allergy, "r1", "lapsed")
        self.rate(allergy, "r2", "lapsed")
        report = find(allergy, "penicillin")
        assert ids(report) == []
        assert report.warnings == ("2 better results have lapsed; --include lapsed shows them",)

    def test_silent_where_what_faded_is_no_better(self, allergy: World) -> None:
        self.rate(allergy, "r2", "faded")
        report = find(allergy, "is Ada allergic to penicillin")
        assert left_out(report) == {"r2": "faded"}
        assert report.warnings == ()

    def test_silent_where_the_better_one_was_superseded(self, allergy: World) -> None:
        allergy.apply(plan(fact("Ada is allergic to penicillin", "r2", valid_from=JAN)))
        allergy.apply(plan(Supersede("m1", JUN)))
        report = find(allergy, "is Ada allergic to penicillin", layer="derived")
        assert left_out(report) == {"m1": "superseded"}
        assert report.warnings == ()
