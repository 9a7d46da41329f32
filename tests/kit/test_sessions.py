import pytest

from memcli.core.memories import Slot
from memcli.core.plan import Add, Link, Plan, Rate, Retire, Supersede
from memcli.kit.draft import Draft
from memcli.kit.sessions import end, join
from memcli.testing import FakeView, a_memory, a_record

RECORDS = [a_record(f"r{n}", f"note {n}", session=f"s{n}") for n in range(1, 6)]
VIEW = FakeView(
    *RECORDS, a_memory("m1", "Ada has a dog", "r1"), a_memory("m2", "Ada owns a dog", "r2")
)


def draft():
    return Draft(VIEW)


def joined(*parts):
    whole = draft()
    join(whole, [part.plan() for part in parts], frozenset({"lives_in"}), end)
    return whole.plan()


def test_drafts_are_named_anew_in_all_that_names_them():
    parts = []
    for ref in ("r3", "r4"):
        part = draft()
        made = part.add("fact", f"Ada sings {ref}", evidence=[ref])
        part.link(made, "m1@1", "related", requires=[made])
        parts.append(part)
    parts[0].supersede("m1@1", "2024-01-01T00:00:00Z", by="new:1", requires=["new:1"])
    plan = joined(*parts)
    assert [op.id for op in plan.ops if isinstance(op, Add)] == ["new:1", "new:2"]
    links = [(op.source, op.requires) for op in plan.ops if isinstance(op, Link)]
    assert links == [("new:1", ("new:1",)), ("new:2", ("new:2",))]
    (end,) = [op for op in plan.ops if isinstance(op, Supersede)]
    assert (end.by, end.requires) == ("new:1", ("new:1",))


def test_what_another_session_took_away_gets_no_link():
    first, second = draft(), draft()
    first.retire("m1@1", merged_into="m2@1")
    second.link("m1@1", "r4", "evidence")
    second.retire("m2@1", merged_into="m1@1")
    plan = joined(first, second)
    assert [type(op) for op in plan.ops] == [Retire]
    assert [item.reason for item in plan.rejected] == ["target-taken", "target-taken"]


def test_all_that_stands_beside_the_operations_comes_along():
    first, second = draft(), draft()
    first.select(["r1"])
    first.consume(["r1"])
    first.pend("needs-model", 2)
    first.reject("x", "unknown-id")
    second.fail("r2: no")
    second.mark_failed(["r2"])
    second.pend("needs-model")
    second.warn("beware")
    plan = joined(first, second)
    assert (plan.selected, plan.consumed, plan.pending) == (("r1",), ("r1",), {"needs-model": 3})
    assert [item.item for item in plan.rejected] == ["x"]
    assert (plan.failed, plan.unusable, plan.warnings) == (("r2: no",), ("r2",), ("beware",))
    assert plan.settled
    assert not joined(second, second).settled


def test_alike_but_not_the_same_stay_two():
    first, second = draft(), draft()
    slot = Slot("Ada", "lives_in", "SF")
    first.add("fact", "Ada lives in SF", evidence=["r3"], slot=slot)
    second.add("fact", "Ada lives in SF", evidence=["r4"])
    first.add("summary", "It was short", evidence=["r3"])
    second.add("summary", "It was short", evidence=["r4"])
    assert len(joined(first, second).ops) == 4


def test_nothing_else_is_planned_by_a_session():
    with pytest.raises(TypeError):
        join(draft(), [Plan(ops=(Rate("r1", "importance", 3),))], frozenset(), end)
