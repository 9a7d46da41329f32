import pytest

from memcli.core.plan import Add, Cite, Plan, Rate, Retire, Revise, Supersede
from memcli.kit.handles import Item
from memcli.kit.nearkey import near_key
from memcli.ports import Failed, Pending
from memcli.registry import get_strategy, get_trigger
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings
from memcli.testing import (
    FakeView,
    Scripted,
    a_context,
    a_memory,
    a_record,
    cite,
    scripted_strategy,
)

JUNE = "2024-06-01T00:00:00Z"
TASK = RateImportance((Item("r1", "I moved."),))
GOOD = {"ratings": [{"item": "R1", "rating": 7}]}
TYPED = Ratings(ratings=[Rating(item="r1", rating=7)])


def a_view(**more):
    return FakeView(
        a_record("r1", "I live in Rome.", at="2024-05-01T00:00:00Z", session="s2"),
        a_record("r2", "hmm", kind="thinking", active=False),
        a_memory("m1", "Ada lives in Rome", "r1"),
        a_memory("m2", "Ada likes Italy", "m1@1", valid_to=JUNE, kind="taste"),
        **more,
    )


def test_view_answers():
    view = a_view(consumed={"s": ["r1"]}, recalls={"m1": JUNE})
    assert view.get("m1") is view.get("m1@1") is not None
    assert view.get("m1@2") is view.get("r9") is None
    assert [r.id for r in view.records()] == ["r1"]
    assert [r.id for r in view.records(inactive=True, kinds=["thinking"])] == ["r2"]
    assert view.records(session="s1") == view.records(since="2024-05-02") == []
    assert view.unconsumed("s") == []
    assert [r.id for r in view.unconsumed("other")] == ["r1"]
    assert [m.id for m in view.memories(superseded=False)] == ["m1"]
    assert [m.id for m in view.memories(kind="taste", strategy="scripted")] == ["m2"]
    assert view.closure("m2") == {"r1"}
    assert view.closure("r9") == frozenset()
    assert [(hit.id, hit.score) for hit in view.search("lives in Rome?", 2)] == [
        ("r1", 1),
        ("m1", 1),
    ]
    assert (view.rated_by("r1"), view.recalled()) == (None, {"m1": JUNE})


def test_tombstones():
    view = a_view(tombstones=[("fact", "key", ["r1"])])
    assert view.tombstoned("fact", "key", ["m1"])
    assert not view.tombstoned("fact", "key", ["r1", "r2"])
    assert not view.tombstoned("fact", "another", ["r1"])
    gone = a_view().rejecting("m1")
    assert gone.get("m1") is None
    assert gone.tombstoned("fact", near_key("Ada lives in Rome"), ["r1"])
    assert gone.closure("m2") == {"r1"}


def test_after_applies_a_plan():
    plan = Plan(
        ops=(
            Add("fact", "Ada lives in Lisbon", (cite("r1", "Rome"),), "new:1"),
            Add("fact", "Ada lives in Portugal", (Cite("new:1"),), "new:2"),
            Supersede("m1", JUNE, "new:1"),
            Revise("m2", "Ada liked Italy"),
            Rate("r1", "importance", 9),
        ),
        consumed=("r1",),
    )
    after = a_view().after(plan, "s")
    assert [(m.id, m.version, m.text, m.superseded_by) for m in after.memories()] == [
        ("m1", 1, "Ada lives in Rome", "m3"),
        ("m2", 2, "Ada liked Italy", None),
        ("m3", 1, "Ada lives in Lisbon", None),
        ("m4", 1, "Ada lives in Portugal", None),
    ]
    assert after.get("m3").evidence[0].quotes[0].text == "Rome"
    assert after.get("m4").evidence[0].ref == "m3@1"
    assert after.get("m3").strategy == "s"
    assert after.get("r1").importance == 9
    assert after.rated_by("r1") == "extractive"
    assert after.unconsumed("s") == []
    assert after.point == "p2"
    assert after.after(Plan(ops=(Retire("m1"),)), "s").closure("m2") == {"r1"}


def test_scripted_gives_its_answers_in_order():
    backend = Scripted(TYPED, GOOD, Pending(), Failed("no"), {}, GOOD, {}, {"ratings": []})
    ctx = a_context(backend)
    found = ctx.ask_all([TASK] * 6)
    assert found[:5] == [TYPED, TYPED, Pending(), Failed("no"), TYPED]  # the fifth after a repair
    assert isinstance(found[5], Failed)
    assert "no rating for R1" in found[5].reason
    assert (backend.left, len(backend.asked)) == (0, 6)
    with pytest.raises(AssertionError, match="no answer left for RateImportance"):
        ctx.ask(TASK)


def test_scripted_raises_what_it_is_given():
    with pytest.raises(RuntimeError, match="down"):
        a_context(Scripted(RuntimeError("down"))).ask(TASK)


def test_a_scripted_strategy_can_plan_anything():
    plan = Plan(ops=(Retire("m1"),))
    found = scripted_strategy(lambda view, ctx: plan, name="scripted-test")
    assert get_strategy("scripted-test") is found
    assert found.run(a_view(), a_context(), found.params()) == plan
    trigger = get_trigger("scripted-test")
    assert trigger(a_view(), a_context(), found.params(), False, "scripted-test").due
