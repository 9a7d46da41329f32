"""Rollback, undo and redo: the cases that are easy to get wrong, one by one."""

import pytest

from memcli.core.memories import Memory
from memcli.core.plan import Add, Cite, Link, Plan, Rate, Retire, Revise, Supersede, Unlink
from memcli.engine.changes import between
from memcli.errors import RefusedError, UsageError
from memcli.store.write import PassWriter
from tests.engine.world import NOW, World, said

JANUARY, JUNE = "2026-01-05T10:00:00Z", "2026-06-05T10:00:00Z"
NYC = Add("fact", "Ada lives in NYC", (Cite("r1", ("live in NYC",)),), "new:1")
SF = Add("fact", "Ada lives in SF", (Cite("r2", ("moved to SF",)),), "new:1")


@pytest.fixture
def told(world: World) -> World:
    """Four records, two of them about where Ada lives."""
    world.ingest(
        [
            said("a", "I live in NYC", at=JANUARY),
            said("b", "I moved to SF", at=JUNE),
            said("c", "I like tea", at=JANUARY),
            said("d", "I play the piano", at=JUNE),
        ]
    )
    return world


def memory(world: World, ident: str) -> Memory:
    found = world.view.get(ident)
    assert isinstance(found, Memory)
    return found


def pass_of(report: object) -> str:
    ident = getattr(report, "pass_id", None)
    assert isinstance(ident, str)
    return ident


def moved(world: World) -> tuple[str, str]:
    """NYC stored, then superseded by SF; returns both passes."""
    first = world.apply(Plan(ops=(NYC,), consumed=("r1",)))
    plan = Plan(ops=(SF, Supersede("m1", JUNE, by="new:1")), consumed=("r2",))
    return pass_of(first), pass_of(world.apply(plan))


