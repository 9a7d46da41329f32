"""Times that are named by what happened then: the day on which a record tells of it."""

from datetime import date

import pytest

from memcli.retrieval.anchors import Anchor
from tests.engine.world import World
from tests.retrieval.support import find, hit, ids, tell, turn


@pytest.fixture(autouse=True)
def talk(world: World) -> None:
    tell(
        world,
        turn("My desk is oak.", at="2023-02-01T00:00:00Z", session="a"),
        turn("My desk is ash.", at="2024-02-10T00:00:00Z", session="b"),
        turn("The regatta at Ostend was a storm.", at="2024-03-01T00:00:00Z", session="c"),
        turn("My desk is elm.", at="2024-04-10T00:00:00Z", session="d"),
        turn("A regatta of words without a day", session="e"),
    )


def test_it_is_found_and_told(world: World) -> None:
    report = find(world, "What was my desk before the regatta at Ostend?")
    assert report.understood.times == ("before 2024-03-01",)
    assert ids(report)[0] in ("r1", "r2")
    after = find(world, "Which desk is mine since the regatta at Ostend?")
    assert after.understood.times == ("after 2024-03-01",)
    found = ids(after)
    assert found.index("r4") < min(found.index("r1"), found.index("r2"))


def test_what_was_said_in_the_weeks_after_counts_more(world: World) -> None:
    report = find(world, "my desk since the regatta at Ostend", newest=False)
    assert hit(report, "r4").parts["date"] == 1.8
    assert "date" not in hit(report, "r1").parts


@pytest.mark.parametrize(
    "event", ["the wedding at Ghent", "the regatta with dragons", "it", "2020"]
)
def test_of_an_event_that_no_record_tells_nothing_is_known(world: World, event: str) -> None:
    report = find(world, f"What was my desk before {event}?")
    assert not any("before" in time for time in report.understood.times)


@pytest.mark.parametrize("day", [date.min, date.max, date(2024, 3, 1)])
@pytest.mark.parametrize("before", [True, False])
def test_its_period_lies_on_its_side_and_in_the_calendar(day: date, before: bool) -> None:
    anchor = Anchor(day, before)
    period = anchor.period
    assert period.start <= day <= period.end
    assert anchor.excludes(day) is before
    assert anchor.excludes(date.min) is (day == date.min if before else day > date.min)
