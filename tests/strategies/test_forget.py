"""`forget` through the real engine: the acceptance tests of its page, its policies and its trigger."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.core.memories import Memory, Slot
from memcli.core.options import SearchOptions
from memcli.core.plan import Add, Cite, Plan, Rate, Supersede
from memcli.core.records import Record, Scope
from memcli.core.reports import ConsolidateReport, Due
from memcli.engine import due, run
from memcli.engine.audit import audit
from memcli.engine.embedding import embedding
from memcli.engine.ingest import Ingest, Input
from memcli.errors import RefusedError
from memcli.kit.fading import Fate, forecast
from memcli.kit.forgetting import heat, retention
from memcli.kit.moments import format_time, parse_time
from memcli.registry import get_strategy
from memcli.retrieval.searching import search
from memcli.retrieval.view import SearchView
from memcli.store import journal, uses
from memcli.strategies.forget import Params
from memcli.testing import FakeView, a_context, a_memory, a_record
from tests.engine.world import World, said

START = "2026-03-01T12:00:00.000Z"  # the time of the passes of a World
MEMORIES = Params(layer="memories")


def day(number: float, since: str = START) -> str:
    moment: datetime = parse_time(since) + timedelta(days=number)
    return format_time(moment)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def fill(world: World, *texts: str | Add, consumed: bool = True, at: str = START) -> None:
    """A record said on day 0 and a fact that rests on it, for each text."""
    first = len(world.view.records()) + 1
    adds = [one if isinstance(one, Add) else Add("fact", one, (), "new:1") for one in texts]
    units = [said(f"u{first + nth}", f"{add.text}!", at=at) for nth, add in enumerate(adds)]
    world.ingest(units)
    ops, refs = [], []
    for nth, add in enumerate(adds):
        refs.append(f"r{first + nth}")
        ops.append(
            Add(
                add.kind,
                add.text,
                (Cite(refs[-1], (add.text,)),),
                f"new:{nth + 1}",
                attributes=add.attributes,
                slot=add.slot,
            )
        )
    world.apply(Plan(tuple(ops), consumed=tuple(refs) if consumed else ()), "maker")


def recall(world: World, ref: str, *days: float) -> None:
    for number in days:
        uses.log_recalls(world.connection, [ref], day(number))


def forget(world: World, at: float, params: Params | None = None, **wish: Any) -> ConsolidateReport:
    strategy = get_strategy("forget")
    request = run.Request(strategy, params or Params(), now=day(at), **wish)
    embed = embedding(world.connection, world.embedder)
    return run.run_pass(world.connection, request, a_context(now=day(at)), embed)


def is_due(world: World, at: float, params: Params | None = None) -> Due:
    view = SearchView(world.connection, world.head)
    context = a_context(now=day(at))
    return due.due(view, get_strategy("forget"), context, params or Params(), model=False)


def fates(world: World, at: float, params: Params | None = None) -> dict[str, Fate]:
    view = world.view.narrowed(Scope())
    single = frozenset({"lives_in"})
    found = forecast(view, day(at), params or Params(), single)
    return {fate.item.id: fate for fate in found.fates}


def faded(world: World) -> list[str]:
    items: list[Record | Memory] = [*world.view.records(), *world.view.memories()]
    return [item.id for item in items if item.status == "faded"]


def found(world: World, query: str, **options: Any) -> list[tuple[str, str]]:
    view = SearchView(world.connection, world.head)
    report = search(view, query, SearchOptions(**options))
    return [(hit.id, hit.status) for hit in report.results]


# --- the acceptance tests of the page -------------------------------------------------------------


def test_t1_curve(world: World) -> None:
    fill(world, "Ada likes tea", "Ada has a dog")
    recall(world, "m2", 0, 0, 0, 0)
    values = {ref: fate.value for ref, fate in fates(world, 5, MEMORIES).items()}
    assert values == {"m1": pytest.approx(0.0067, abs=5e-5), "m2": pytest.approx(0.368, abs=5e-4)}
    before, records = world.dump(), world.record_rows()
    report = forget(world, 5, MEMORIES)
    assert (report.outcome, report.operations["rate"], faded(world)) == ("applied", 1, ["m1"])
    memory = world.view.get("m1")
    assert isinstance(memory, Memory)
    record = world.view.get(memory.evidence[0].ref)
    assert isinstance(record, Record)
    assert (record.text, record.status) == ("Ada likes tea!", "active")
    world.check()
    assert audit(world.view, deep=True).findings == ()
    world.rollback("last")
    assert (world.dump(), world.record_rows()) == (before, records)


@pytest.mark.parametrize(
    ("days", "strength", "expected"),
    [(1, 1, 0.368), (1, 5, 0.819), (5, 1, 0.0067), (5, 5, 0.368), (10, 2, 0.0067), (10, 5, 0.135)],
)
def test_t1_the_table_of_the_page(days: float, strength: float, expected: float) -> None:
    assert retention(days, strength) == pytest.approx(expected, rel=0.01)
    assert retention(days, strength + 1) > retention(days, strength)


def test_t2_recall(world: World) -> None:
    fill(world, "Ada likes tea")
    recall(world, "m1", 4)
    fate = fates(world, 5)["m1"]
    assert (fate.use.days, fate.use.strength) == (1, 2)
    assert fate.value == pytest.approx(0.607, abs=5e-4)
    # Seen from an earlier time, a recall has not happened yet.
    assert fates(world, 3)["m1"].use.strength == 1


class TestUnconsumed:
    def ten(self, world: World, consumed: int) -> None:
        world.ingest([said(f"u{n}", f"line {n}", at=START) for n in range(1, 11)])
        if consumed:
            refs = tuple(f"r{n}" for n in range(1, consumed + 1))
            world.apply(Plan(consumed=refs), "maker")

    def test_t3_unconsumed(self, world: World) -> None:
        self.ten(world, 6)
        report = forget(world, 9)
        assert (report.operations["rate"], report.pending) == (6, {"unconsumed": 4})
        assert faded(world) == [f"r{n}" for n in range(1, 7)]
        assert report.warnings[0] == (
            "4 records that no pass has settled may not fade; waiting for maker 4"
        )
        again = forget(world, 9)
        assert (again.outcome, again.pending) == ("no-changes", {"unconsumed": 4})

    def test_t3_override(self, world: World) -> None:
        self.ten(world, 6)
        report = forget(world, 9, Params(unconsumed=True))
        assert (report.operations["rate"], report.pending) == (10, {})
        (entry, *_) = journal.operations(world.connection, world.head)
        assert entry.content is not None
        assert entry.content["params"]["unconsumed"] is True

    def test_t3_none_consumed(self, world: World) -> None:
        self.ten(world, 0)
        before = world.head
        for dry_run in (False, True):
            with pytest.raises(RefusedError, match="no method has run yet") as refused:
                forget(world, 9, dry_run=dry_run)
            assert refused.value.code == 6
        assert world.head == before
        assert not is_due(world, 9).due
        assert is_due(world, 9).pending == {"unconsumed": 10}

    def test_t4_rolled_back_consolidation(self, world: World) -> None:
        self.ten(world, 10)
        world.rollback("last")
        with pytest.raises(RefusedError):
            forget(world, 9)

    def test_what_faded_is_safe_again_when_its_consolidation_is_rolled_back(
        self, world: World
    ) -> None:
        self.ten(world, 10)
        consolidated = f"p{world.head}"
        forget(world, 9)
        world.rollback(consolidated)
        assert forget(world, 9).operations["rate"] == 10
        assert faded(world) == []

    def test_a_scope_where_all_wait_costs_no_other(self, world: World) -> None:
        self.ten(world, 10)
        into(world, Scope(user="eve"), said("e", "I am Eve", at=START, session="eve"))
        report = forget(world, 9)
        assert (report.outcome, report.operations["rate"]) == ("applied", 10)
        assert report.pending == {"unconsumed": 1}


class TestCourtesies:
    """Records that hold nothing to settle: no method ever would (C26)."""

    def told(self, world: World, *lines: str) -> None:
        world.ingest([said(f"u{nth}", line, at=START) for nth, line in enumerate(lines, 1)])

    def test_fade_once_a_method_has_read_their_session(self, world: World) -> None:
        self.told(
            world, "I like tea.", "ok", "Noted.", "Enjoy!", "Thanks so much, Ada!", "\U0001f44d"
        )
        assert {fate.kept for fate in fates(world, 5).values()} == {"unconsumed"}
        world.apply(Plan(consumed=("r1",)), "maker")
        consolidated = f"p{world.head}"
        report = forget(world, 5)
        assert (report.operations["rate"], report.pending) == (6, {})
        world.rollback("last")
        world.rollback(consolidated)
        assert {fate.kept for fate in fates(world, 5).values()} == {"unconsumed"}

    def test_also_where_a_memory_was_drawn_and_nothing_settled(self, world: World) -> None:
        self.told(world, "I like tea.", "ok")
        add = Add("fact", "Ada likes tea", (Cite("r1"),), "new:1")
        world.apply(Plan((add,)), "maker")
        found = fates(world, 5)
        assert (found["r1"].kept, found["r2"].kept) == ("unconsumed", "")

    @pytest.mark.parametrize(
        "text",
        [
            "Do you know a vet for my dog?",
            "```\nport = 8080\n```",
            "42",
            "Thanks! I am allergic to nuts.",
            "\u597d\u7684",
        ],
    )
    def test_what_a_model_may_draw_something_from_waits(self, world: World, text: str) -> None:
        self.told(world, "I like tea.", text)
        world.apply(Plan(consumed=("r1",)), "maker")
        assert fates(world, 5)["r2"].kept == "unconsumed"


def into(world: World, scope: Scope, *units: Any) -> None:
    embed = embedding(world.connection, world.embedder)
    ingest = Ingest(world.connection, world.path, given=scope, redact=True, embed=embed)
    ingest.run([Input(f"{scope.user}.jsonl", "test", list(units))], now=START, dry_run=False)


def test_t5_return(world: World) -> None:
    fill(world, "Ada likes tea")
    forget(world, 5, MEMORIES)
    assert found(world, "tea", layer="derived") == []
    assert found(world, "tea", layer="derived", include=("faded",)) == [("m1", "faded")]
    recall(world, "m1", 5)
    assert forget(world, 6, MEMORIES).operations["rate"] == 1
    assert found(world, "tea", layer="derived") == [("m1", "current")]


def test_t5_by_a_milder_threshold(world: World) -> None:
    fill(world, "Ada likes tea")
    forget(world, 5, MEMORIES)
    assert faded(world) == ["m1"]
    milder = Params(layer="memories", time_scale=5)
    assert forget(world, 7, milder).operations["rate"] == 1
    assert faded(world) == []


HUNDRED: dict[str, Any] = {"layer": "memories", "capacity": 100}


class TestCapacity:
    @pytest.mark.parametrize("policy", ["heat", "lru"])
    def test_t6_capacity(self, world: World, policy: str) -> None:
        fill(world, *(f"fact {n} of all" for n in range(1, 102)))
        for n in range(1, 102):
            if n != 40:
                recall(world, f"m{n}", 1)
        before = world.dump()
        report = forget(world, 5, Params(policy=policy, **HUNDRED))
        assert (report.operations["rate"], faded(world)) == (1, ["m40"])
        assert forget(world, 5, Params(policy=policy, **HUNDRED)).outcome == "nothing-due"
        world.rollback("last")
        assert world.dump() == before

    @pytest.mark.parametrize("policy", ["heat", "lru"])
    def test_t6_the_young_stay(self, world: World, policy: str) -> None:
        fill(world, *(f"fact {n} of all" for n in range(1, 101)))
        for n in range(1, 101):
            recall(world, f"m{n}", 4.5)
        fill(world, "the newest of all", at=day(4.4))
        forget(world, 5, Params(policy=policy, **HUNDRED))
        assert len(faded(world)) == 1
        assert faded(world) != ["m101"]

    def test_t11_other_user(self, world: World) -> None:
        fill(world, "Ada likes tea", "Ada has a dog")
        into(world, Scope(user="eve"), said("e", "I am Eve", at=START, session="eve"))
        assert forget(world, 5, Params(policy="lru", capacity=2)).outcome == "nothing-due"
        assert forget(world, 5, Params(policy="lru", capacity=1)).operations["rate"] == 1

    def test_heat_below_the_least_fades_whatever_room_there_is(self, world: World) -> None:
        fill(world, "Ada likes tea", "Ada has a dog")
        recall(world, "m1", 1, 2)
        forget(world, 5, Params(policy="heat", layer="memories", min_heat=2.5))
        assert faded(world) == ["m2"]

    def test_room_that_comes_free_is_given_back(self, world: World) -> None:
        fill(world, "Ada likes tea", "Ada has a dog")
        forget(world, 5, Params(policy="lru", layer="memories", capacity=1))
        assert len(faded(world)) == 1
        forget(world, 7, Params(policy="lru", layer="memories", capacity=2))
        assert faded(world) == []


def test_t7_ttl(world: World) -> None:
    fill(world, "Ada likes tea")
    expiring = Add(
        "insight", "Ada is calm", (Cite("m1"),), "new:1", attributes={"expires_at": day(30)}
    )
    world.apply(Plan((expiring,)))
    world.apply(Plan((Add("theme", "Calm people", (Cite("m2"),), "new:1"),)))
    params = Params(policy="ttl", layer="memories", ttl_days=90)
    assert forget(world, 29, params).outcome == "nothing-due"
    assert forget(world, 30, params).operations["rate"] == 1
    assert faded(world) == ["m2"]
    citing = world.view.get("m3")
    assert isinstance(citing, Memory)
    assert [evidence.ref for evidence in citing.evidence] == ["m2@1"]
    assert audit(world.view, select=["P", "Q"]).findings == ()
    assert forget(world, 90, params).operations["rate"] == 2


def test_t8_both_layers(world: World) -> None:
    fill(world, "Ada likes tea")
    forget(world, 5)
    assert faded(world) == ["r1"]
    # Nor does the memory go right after its record, in a pass of the same day.
    assert forget(world, 5.5).outcome == "nothing-due"
    forget(world, 6)
    assert faded(world) == ["r1", "m1"]


def test_t9_reads(world: World) -> None:
    fill(world, "Ada likes tea")
    before = {ref: fate.value for ref, fate in fates(world, 2).items()}
    for _ in range(100):
        assert found(world, "tea")
    assert {ref: fate.value for ref, fate in fates(world, 2).items()} == before


@pytest.mark.parametrize("policy", ["ebbinghaus", "heat", "ttl", "lru"])
def test_t10_protected(world: World, policy: str) -> None:
    home = Add("fact", "Ada lives in SF", (), "new:1", slot=Slot("Ada", "lives_in", "SF"))
    fill(world, "Ada is allergic to nuts", "Ada likes tea", home, "Ada has a dog", "Tom is tall")
    ops = (
        Rate("m1", "importance", 9),
        Rate("m2", "pinned", True, by="person"),
        Rate("r1", "importance", 10),
        Rate("r2", "pinned", True, by="person"),
        Rate("m5", "status", "pending"),
    )
    world.apply(Plan(ops))
    params = Params(policy=policy, layer="memories", capacity=1)
    forget(world, 400, params)
    assert faded(world) == ["m4"]
    forget(world, 402, Params(policy=policy, capacity=1))
    assert not {"r1", "r2", "m1", "m2", "m3", "m5"} & set(faded(world))
    why = {ref: fate.kept for ref, fate in fates(world, 404, params).items()}
    assert why["m1"], why["m2"] == ("importance", "pinned")
    assert (why["m3"], why["m5"]) == ("current-value", "pending")


def test_knowledge_update(world: World) -> None:
    nyc, sf = (
        Add("fact", f"Ada lives in {home}", (), "new:1", slot=Slot("Ada", "lives_in", home))
        for home in ("NYC", "SF")
    )
    fill(world, nyc)
    fill(world, sf, at=day(20))
    world.apply(Plan((Supersede("m1", day(20), by="m2"),)))
    forget(world, 100, MEMORIES)
    assert faded(world) == ["m1"]
    where = "where does Ada live"
    # What was said first is marked as what no longer holds, though the memory that says so faded.
    shown = [("m2", "current"), ("r2", "current"), ("r1", "superseded")]
    assert dict(found(world, where)) == dict(shown)
    then: dict[str, Any] = {"valid_at": day(10), "layer": "derived"}
    assert found(world, where, **then) == []
    assert found(world, where, include=("faded",), **then) == [("m1", "faded")]
    # Of now it is a thing of the past twice over.
    now: dict[str, Any] = {"layer": "derived"}
    assert found(world, where, include=("faded",), **now) == [("m2", "current")]
    assert found(world, where, include=("superseded",), **now) == [("m2", "current")]
    both = found(world, where, include=("faded", "superseded"), **now)
    assert both == [("m2", "current"), ("m1", "faded")]


class TestRollback:
    def test_rollback_and_redo(self, world: World) -> None:
        fill(world, "Ada likes tea", "Ada likes green tea", "Tea is hot")
        before, shown = world.dump(), found(world, "tea")
        assert found(world, "tea")
        forget(world, 5)
        forget(world, 6)
        after, gone = world.dump(), faded(world)
        assert found(world, "tea") == []
        world.undo()
        world.undo()
        assert (world.dump(), found(world, "tea")) == (before, shown)
        world.redo()
        world.redo()
        assert (world.dump(), faded(world)) == (after, gone)
        world.check()


# --- what else has to hold ------------------------------------------------------------------------


class TestReading:
    def test_faded_items_are_left_out_and_brought_back_marked(self, world: World) -> None:
        fill(world, "Ada likes tea")
        forget(world, 5)
        assert dict(found(world, "tea")) == {"m1": "current"}
        forget(world, 6)
        assert found(world, "tea") == []
        # The words of the memory stand in the record, and are shown once.
        assert found(world, "tea", include=("faded",)) == [("r1", "faded")]
        brought = found(world, "tea", include=("faded",), layer="derived")
        assert brought == [("m1", "faded")]

    def test_a_faded_record_is_marked_and_no_strategy_selects_it(self, world: World) -> None:
        world.ingest([said("a", "I like tea", at=START)])
        world.apply(Plan(consumed=("r1",)), "maker")
        assert [record.id for record in world.view.unconsumed("other")] == ["r1"]
        forget(world, 5)
        assert world.view.unconsumed("other") == []
        assert found(world, "tea") == []
        assert found(world, "tea", include=("faded",)) == [("r1", "faded")]


def test_a_persons_verdict_on_the_status_stands(world: World) -> None:
    fill(world, "Ada likes tea", "Ada has a dog")
    ops = (
        Rate("m1", "status", "active", by="person"),
        Rate("m2", "status", "faded", by="person"),
    )
    world.apply(Plan(ops))
    assert forget(world, 5, MEMORIES).outcome == "nothing-due"
    recall(world, "m2", 5)
    assert forget(world, 5, MEMORIES).outcome == "nothing-due"
    assert faded(world) == ["m2"]


def test_who_finds_what_quotes_a_record_has_used_the_record(world: World) -> None:
    fill(world, "Ada likes tea")
    recall(world, "m1", 4)
    uses.log_recalls(world.connection, ["r1"], day(4))  # in the same answer: one use
    assert fates(world, 5)["r1"].use.recalls == 1
    assert fates(world, 5)["m1"].use.recalls == 1


def test_it_says_that_no_recalls_are_logged(world: World) -> None:
    fill(world, "Ada likes tea")
    assert "no recalls logged" in forget(world, 1).warnings[0]
    recall(world, "m1", 1)
    assert forget(world, 1).warnings == ()


def test_the_reason_stands_beside_the_rating(world: World) -> None:
    fill(world, "Ada likes tea")
    report = forget(world, 5)
    assert [change.reason for change in report.changes] or report.operations["rate"] == 1
    ops = journal.operations(world.connection, world.head)
    (rated,) = [op for op in ops if op.type == "rate"]
    assert rated.content is not None
    assert rated.content["reason"] == "ebbinghaus: R 0.006738, threshold 0.1"
    assert world.view.rated_by("r1", "status") == "forget"


def test_what_has_no_time_goes_by_when_it_was_stored(world: World) -> None:
    world.ingest([said("a", "I like tea")])
    world.apply(Plan(consumed=("r1",)), "maker")
    assert fates(world, 2)["r1"].use.days == 2
    bare = FakeView(a_record("r1", "I like tea"), consumed={"maker": ["r1"]})
    (fate,) = forecast(bare, START, Params()).fates
    assert (fate.kept, fate.meets, fate.change) == ("no-time", False, None)


def test_documents_that_are_written_anew_do_not_fade() -> None:
    kinds = ("model", "block", "trait", "overview", "digest", "summary", "entity")
    record = a_record("r1", "I like tea", at=START)
    memories = [a_memory(f"m{n}", "Tea", "r1", kind=kind) for n, kind in enumerate(kinds, 1)]
    found = forecast(FakeView(record, *memories), day(99), MEMORIES)
    assert {fate.kept for fate in found.fates} == {"kind"}
    assert found.changes == []


def test_tool_results_that_nothing_ever_takes_do_not_hold_up_others(world: World) -> None:
    found = FakeView(
        a_record("r1", "ok", kind="tool_result", role="tool", at=START),
        a_record("r2", "I like tea", at=START),
        consumed={"maker": ["r2"]},
    )
    told = forecast(found, day(9), Params())
    assert ([fate.item.id for fate in told.changes], told.unconsumed) == (["r2"], [])


def test_heat_is_that_of_the_paper() -> None:
    assert heat(3, 2, 0, Params()) == 6
    assert heat(0, 1, 1e7, Params()) == pytest.approx(1 + math.exp(-1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "chance"},
        {"layer": "raw"},
        {"time_scale": 0.0},
        {"threshold": 1.5},
        {"capacity": 0},
        {"ttl_days": -1.0},
        {"keep_importance": 0},
    ],
)
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Params(**wrong)


class TestTrigger:
    def test_once_a_day_and_only_if_something_would_change(self, world: World) -> None:
        fill(world, "Ada likes tea", "Ada has a dog")
        assert not is_due(world, 1).due
        found = is_due(world, 5)
        assert (found.due, found.value, found.threshold) == (True, 2, 1)
        assert found.why == "2 statuses would change"
        forget(world, 5)
        recall(world, "r1", 5.2)
        waiting = is_due(world, 5.5)
        assert (waiting.due, waiting.value) == (False, 1)
        assert "ran less than 1 days ago" in waiting.why
        assert is_due(world, 6).due

    def test_silent_on_an_empty_store(self, world: World) -> None:
        assert not is_due(world, 5).due


def test_it_is_registered_with_its_alias() -> None:
    found = get_strategy("ebbinghaus")
    assert (found.info.name, found.trigger, found.info.kinds) == ("forget", "fading", ())