class TestMemory:
    def test_rollback_revives_what_it_had_superseded_and_frees_what_it_consumed(
        self, told: World
    ) -> None:
        moved(told)
        assert memory(told, "m1").valid_to == JUNE
        assert "r2" not in {record.id for record in told.view.unconsumed("scripted")}
        report = told.rollback("m2")
        assert report.retired == ("m2",)
        assert report.restored == ("m1",)
        assert report.released_records == 1
        assert memory(told, "m1").valid_to is None
        free = {record.id for record in told.view.unconsumed("scripted")}
        assert "r2" in free
        assert "r1" not in free

    def test_a_record_that_another_memory_of_the_pass_cites_stays_consumed(
        self, told: World
    ) -> None:
        other = Add("fact", "Ada moved once", (Cite("r2"),), "new:2")
        told.apply(Plan(ops=(SF, other), consumed=("r2",)))
        assert told.rollback("m1").released_records == 0
        assert told.rollback("m2").released_records == 1

    def test_unrelated_later_memories_are_left_alone(self, told: World) -> None:
        moved(told)
        told.apply(Plan(ops=(Add("fact", "Ada likes tea", (Cite("r3"),), "new:1"),)))
        told.rollback("m2")
        assert memory(told, "m3").text == "Ada likes tea"

    def test_it_is_not_made_again_without_new_evidence(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.rollback("m1")
        again = told.apply(Plan(ops=(NYC,)))
        assert again.pass_id is None
        assert [item.reason for item in again.rejected] == ["tombstoned"]
        fresh = Add("fact", "Ada lives in NYC", (Cite("r1"), Cite("r4")), "new:1")
        assert told.apply(Plan(ops=(fresh,))).operations["add"] == 1

    def test_again_ignores_tombstones_for_one_pass(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.rollback("m1")
        assert told.apply(Plan(ops=(NYC,)), again=True).operations["add"] == 1

    def test_the_same_text_in_other_punctuation_is_the_same(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.rollback("m1")
        dressed = Add("fact", "ADA lives, in NYC!", (Cite("r1"),), "new:1")
        assert told.apply(Plan(ops=(dressed,))).pass_id is None

    def test_what_rests_on_it_is_refused_or_taken_along(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Add("insight", "Ada is urban", (Cite("m1"),), "new:1"),)))
        with pytest.raises(RefusedError) as refused:
            told.rollback("m1")
        assert refused.value.details["dependents"] == ["m2"]
        assert memory(told, "m1").text == "Ada lives in NYC"
        report = told.rollback("m1", cascade=True)
        assert report.retired == ("m1", "m2")
        assert report.dependents == ("m2",)

    def test_a_dependent_of_the_same_pass_counts_too(self, told: World) -> None:
        insight = Add("insight", "Ada is urban", (Cite("new:1"),), "new:2")
        told.apply(Plan(ops=(NYC, insight)))
        with pytest.raises(RefusedError, match="m2"):
            told.rollback("m1")

    def test_links_and_ratings_of_its_own_pass_go_along(self, told: World) -> None:
        tea = Add("fact", "Ada likes tea", (Cite("r3"),), "new:2")
        ops = (NYC, tea, Link("new:2", "new:1", "related"), Rate("new:1", "importance", 7))
        told.apply(Plan(ops=ops))
        report = told.rollback("m1")
        assert report.retired == ("m1",)
        assert memory(told, "m2").links == ()

    def test_a_later_version_is_a_dependent(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Revise("m1", "Ada lives in New York City"),)))
        with pytest.raises(RefusedError):
            told.rollback("m1")
        assert told.rollback("m1", cascade=True).retired == ("m1",)

    def test_twice_is_refused_with_a_reason(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.rollback("m1")
        with pytest.raises(RefusedError, match="not held"):
            told.rollback("m1")

    @pytest.mark.parametrize("target", ["m9", "m1@7", "r1", "x", "p0", "p99", "2026-01-01"])
    def test_what_does_not_exist_is_a_usage_error(self, told: World, target: str) -> None:
        told.apply(Plan(ops=(NYC,)))
        with pytest.raises(UsageError):
            told.rollback(target)


class TestVersion:
    def test_from_a_version_on(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        for text in ("Ada lives in New York", "Ada lives in New York City"):
            told.apply(Plan(ops=(Revise("m1", text, evidence=(Cite("r4"),)),)))
        assert memory(told, "m1").version == 3
        told.rollback("m1@2")
        held = memory(told, "m1")
        assert (held.version, held.text) == (1, "Ada lives in NYC")
        assert [evidence.ref for evidence in held.evidence] == ["r1"]

    def test_numbers_of_versions_are_not_used_again(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Revise("m1", "Ada lives in Brooklyn"),)))
        told.rollback("m1@2")
        told.apply(Plan(ops=(Revise("m1", "Ada lives in Queens", evidence=(Cite("r4"),)),)))
        assert memory(told, "m1").version == 3

    def test_a_rejected_version_is_not_written_again(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Revise("m1", "Ada lives in Brooklyn"),)))
        told.rollback("m1@2")
        again = told.apply(Plan(ops=(Revise("m1", "Ada lives in Brooklyn"),)))
        assert [item.reason for item in again.rejected] == ["tombstoned"]


