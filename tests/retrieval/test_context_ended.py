"""A block tells of what may be over as a search does: records, and what was drawn from them."""

import pytest

from memcli.core.options import SearchOptions
from memcli.core.plan import Add, Cite
from memcli.core.reports import ContextItem, ContextReport
from memcli.render.context_markdown import Markdown
from memcli.retrieval.context import compose
from memcli.retrieval.searching import search
from tests.engine.world import World
from tests.retrieval.support import fact, plan, tell, turn, view

OLD, NEW = "2024-03-05T10:00:00Z", "2024-06-05T10:00:00Z"
KEEP, STOLEN = "I keep the tandem in the barn.", "Somebody stole the tandem, lock and all."
ASKED = "where do I keep the tandem"


def told(world: World, first: str = KEEP) -> None:
    tell(world, turn(first, by="Ada", at=OLD, session="one"))
    tell(world, turn(STOLEN, by="Ada", at=NEW, session="two"))


def block(world: World, budget: int = 2000, question: str = ASKED) -> ContextReport:
    options = SearchOptions()
    found = search(view(world), question, options)
    return compose(view(world), found, options, budget, Markdown())


def items(report: ContextReport) -> dict[str, tuple[str, ContextItem]]:
    """id -> its section and itself."""
    return {one.id: (part.name, one) for part in report.sections for one in part.items}


@pytest.mark.parametrize(
    "words", ["The tandem is kept in the barn", "I keep the tandem in the barn"]
)
def test_what_was_drawn_from_it_is_in_doubt(world: World, words: str) -> None:
    told(world)
    world.apply(plan(fact(words, "r1", valid_from=OLD)))
    report = block(world)
    section, item = items(report)["m1"]
    assert (section, item.status, item.disputed_by) == ("doubts", "stale", ("r2",))
    assert f"`{words}` (since 2024-03-05; may be over, see r2) [m1: r1]" in report.block


def test_so_is_what_stands_whatever_is_asked(world: World) -> None:
    told(world)
    words = "Ada keeps the tandem in the barn"
    world.apply(plan(Add("model", words, (Cite("r1"),), "new:1", valid_from=OLD)))
    report = block(world)
    section, item = items(report)["m1"]
    assert (section, item.disputed_by) == ("standing", ("r2",))
    assert "(since 2024-03-05; may be over, see r2)" in report.block


def test_what_else_was_drawn_from_it_is_a_fact(world: World) -> None:
    told(world, f"{KEEP} My sister is Ida.")
    world.apply(plan(fact("My sister is Ida.", "r1", valid_from=OLD)))
    section, item = items(block(world, question=f"{ASKED}, sister?"))["m1"]
    assert (section, item.status) == ("facts", "current")


def test_where_both_do_not_fit_the_answer_stays(world: World) -> None:
    told(world)
    whole = block(world)
    assert {"r1", "r2"} <= items(whole).keys()
    small = block(world, budget=whole.tokens - 3)
    assert items(small).keys() == {"r1"}
    assert "(may be over, see r2)" in small.block
    assert small.left_out == 1


def test_what_rests_on_what_no_longer_stands_says_so(world: World) -> None:
    line = Markdown().item(ContextItem("m2", "derived", "fact", "So.", status="stale"), "doubts")
    assert "(unconfirmed, rests on what no longer stands)" in line
