import pytest

from memcli.gateway.extractive import Extractive
from memcli.kit.handles import Item
from memcli.tasks.observe import Belief, Created, Deleted, Observe, Observed, Updated, Words

TASK = Observe(
    (
        Item("r7", "I moved to Lisbon.", day="2024-05-02", speaker="Ada", role="user"),
        Item("r8", "Hi"),
    ),
    pool=(
        Belief(Item("m4@2", "Ada lives in Rome", memory=True), "lives_in", "Rome", "Ada"),
        Belief(Item("new:1", "Ada has a dog", roots=("r5",))),
    ),
    single_valued=frozenset({"lives_in"}),
)


def reply(**lists):
    return {"creates": [], "updates": [], "deletes": [], "skipped": []} | lists


def test_answers_by_ref():
    quotes = [{"source": "R1", "text": "moved to Lisbon"}]
    update = {"target": "M1", "current_text": "Ada lives in Rome", "text": "Ada lives in Lisbon"}
    found = TASK.parse(
        reply(
            creates=[{"text": "Ada said hi", "sources": ["R2", "R9"], "quotes": []}],
            updates=[{**update, "sources": ["R1"], "quotes": quotes, "reason": "moved"}],
            deletes=[{"target": "M2", "merged_into": "M1"}, {"target": "M7"}, {"reason": "none"}],
            skipped=[{"source": "R2"}, {"source": "R3", "reason": "chatter"}],
        )
    )
    assert found == Observed(
        creates=[Created(text="Ada said hi", sources=["r8"], unknown=["R9"])],
        updates=[
            Updated(
                text="Ada lives in Lisbon",
                sources=["r7"],
                quotes=[Words(source="r7", text="moved to Lisbon")],
                reason="moved",
                target="m4@2",
                current_text="Ada lives in Rome",
            )
        ],
        deletes=[
            Deleted(target="new:1", merged_into="m4@2"),
            Deleted(unknown=["M7"]),
            Deleted(reason="none"),
        ],
        skipped=["r8"],
        unknown=["R3"],
    )


@pytest.mark.parametrize(
    "bad",
    [
        {},
        reply(creates="none"),
        reply(creates=[{"text": "x", "sources": "R1", "quotes": []}]),
        reply(skipped=["R1"]),
        reply(skipped=[{}]),
        reply(creates=[{"text": "x" * 2000, "sources": ["R1"], "quotes": []}]),
    ],
)
def test_refuses_what_does_not_fit(bad):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        TASK.parse(bad)
    assert "\n" not in str(caught.value)


def test_guess_and_sources():
    assert [one.sources for one in TASK.guess().creates] == [("r7",), ("r8",)]
    assert TASK.sources() == ("r7", "r8", "m4@2", "r5")


def test_by_rule_a_slot_is_set_anew_and_the_same_is_further_evidence():
    dog = (Item(ref, "I have a dog.", speaker="Ada", role="user") for ref in ("r1", "r2"))
    task = Observe((*TASK.items, *dog), TASK.pool, single_valued=TASK.single_valued)
    (found,) = Extractive().answer([task])
    assert [(one.target, one.value) for one in found.updates] == [("m4@2", "Lisbon")]
    assert [(one.text, one.sources) for one in found.creates] == [("I have a dog.", ("r1", "r2"))]
    assert found.skipped == ()
