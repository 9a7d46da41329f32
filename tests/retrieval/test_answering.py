"""Whether a search says of what it found that it may not answer."""

import pytest

from memcli.core.records import Scope
from memcli.core.reports import Match
from tests.engine.world import World
from tests.retrieval.support import find, tell, turn

TOLD = (
    turn("Our dog had the rabies vaccine this morning, he leaned on the vet.", session="one"),
    turn("The cat was weighed, she is wide for her height.", session="two"),
    turn("Skagen has a harbour full of yellow boats.", session="three"),
)


def match(world: World, question: str, **given: object) -> Match:
    return find(world, question, **given).match


@pytest.fixture
def told(world: World) -> World:
    tell(world, *TOLD)
    return world


def test_an_answer_is_not_weak(told: World) -> None:
    found = match(told, "Which vaccine did our dog have?")
    assert (found.share, found.weak, found.missing) == (1.0, False, ())


def test_no_result_has_all_of_it(told: World) -> None:
    found = match(told, "Which rabies vaccine did the white cat have?")
    assert found.weak
    assert found.missing
    assert found.nowhere == ("white",)


def test_a_name_that_stands_nowhere(told: World) -> None:
    found = match(told, "Are there yellow boats in a harbour full of them in Ystad?")
    assert (found.weak, found.nowhere) == (True, ("ystad",))
    assert found.share is not None
    assert found.share > 0.55


def test_nowhere_is_what_is_searched(world: World) -> None:
    tell(world, *TOLD, scope=Scope(user="ada"))
    tell(world, turn("Ystad is in Sweden."), scope=Scope(user="bo"))
    question = "Which yellow boats are in Ystad?"
    assert match(world, question).nowhere == ()
    assert match(world, question, scope=Scope(user="ada")).nowhere == ("ystad",)


def test_the_floor(told: World) -> None:
    question = "Which rabies vaccine did the white cat have?"
    assert not match(told, question, floor=0.0).weak
    assert match(told, question, floor=0.0).share == match(told, question).share
    assert not match(told, "Which vaccine did the dog have?", floor=0.9).weak
    assert match(told, "Which cheap vaccine did the dog have?", floor=0.9).weak


def test_results_are_the_same_with_any_floor(told: World) -> None:
    question = "Which rabies vaccine did the white cat have?"
    assert find(told, question, floor=0.0).results == find(told, question, floor=1.0).results


def test_nothing_found_is_no_match(told: World) -> None:
    assert match(told, "xylophone") == Match()


def test_an_index_that_cannot_be_used_tells_of_no_word(told: World) -> None:
    told.connection.execute("DROP TABLE fts")
    found = match(told, "Which rabies vaccine did the white cat have?")
    assert (found.weak, found.nowhere) == (True, ())


@pytest.mark.parametrize("less", [{"k": 1}, {"k": 2}, {"budget": 14}, {"budget": 1}])
def test_it_does_not_hang_on_how_many_there_is_room_for(told: World, less: dict[str, int]) -> None:
    for question in ("Which rabies vaccine did the cat have in the harbour?", "rabies of the cat"):
        whole = match(told, question)
        assert whole.share
        assert match(told, question, **less) == whole
