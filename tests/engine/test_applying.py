"""Applying a reviewed plan: what goes along, what is refused, what stays as a tombstone."""

from typing import Any

import pytest

from memcli.core.memories import Slot
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Operation,
    Plan,
    Rate,
    Retire,
    Revise,
    Supersede,
    Unlink,
)
from memcli.core.records import Scope
from memcli.engine import planfile
from memcli.errors import UsageError
from tests.engine.world import World, said

DAY = "2026-05-01T10:00:00Z"
TEA = Slot("Ada", "drinks", "tea")
BY = "2027-01-01T00:00:00Z"


def add(text: str, *cites: str, draft: str = "new:1", **more: Any) -> Add:
    return Add("fact", text, tuple(Cite(ref) for ref in cites), draft, **more)


def planned(world: World, *ops: Operation, consumed: tuple[str, ...] = ()) -> dict[str, Any]:
    document = world.propose(Plan(ops=ops, consumed=consumed))
    assert document is not None
    return document


def tombstones(world: World) -> list[tuple[Any, ...]]:
    return world.connection.execute(
        "SELECT t.kind, t.near_key, t.value, group_concat(r.id) FROM tombstone t"
        " CROSS JOIN life l ON l.item = t.item AND l.to_pass IS NULL"
        " JOIN tombstone_record x ON x.tombstone = t.item JOIN record r ON r.item = x.record"
        " GROUP BY t.item ORDER BY t.item"
    ).fetchall()


EVERYTHING: tuple[Operation, ...] = (
    add("Ada sings", "r4", draft="new:1", slot=TEA, attributes={"count": 2}),
    add("Ada is musical", "new:1", "r3", draft="new:2", requires=("new:1",)),
    Revise("m3", "Ada likes green tea", evidence=(Cite("r4", ("sing",)),)),
    Supersede("m1", BY, by="new:2"),
    Link("m2", "r4", "evidence"),
    Unlink("m2", "r1", "evidence"),
    Rate("r1", "importance", 7),
    Rate("new:1", "pinned", True),
)


def test_a_plan_that_is_applied_does_what_the_pass_would_have_done(known: World) -> None:
    before = known.dump()
    document = planned(known, *EVERYTHING, consumed=("r1", "r4"))
    head = known.head
    directly = known.apply(Plan(ops=EVERYTHING, consumed=("r1", "r4")))
    wanted = known.dump()
    known.undo()
    report = known.apply_file(document)
    assert known.dump() == wanted
    assert (report.outcome, report.strategy) == ("applied", "scripted")
    assert report.operations == directly.operations
    assert [c.change for c in report.changes] == [c.change for c in directly.changes]
    assert report.pass_id == f"p{known.head}" == f"p{head + 3}"
    known.rollback("last")
    assert known.dump() == before


def test_planning_writes_nothing(known: World) -> None:
    head, dump = known.head, known.dump()
    document = planned(known, *EVERYTHING)
    known.apply_file(document, dry_run=True)
    assert (known.head, known.dump()) == (head, dump)


def test_nothing_to_do_makes_no_plan(known: World) -> None:
    assert known.propose(Plan(pending={"needs-model": 3})) is None


def test_a_dry_run_shows_what_is_left(known: World) -> None:
    report = known.apply_file(planned(known, *EVERYTHING), "new:2", dry_run=True)
    assert (report.outcome, report.pass_id) == ("planned", None)
    assert [(c.change, c.memory) for c in report.changes][:2] == [
        ("added", "new:1"),
        ("revised", "m3"),
    ]
    assert report.operations["supersede"] == 0


def test_the_pass_says_what_it_cost_when_it_was_planned(known: World) -> None:
    document = planned(known, add("Ada sings", "r4"))
    usage = {"calls": 3, "calls_recorded": 1, "tokens_in": 10, "tokens_out": 5, "cost_usd": 0.25}
    document |= {"usage": usage, "model": "local", "backend": "local"}
    document["sha256"] = planfile.fingerprint(document)
    report = known.apply_file(document)
    assert (report.usage.calls, report.usage.cost_usd, report.model) == (3, 0.25, "local")
    row = known.connection.execute(
        "SELECT model, calls, calls_recorded, tokens_in, tokens_out, cost_usd FROM pass"
        " ORDER BY id DESC LIMIT 1"
    ).fetchone()
    assert row == ("local", 3, 1, 10, 5, 0.25)
    known.rollback("last")
    again = known.apply_file(document)
    assert (again.usage.calls, again.usage.calls_recorded) == (0, 4), "it was paid for once"
    assert again.usage.cost_usd == 0.0


