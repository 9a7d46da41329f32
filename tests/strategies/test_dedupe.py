"""`dedupe` through the real engine: the acceptance tests of its page, and its trigger."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memcli.core.memories import LinkEnd, Memory, Slot
from memcli.core.options import SearchOptions
from memcli.core.plan import Add, Cite, Link, Plan, Rate, Rejection, Retire, Supersede
from memcli.core.records import Scope
from memcli.core.reports import ConsolidateReport, Due, WhyNode
from memcli.engine import due, run
from memcli.engine.audit import audit
from memcli.engine.embedding import embedding
from memcli.engine.ingest import Ingest, Input
from memcli.engine.show import show
from memcli.engine.why import why
from memcli.errors import GatewayError
from memcli.gateway.hashed import HashEmbedder
from memcli.ports import Failed, Pending, Unasked
from memcli.registry import get_strategy
from memcli.retrieval.searching import search
from memcli.retrieval.status import is_stale
from memcli.retrieval.view import SearchView
from memcli.store.view import StoreView
from memcli.strategies.dedupe import Params, dedupe
from memcli.tasks.compare_claims import CompareClaims, Verdict, Verdicts
from memcli.testing import FakeView, Scripted, a_context, a_memory, a_record
from tests.engine.world import World, said

NOW = "2026-12-01T12:00:00.000Z"
JAN, MARCH, JUNE = (f"2026-{month}-05T10:00:00Z" for month in ("01", "03", "06"))
BAD = {"not": "what was asked for"}


class Alike(HashEmbedder):
    """An embedder to which all texts are alike: what cosine proposes, it proposes."""

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        return [super(Alike, self).embed(["tea"])[0] if text else (0.0,) * 256 for text in texts]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """All of its vectors are alike: whatever stays apart does so at any cosine."""
    made = World(tmp_path)
    made.embedder = Alike()
    return made


def store(world: World, *texts: str | Add, at: Sequence[str] = ()) -> None:
    """A record and a fact that rests on it for each text; with `at` the record's time."""
    first = len(world.view.records()) + 1
    plain = [one if isinstance(one, str) else one.text for one in texts]
    times = [*at, *[JUNE] * (len(texts) - len(at))]
    world.ingest(
        [
            said(f"u{first + nth}", f"{text} (said the {nth}. time)", at=times[nth])
            for nth, text in enumerate(plain)
        ]
    )
    ops = []
    for nth, one in enumerate(texts):
        add = one if isinstance(one, Add) else fact(one)
        record = f"r{first + nth}"
        quotes = (add.text,) if add.text else ()
        cites = add.evidence or (Cite(record, quotes),)
        ops.append(
            Add(
                add.kind,
                add.text,
                cites,
                f"new:{nth + 1}",
                attributes=add.attributes,
                slot=add.slot,
                valid_from=add.valid_from,
            )
        )
    # Strategies of several names: none of them sees what the others stored.
    for nth, op in enumerate(ops):
        world.apply(Plan(ops=(op,)), f"maker{first + nth}")


def fact(text: str, kind: str = "fact", **fields: Any) -> Add:
    return Add(kind, text, fields.pop("evidence", ()), "new:1", **fields)


def request(params: Params | None = None, model: str | None = None, **wish: Any) -> run.Request:
    return run.Request(get_strategy("dedupe"), params or Params(), now=NOW, model=model, **wish)


def run_dedupe(
    world: World, *answers: Any, params: Params | None = None, **wish: Any
) -> ConsolidateReport:
    backend = Scripted(*answers, name="model-x") if answers else None
    context = a_context(backend, now=NOW, embedder=world.embedder)
    embed = embedding(world.connection, world.embedder)
    report = run.run_pass(world.connection, request(params, **wish), context, embed)
    assert backend is None or backend.left == 0
    return report


def is_due(world: World, params: Params | None = None, *, model: bool = False) -> Due:
    view = SearchView(world.connection, world.head)
    return due.due(
        view, get_strategy("dedupe"), a_context(now=NOW), params or Params(), model=model
    )


