import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.core.memories import LinkEnd, Memory, Slot
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Plan,
    Rate,
    Rejection,
    Retire,
    Revise,
    Supersede,
    Unlink,
)
from memcli.gateway.hashed import embed
from memcli.kit import shelf
from memcli.kit.draft import Draft
from memcli.kit.overlay import Overlay
from memcli.testing import FakeView, a_memory, a_record

MAY, JUNE = "2024-05-01T10:00:00Z", "2024-06-01T10:00:00Z"


def a_view():
    return FakeView(
        a_record("r1", "I live in Rome.", at=MAY),
        a_record("r2", "I moved to Lisbon.", at=JUNE),
        a_record("r3", "No time is known."),
        a_memory("m1", "Ada lives in Rome", "r1", slot=Slot("Ada", "lives_in", "Rome")),
        a_memory("m2", "Ada likes Italy", "m1@1"),
    )


def test_an_empty_draft_plans_nothing_and_shows_the_view():
    view = a_view()
    draft = Draft(view)
    assert draft.plan() == Plan()
    assert list(draft.memories()) == list(view.memories())
    assert list(draft.records()) == list(view.records())
    assert draft.point == view.point


def test_operations_in_their_order():
    draft = Draft(a_view(), made_by="model-x")
    slot = Slot("Ada", "lives_in", "Lisbon")
    new = draft.add("fact", "Ada lives in Lisbon", evidence=[Cite("r2", ("Lisbon",))], slot=slot)
    ended = draft.supersede("m1", JUNE, by=new, reason="moved", requires=[new])
    draft.link(new, "m1@1", "replaces", requires=[new])
    draft.rate(new, "importance", 8)
    draft.unlink("m2", "m1", "evidence", requires=[ended])
    assert draft.plan().ops == (
        Add("fact", "Ada lives in Lisbon", (Cite("r2", ("Lisbon",)),), "new:1", slot=slot, made_by="model-x"),
        Supersede("m1", JUNE, "new:1", "moved", id="op:1", requires=("new:1",)),
        Link("new:1", "m1@1", "replaces", requires=("new:1",)),
        Rate("new:1", "importance", 8, "model-x"),
        Unlink("m2", "m1", "evidence", requires=("op:1",)),
    )  # fmt: skip


def test_drafts_show_as_memories():
    draft = Draft(a_view(), strategy="s")
    new = draft.add("fact", "Ada lives in Lisbon", evidence=["r2"], valid_from=JUNE)
    shown = draft.get(new)
    assert isinstance(shown, Memory)
    assert (shown.id, shown.kind, shown.strategy, shown.valid_from) == (new, "fact", "s", JUNE)
    assert [memory.id for memory in draft.memories(kind="fact")] == ["m1", "m2", "new:1"]
    assert [memory.id for memory in draft.memories(strategy="s")] == ["new:1"]
    above = draft.add("fact", "Ada is Portuguese now", evidence=[new, "m2"])
    assert draft.closure(above) == {"r1", "r2"}
    assert [hit.id for hit in draft.search("Lisbon", 5)] == ["r2", "new:1"]
    assert draft.newest([above]) == JUNE
    assert draft.newest(["r3"]) is None


def test_changed_memories_show_so():
    draft = Draft(a_view())
    draft.revise("m1", text="Ada lives in Rome, Italy", evidence=[Cite("r2", ("Lisbon", "Porto"))])
    shown = draft.get("m1")
    assert shown.text == "Ada lives in Rome, Italy"
    assert [(one.ref, [q.text for q in one.quotes]) for one in shown.evidence] == [
        ("r1", []),
        ("r2", ["Lisbon"]),  # the other does not occur
    ]
    assert draft.get("m1@1") is shown
    assert draft.closure("m2") == {"r1", "r2"}
    draft.retire("m2", reason="wrong")
    assert draft.get("m2") is draft.get("m2@1") is None
    assert [memory.id for memory in draft.memories()] == ["m1"]
    draft.rate("r1", "importance", 9, by="person")
    assert draft.get("r1").importance == 9
    assert draft.records()[0].importance == 9
    assert draft.rated_by("r1") == "person"
    assert draft.search("Italy", 3)[0].id == "m1"


def test_superseded_shows_so():
    draft = Draft(a_view())
    new = draft.add("fact", "Ada lives in Lisbon", evidence=["r2"])
    draft.supersede("m1", JUNE, by=new)
    assert (draft.get("m1").valid_to, draft.get("m1").superseded_by) == (JUNE, new)
    assert [memory.id for memory in draft.memories(superseded=False)] == ["m2", new]