# --- rejecting --------------------------------------------------------------------------------------


def test_what_needs_a_rejected_item_goes_along(known: World) -> None:
    report = known.apply_file(planned(known, *EVERYTHING), "new:1")
    assert [(r.item, r.reason) for r in report.rejected] == [
        ("new:1", "rejected"),
        ("new:2", "requires-rejected"),
        ("op:2", "requires-rejected"),
        ("op:6", "requires-rejected"),
    ]
    assert report.outcome == "applied"
    assert tombstones(known) == [("fact", "ada sing", "tea", "4")]


def test_a_switch_in_the_file_is_as_good_as_the_option(known: World) -> None:
    document = planned(known, *EVERYTHING)
    wanted = known.apply_file(document, "new:1", dry_run=True)
    document["parts"][0]["operations"][0]["reject"] = True
    assert known.apply_file(document, dry_run=True) == wanted


NEEDS: list[tuple[str, tuple[Operation, ...], int]] = [
    ("it cites", (add("Ada is musical", "new:1", "r3", draft="new:2"),), 0),
    ("a revision cites", (Revise("m3", "Ada likes green tea", evidence=(Cite("new:1"),)),), 0),
    ("it is linked to", (Link("m1", "new:1", "related"),), 0),
    ("it is linked from", (Link("new:1", "m1", "related"),), 0),
    ("it is evidence", (Link("m1", "new:1", "evidence"),), 0),
    ("it supersedes", (Supersede("m1", BY, by="new:1"),), 0),
    ("it is merged into", (Retire("m1", merged_into="new:1"),), 0),
    ("it is rated", (Rate("new:1", "pinned", True),), 0),
    ("required", (Rate("m1", "pinned", True, requires=("new:1",)),), 0),
    ("other evidence had to be there", (Unlink("m3", "r3", "evidence"),), 1),
    (
        "by way of others",
        (
            add("Ada is musical", "new:1", draft="new:2"),
            Link("m1", "new:2", "related", id="op:9"),
            Rate("m1", "pinned", True, requires=("op:9",)),
        ),
        0,
    ),
]


@pytest.mark.parametrize(("ops", "first"), [n[1:] for n in NEEDS], ids=[n[0] for n in NEEDS])
def test_needs_are_seen(known: World, ops: tuple[Operation, ...], first: int) -> None:
    heads = (add("Ada sings", "r4"), Link("m3", "r4", "evidence"))
    document = planned(known, *heads, *ops)
    whole = known.apply_file(document, dry_run=True)
    assert whole.rejected == ()
    labels = ("new:1", "op:1")
    report = known.apply_file(document, labels[first], dry_run=True)
    assert [r.reason for r in report.rejected] == ["rejected"] + ["requires-rejected"] * len(ops)
    other = known.apply_file(document, labels[1 - first], dry_run=True)
    assert [r.reason for r in other.rejected] == ["rejected"]


def test_a_rejected_item_is_not_proposed_again_from_the_same(known: World) -> None:
    known.apply_file(planned(known, add("Ada sings", "r4", slot=TEA), consumed=("r4",)), "new:1")
    again = known.apply(Plan(ops=(add("Ada sings!", "r4"),)))
    assert [r.reason for r in again.rejected] == ["tombstoned"]
    slot = known.apply(Plan(ops=(add("Ada takes tea", "r4", slot=TEA),)))
    assert [r.reason for r in slot.rejected] == ["tombstoned"]
    new = known.apply(Plan(ops=(add("Ada sings", "r4", "r3"),)))
    assert new.operations["add"] == 1


def test_what_only_went_along_may_come_again(known: World) -> None:
    known.apply_file(planned(known, *EVERYTHING), "new:1")
    report = known.apply(Plan(ops=(add("Ada is musical", "r4", "r3"),)))
    assert report.operations["add"] == 1


