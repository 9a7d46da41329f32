"""What may have ended the first result comes before it, which is marked."""

from typing import Any

import pytest

from memcli.core.records import Scope
from memcli.core.reports import SearchReport
from memcli.kit.ending import CUES
from memcli.retrieval.presenting import tokens
from memcli.store import texts
from memcli.store.texts import Among
from tests.engine.world import World
from tests.kit.test_ending import WAYS
from tests.retrieval.support import fact, find, hit, ids, left_out, plan, tell, turn

OLD, NEW = "2024-03-05T10:00:00Z", "2024-06-05T10:00:00Z"
LATE = "2024-08-05T10:00:00Z"
KEEP = "I keep the tandem in Oskar's barn, behind the hay."
STOLEN = "Somebody stole it! The tandem was stolen, lock and all."
ASKED = "Where do I keep the tandem?"


def told(world: World, *later: str, first: str = KEEP, **fields: Any) -> None:
    tell(world, turn(first, at=OLD, session="one", **fields))
    tell(world, *(turn(text, at=NEW, session="two", **fields) for text in later))


def asked(world: World, question: str = ASKED, **options: Any) -> SearchReport:
    return find(world, question, **options)


def test_the_end_comes_first_and_marks_what_it_ended(world: World) -> None:
    told(world, STOLEN, "Rain all week.")
    report = asked(world)
    assert ids(report)[:2] == ["r2", "r1"]
    assert (hit(report, "r1").status, hit(report, "r1").disputed_by) == ("stale", ("r2",))
    assert (hit(report, "r2").status, report.understood.first) == ("current", "ends")


def test_the_index_finds_each_way_to_end_and_the_last_told_first(world: World) -> None:
    tell(world, *(turn(f"The tandem {way}.") for way in WAYS), turn("A tandem is blue."))
    rows = world.connection.execute("SELECT item FROM record WHERE text <> 'A tandem is blue.'")
    items = sorted((item for (item,) in rows), reverse=True)

    def found(limit: int, *beside: str) -> list[int]:
        return texts.newest(world.connection, CUES, beside, limit, Among())

    assert found(100, "tandems", "canoe") == items
    assert found(3, "tandem") == items[:3]
    assert found(100) == items
    assert found(100, "canoe") == []


def test_it_is_found_by_words_that_the_question_has_not(world: World) -> None:
    told(world, "Oskar has moved away, we waved for a long time.")
    report = asked(world)
    assert ids(report)[:2] == ["r2", "r1"]
    assert hit(report, "r2").parts == {"ended": hit(report, "r1").score}


def test_nothing_is_lost_or_doubled(world: World) -> None:
    told(world, STOLEN, "The tandem has a bell.", "We rode the tandem to the sea.")
    plain = asked(world, newest=False)
    assert sorted(ids(asked(world))) == sorted(ids(plain))
    assert len(asked(world, k=2).results) == 2


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Where did I keep the tandem?", {}),
        ("Where did I keep the tandem before?", {}),
        (ASKED, {"valid_at": "2024-04-01T00:00:00Z"}),
        (ASKED, {"newest": False}),
        (ASKED, {"rank": "mem0-v3", "now": NEW}),
    ],
)
def test_only_of_what_is_so_now(world: World, question: str, options: dict[str, Any]) -> None:
    told(world, "Oskar has moved away, we waved for a long time.")
    report = asked(world, question, **options)
    assert ids(report)[0] == "r1"
    assert hit(report, "r1").status == "current"


def test_what_was_said_before_ends_nothing(world: World) -> None:
    tell(world, turn(KEEP, at=NEW, session="two"), turn(STOLEN, at=OLD, session="one"))
    assert all(one.status == "current" for one in asked(world).results)


def test_another_speaker_ends_nothing(world: World) -> None:
    tell(world, turn(KEEP, by="Ada", at=OLD), turn(STOLEN, by="Bo", at=NEW))
    assert all(one.status == "current" for one in asked(world, "Where is Ada's tandem?").results)


def test_an_assistant_ends_nothing(world: World) -> None:
    tell(world, turn(KEEP, at=OLD), turn(STOLEN, role="assistant", at=NEW))
    assert all(one.status == "current" for one in asked(world).results)


def test_nor_does_another_scope(world: World) -> None:
    tell(world, turn(KEEP, at=OLD), scope=Scope(user="ada"))
    tell(world, turn("The barn burnt down.", at=NEW), scope=Scope(user="bo"))
    assert ids(asked(world, scope=Scope(user="ada"))) == ["r1"]
    assert hit(asked(world, scope=Scope(user="ada")), "r1").status == "current"


def test_as_of_an_earlier_pass_it_was_not_known(world: World) -> None:
    told(world, STOLEN)
    report = asked(world, at=world.head - 1)
    assert [(one.id, one.status) for one in report.results] == [("r1", "current")]


def test_without_an_index_nothing_is_looked_for(world: World) -> None:
    told(world, STOLEN)
    world.connection.execute("DROP TABLE fts")
    assert all(one.status == "current" for one in asked(world).results)