def test_merge_moves_evidence():
    draft = Draft(a_view())
    new = draft.add("fact", "Ada lived in Rome", evidence=["r2"])
    draft.retire("m1", merged_into=new, reason="same")
    assert [one.ref for one in draft.get(new).evidence] == ["r2", "r1"]
    assert draft.plan().ops[1] == Retire("m1", "same", new)


def test_consumed_records_are_not_unconsumed():
    draft = Draft(a_view())
    draft.consume(["r1"])
    draft.select(["r1", "r2"])
    assert [record.id for record in draft.unconsumed("s")] == ["r2", "r3"]
    assert (draft.plan().consumed, draft.plan().selected) == (("r1",), ("r1", "r2"))


def test_two_revisions_are_one():
    draft = Draft(a_view())
    first = draft.revise("m1", text="one", evidence=["r2"], attributes={"a": 1})
    later = draft.add("fact", "a new one", evidence=["r2"])
    assert draft.revise("m1", text="two", evidence=["r3", later]) == first
    assert draft.plan().ops == (
        Add("fact", "a new one", (Cite("r2"),), later),
        # It cites what was added since, so it comes after it.
        Revise("m1", "two", {"a": 1}, (Cite("r2"), Cite("r3"), Cite(later))),
    )
    assert draft.get("m1").text == "two"


def test_a_revision_wins_against_a_delete_whichever_came_first():
    for first in ("revise", "delete"):
        draft = Draft(a_view())
        if first == "revise":
            draft.revise("m1", text="kept")
            assert draft.supersede("m1", JUNE) is None
        else:
            draft.retire("m1", reason="wrong")
            draft.revise("m1@1", text="kept")
        plan = draft.plan()
        assert [type(op) for op in plan.ops] == [Revise]
        assert plan.rejected[0].reason == "target-taken"
        assert draft.get("m1").text == "kept"


def test_a_second_delete_is_rejected():
    draft = Draft(a_view())
    draft.supersede("m1", JUNE)
    assert draft.retire("m1") is None
    assert draft.plan().rejected == (Rejection("m1", "target-taken"),)


def test_changes_of_a_draft_become_part_of_it():
    draft = Draft(a_view())
    new = draft.add("fact", "Ada moved", evidence=[Cite("r1", ("live",))], requires=["op:9"])
    later = draft.add("fact", "later", evidence=["r3"])
    assert draft.revise(new, text="Ada moved south", evidence=[Cite("r1", ("Rome",)), later]) == new
    assert draft.link(new, "r2", "evidence", quotes=["Lisbon"]) == new
    assert draft.plan().ops[0] == Add(
        "fact",
        "Ada moved south",
        (Cite("r1", ("live", "Rome")), Cite("r2", ("Lisbon",))),  # not the later draft
        new,
        requires=("op:9",),
    )
    with pytest.raises(ValueError, match="not in the store"):
        draft.retire(new)


def test_edges_that_are_there_are_not_made_again():
    view = FakeView(
        a_record("r1", "text"),
        a_memory("m1", "one", "r1"),
        a_memory("m2", "two", "r1", links=(LinkEnd("m1", "related"),)),
    )
    draft = Draft(view)
    assert draft.link("m1", "r1", "evidence") is None
    assert draft.link("m2", "m1", "related") is None
    assert draft.link("m1", "m2", "related") == "op:1"
    assert draft.link("m1", "m2", "related") is None


def test_no_cycle_of_evidence():
    draft = Draft(a_view())
    assert draft.link("m1", "m2@1", "evidence") is None
    draft.revise("m1", text="new", evidence=["m2@1", "r2"])
    assert draft.plan().ops == (Revise("m1", "new", evidence=(Cite("r2"),)),)
    assert {item.reason for item in draft.plan().rejected} == {"cycle"}


def test_a_second_rating_replaces_the_first():
    draft = Draft(a_view())
    assert draft.rate("r1", "importance", 3) == draft.rate("r1", "importance", 5) == "op:1"
    draft.rate("r1", "status", "faded")
    assert draft.plan().ops == (Rate("r1", "importance", 5), Rate("r1", "status", "faded"))
    assert draft.get("r1").status == "faded"


def test_same_finds_near_keys_and_the_guard_speaks():
    draft = Draft(a_view())
    assert draft.same("fact", "The Ada LIVES in Rome!").id == "m1"
    assert draft.same("insight", "Ada lives in Rome") is None
    assert draft.same("fact", "...") is None
    new = draft.add("fact", "Ada was in Porto", evidence=["r2"])
    found = draft.same("fact", "Ada is in Porto")
    assert found.id == new
    assert draft.apart(found, "Ada is in Porto") == ("modality",)