def test_a_rejected_revision_and_a_rejected_merge_are_kept_in_mind(known: World) -> None:
    revision = Revise("m3", "Ada likes green tea")
    merge = Retire("m1", "the same", merged_into="m2")
    known.apply_file(planned(known, revision, merge), "op:1", "op:2")
    kinds = [(kind, records) for kind, _, _, records in tombstones(known)]
    assert kinds == [("fact", "3"), ("merge", "1")]
    again = known.apply(Plan(ops=(revision, merge)))
    assert [r.reason for r in again.rejected] == ["tombstoned", "tombstoned"]
    more = Revise("m3", "Ada likes green tea", evidence=(Cite("r4"),))
    assert known.apply(Plan(ops=(more,))).operations["revise"] == 1


def test_a_merge_into_a_draft_that_is_rejected_leaves_the_pair(known: World) -> None:
    new, merge = add("Ada sings", "r4"), Retire("m1", merged_into="new:1")
    known.apply_file(planned(known, new, merge), "op:1")
    assert known.view.get("m1") is not None
    again = known.apply(Plan(ops=(merge,)))
    assert again.pass_id is None
    assert [kind for kind, *_ in tombstones(known)] == ["merge"]


def test_what_rests_on_a_draft_is_rejected_with_the_records_below(known: World) -> None:
    ops = (add("Ada sings", "r4"), add("Ada is musical", "new:1", "m3", draft="new:2"))
    known.apply_file(planned(known, *ops), "new:2")
    assert tombstones(known) == [("fact", "ada music", None, "3,4")]


def test_what_has_no_wording_leaves_nothing(known: World) -> None:
    ops = (
        Supersede("m1", BY),
        Link("m2", "m3", "related"),
        Unlink("m2", "r1", "evidence"),
        Rate("m3", "pinned", True),
        Retire("m3", "wrong"),
    )
    report = known.apply_file(planned(known, *ops), *(f"op:{nth}" for nth in range(1, 6)))
    assert (report.outcome, report.pass_id) == ("no-changes", None)
    assert len(report.rejected) == 5


def test_rejected_items_count_as_settled(known: World) -> None:
    report = known.apply_file(planned(known, add("Ada sings", "r4"), consumed=("r4",)), "new:1")
    assert (report.outcome, report.changes) == ("no-changes", ())
    assert report.pass_id == f"p{known.head}"
    assert known.view.consumed("scripted") == {"r4"}
    before = known.dump()
    known.rollback("last")
    assert tombstones(known) == []
    assert known.view.consumed("scripted") == frozenset()
    known.rollback("last")
    assert known.dump() == before
    assert len(tombstones(known)) == 1


def test_an_unknown_label_is_a_usage_error(known: World) -> None:
    with pytest.raises(UsageError, match="no item 'op:9'"):
        known.apply_file(planned(known, add("Ada sings", "r4")), "op:9")


def test_scopes_have_labels_of_their_own(world: World) -> None:
    from memcli.engine import run
    from memcli.engine.embedding import embedding
    from memcli.engine.ingest import Ingest, Input
    from memcli.gateway.context import RunContext
    from memcli.registry import Strategy
    from tests.engine.world import NOW, NoParams, scripted

    embed = embedding(world.connection, world.embedder)
    for user in ("ada", "tom"):
        ingest = Ingest(
            world.connection, world.path, given=Scope(user=user), redact=True, embed=embed
        )
        ingest.run([Input("a", "test", [said("a", f"I am {user}")])], now=NOW, dry_run=False)

    def look(view: Any, context: object, params: object) -> Plan:
        record = view.records()[0]
        rate = Rate("new:1", "pinned", True, id="op:1")
        more = Rate(record.id, "importance", 3, requires=("op:1", "op:77"))
        return Plan(ops=(add(record.text, record.id), rate, more))

    documents: list[dict[str, Any]] = []
    strategy = Strategy(scripted(Plan()).info, look, NoParams, "none")
    request = run.Request(
        strategy, NoParams(), now=NOW, write_plan=lambda found: documents.append(found) or ""
    )
    run.run_pass(world.connection, request, RunContext(now=NOW), embed)
    labels = [[op["label"] for op in part["operations"]] for part in documents[0]["parts"]]
    assert labels == [["new:1", "op:1", "op:2"], ["new:2", "op:3", "op:4"]]
    report = world.apply_file(documents[0], "op:3")
    assert [r.item for r in report.rejected] == ["op:3", "op:4"]
    assert [(m.scope.user, m.pinned) for m in world.view.memories()] == [
        ("ada", True),
        ("tom", False),
    ]
