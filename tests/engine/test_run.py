"""What a pass refuses, rejects and reports."""

import pytest

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
from memcli.engine.audit import gate
from memcli.errors import RefusedError
from memcli.store.view import StoreView
from tests.engine.world import World, said

DAY = "2026-05-01T10:00:00Z"
NYC = Add("fact", "Ada lives in NYC", (Cite("r1", ("live in NYC",)),), "new:1")


@pytest.fixture
def told(world: World) -> World:
    world.ingest(
        [
            said("a", "I live  in\nNYC", at=DAY),
            said("b", "I moved to SF yesterday", at=DAY),
            said("c", "I like tea", at="2026-05-03T10:00:00Z"),
        ]
    )
    return world


@pytest.fixture
def stocked(told: World) -> World:
    tea = Add("fact", "Ada likes tea", (Cite("r3"),), "new:2")
    told.apply(Plan(ops=(NYC, tea)))
    return told


def add(text: str, *cites: Cite, draft: str = "new:1") -> Add:
    return Add("fact", text, cites, draft)


REJECTED: list[tuple[str, Operation]] = [
    ("no-evidence", add("Ada sings")),
    ("no-evidence", add("Ada sings", Cite("r99"))),
    ("quote-not-in-source", add("Ada sings", Cite("r1", ("I sing",)))),
    ("empty-text", add("  ", Cite("r1"))),
    ("relative-date", add("Ada moved yesterday", Cite("r2"), Cite("r3"))),
    ("duplicate", add("Ada lives in NYC", Cite("r1"))),
    ("bad-draft-id", add("Ada sings", Cite("r1"), draft="m7")),
    ("unknown-id", Revise("m9", "x y z")),
    ("unknown-id", Revise("r1", "x y z")),
    ("unknown-id", Revise("m1@2", "x y z")),
    ("changes-nothing", Revise("m1")),
    ("cites-itself", Revise("m1", "Ada lives in Manhattan", evidence=(Cite("m1"),))),
    ("empty-interval", Supersede("m1", "2020-01-01T00:00:00Z")),
    ("supersedes-itself", Supersede("m1", "2027-01-01T00:00:00Z", by="m1")),
    ("unknown-id", Supersede("m1", "2027-01-01T00:00:00Z", by="m9")),
    ("merged-into-itself", Retire("m1", merged_into="m1@1")),
    ("unknown-id", Retire("m1", merged_into="r1")),
    ("unknown-id", Link("m1", "m9", "related")),
    ("links-itself", Link("m1", "m1", "related")),
    ("unknown-role", Link("m1", "m2", "friend")),  # type: ignore[arg-type]
    ("no-such-link", Unlink("m1", "m2", "related")),
    ("no-evidence", Unlink("m1", "r1", "evidence")),
    ("bad-value", Rate("m1", "importance", 11)),
    ("bad-value", Rate("m1", "importance", True)),
    ("bad-value", Rate("m1", "status", "great")),
    ("bad-value", Rate("m1", "colour", "red")),
    ("unknown-id", Rate("m99", "importance", 5)),
]


@pytest.mark.parametrize(
    ("reason", "op"),
    REJECTED,
    ids=[f"{r}-{type(op).__name__}-{n}" for n, (r, op) in enumerate(REJECTED)],
)
def test_an_item_that_is_not_sound_is_rejected_and_the_rest_goes_on(
    stocked: World, reason: str, op: Operation
) -> None:
    good = Add("fact", "Ada moved", (Cite("r2"),), "new:7")
    report = stocked.apply(Plan(ops=(op, good)))
    assert reason in {item.reason for item in report.rejected}
    assert report.operations["add"] == 1
    assert stocked.view.memories()[-1].text == "Ada moved"


def test_what_requires_a_rejected_item_goes_with_it(stocked: World) -> None:
    bad = add("Ada sings", Cite("r99"))
    on_it = Add(
        "insight", "Ada is musical", (Cite("new:1"), Cite("r1")), "new:2", requires=("new:1",)
    )
    report = stocked.apply(Plan(ops=(bad, on_it)))
    assert [item.reason for item in report.rejected][-1] == "requires-rejected"
    assert report.pass_id is None


