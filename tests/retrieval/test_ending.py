"""What may have ended the first result comes before it, which is marked."""

from typing import Any

import pytest

from memcli.core.records import Scope
from memcli.core.reports import SearchReport
from memcli.kit.ending import CUES
from memcli.store import texts
from memcli.store.texts import Among
from tests.engine.world import World
from tests.kit.test_ending import WAYS
from tests.retrieval.support import find, hit, ids, tell, turn

OLD, NEW = "2024-03-05T10:00:00Z", "2024-06-05T10:00:00Z"
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