class TestPass:
    def test_rolled_back_it_is_free_to_run_again(self, told: World) -> None:
        before = told.dump()
        _, second = moved(told)
        told.rollback(second)
        report = told.apply(Plan(ops=(SF, Supersede("m1", JUNE, by="new:1")), consumed=("r2",)))
        assert report.operations["add"] == 1
        told.rollback(pass_of(report))
        told.rollback("p2")
        assert told.dump() == before

    def test_with_reject_it_is_wrong_too(self, told: World) -> None:
        first = told.apply(Plan(ops=(NYC,)))
        told.rollback(pass_of(first), reject=True)
        assert told.apply(Plan(ops=(NYC,))).pass_id is None

    def test_a_pass_not_in_force_is_refused(self, told: World) -> None:
        first = pass_of(told.apply(Plan(ops=(NYC,))))
        told.rollback(first)
        with pytest.raises(RefusedError, match="not in force"):
            told.rollback(first)

    def test_an_ingest_whose_records_are_cited_has_dependents(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        with pytest.raises(RefusedError):
            told.rollback("p1")
        report = told.rollback("p1", cascade=True)
        assert report.records_closed == 4
        assert report.retired == ("m1",)
        assert told.view.records() == []

    def test_an_ingest_taken_back_comes_back_as_the_same_records(self, world: World) -> None:
        units = [said("a", "I live in NYC"), said("b", "I moved to SF")]
        world.ingest(units)
        digest = world.records_digest()
        world.rollback("p1")
        assert world.view.records() == []
        assert world.plain_text_hits("live") == 0
        report = world.ingest(units)
        assert (report.records_new, report.records_restored) == (0, 2)
        assert [record.id for record in world.view.records()] == ["r1", "r2"]
        assert world.records_digest() == digest
        assert world.plain_text_hits("live") == 1

    def test_a_grown_ingest_depends_on_the_first(self, world: World) -> None:
        units = [said("a", "I live in NYC")]
        world.ingest(units)
        world.ingest([*units, said("b", "I moved to SF")])
        with pytest.raises(RefusedError) as refused:
            world.rollback("p1")
        assert refused.value.details["dependents"] == ["p2"]

    def test_dry_run_changes_nothing(self, told: World) -> None:
        from memcli.engine import revert
        from tests.engine.world import NOW

        moved(told)
        before, head = told.dump(), told.head
        report = revert.rollback(told.connection, "m2", now=NOW, dry_run=True)
        assert (report.pass_id, report.retired) == (None, ("m2",))
        assert (told.dump(), told.head) == (before, head)


class TestFourCases:
    """The four that the property tests must not be alone in finding."""

    @pytest.mark.parametrize("order", [("p3", "p4"), ("p4", "p3")])
    def test_a_double_supersede_with_both_rolled_back(
        self, told: World, order: tuple[str, str]
    ) -> None:
        told.apply(Plan(ops=(NYC,)))
        before = told.dump()
        told.apply(Plan(ops=(SF, Supersede("m1", JUNE, by="new:1"))))
        tea = Add("fact", "Ada likes tea", (Cite("r3"),), "new:1")
        told.apply(Plan(ops=(tea, Supersede("m1", "2026-03-01T00:00:00Z", by="new:1"))))
        assert memory(told, "m1").superseded_by == "m3"
        for target in order:
            told.rollback(target)
            memory(told, "m1")
        assert memory(told, "m1").valid_to is None
        assert told.dump() == before

    def test_undo_a_new_pass_then_rollback_of_the_undo(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        undone = pass_of(told.undo())
        told.apply(Plan(ops=(SF,)))
        told.rollback(undone)
        assert {m.text for m in told.view.memories()} == {"Ada lives in NYC", "Ada lives in SF"}

    def test_the_undo_cannot_be_taken_back_once_the_same_was_stored_again(
        self, told: World
    ) -> None:
        told.apply(Plan(ops=(NYC,)))
        undone = pass_of(told.undo())
        told.apply(Plan(ops=(NYC,)))
        before = told.dump()
        with pytest.raises(RefusedError, match="twice"):
            told.rollback(undone)
        assert told.dump() == before

    def test_two_strategies_sharing_an_edge_one_rolled_back(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Link("m1", "r4", "evidence"),)), "alpha")
        shared = told.dump()
        told.apply(Plan(ops=(Link("m1", "r4", "evidence"),)), "beta")
        with pytest.raises(RefusedError):
            told.rollback("p3")
        told.rollback("p4")
        assert told.dump() == shared
        told.rollback("p3")
        assert [evidence.ref for evidence in memory(told, "m1").evidence] == ["r1"]

    def test_undo_b_undo_a_redo_b(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Revise("m1", "Ada lives in Brooklyn"),)))
        after_b = told.dump()
        undo_b = pass_of(told.undo())
        after_undo_b = told.dump()
        told.undo()
        # b rests on a, which is not in force: b cannot come back before it.
        with pytest.raises(RefusedError):
            told.rollback(undo_b)
        told.redo()
        assert told.dump() == after_undo_b
        told.redo()
        assert told.dump() == after_b

    def test_undo_b_undo_a_redo_b_where_they_have_nothing_to_do_with_each_other(
        self, told: World
    ) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Add("fact", "Ada likes tea", (Cite("r3"),), "new:1"),)))
        undo_b = pass_of(told.undo())
        told.undo()
        told.rollback(undo_b)
        assert [m.text for m in told.view.memories()] == ["Ada likes tea"]


