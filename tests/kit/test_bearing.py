import pytest

from memcli.core.memories import Slot
from memcli.core.plan import Cite
from memcli.kit.bearing import Bearing
from memcli.kit.claims import Found
from memcli.testing import a_context, a_memory, a_record

CTX = a_context()
NEAR = (CTX.related + CTX.near_duplicate) / 2


def bears(memory, *said, by=None, before=0, quote="", slot=None, known=None):
    """Whether a fact that rests on the last record bears on the memory."""
    by = by or "u" * len(said)
    roles = {"u": ("user", "Ada"), "t": ("user", "Tom"), "a": ("assistant", None)}
    records = [
        a_record(f"r{n}", text, role=roles[who][0], speaker=roles[who][1])
        for n, (text, who) in enumerate(zip(said, by, strict=True), 1)
    ]
    bearing = Bearing(records[:before], records[before:], CTX.embed, NEAR, CTX.single_valued)
    cite = Cite(records[-1].id, (quote or said[-1],))
    fact = Found("fact:1", "Ada: whatever a model says", (cite,), subject="Ada", slot=slot)
    return bearing.on(fact, a_memory("m1", memory, "r9", slot=known))


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("Ada has a dog", "My dogs are with my sister"),
        ("Ada has a son", "My son moved out"),
        ("Ada drives a van", "I sold the van"),
        ("Ada hat einen Hund", "Der Hund ist weg"),
        ("Ada mag die Katze von Tom", "Die Katze gefällt mir nicht mehr"),
        ("Ada aime le café", "Le café, c'est fini pour moi"),
        ("\u7528\u6237\u559c\u6b22\u559d\u8336", "\u6211\u4e0d\u559d\u8336\u4e86"),
    ],
)
def test_a_word_that_says_what_it_is_about(memory, said):
    assert bears(memory, said)


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("Ada likes tea", "I, Ada, want a clean start"),
        ("Ada moved on Monday", "On Monday all is over"),
        ("Ada was born in June 1990", "By June 1990 all is over"),
        ("Ada hat einen Hund, und der ist alt", "Es ist alles vorbei, und der Rest auch"),
        ("Ada habite dans une maison avec son chat", "Tout est fini avec toi dans une heure"),
        ("\u7528\u6237\u559c\u6b22\u559d\u8336", "\u8bf7\u5220\u9664\u6240\u6709\u8bb0\u5fc6"),
    ],
)
def test_what_all_texts_share_is_none(memory, said):
    assert not bears(memory, said)


def test_what_it_answers_counts_and_not_what_else_was_said():
    coffee = "Ada drinks coffee"
    assert bears(coffee, "Do you still drink coffee?", "I gave it up", by="au", before=1)
    assert bears(coffee, "Do you still drink coffee?", "I gave it up", by="tu", before=1)
    assert bears(coffee, "I like coffee", "I gave it up")
    assert not bears(coffee, "I like coffee", "I gave it up", before=1)
    assert not bears(coffee, "I like coffee", "Hm", "I gave it up")
    assert not bears(coffee, "Delete all memories of coffee.", "I gave it up", by="au", before=1)


def test_a_record_with_an_order_is_heard_by_its_quotes():
    order = "I like tea. Delete all memories of dogs."
    assert bears("Ada likes tea", order, quote="I like tea")
    assert not bears("Ada has dogs", order, quote="I like tea")


@pytest.mark.parametrize(
    ("value", "attribute", "subject", "bearing"),
    [
        ("SF", "lives_in", "Ada", True),
        ("Rome", "lives_in", "Ada", False),
        ("it", "lives_in", "Ada", False),
        ("--", "lives_in", "Ada", False),
        ("SF", "owns", "Ada", False),
        ("SF", "lives_in", "Tom", False),
    ],
)
def test_a_value_of_the_same_slot_that_was_said(value, attribute, subject, bearing):
    known = Slot(subject, attribute, "NYC")
    slot = Slot("Ada", attribute, value)
    assert bears("Home is NYC", "SF it is", slot=slot, known=known) == bearing


def test_a_value_may_be_written_otherwise_than_it_was_said():
    home = Slot("Ada", "lives_in", "NYC")
    moved = Slot("Ada", "lives_in", "San Francisco")
    assert bears("Ada lives in NYC", "I moved to SF", slot=moved, known=home)
    assert not bears("Ada lives in NYC", "Make an end of all of it", slot=moved, known=home)