def test_an_unknown_source_is_dropped_where_others_are_left(stocked: World) -> None:
    report = stocked.apply(Plan(ops=(add("Ada sings", Cite("r99"), Cite("r1")),)))
    assert [(item.item, item.reason) for item in report.rejected] == [("r99", "unknown-id")]
    assert [e.ref for e in stocked.view.memories()[-1].evidence] == ["r1"]


def test_one_change_a_target(stocked: World) -> None:
    ops = (Revise("m1", "Ada lives in Manhattan"), Retire("m1"), Rate("m1", "importance", 5))
    report = stocked.apply(Plan(ops=ops))
    assert [item.reason for item in report.rejected] == ["target-taken"]
    assert report.operations["revise"] == report.operations["rate"] == 1


def test_a_quote_is_stored_as_the_records_own_span(stocked: World) -> None:
    quote = stocked.view.memories()[0].evidence[0].quotes[0]
    record = stocked.view.get("r1")
    assert record is not None
    assert quote.text == record.text[quote.start : quote.end] == "live  in\nNYC"


def test_a_relative_word_becomes_a_date_where_the_evidence_has_one_day(stocked: World) -> None:
    stocked.apply(Plan(ops=(add("Ada moved to SF yesterday, she said", Cite("r2")),)))
    assert "2026-04-30" in stocked.view.memories()[-1].text


def test_verbatim_text_keeps_its_words(stocked: World) -> None:
    stocked.apply(Plan(ops=(add("I moved to SF yesterday", Cite("r2"), Cite("r3")),)))
    assert stocked.view.memories()[-1].text == "I moved to SF yesterday"


def test_world_time_comes_from_the_evidence(stocked: World) -> None:
    stocked.apply(Plan(ops=(add("Ada sings", Cite("r1"), Cite("r3")),)))
    assert stocked.view.memories()[-1].valid_from == "2026-05-03T10:00:00Z"


@pytest.mark.parametrize(
    "ops",
    [
        (Link("m1", "m2", "evidence"), Link("m2", "m1", "evidence")),
        (Revise("m1", "x y z", evidence=(Cite("m2"),)), Link("m2", "m1", "evidence")),
    ],
)
def test_a_circle_of_evidence_refuses_the_whole_plan(
    stocked: World, ops: tuple[Operation, ...]
) -> None:
    head = stocked.head
    with pytest.raises(RefusedError, match="rest on itself"):
        stocked.apply(Plan(ops=ops))
    assert stocked.head == head


def test_a_dry_run_writes_nothing_and_shows_draft_ids(stocked: World) -> None:
    head, dump = stocked.head, stocked.dump()
    ops = (add("Ada sings", Cite("r1")), Supersede("m1", "2027-01-01T00:00:00Z", by="new:1"))
    report = stocked.apply(Plan(ops=ops), dry_run=True)
    assert (report.outcome, report.pass_id) == ("planned", None)
    assert [(c.change, c.memory) for c in report.changes] == [
        ("added", "new:1"),
        ("superseded", "m1"),
    ]
    assert (stocked.head, stocked.dump()) == (head, dump)


def test_planned_and_applied_changes_agree(stocked: World) -> None:
    ops = (
        add("Ada sings", Cite("r1", ("NYC",))),
        Revise("m1", "Ada lives in Manhattan", evidence=(Cite("r2"),)),
        Retire("m2", "wrong"),
    )
    planned = stocked.apply(Plan(ops=ops), dry_run=True)
    applied = stocked.apply(Plan(ops=ops))
    wanted = {(c.change, c.kind, c.before, c.after) for c in planned.changes}
    made = {(c.change, c.kind, c.before, c.after) for c in applied.changes}
    assert wanted <= made
    assert {change for change, *_ in made - wanted} <= {"linked"}


