"""A plan that revises a memory and cites it: by its id the new version, by `@` the one that was."""

import pytest

from memcli.core.memories import Memory
from memcli.core.plan import Add, Cite, Link, Plan, Revise
from memcli.retrieval.status import is_stale
from tests.engine.world import World

FULLER = Revise("m1@1", text="Ada lives in New York City", evidence=(Cite("r1"),))


def held(world: World, ident: str) -> Memory:
    found = world.view.get(ident)
    assert isinstance(found, Memory)
    return found


@pytest.mark.parametrize(
    ("ref", "quote", "cited", "stale"),
    [
        ("m1", "New York City", "m1@2", False),
        ("m1@1", "lives in NYC", "m1@1", True),
    ],
)
def test_which_version_an_id_means(
    known: World, ref: str, quote: str, cited: str, stale: bool
) -> None:
    about = Add("overview", "All about Ada", (Cite(ref, (quote,)),), "new:1")
    known.apply(Plan(ops=(FULLER, about)))
    made = held(known, "m4")
    (evidence,) = made.evidence
    assert (evidence.ref, [one.text for one in evidence.quotes]) == (cited, [quote])
    assert is_stale(known.view, made) is stale


def test_words_of_the_former_version_are_no_quote_of_the_new_one(known: World) -> None:
    about = Add("overview", "All about Ada", (Cite("m1", ("lives in NYC",)),), "new:1")
    report = known.apply(Plan(ops=(FULLER, about)))
    assert [item.reason for item in report.rejected] == ["quote-not-in-source"]


def test_links_and_revisions_too(known: World) -> None:
    ops = (
        FULLER,
        Link("m3@1", "m1", "evidence"),
        Revise("m2@1", text="Ada really does live there", evidence=(Cite("m1"),)),
    )
    before = known.digest()
    report = known.apply(Plan(ops=ops))
    assert [one.ref for one in held(known, "m3").evidence] == ["r3", "m1@2"]
    assert [one.ref for one in held(known, "m2").evidence] == ["r1", "r2", "m1@2"]
    assert report.pass_id is not None
    known.rollback(report.pass_id)
    assert known.digest() == before


def test_without_a_revision_the_id_means_the_version_held(known: World) -> None:
    known.apply(Plan(ops=(Add("overview", "All about Ada", (Cite("m1"),), "new:1"),)))
    assert [one.ref for one in held(known, "m4").evidence] == ["m1@1"]