def test_reports():
    draft = Draft(a_view())
    draft.reject("x", "unknown-id")
    draft.pend("needs-model", 2)
    draft.pend("needs-model")
    draft.fail("window 1")
    draft.warn("odd")
    plan = draft.plan()
    assert plan.rejected == (Rejection("x", "unknown-id"),)
    assert dict(plan.pending) == {"needs-model": 3}
    assert (plan.failed, plan.warnings) == (("window 1",), ("odd",))
    assert not plan.settled  # all that was tried failed
    draft.settle()
    assert draft.plan().settled


def test_a_draft_in_evidence_of_a_tombstone_stands_for_its_records():
    view = FakeView(a_record("r1", "text"), tombstones=[("fact", "key", ["r1"])])
    draft = Draft(view)
    new = draft.add("fact", "one", evidence=["r1"])
    assert draft.tombstoned("fact", "key", [new])
    assert not draft.tombstoned("fact", "other", [new])


targets = st.sampled_from(["m1", "m2", "new:1", "new:2"])
steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "revise", "supersede", "end anew", "retire", "merge", "link", "relate", "rate"]
        ),
        targets,
        st.sampled_from(["r1", "r2", "m1@1", "m2@1", "new:1"]),
    ),
    max_size=12,
)


def take(draft, step):
    what, target, source = step
    if draft.get(target) is None or draft.get(source) is None:
        return
    if what == "add":
        quoted = draft.get(source).text
        draft.add("fact", f"on {source}", evidence=[Cite(source, (quoted,))])
    elif what == "revise":
        draft.revise(target, text=f"{target} by {source}", evidence=[source])
    elif what == "supersede":
        draft.supersede(target, JUNE)
    elif what == "end anew":
        draft.supersede(target, MAY, instead=True)
    elif what == "retire" and not target.startswith("new:"):
        draft.retire(target)
    elif what == "merge" and {target, source} == {"m1", "m2@1"}:
        draft.retire("m2", merged_into="m1")
    elif what == "relate" and target != source.split("@")[0]:
        draft.link(target, source, "related")
    elif what == "link":
        draft.link(target, source, "evidence")
    elif what == "rate":
        draft.rate(target, "importance", 5)


@settings(deadline=None)
@example([("add", "m1", "m2@1"), ("revise", "m1", "r2"), ("retire", "m2", "r1")])
@given(steps)
def test_whatever_is_planned_is_one_change_a_target_and_shows_as_applied(steps):
    view = a_view()
    draft = Draft(view, strategy="s")
    for step in steps:
        take(draft, step)
    plan = draft.plan()
    changed = [op.target for op in plan.ops if isinstance(op, Revise | Supersede | Retire)]
    assert len({ref.split("@")[0] for ref in changed}) == len(changed)
    drafts = [op.id for op in plan.ops if isinstance(op, Add)]
    assert drafts == [f"new:{n}" for n in range(1, len(drafts) + 1)]
    # What the draft shows is what applying its plan gives.
    after = view.after(plan, "s")
    shown = [(m.text, m.superseded, m.importance, draft.closure(m.id)) for m in draft.memories()]
    applied = [(m.text, m.superseded, m.importance, after.closure(m.id)) for m in after.memories()]
    assert shown == applied


indexes = (
    shelf.kinds,
    shelf.near_keys,
    shelf.texts,
    shelf.sources,
    shelf.slots,
    shelf.related,
    shelf.stems,
)


@settings(deadline=None)
@example([("add", "m1", "r1"), ("relate", "new:1", "m1@1"), ("revise", "new:1", "r2")])
@given(steps)
def test_what_is_changed_step_by_step_is_found_as_if_all_were_laid_at_once(steps):
    view = a_view()
    draft = Draft(view, strategy="s", embed=embed_all)
    for step in steps:
        take(draft, step)
        draft.nearest("Ada", embed("Ada"), 3)
        draft.search("Ada lives", 3)
    at_once = Overlay(view, strategy="s", embed=embed_all)
    for op in draft.plan().ops:
        at_once.lay(op)
    held = draft.memories()
    assert held == at_once.memories()
    for keys in indexes:
        for key in {key for memory in held for key in keys(memory)}:
            assert draft.having(keys, key) == [one for one in held if key in set(keys(one))]
            assert draft.has(keys, key)
    for text in ("Ada lives in Rome", "on r1", "new:1 by r2"):
        for k in (1, 2, 5):
            assert draft.search(text, k) == at_once.search(text, k)
            assert draft.nearest(text, embed(text), k) == at_once.nearest(text, embed(text), k)


def embed_all(texts):
    return [embed(text) for text in texts]