def test_what_came_over_a_memory_in_its_own_pass_is_told(stocked: World) -> None:
    ops = (
        add("Ada sings", Cite("r1")),
        add("Ada dances", Cite("r3"), draft="new:2"),
        Supersede("new:1", "2026-05-04T10:00:00Z", by="new:2"),
        Link("new:2", "m1", "conflict"),
    )
    changes = stocked.apply(Plan(ops=ops)).changes
    assert [(c.change, c.memory, c.after) for c in changes] == [
        ("added", "m3", "Ada sings"),
        ("superseded", "m3", "valid 2026-05-01T10:00:00Z to 2026-05-04T10:00:00Z by m4"),
        ("added", "m4", "Ada dances"),
        ("linked", "m4", "conflict m1@1"),
    ]


def test_only_marks_are_no_changes(stocked: World) -> None:
    report = stocked.apply(Plan(consumed=("r1",)))
    assert report.outcome == "no-changes"
    assert report.pass_id is not None


def test_nothing_at_all_is_nothing_due(world: World) -> None:
    assert world.apply(Plan()).outcome == "nothing-due"


def test_the_gate_refuses_a_state_with_errors(stocked: World) -> None:
    # A quote that the record does not hold, forged behind the engine's back.
    connection = stocked.connection
    connection.execute("BEGIN")
    connection.execute("INSERT INTO erasing VALUES (1)")
    connection.execute("UPDATE quote SET text = 'live in Rome'")
    connection.execute("DELETE FROM erasing")
    connection.execute("COMMIT")
    with pytest.raises(RefusedError, match="P103"):
        gate(StoreView(connection, stocked.head))
    connection.execute("BEGIN")
    connection.execute("INSERT INTO erasing VALUES (1)")
    connection.execute("UPDATE quote SET text = 'live  in' || char(10) || 'NYC'")
    connection.execute("DELETE FROM erasing")
    connection.execute("COMMIT")
    gate(StoreView(connection, stocked.head))


def test_a_dry_run_puts_the_gate_to_what_would_be(stocked: World) -> None:
    seen: list[int] = []

    def never(view: StoreView) -> None:
        seen.append(len(view.memories()))
        raise RefusedError("no")

    before, head = stocked.dump(), stocked.head
    with pytest.raises(RefusedError, match="no"):
        stocked.apply(Plan(ops=(add("Ada sings", Cite("r1")),)), dry_run=True, gate=never)
    assert seen == [len(stocked.view.memories()) + 1]
    assert (stocked.dump(), stocked.head) == (before, head)


def test_a_strategy_sees_one_scope_at_a_time(world: World) -> None:
    from memcli.core.records import Scope
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
    seen: list[list[str]] = []

    def look(view: object, context: object, params: object) -> Plan:
        records = view.records()  # type: ignore[attr-defined]
        seen.append([record.text for record in records])
        other = "r2" if records[0].id == "r1" else "r1"
        return Plan(ops=(add(records[0].text, Cite(records[0].id), Cite(other)),))

    strategy = Strategy(scripted(Plan()).info, look, NoParams, "none")  # type: ignore[arg-type]
    request = run.Request(strategy, NoParams(), now=NOW)
    report = run.run_pass(world.connection, request, RunContext(now=NOW), embed)
    assert seen == [["I am ada"], ["I am tom"]]
    assert [item.reason for item in report.rejected] == ["unknown-id"] * 2
    assert [memory.scope.user for memory in world.view.memories()] == ["ada", "tom"]


def test_long_chains_of_drafts_are_checked_as_fast_as_short_ones(stocked: World) -> None:
    ops = [add("Ada sings", Cite("r1"), draft="new:1"), add("Ada hums", Cite("r1"), draft="new:2")]
    for nth in range(3, 1_200):
        cites = (Cite(f"new:{nth - 1}"), Cite(f"new:{nth - 2}"))
        ops.append(add(f"Ada sings song {nth}", *cites, draft=f"new:{nth}"))
    assert stocked.apply(Plan(ops=tuple(ops)), dry_run=True).rejected == ()


def test_a_link_keeps_only_quotes_that_stand_there(stocked: World) -> None:
    link = Link("m1", "r2", "related", quotes=("I moved", "I never said this"))
    assert stocked.apply(Plan(ops=(link,))).operations["link"] == 1
    stocked.check()