class TestScopes:
    """Without a scope all are searched, and one's words end nothing of another's."""

    def test_another_scope_ends_nothing_where_all_are_searched(self, world: World) -> None:
        tell(world, turn("I keep the tandem in the barn", at=OLD), scope=Scope(user="ada"))
        tell(world, turn("I sold the tandem to a neighbour", at=NEW), scope=Scope(user="bob"))
        report = asked(world, "where do I keep the tandem")
        assert {(one.id, one.status) for one in report.results} == {
            ("r1", "current"),
            ("r2", "current"),
        }
        assert report.understood.first != "ends"

    def test_nor_one_of_more_keys(self, world: World) -> None:
        tell(world, turn(KEEP, at=OLD), scope=Scope(user="ada"))
        tell(world, turn(STOLEN, at=NEW), scope=Scope(user="ada", project="play"))
        assert all(one.status == "current" for one in asked(world).results)

    def test_ends_of_others_do_not_push_it_out(self, world: World) -> None:
        tell(world, turn(KEEP, at=OLD), turn(STOLEN, at=NEW), scope=Scope(user="ada"))
        others = [turn(f"I sold the tandem, number {nth}.", at=NEW) for nth in range(40)]
        tell(world, *others, scope=Scope(user="bob"))
        tell(world, turn(KEEP, at=OLD, session="b"), scope=Scope(user="cy"))
        report = asked(world, scope=Scope())
        marked = [one for one in report.results if one.status == "stale"]
        assert all(one.scope == Scope(user="ada") for one in marked)
        assert [one.disputed_by for one in marked] == [("r2",)]


class TestRoom:
    """Where both do not fit the answer stays, with its mark."""

    def test_one_result_is_the_answer(self, world: World) -> None:
        told(world, STOLEN)
        report = asked(world, k=1)
        assert ids(report) == ["r1"]
        assert (hit(report, "r1").status, hit(report, "r1").disputed_by) == ("stale", ("r2",))
        assert left_out(report)["r2"] == "k"
        assert report.understood.first == "score"

    def test_a_budget_for_one_is_for_the_answer(self, world: World) -> None:
        told(world, STOLEN)
        both = [tokens(hit(asked(world), ident)) for ident in ("r1", "r2")]
        report = asked(world, budget=sum(both) - 1)
        assert ids(report) == ["r1"]
        assert left_out(report)["r2"] == "budget"
        assert ids(asked(world, budget=sum(both))) == ["r2", "r1"]
        assert (ids(report), hit(report, "r1").disputed_by) == (["r1"], ("r2",))

    def test_what_the_answer_leaves_is_for_others(self, world: World) -> None:
        told(world, STOLEN, "The tandem!")
        report = asked(world, budget=tokens(hit(asked(world), "r1")) + 4)
        assert ids(report) == ["r1", "r3"]

    def test_an_answer_that_does_not_fit_at_all_makes_room(self, world: World) -> None:
        told(world, "The tandem was sold.")
        report = asked(world, budget=10)
        assert ids(report) == ["r2"]
        assert left_out(report)["r1"] == "budget"


class TestDrawn:
    """What was drawn from the record that may be over is as doubtful."""

    BARN = "The tandem is kept in the barn"

    def drawn(self, world: World, *refs: str) -> None:
        told(world, STOLEN, by="Ada")
        world.apply(plan(fact(self.BARN, *(refs or ("r1",)), valid_from=OLD)))

    def test_it_is_marked_too(self, world: World) -> None:
        self.drawn(world)
        report = asked(world)
        for ident in ("r1", "m1"):
            assert (hit(report, ident).status, hit(report, ident).disputed_by) == ("stale", ("r2",))
        assert ids(report)[0] == "r2"

    def test_with_a_memory_first_the_record_is_marked_too(self, world: World) -> None:
        told(world, STOLEN, by="Ada", first="The tandem: in the barn.")
        world.apply(plan(fact("The tandem is kept in the barn with hay", "r1", valid_from=OLD)))
        report = asked(world, "Where is the tandem with the hay?")
        assert ids(report) == ["r2", "m1", "r1"]
        assert [one.status for one in report.results] == ["current", "stale", "stale"]

    def test_what_else_was_drawn_from_it_is_not(self, world: World) -> None:
        told(world, STOLEN, by="Ada", first=f"{KEEP} My sister is Ida.")
        world.apply(plan(fact("Ida is the sister of Ada", "r1", valid_from=OLD)))
        report = asked(world, "Where do I keep the tandem, sister?")
        assert (hit(report, "r1").status, hit(report, "m1").status) == ("stale", "current")

    def test_what_was_said_again_since_is_not(self, world: World) -> None:
        told(world, STOLEN, by="Ada")
        tell(world, turn("It came back, all is well.", by="Ada", at=LATE, session="three"))
        world.apply(plan(fact(self.BARN, "r1", "r3", valid_from=OLD)))
        assert hit(asked(world), "m1").status == "current"

    def test_a_memory_alone_is_ended_by_who_said_what_it_rests_on(self, world: World) -> None:
        told(world, STOLEN, by="Ada", first="In Oskar's place, behind the hay.")
        world.apply(plan(fact("The tandem is kept in the barn", "r1", valid_from=OLD)))
        report = asked(world)
        assert (ids(report)[0], hit(report, "m1").disputed_by) == ("r2", ("r2",))

    def test_and_not_by_another(self, world: World) -> None:
        tell(world, turn("In Oskar's place, behind the hay.", by="Ada", at=OLD))
        tell(world, turn(STOLEN, by="Bo", at=NEW, session="two"))
        world.apply(plan(fact("The tandem is kept in the barn", "r1", valid_from=OLD)))
        assert hit(asked(world), "m1").status == "current"
