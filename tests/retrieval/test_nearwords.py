"""Words akin to the question's find too, and count less than its own."""

import pytest

from memcli.retrieval.nearwords import scores_with_akin
from memcli.retrieval.weights import Weights
from memcli.store.texts import Among
from tests.engine.world import World
from tests.retrieval.support import find, ids, tell, turn


def test_another_form_of_a_word_is_found(world: World) -> None:
    tell(world, turn("We bought a kiln."), turn("Soup again.", session="two"))
    assert ids(find(world, "Who will buy?", newest=False)) == ["r1"]


def test_a_kind_of_what_is_asked_for_is_found(world: World) -> None:
    tell(world, turn("The hamster sleeps."), turn("Soup again.", session="two"))
    assert ids(find(world, "which pet", newest=False)) == ["r1"]


def test_the_words_of_the_question_count_more(world: World) -> None:
    tell(world, turn("The film was long."), turn("The movie was long.", session="two"))
    assert ids(find(world, "movie", newest=False)) == ["r2", "r1"]


@pytest.mark.parametrize("small", [0, 200])
def test_the_share_is_a_weight(world: World, small: int) -> None:
    tell(world, turn("The film was long."), turn("Soup again."), turn("And bread."))
    half, none = Weights(small=small, akin=0.5), Weights(small=small, akin=0.0)
    whole = scores_with_akin(world.connection, ["film"], Among(), none)
    akin = scores_with_akin(world.connection, ["movie"], Among(), half)
    assert whole.keys() == akin.keys()
    assert list(akin.values()) == pytest.approx([score / 2 for score in whole.values()], abs=1e-6)
    assert scores_with_akin(world.connection, ["movie"], Among(), none) == {}


def test_no_more_than_are_wanted(world: World) -> None:
    tell(
        world,
        *[turn(f"film {nth}") for nth in range(4)],
        *[turn(f"movie {nth}") for nth in range(4)],
    )
    found = scores_with_akin(world.connection, ["movie"], Among(), Weights(candidates=4))
    assert len(found) == 4
    assert max(found.values()) == next(iter(found.values()))