def live(world: World) -> dict[str, str]:
    return {memory.id: memory.text for memory in world.view.memories()}


def held(world: World, ident: str) -> Memory:
    memory = world.view.get(ident)
    assert isinstance(memory, Memory)
    return memory


def cited(memory: Memory) -> list[str]:
    return [evidence.ref for evidence in memory.evidence]


def reasons(report: ConsolidateReport) -> list[str]:
    return [item.reason for item in report.rejected]


def stay(world: World, *texts: str | Add) -> bool:
    """Whether all of them are left after a pass."""
    store(world, *texts)
    before = live(world)
    report = run_dedupe(world)
    world.check()
    return report.outcome == "nothing-due" and live(world) == before


# --- the acceptance tests of the page -------------------------------------------------------------


def test_t1_exact(world: World) -> None:
    store(world, "Ada likes green tea.", "Ada likes  green\ntea.", "Ada likes green tea.")
    records = world.record_rows()
    report = run_dedupe(world)
    assert (report.outcome, report.operations["retire"]) == ("applied", 2)
    assert live(world) == {"m1": "Ada likes green tea."}
    assert cited(held(world, "m1")) == ["r1", "r2", "r3"]
    assert all(evidence.quotes for evidence in held(world, "m1").evidence)
    assert [world.view.merged_into(gone) for gone in ("m2", "m3")] == ["m1", "m1"]
    details = show(world.view, "m3").details
    assert details["merged_into"] == "m1"
    assert run_dedupe(world).outcome == "nothing-due"
    assert world.record_rows() == records
    world.check()
    # The vectors are made to be alike, and not those of their texts.
    assert audit(world.view, deep=True, ignore=["I107"]).findings == ()


def test_t2_near(world: World) -> None:
    store(world, "Ada likes green tea.", "ada likes the green tea")
    assert run_dedupe(world).operations["retire"] == 1
    assert live(world) == {"m1": "Ada likes green tea."}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ticket is SR-2023-052", "The ticket is SR-2023-053"),
        ("The service runs v1", "The service runs v2"),
        ("Ada has 2 cats", "Ada has 3 cats"),
        ("It runs in us-east-1", "It runs in us-east-2"),
        ("Ada ran 5 km", "Ada ran 5 miles"),
    ],
)
def test_t3_numbers(world: World, one: str, other: str) -> None:
    assert stay(world, one, other)


def test_t3_numbers_in_words(world: World) -> None:
    store(world, "Ada has 2 cats", "Ada has two cats")
    assert run_dedupe(world).operations["retire"] == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada likes tea", "Ada does not like tea"),
        ("Ada never drinks tea", "Ada drinks tea"),
        ("Ada may move to Rome", "Ada moves to Rome"),
    ],
)
def test_t4_negation(world: World, one: str, other: str) -> None:
    assert stay(world, one, other)


def test_t4_negation_at_any_cosine(world: World) -> None:
    store(world, "Ada likes tea", "Ada does not like tea")
    same = verdict(world, "m2", "m1")
    report = run_dedupe(world, same, params=Params(judge=True, near_dup=0.01))
    assert reasons(report) == ["guard"]
    assert set(live(world)) == {"m1", "m2"}


def test_t5_order(world: World) -> None:
    assert stay(world, "Use ruff instead of flake8", "Use flake8 instead of ruff")


def test_t6_names(world: World) -> None:
    assert stay(world, "The job is ledger-sync", "The job is ledger-sink")
    assert stay(world, "I met Tom Reed there", "I met Tim Reed there")