class TestUndoRedo:
    def test_undo_walks_back_and_redo_forward(self, told: World) -> None:
        states = [told.dump()]
        for op in (NYC, Add("fact", "Ada likes tea", (Cite("r3"),), "new:1")):
            told.apply(Plan(ops=(op,)))
            states.append(told.dump())
        for state in reversed(states[:-1]):
            told.undo()
            assert told.dump() == state
        for state in states[1:]:
            told.redo()
            assert told.dump() == state
        with pytest.raises(RefusedError, match="nothing to redo"):
            told.redo()

    def test_undo_takes_back_a_rollback_with_its_tombstone(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        before = told.dump()
        told.rollback("m1")
        told.undo()
        assert told.dump() == before
        told.undo()
        assert told.apply(Plan(ops=(NYC,))).operations["add"] == 1

    def test_redo_only_while_nothing_else_follows(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.undo()
        told.apply(Plan(ops=(SF,)))
        with pytest.raises(RefusedError, match="nothing to redo"):
            told.redo()

    def test_nothing_to_undo(self, world: World) -> None:
        with pytest.raises(RefusedError, match="nothing to undo"):
            world.undo()


class TestPoint:
    def test_back_to_a_point_is_the_state_then(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        point, dump = f"p{told.head}", told.dump()
        told.apply(Plan(ops=(Retire("m1", "wrong"),)))
        told.undo()
        told.apply(Plan(ops=(SF, Supersede("m1", JUNE, by="new:1"))))
        told.rollback("m2")
        told.rollback_to(point)
        assert told.dump() == dump

    def test_nothing_since(self, told: World) -> None:
        with pytest.raises(RefusedError, match="Nothing is in force"):
            told.rollback_to("last")


class TestOperations:
    """Apply then rollback for each operation, where the whole is easy to see."""

    @pytest.fixture
    def stocked(self, told: World) -> World:
        tea = Add("fact", "Ada likes tea", (Cite("r3"), Cite("r4")), "new:2")
        too = Add("fact", "Ada really likes tea", (Cite("r1", ("live in NYC",)),), "new:3")
        told.apply(Plan(ops=(NYC, tea, too, Link("new:1", "new:2", "related"))))
        return told

    @pytest.mark.parametrize(
        "op",
        [
            Revise("m1", "Ada lives in Brooklyn", evidence=(Cite("r2", ("moved",)),)),
            Revise("m2", "Tea!", evidence=(Cite("r1"),), replace_evidence=True),
            Revise("m1", attributes={"count": 3}, valid_from=JUNE),
            Supersede("m1", JUNE),
            Supersede("m1", JUNE, by="m2"),
            Retire("m1", "wrong"),
            Retire("m3", "same", merged_into="m2"),
            Link("m1", "r2", "evidence", quotes=("moved to SF",)),
            Link("m1", "m2", "conflict"),
            Unlink("m1", "m2", "related"),
            Unlink("m2", "r4", "evidence"),
            Rate("m1", "importance", 9),
            Rate("m1", "status", "faded"),
            Rate("r1", "pinned", True),
        ],
        ids=lambda op: f"{type(op).__name__}-{getattr(op, 'target', '')}",
    )
    def test_apply_then_rollback(self, stocked: World, op: Plan) -> None:
        before = stocked.dump()
        report = stocked.apply(Plan(ops=(op,)))  # type: ignore[arg-type]
        assert report.rejected == ()
        after = stocked.dump()
        assert after != before
        back = stocked.rollback(pass_of(report))
        assert stocked.dump() == before
        again = stocked.rollback(pass_of(back))
        assert stocked.dump() == after
        # What a rollback tells is what a diff of the two points tells.
        for told in (back, again):
            end = int(pass_of(told)[1:])
            changes = between(stocked.connection, end - 1, end).changes
            gone = tuple(one.memory for one in changes if one.change == "retired")
            kept = (one.memory for one in changes if one.change in ("restored", "revised"))
            assert (told.retired, told.restored) == (gone, tuple(dict.fromkeys(kept)))

    def test_a_merge_moves_evidence_and_widens_dates(self, stocked: World) -> None:
        stocked.apply(Plan(ops=(Retire("m3", "same", merged_into="m2"),)))
        survivor = memory(stocked, "m2")
        assert {evidence.ref for evidence in survivor.evidence} == {"r1", "r3", "r4"}
        assert survivor.valid_from == JANUARY
        assert stocked.view.merged_into("m3") == "m2"
        quoted = next(e for e in survivor.evidence if e.ref == "r1")
        assert quoted.quotes[0].text == "live in NYC"


def test_chain_and_fold_hold_once_contents_and_salts_are_blank(told: World) -> None:
    """What an erase will do to the journal: hashes and lives can still be checked."""
    moved(told)
    connection = told.connection
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO erasing VALUES (1)")
    connection.execute("UPDATE op SET content = NULL, salt = NULL")
    connection.execute("DELETE FROM erasing")
    # Without an erase after it, a content that is gone is a finding.
    PassWriter(connection, "erase", NOW).finish()
    connection.execute("COMMIT")
    told.check()
    with pytest.raises(Exception, match="never change"):
        connection.execute("UPDATE op SET content = 'x' WHERE id = 1")


class TestIndependence:
    """What one pass said must go with it, whatever later ones built on top."""

    def test_a_revised_date_does_not_keep_what_a_rolled_back_pass_ended(self, told: World) -> None:
        _, second = moved(told)
        told.apply(Plan(ops=(Revise("m1", "Ada lives in New York", valid_from="2025-01-01"),)))
        told.rollback(second)
        held = memory(told, "m1")
        assert (held.valid_from, held.valid_to) == ("2025-01-01T00:00:00Z", None)
        assert held.superseded_by is None

    def test_a_merge_taken_back_gives_the_survivor_its_own_dates(self, told: World) -> None:
        old = Add("fact", "Ada likes tea", (Cite("r3"),), "new:1")
        new = Add("fact", "Ada really likes tea", (Cite("r2"),), "new:2")
        told.apply(Plan(ops=(old, new)))
        told.apply(Plan(ops=(Retire("m1", "same", merged_into="m2"),)))
        assert memory(told, "m2").valid_from == JANUARY
        told.apply(Plan(ops=(Supersede("m2", "2027-01-01T00:00:00Z"),)))
        told.rollback("p3")
        survivor = memory(told, "m2")
        assert (survivor.valid_from, survivor.valid_to) == (JUNE, "2027-01-01T00:00:00Z")

    def test_evidence_that_would_close_a_circle_does_not_come_back(self, told: World) -> None:
        tea = Add("fact", "Ada likes tea", (Cite("r3"),), "new:2")
        told.apply(Plan(ops=(NYC, tea)))
        told.apply(Plan(ops=(Link("m1", "m2", "evidence"),)))
        undone = pass_of(told.rollback("p3"))
        told.apply(Plan(ops=(Link("m2", "m1", "evidence"),)))
        before = told.dump()
        with pytest.raises(RefusedError, match="rest on itself"):
            told.rollback(undone)
        assert told.dump() == before


class TestRejected:
    def test_every_version_that_goes_is_rejected(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        told.apply(Plan(ops=(Revise("m1", "Ada lives in New York", evidence=(Cite("r4"),)),)))
        told.rollback("m1", cascade=True)
        for text in ("Ada lives in NYC", "Ada lives in New York"):
            again = Add("fact", text, (Cite("r1"), Cite("r4")), "new:1")
            assert [r.reason for r in told.apply(Plan(ops=(again,))).rejected] == ["tombstoned"]

    def test_a_version_in_its_predecessors_words(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        more = Revise("m1", attributes={"count": 2}, evidence=(Cite("r4"),))
        told.apply(Plan(ops=(more,)))
        told.rollback("m1@2")
        assert [r.reason for r in told.apply(Plan(ops=(more,))).rejected] == ["tombstoned"]
        other = Revise("m1", attributes={"count": 2}, evidence=(Cite("r4"), Cite("r2")))
        assert told.apply(Plan(ops=(other,))).operations["revise"] == 1

    def test_a_merge_that_was_wrong_is_not_made_again(self, told: World) -> None:
        one = Add("fact", "Ada likes tea", (Cite("r3"),), "new:1")
        two = Add("fact", "Ada really likes tea", (Cite("r2"),), "new:2")
        told.apply(Plan(ops=(one, two)))
        merge = Retire("m1", "same", merged_into="m2")
        told.apply(Plan(ops=(merge,)))
        told.rollback("last", reject=True)
        assert [r.reason for r in told.apply(Plan(ops=(merge,))).rejected] == ["tombstoned"]

    def test_what_only_rested_on_it_may_come_again(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        insight = Add("insight", "Ada is urban", (Cite("m1"), Cite("r4")), "new:1")
        told.apply(Plan(ops=(insight,)))
        told.rollback("m1", cascade=True)
        again = Add("insight", "Ada is urban", (Cite("r1"), Cite("r4")), "new:1")
        assert told.apply(Plan(ops=(again,))).operations["add"] == 1


class TestConsumed:
    def test_a_cascade_frees_what_the_dependents_consumed(self, told: World) -> None:
        told.apply(Plan(ops=(NYC,)))
        insight = Add("insight", "Ada is urban", (Cite("m1"), Cite("r3")), "new:1")
        told.apply(Plan(ops=(insight,), consumed=("r3",)))
        told.rollback("p2", cascade=True)
        assert "r3" in {record.id for record in told.view.unconsumed("scripted")}

    def test_a_memory_retired_since_does_not_hold_a_record(self, told: World) -> None:
        other = Add("fact", "Ada moved once", (Cite("r2"),), "new:2")
        told.apply(Plan(ops=(SF, other), consumed=("r2",)))
        told.apply(Plan(ops=(Retire("m2"),)))
        assert told.rollback("m1").released_records == 1

    def test_only_records_that_are_there_once(self, told: World) -> None:
        before = told.dump()
        report = told.apply(Plan(consumed=("r1", "r1", "r99", "m1")))
        assert [r.reason for r in report.rejected] == ["unknown-id", "unknown-id"]
        again = told.apply(Plan(consumed=("r1",)))
        assert [r.reason for r in again.rejected] == ["target-taken"]
        assert report.pass_id is not None
        told.rollback(report.pass_id)
        assert told.dump() == before


def test_evidence_that_another_was_dropped_for_does_not_go_alone(told: World) -> None:
    told.apply(Plan(ops=(NYC,)))
    told.apply(Plan(ops=(Link("m1", "r4", "evidence"),)))
    told.apply(Plan(ops=(Unlink("m1", "r1", "evidence"),)))
    with pytest.raises(RefusedError) as refused:
        told.rollback("p3")
    assert refused.value.details["dependents"] == ["p4"]
    told.rollback("p3", cascade=True)
    assert [evidence.ref for evidence in memory(told, "m1").evidence] == ["r1"]
