"""Of summaries that are made of points a search and a block show the points."""

import pytest

from memcli.core.options import SearchOptions
from memcli.core.plan import Add, Cite
from memcli.kit.stem import stems
from memcli.render.context import layout
from memcli.retrieval.context import compose
from memcli.retrieval.lines import matching, whole
from memcli.retrieval.searching import search
from memcli.testing import a_memory
from tests.engine.world import World
from tests.retrieval.support import find, hit, plan, tell, turn, view

DAY = "2024-01-05T10:00:00Z"
POINTS = (
    "I planted tulips in the garden",
    "Tom came by bicycle",
    "The printer in the office was broken again, and nobody could say why it is",
    "We planted roses too, and Tom brought a large pot of honey for all of us here to eat with tea on"
    " the terrace, where the sun came out at last in the afternoon",
    "It rained",
)
VOICES = ["Ada", "Eva", "Eva", "Ada", "Ada"]


def day(kind="day", **attributes):
    return a_memory("m1", "\n".join(POINTS), "r1", kind=kind, attributes=attributes)


def test_the_best_points_with_their_neighbours():
    text, speaker = matching(day(), stems("who planted roses"))
    assert text.splitlines() == [POINTS[0], POINTS[3], POINTS[4]]
    assert speaker is None


def test_neighbours_only_as_far_as_there_is_room():
    text, _ = matching(day(), stems("printer"))
    assert text.splitlines() == list(POINTS[:3])
    assert len(text) <= 200


def test_who_says_it():
    text, speaker = matching(day(speakers=VOICES), stems("printer broken office"))
    assert speaker is None
    assert text.splitlines()[1] == f"Eva: {POINTS[1]}"
    assert matching(day(speakers=["Ada"] * 5), stems("rain"))[1] == "Ada"


def test_what_is_not_made_of_points_is_shown_whole():
    assert matching(day("fact"), stems("printer"))[0] == "\n".join(POINTS)
    assert whole(day("fact", speakers=VOICES)) == "\n".join(POINTS)


def test_without_a_point_that_matches_all_of_it():
    assert matching(day(), stems("quarks"))[0] == "\n".join(POINTS)


@pytest.mark.parametrize("wrong", ["Ada", [1, None], None, ["Ada"] * 9])
def test_damaged_attributes_are_none(wrong):
    assert len(whole(day(speakers=wrong)).splitlines()) == 5


def test_an_overview_says_when():
    overview = day("overview", dates=["2024-01-05", None], speakers=["Ada"])
    first, second, *_ = whole(overview).splitlines()
    assert (first, second) == (f"2024-01-05 Ada: {POINTS[0]}", POINTS[1])


@pytest.fixture
def told(world: World) -> World:
    tell(world, *(turn(text, by="Ada", at=DAY) for text in POINTS))
    cites = tuple(Cite(f"r{nth}", (text,)) for nth, text in enumerate(POINTS, start=1))
    voices = {"speakers": ["Ada"] * 5}
    summary = Add("day", "\n".join(POINTS), cites, "new:1", attributes=voices, valid_from=DAY)
    world.apply(plan(summary), "summarize")
    return world


def test_a_search_shows_the_points(told: World) -> None:
    found = hit(find(told, "printer office broken"), "m1")
    assert found.text.splitlines() == list(POINTS[:3])
    assert found.speaker == "Ada"
    assert found.valid_from == "2024-01-05T10:00:00Z"


def test_a_block_shows_the_points_and_the_overview_before_all(told: World) -> None:
    overview = Add(
        "overview",
        POINTS[0],
        (Cite("m1@1", (POINTS[0],)),),
        "new:1",
        attributes={"dates": ["2024-01-05"], "speakers": ["Ada"]},
    )
    trait = Add("trait", "Ada gardens", (Cite("m1@1"),), "new:2")
    told.apply(plan(overview, trait), "summarize")
    options = SearchOptions(k=10)
    where = view(told)
    report = compose(
        where, search(where, "printer office broken", options), options, 2000, layout("markdown")
    )
    standing, facts, *_ = report.sections
    assert [item.text for item in standing.items] == [
        f"2024-01-05 Ada: {POINTS[0]}",
        "Ada gardens",
    ]
    assert [item.text.splitlines() for item in facts.items] == [list(POINTS[:3])]
    assert [item.speaker for item in facts.items] == ["Ada"]