def test_t7_speaker_and_scope(world: World) -> None:
    by = [fact("likes tea", attributes={"speaker": name}) for name in ("Ada", "Bea")]
    about = [fact("has a dog", attributes={"subject": name}) for name in ("Ada", "Bea")]
    slots = [fact("lives in Rome", slot=Slot(name, "lives_in", "Rome")) for name in ("Ada", "Bea")]
    assert stay(world, *by, *about, *slots)
    for user in ("tom", "eve"):
        embed = embedding(world.connection, world.embedder)
        ingest = Ingest(
            world.connection, world.path, given=Scope(user=user), redact=True, embed=embed
        )
        found = [said(f"of {user}", "I drink tea", at=JUNE, session=user)]
        ingest.run([Input(f"{user}.jsonl", "test", found)], now=NOW, dry_run=False)

    def plan(view: Any, context: Any, params: Any) -> Plan:
        ref = next((r.id for r in view.records() if r.text == "I drink tea"), None)
        return Plan() if ref is None else Plan((Add("fact", "drinks tea", (Cite(ref),), "new:1"),))

    made = get_strategy("dedupe")
    wish = run.Request(type(made)(made.info, plan, Params, "none"), Params(), now=NOW)
    embed = embedding(world.connection, world.embedder)
    run.run_pass(world.connection, wish, a_context(now=NOW), embed)
    assert list(live(world).values()).count("drinks tea") == 2
    assert run_dedupe(world).outcome == "nothing-due"


def test_t8_time(world: World) -> None:
    store(world, "Ada lives in NYC", "Ada lives in NYC", at=[JAN, JUNE])
    world.apply(Plan((Supersede("m1", MARCH),)))
    assert run_dedupe(world).outcome == "nothing-due"
    assert (held(world, "m1").valid_to, held(world, "m2").valid_to) == (
        MARCH,
        None,
    )


class TestJudge:
    PARAMS = Params(judge=True, near_dup=0.01)

    def test_t9_judge_is_refused_where_numbers_differ(self, world: World) -> None:
        store(world, "Ada has 2 cats", "Ada has 3 cats")
        report = run_dedupe(world, verdict(world, "m2", "m1"), params=self.PARAMS)
        assert report.rejected == (Rejection("m2 into m1", "guard"),)
        assert set(live(world)) == {"m1", "m2"}
        assert held(world, "m2").links == (LinkEnd("m1@1", "duplicate"),)
        # The pair waits for somebody who looks at it: no model is asked about it again.
        assert run_dedupe(world, params=self.PARAMS).outcome == "nothing-due"

    def test_t9_judge_joins_a_paraphrase(self, world: World) -> None:
        store(world, "Ada works as a nurse", "Ada is a nurse by profession")
        report = run_dedupe(world, verdict(world, "m2", "m1"), params=self.PARAMS)
        assert (report.outcome, live(world)) == ("applied", {"m1": "Ada works as a nurse"})
        assert cited(held(world, "m1")) == ["r1", "r2"]

    def test_pairs_are_asked_about_by_twenty(self, world: World) -> None:
        store(world, *(f"Ada likes {food}" for food in FOODS))
        backend = Scripted(*[CLEVER] * 2, name="model-x")
        context = a_context(Thinking(backend), now=NOW, embedder=world.embedder)
        dedupe(view_of(world), context, self.PARAMS)
        sizes = [sum(len(refs) for _, refs in task.against) for task in backend.asked]
        assert sizes[0] == 20
        assert 0 < sizes[1] <= 20

    def test_what_is_joined_already_is_not_joined_twice(self, world: World) -> None:
        store(world, "Ada works as a nurse", "Ada is a nurse by profession", "Ada is a nurse")
        refs = {ident: held(world, ident).ref for ident in live(world)}
        chain = Verdicts(
            verdicts=(
                Verdict(item=refs["m2"], same_as=(refs["m1"],)),
                Verdict(item=refs["m3"], same_as=(refs["m2"],)),
            )
        )
        report = run_dedupe(world, chain, params=self.PARAMS)
        assert report.rejected == (Rejection("m3 into m2", "target-taken"),)
        assert set(live(world)) == {"m1", "m3"}

    def test_rivals_and_what_is_of_others_is_not_asked_about(self, world: World) -> None:
        homes = [
            fact(f"lives in {home}", slot=Slot("Ada", "lives_in", home)) for home in ("NYC", "SF")
        ]
        store(world, *homes, fact("has a dog", attributes={"subject": "Bea"}))
        assert run_dedupe(world, params=self.PARAMS).outcome == "nothing-due"

    def test_without_a_model_they_wait(self, world: World) -> None:
        store(world, "Ada works as a nurse", "Ada is a nurse by profession", "Ada works as a nurse")
        report = run_dedupe(world, params=self.PARAMS)
        assert (report.outcome, report.pending) == ("applied", {"needs-model": 1})
        assert set(live(world)) == {"m1", "m2"}
        again = run_dedupe(world, params=self.PARAMS)
        assert (again.outcome, again.pending) == ("no-changes", {"needs-model": 1})

    def test_an_answer_of_no_use_costs_its_pairs_only(self, world: World) -> None:
        store(world, "Ada works as a nurse", "Ada is a nurse by profession", "Ada works as a nurse")
        report = run_dedupe(world, BAD, BAD, params=self.PARAMS)
        assert (report.outcome, report.operations["retire"]) == ("partial", 1)
        assert report.failed[0].startswith("m2 beside m1: ")
        world.check()

    def test_nothing_but_answers_of_no_use_is_a_failure(self, world: World) -> None:
        store(world, "Ada works as a nurse", "Ada is a nurse by profession")
        before = world.digest()
        with pytest.raises(GatewayError):
            run_dedupe(world, BAD, BAD, params=self.PARAMS)
        assert world.digest() == before

    def test_made_up_handles_do_nothing(self, world: World) -> None:
        store(world, "Ada works as a nurse", "Ada is a nurse by profession")
        item = {"item": "F1", "same_as": ["M7"], "contradicts": [], "reason": "alike"}
        report = run_dedupe(world, {"verdicts": [item]}, params=self.PARAMS)
        assert reasons(report) == ["unknown-id"]
        assert set(live(world)) == {"m1", "m2"}


