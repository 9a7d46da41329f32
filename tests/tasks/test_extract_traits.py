import pytest

from memcli.kit.handles import Item
from memcli.tasks.extract_traits import ExtractTraits, Trait, TraitQuote, Traits

ITEMS = (Item("r7", "I love puns."), Item("r8", "Another pun, please."))
DAY = ExtractTraits("day", ITEMS, most=2)
OVERALL = ExtractTraits("overall", ITEMS, known=(Item("m4@1", "humour: Ada likes puns"),))


def trait(dimension="humour", text="Ada likes puns", sources=("R1",), **fields):
    return {"dimension": dimension, "text": text, "sources": list(sources)} | fields


def test_answers_by_ref():
    quote = {"source": "R1", "text": " love puns "}
    given = {
        "traits": [trait(level="high", reason="She says so.", quotes=[quote])],
        "mood": "merry",
        "reply_style": "",
    }
    assert DAY.parse(given) == Traits(
        traits=(
            Trait(
                dimension="humour",
                text="Ada likes puns",
                level="high",
                reason="She says so.",
                sources=("r7",),
                quotes=(TraitQuote(source="r7", text="love puns"),),
            ),
        ),
        mood="merry",
    )


def test_reports_unknown_handles():
    given = {"traits": [trait(sources=["R2", "R9"], quotes=[{"source": "M1", "text": "x"}])]}
    (one,) = OVERALL.parse(given).traits
    assert (one.sources, one.quotes, one.unknown) == (("r8",), (), ("R9", "M1"))


def test_none_is_an_answer():
    assert OVERALL.parse({"traits": []}) == Traits(traits=())


@pytest.mark.parametrize(
    ("traits", "why"),
    [
        ([trait(), trait("other")], "alike"),
        ([trait(), trait("Humour!", "Ada tells jokes")], "dimensions 1 and 2 are alike"),
        ([trait(str(n), f"Ada is {n}") for n in range(3)], "at most 2"),
        ([trait(text="")], "empty text"),
        ([trait(level="very")], "level"),
        ([trait(dimension="x" * 61)], "dimension"),
    ],
)
def test_refuses(traits, why):
    with pytest.raises(ValueError, match=why):
        DAY.parse({"traits": traits})


def test_only_a_day_has_a_mood():
    assert "mood" in DAY.schema()["properties"]
    assert "mood" not in OVERALL.schema()["properties"]
    assert "mood" not in OVERALL.messages()[1]["content"]
    with pytest.raises(ValueError, match="mood"):
        OVERALL.parse({"traits": [], "mood": "merry"})


def test_what_is_kept_is_shown_and_cannot_be_cited():
    assert "Ada likes puns" in OVERALL.messages()[1]["content"]
    assert OVERALL.sources() == ("r7", "r8", "m4@1")
    (one,) = OVERALL.parse({"traits": [trait(sources=["M3"])]}).traits
    assert one.unknown == ("M3",)


def test_a_guess_is_an_answer():
    assert DAY.guess().mood
    assert 0 < len(OVERALL.guess().traits) <= OVERALL.most