UNKNOWN = {"item": "F1", "same_as": ["M7"], "contradicts": [], "reason": "alike"}
NOBODY = {"item": "F9", "same_as": [], "contradicts": [], "reason": "alike"}
ANSWERS: dict[str, tuple[Any, ...]] = {
    "same": ({"verdicts": [UNKNOWN | {"same_as": ["M1"]}]},),
    "another": ({"verdicts": [UNKNOWN | {"same_as": []}]},),
    "unknown": ({"verdicts": [UNKNOWN]},),
    "nobody": ({"verdicts": [NOBODY, UNKNOWN]},),
    "both": ({"verdicts": [UNKNOWN | {"same_as": ["M1"], "contradicts": ["M1"]}]}, BAD),
    "repaired": (BAD, {"verdicts": [UNKNOWN | {"same_as": ["M1"]}]}),
    "invalid": (BAD, BAD),
    "cut off": (Failed("finish_reason is length"),),
    "no budget": (Unasked(),),
    "pending": (Pending(),),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_whatever_the_model_says_a_rollback_leaves_nothing(world: World, name: str) -> None:
    store(world, "Ada works as a nurse", "Ada is a nurse by profession", "Ada works as a nurse")
    before, records = world.dump(), world.record_rows()
    report = run_dedupe(world, *ANSWERS[name], params=TestJudge.PARAMS)
    assert report.outcome == ("partial" if report.failed else "applied")
    joined = {"m1"} if name in ("same", "repaired") else {"m1", "m2"}
    assert set(live(world)) == joined
    world.check()
    assert (world.record_rows(), world.view.settled()) == (records, {})
    world.rollback("last")
    assert world.dump() == before
    world.check()


def test_a_provider_that_fails_fails_the_pass(world: World) -> None:
    store(world, "Ada works as a nurse", "Ada is a nurse by profession", "Ada works as a nurse")
    before = world.head
    with pytest.raises(GatewayError):
        run_dedupe(world, GatewayError("no answer"), params=TestJudge.PARAMS)
    assert world.head == before


FOODS = ("tea", "jam", "figs", "rice", "corn", "beans", "leeks", "plums", "pears", "dates")
CLEVER = None  # answered by Thinking: nothing is the same


class Thinking:
    """A backend that says of all pairs that they differ, and keeps what it was asked."""

    name = "model-x"

    def __init__(self, backend: Scripted) -> None:
        self.backend = backend

    def answer(self, tasks: Sequence[Any]) -> list[Any]:
        self.backend.asked += tasks
        return [task.guess() for task in tasks]


def view_of(world: World) -> SearchView:
    return SearchView(world.connection, world.head).narrowed(Scope())


def verdict(world: World, newer: str, older: str) -> Verdicts:
    one = Verdict(item=held(world, newer).ref, same_as=(held(world, older).ref,), reason="alike")
    return Verdicts(verdicts=(one,))


def test_t10_dependents(world: World) -> None:
    store(world, "Ada likes tea", "Ada likes tea")
    world.apply(Plan((Add("insight", "Ada is calm", (Cite("m2"),), "new:1"),)))
    run_dedupe(world)
    insight = held(world, "m3")
    assert not is_stale(world.view, insight)
    assert audit(world.view, select=["P"]).findings == ()
    tree = why(world.view, "m3", derived=False)
    assert list(walk(tree)) == ["m3@1", "m2@1", "m1@1", "r1", "r2", "r2"]
    assert tree.children[0].status == "merged into m1"
    world.check()


def walk(node: WhyNode) -> Iterator[str]:
    yield node.id
    for child in node.children:
        yield from walk(child)


def test_t11_size() -> None:
    records = [a_record(f"r{n}", f"item {n} of the list is blue", at=JUNE) for n in range(1, 9001)]
    texts = [f"item {n} of the list is blue" for n in range(1, 9001)]
    texts += texts[:1000]
    memories = [
        a_memory(f"m{nth}", text, f"r{(nth - 1) % 9000 + 1}") for nth, text in enumerate(texts, 1)
    ]
    view = FakeView(*records, *memories)
    begun = time.process_time()
    plan = dedupe(view, a_context(now=NOW), Params())
    assert len(plan.ops) == 1000
    # Pairwise it would be fifty million comparisons: hours.
    assert time.process_time() - begun < 30


def test_t12_chain(world: World) -> None:
    assert stay(world, "Ada runs each morning", "Ada jogs each morning", "Ada jogs each day")
    params = Params(propose=True, near_dup=0.01)
    report = run_dedupe(world, params=params)
    assert (report.operations["retire"], report.operations["link"]) == (0, 3)
    assert len(live(world)) == 3


def test_knowledge_update(world: World) -> None:
    nyc, sf = (
        fact(f"Ada lives in {home}", slot=Slot("Ada", "lives_in", home)) for home in ("NYC", "SF")
    )
    store(world, nyc, sf, sf, at=[JAN, JUNE, MARCH])
    world.apply(Plan((Supersede("m1", JUNE, by="m3"),)))
    report = run_dedupe(world)
    assert report.operations["retire"] == 1
    assert set(live(world)) == {"m1", "m2"}
    assert held(world, "m2").valid_from == MARCH
    assert held(world, "m1").valid_to == JUNE
    # What took its place is found in the memory that it was joined with.
    options = SearchOptions(layer="derived", include=("superseded",))
    found = search(SearchView(world.connection, world.head), "NYC", options)
    assert [hit.id for hit in found.results] == ["m2", "m1"]
    world.check()
    params = Params(judge=True, near_dup=0.01)
    assert run_dedupe(world, params=params).outcome == "nothing-due"


class TestRollback:
    @pytest.fixture
    def joined(self, world: World) -> World:
        store(world, "Ada likes tea", "Ada likes tea", "Ada is calm", "Tea is hot")
        ops = (
            Link("m2", "m4", "related"),
            Link("m3", "m2", "related"),
            Rate("m1", "importance", 3),
            Rate("m2", "importance", 7),
            Rate("m2", "pinned", True, by="person"),
        )
        world.apply(Plan(ops))
        self.before = world.dump()
        assert run_dedupe(world).outcome == "applied"
        world.check()
        return world

    def test_rollback(self, joined: World) -> None:
        survivor = held(joined, "m1")
        assert (survivor.importance, survivor.pinned) == (7, True)
        assert survivor.links == (LinkEnd("m4@1", "related"),)
        assert held(joined, "m3").links == (LinkEnd("m1@1", "related"),)
        after = joined.digest()
        joined.rollback("last")
        assert joined.dump() == self.before
        assert held(joined, "m2").importance == 7
        assert run_dedupe(joined).outcome == "applied"
        assert joined.digest() == after

    def test_rollback_with_reject(self, joined: World) -> None:
        joined.rollback("last", reject=True)
        report = run_dedupe(joined)
        assert (report.outcome, reasons(report)) == ("no-changes", ["tombstoned"])
        assert not is_due(joined).due
        assert run_dedupe(joined, again=True, dry_run=True).operations["retire"] == 1
        joined.ingest([said("e", "Ada likes tea indeed", at=NOW)])
        joined.apply(Plan((Link("m2", "r5", "evidence"),)))
        assert run_dedupe(joined).operations["retire"] == 1


# --- what else has to hold ------------------------------------------------------------------------


def test_a_persons_rating_goes_before_a_methods(world: World) -> None:
    store(world, "Ada likes tea", "Ada likes tea")
    ops = (Rate("m1", "importance", 2, by="person"), Rate("m2", "importance", 9))
    world.apply(Plan(ops))
    run_dedupe(world)
    assert held(world, "m1").importance == 2


def test_what_a_person_rated_stays_a_persons(world: World) -> None:
    store(world, "Ada likes tea", "Ada likes tea")
    world.apply(Plan((Rate("m1", "importance", 4), Rate("m2", "importance", 2, by="person"))))
    run_dedupe(world)
    assert (held(world, "m1").importance, world.view.rated_by("m1")) == (2, "person")


def test_faded_and_rejected_memories_are_left_alone(world: World) -> None:
    store(world, "Ada likes tea", "Ada likes tea", "Ada likes tea")
    world.apply(Plan((Rate("m1", "status", "faded"), Rate("m2", "status", "rejected"))))
    assert run_dedupe(world).outcome == "nothing-due"


def test_what_waits_joins_only_what_waits(world: World) -> None:
    store(world, *(fact("Ada likes tea", "claim") for _ in range(3)))
    world.apply(Plan((Rate("m2", "status", "pending"), Rate("m3", "status", "pending"))))
    assert run_dedupe(world).operations["retire"] == 1
    assert set(live(world)) == {"m1", "m2"}


def test_notes_of_two_records_and_documents_stay(world: World) -> None:
    assert stay(world, *(fact("A note on tea", "note") for _ in range(2)))
    assert stay(world, *(fact("A day with tea", "day") for _ in range(2)))
    on_one = [fact("Tea notes", "note", evidence=(Cite("r1"),)) for _ in range(2)]
    store(world, *on_one)
    assert run_dedupe(world).operations["retire"] == 1


def test_kinds_do_not_mix_and_can_be_chosen(world: World) -> None:
    assert stay(world, fact("Ada likes tea"), fact("Ada likes tea", "insight"))
    store(world, "Ada likes tea")
    assert run_dedupe(world, params=Params(kinds="insight,theme")).outcome == "nothing-due"
    assert run_dedupe(world, params=Params(kinds="fact")).operations["retire"] == 1


def test_a_reviewer_may_keep_a_pair_apart(world: World) -> None:
    store(world, "Ada likes tea", "Ada likes tea", "Ada is calm", "Ada is calm", "Tea is hot")
    world.apply(Plan((Link("m2", "m5", "related"), Rate("m2", "importance", 7))))
    plan = dedupe(view_of(world), a_context(now=NOW), Params())
    document = world.propose(plan, "dedupe")
    assert document is not None
    kept = next(op.id for op in plan.ops if isinstance(op, Retire) and op.target == "m2@1")
    report = world.apply_file(document, kept)
    # What was to move with the memory stays with it.
    assert sorted(reasons(report)) == ["rejected", "requires-rejected", "requires-rejected"]
    assert set(live(world)) == {"m1", "m2", "m3", "m5"}
    assert held(world, "m1").importance is None
    assert reasons(run_dedupe(world)) == ["tombstoned"]


def test_what_would_rest_on_itself_is_not_joined() -> None:
    records = (a_record("r1", "Ada likes tea"), a_record("r2", "Tea is hot"))
    fits = a_memory("m1", "Ada likes tea", "m2@1")
    view = FakeView(*records, fits, a_memory("m2", "Tea", "m3@1"), a_memory("m3", fits.text, "r1"))
    plan = dedupe(view, a_context(now=NOW), Params())
    assert (plan.ops, plan.rejected) == ((), (Rejection("m3 into m1", "cycle"),))
    upwards = FakeView(
        *records,
        a_memory("m1", fits.text, "r1"),
        a_memory("m2", "Tea", "m1@1"),
        a_memory("m3", fits.text, "m2@1", "r2"),
    )
    plan = dedupe(upwards, a_context(now=NOW), Params())
    assert plan.rejected == (Rejection("m3 into m1", "cycle"),)


def test_what_no_record_holds_is_not_joined(world: World) -> None:
    world.ingest([said("a", "I have cats", at=JUNE), said("b", "Many cats", at=JUNE)])
    for nth in (1, 2):
        add = Add("fact", "Ada has 7 cats", (Cite(f"r{nth}"),), "new:1")
        world.apply(Plan((add,)), f"maker{nth}")
    report = run_dedupe(world)
    assert (report.outcome, reasons(report)) == ("no-changes", ["unsupported"])
    assert not is_due(world).due


def test_the_same_store_gives_the_same_plan(tmp_path: Path) -> None:
    digests = set()
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        made = World(folder)
        store(made, "Ada likes tea", "ada likes the tea", "Ada has 2 cats", "Ada has two cats")
        run_dedupe(made)
        digests.add(made.digest())
        made.close()
    assert len(digests) == 1


@pytest.mark.parametrize(
    "wrong", [{"near_dup": 2.0}, {"min_new": 0}, {"kinds": "fact day"}, {"kinds": " "}]
)
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Params(**wrong)


class TestTrigger:
    def test_silent_where_nothing_is_alike(self, world: World) -> None:
        store(world, "Ada likes tea")
        assert not is_due(world, Params(min_new=1)).due

    def test_at_one_exact_duplicate(self, world: World) -> None:
        store(world, "Ada likes tea", "Ada likes tea")
        found = is_due(world)
        assert (found.due, found.value, found.threshold) == (True, 1, 1)
        assert found.why == "1 exact duplicate; 2 of 50 new memories"
        run_dedupe(world)
        assert not is_due(world).due

    def test_near_ones_wait_for_enough_new_memories(self, world: World) -> None:
        store(world, "Ada likes green tea.", "ada likes the green tea")
        assert not is_due(world).due
        assert is_due(world, Params(min_new=2)).due
        run_dedupe(world)
        store(world, "Ada likes the green tea!")
        assert not is_due(world, Params(min_new=2)).due

    def test_a_model_to_ask_calls_for_a_pass_too(self, world: World) -> None:
        store(world, "Ada likes tea", "Tea pleases Ada")
        params = Params(min_new=2, judge=True)
        assert is_due(world, params, model=True).due
        assert not is_due(world, params).due


def test_it_asks_nobody_unless_told_to(world: World) -> None:
    store(world, "Ada likes tea", "Ada likes tea", "Tea pleases Ada")
    backend = Scripted(name="model-x")
    dedupe(StoreView(world.connection, world.head), a_context(backend, now=NOW), Params())
    assert backend.asked == []
    assert CompareClaims.setting == get_strategy("dedupe").settles
