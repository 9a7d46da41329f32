"""The model path of `reflect`, by the acceptance tests of its page (T1 is in tests/kit)."""

import itertools
from dataclasses import replace

import pytest

from memcli.core.plan import Add, Cite, Link, Plan, Rate, Rejection, Supersede
from memcli.errors import GatewayError
from memcli.gateway.context import RunContext
from memcli.kit.nearkey import near_key
from memcli.kit.scores import Candidate, generative_agents
from memcli.ports import Failed, TooLong, Unasked
from memcli.registry import get_strategy
from memcli.strategies.reflect import Params, reflect
from memcli.tasks.ask_questions import Questions
from memcli.tasks.draw_insights import Insight, Insights
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings
from memcli.testing import NOW, FakeView, Scripted, a_context, a_memory, a_record

MAY = [f"2024-05-{day:02}T10:00:00Z" for day in range(1, 32)]
ONE = Params(questions=1)
NONE = Insights(insights=[])
BAD = {"not": "what was asked for"}


def notes(count, first=1, rating=5):
    """Rated records, one an hour."""
    return [
        a_record(
            f"r{n}",
            f"note {n} on tea",
            at=f"2024-05-{1 + n // 24:02}T{n % 24:02}:00:00Z",
            importance=rating,
        )
        for n in range(first, first + count)
    ]


def questions(count=3):
    return Questions(questions=[f"Question {n} on tea?" for n in range(1, count + 1)])


def insight(text, *because_of, importance=6):
    return Insight(text=text, because_of=because_of, importance=importance)


def insights(*found):
    return Insights(insights=found)


def drawn(text, *handles):
    return {"text": text, "because_of": list(handles), "importance": 6}


def run(view, *answers, params=ONE):
    backend = Scripted(*answers, name="model-x")
    plan = reflect(view, a_context(backend), params)
    assert backend.left == 0
    return plan


def adds(plan):
    return [op for op in plan.ops if isinstance(op, Add)]


def test_one_pass():
    view = FakeView(*notes(3))
    plan = run(view, questions(1), insights(insight("Ada drinks tea daily", "r1", "r3")))
    assert plan == Plan(
        ops=(
            Add(
                "insight",
                "Ada drinks tea daily",
                (Cite("r1"), Cite("r3")),
                "new:1",
                attributes={
                    "question": "Question 1 on tea?",
                    "depth": 1,
                    "expires_at": "2026-03-02T12:00:00Z",
                },
                valid_from="2024-05-01T03:00:00Z",
                made_by="model-x",
            ),
            Rate("new:1", "importance", 6, "model-x", requires=("new:1",)),
        ),
        consumed=("r1", "r2", "r3"),
        selected=("r1", "r2", "r3"),
    )


def test_registered():
    found = get_strategy("generative-agents")
    assert found is get_strategy("reflect")
    assert (found.params, found.trigger) == (Params, "importance")
    assert found.info.source == "arXiv:2304.03442"
    assert found.info.parameters["threshold"] == 150


def test_t1_recency_the_newest_first():
    marks = generative_agents([Candidate(h, 0.5, 5) for h in (20, 10, 0)], decay=0.99)
    assert marks == sorted(marks)


def test_t3_citations():
    view = FakeView(*notes(3))
    reply = {
        "insights": [
            drawn("Ada drinks tea daily", "R1", "R3"),
            drawn("Ada is a tea grower", "R9"),
            drawn("Ada dislikes all coffee"),
        ]
    }
    plan = run(view, questions(1), reply)
    (kept,) = adds(plan)
    assert kept.evidence == (Cite("r1"), Cite("r3"))
    assert kept.attributes["depth"] == 1
    assert plan.rejected == (
        Rejection("R9 in 'Ada is a tea grower'", "unknown-id"),
        Rejection("Ada is a tea grower", "no-evidence"),
        Rejection("Ada dislikes all coffee", "no-evidence"),
    )
    assert "blank" not in repr(plan)
    after = view.after(plan, "reflect")
    later = FakeView(
        *after.records(), *notes(1, 4), *after.memories(), consumed={"reflect": ["r1", "r2", "r3"]}
    )
    plan = run(later, questions(1), {"insights": [drawn("Ada needs her tea badly", "M4", "R5")]})
    (above,) = adds(plan)
    assert above.evidence == (Cite("m1@1"), Cite("r4"))
    assert above.attributes["depth"] == 2


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_t4_question_order(order):
    texts = ["Who likes green tea?", "Who rides a bicycle to work?", "What about the cat?"]
    said = ["I like green tea", "I ride my bicycle to work", "My cat sleeps", "Rain again"] * 4
    view = FakeView(
        *(a_record(f"r{n}", t, at=MAY[n], importance=n % 9 + 1) for n, t in enumerate(said, 1))
    )
    backend = Scripted(Questions(questions=[texts[nth] for nth in order]), *[NONE] * 3)
    reflect(view, a_context(backend), Params(evidence=5))
    evidence = {task.question: [i.ref for i in task.items] for task in backend.asked[1:]}
    assert evidence == {
        texts[0]: ["r5", "r13", "r14", "r15", "r16"],
        texts[1]: ["r6", "r10", "r14", "r15", "r16"],
        texts[2]: ["r3", "r7", "r11", "r15", "r16"],
    }


def test_t5_nothing_new():
    view = FakeView(*notes(3), consumed={"reflect": ["r1", "r2", "r3"]})
    assert run(view) == Plan()
    assert run(FakeView()) == Plan()


def test_t6_half_a_window():
    view = FakeView(*notes(3))
    first = insights(insight("Ada drinks tea daily", "r1"))
    third = insights(insight("Tea keeps Ada awake", "r2", "r3"))
    backend = Scripted(questions(), first, BAD, BAD, third)
    plan = reflect(view, a_context(backend), Params())
    assert [op.text for op in adds(plan)] == ["Ada drinks tea daily", "Tea keeps Ada awake"]
    assert len(plan.failed) == 1
    assert plan.failed[0].startswith("window 1: Question 2 on tea?: ")
    assert plan.consumed == ()
    assert plan.settled  # two units are, so the pass is partial
    # The rerun asks exactly the same, so that recorded answers are met, and adds what was missing.
    again = Scripted(questions(), first, insights(insight("Ada buys tea on Mondays", "r3")), third)
    after = view.after(plan, "reflect")
    rerun = reflect(after, a_context(again), Params())
    assert [task.messages() for task in again.asked] == [task.messages() for task in backend.asked]
    assert [op.text for op in rerun.ops if not isinstance(op, Rate)] == ["Ada buys tea on Mondays"]
    assert rerun.consumed == ("r1", "r2", "r3")
    assert rerun.rejected == ()


def test_t6_a_rerun_sees_the_same_evidence_though_the_records_are_rated_now():
    fresh = [replace(record, importance=None) for record in notes(9)]
    ratings = Ratings(ratings=[Rating(item=r.id, rating=9 - nth) for nth, r in enumerate(fresh)])
    params = Params(questions=1, evidence=3)
    backend = Scripted(questions(1), ratings, BAD, BAD)
    plan = reflect(FakeView(*fresh), a_context(backend), params)
    again = Scripted(questions(1), NONE)
    reflect(FakeView(*fresh).after(plan, "reflect"), a_context(again), params)
    assert again.asked[-1] == backend.asked[-1]
    assert [item.ref for item in again.asked[-1].items] == ["r1", "r4", "r9"]


def test_t7_backlog():
    view = FakeView(*notes(250))
    ends = []
    for size in (100, 100, 50):
        fresh = [record.id for record in view.unconsumed("reflect")][:100]
        assert len(fresh) == size
        backend = Scripted(questions(1), insights(insight(f"It ends at {fresh[-1]}", fresh[-1])))
        plan = reflect(view, a_context(backend), ONE)
        shown = backend.asked[0].items
        assert len(shown) == 100
        assert shown[-1].ref == fresh[-1]
        seen = {item.ref for item in backend.asked[1].items if item.ref.startswith("r")}
        assert max(int(ref[1:]) for ref in seen) <= int(fresh[-1][1:])
        assert plan.consumed == tuple(fresh)
        ends.append(fresh[-1])
        view = view.after(plan, "reflect")
    assert ends == ["r100", "r200", "r250"]
    assert not view.unconsumed("reflect")


def test_t7_several_windows_in_one_pass():
    answers = [questions(1), insights(insight("The first hundred are over", "r100"))]
    answers += [questions(1), insights(insight("The rest came after that", "new:1", "r110"))]
    view = FakeView(*notes(110))
    plan = run(view, *answers, params=Params(questions=1, windows=5))
    assert [op.evidence for op in adds(plan)] == [(Cite("r100"),), (Cite("new:1"), Cite("r110"))]
    assert [op.attributes["depth"] for op in adds(plan)] == [1, 2]
    assert len(plan.consumed) == 110


def test_a_failed_window_does_not_stop_the_next():
    view = FakeView(*notes(110))
    plan = run(view, Failed("no"), questions(1), NONE, params=Params(questions=1, windows=2))
    assert plan.failed == ("window 1: questions: no",)
    assert plan.consumed == tuple(f"r{n}" for n in range(101, 111))


def test_all_failed_is_not_settled():
    plan = run(FakeView(*notes(3)), Failed("no"))
    assert not plan.settled
    assert (plan.ops, plan.consumed) == ((), ())


def test_knowledge_update():
    nyc = a_record("r1", "I live in NYC", at="2024-01-10T10:00:00Z", importance=6)
    sf = a_record("r2", "I moved to SF", at="2024-06-10T10:00:00Z", importance=6)
    fact = a_memory("m1", "Ada lives in NYC", "r1")
    old = a_memory(
        "m2",
        "Ada is at home in NYC",
        "m1@1",
        kind="insight",
        valid_from=nyc.said_at,
        strategy="reflect",
    )
    view = FakeView(nyc, sf, fact, old, consumed={"reflect": ["r1"]})
    backend = Scripted(questions(1), insights(insight("Ada is at home in SF", "r2", "m2@1")))
    plan = reflect(view, a_context(backend), ONE)
    assert [item.ref for item in backend.asked[0].items] == ["r1", "m2@1", "r2"]
    after = view.after(plan, "reflect")
    found = {m.text: m.valid_from for m in after.memories(kind="insight", superseded=False)}
    assert found == {"Ada is at home in NYC": nyc.said_at, "Ada is at home in SF": sf.said_at}
    # At equal relevance the newer ranks first.
    marks = generative_agents([Candidate(152 * 24, 0.5, 6), Candidate(0, 0.5, 6)])
    assert marks[1] > marks[0]
    assert {hit.id for hit in after.search("SF", 5)} == {"r2", "m3"}
    # Once another strategy closes the fact, the insight that rests on it is stale.
    closed = after.after(Plan(ops=(Supersede("m1", sf.said_at),)), "other")
    assert closed.get(closed.get("m2").evidence[0].ref).superseded


def test_rated_once_fifty_a_call():
    fresh = [replace(record, importance=None) for record in notes(60)]
    answers = [
        Ratings(ratings=[Rating(item=r.id, rating=1 + nth % 10) for nth, r in enumerate(part)])
        for part in (fresh[:50], fresh[50:])
    ]
    backend = Scripted(questions(1), *answers, NONE, name="model-x")
    plan = reflect(FakeView(*fresh), a_context(backend), ONE)
    assert [len(t.items) for t in backend.asked if isinstance(t, RateImportance)] == [50, 10]
    assert len(plan.ops) == 60
    assert plan.ops[1] == Rate("r2", "importance", 2, "model-x")
    assert plan.warnings == ()
    assert len(plan.consumed) == 60


def test_a_model_replaces_what_the_rules_rated_and_nobody_else():
    rules, person, model = (replace(record, importance=3) for record in notes(3))
    view = FakeView(
        rules, person, model, raters={"r1": "extractive", "r2": "person", "r3": "model-x"}
    )
    plan = run(view, questions(1), Ratings(ratings=[Rating(item="r1", rating=9)]), NONE)
    assert plan.ops == (Rate("r1", "importance", 9, "model-x"),)


def test_a_rating_that_fails_alone_keeps_its_record_unconsumed():
    fresh = [replace(record, importance=None) for record in notes(2)]
    good = Ratings(ratings=[Rating(item="r1", rating=5)])
    plan = run(FakeView(*fresh), questions(1), Failed("x"), good, Failed("y"), NONE)
    assert plan.ops == (Rate("r1", "importance", 5, "model-x"),)
    assert plan.failed == ("rating of r2: y",)
    assert plan.unusable == ("r2",)
    assert plan.consumed == ("r1",)


def test_a_rating_that_a_budget_left_unasked_marks_nothing():
    fresh = [replace(record, importance=None) for record in notes(2)]
    plan = run(FakeView(*fresh), questions(1), Unasked(), NONE)
    assert plan.failed == ("rating of 2 records from r1: budget",)
    assert (plan.unusable, plan.consumed) == ((), ())


class TestFailedRatings:
    """Rule C27."""

    FRESH = tuple(replace(record, importance=None) for record in notes(4))

    def rated(self, *refs):
        return Ratings(ratings=[Rating(item=ref, rating=n) for n, ref in enumerate(refs, 3)])

    def test_what_failed_before_is_rated_last_and_alone(self):
        backend = Scripted(
            questions(1), self.rated("r2", "r4"), *map(self.rated, ("r1", "r3")), NONE
        )
        view = FakeView(*self.FRESH, failures={"r1": 2, "r3": 1})
        plan = reflect(view, a_context(backend), ONE)
        asked = [task for task in backend.asked if isinstance(task, RateImportance)]
        assert [[i.ref for i in task.items] for task in asked] == [["r2", "r4"], ["r1"], ["r3"]]
        assert len(plan.consumed) == 4

    def test_after_three_passes_it_is_set_aside(self):
        view = FakeView(*self.FRESH, failures={"r1": 3})
        plan = run(view, questions(1), self.rated("r2", "r3", "r4"), NONE)
        assert plan.consumed == ("r2", "r3", "r4")
        assert plan.selected == plan.consumed
        assert plan.pending == {"set-aside": 1}
        left = FakeView(*self.FRESH, failures={"r1": 3}, consumed={"reflect": ["r2", "r3", "r4"]})
        plan = run(left)
        assert (plan.ops, plan.consumed, plan.pending) == ((), (), {"set-aside": 1})
        retried = run(
            left, questions(1), self.rated("r1"), NONE, params=replace(ONE, retry_failed=True)
        )
        assert (retried.consumed, retried.pending) == (("r1",), {})

    def test_without_a_model_too(self):
        view = FakeView(*self.FRESH, failures={"r1": 3})
        plan = reflect(view, a_context(), ONE)
        assert plan.pending == {"needs-model": 3, "set-aside": 1}
        assert [op.target for op in plan.ops] == ["r2", "r3", "r4"]


def test_insights_are_made_by_the_model_of_insights():
    class Mixed(RunContext):
        def made_by(self, setting):
            return {"insights": "model-y"}.get(setting, self.backend)

    backend = Scripted(
        questions(1), insights(insight("Ada drinks tea daily", "r1")), name="model-x"
    )
    plan = reflect(FakeView(*notes(2)), Mixed(now=NOW, backend=backend), ONE)
    assert [op.made_by for op in adds(plan)] == ["model-y"]
    assert [op.by for op in plan.ops if isinstance(op, Rate)] == ["model-y"]


def test_who_rated_is_whoever_the_setting_names():
    class Rules(RunContext):
        def made_by(self, setting):
            return "extractive" if setting == "rate" else self.backend

    fresh = replace(notes(1)[0], importance=None)
    known = replace(notes(2)[1], importance=2)
    backend = Scripted(questions(1), Ratings(ratings=[Rating(item="r1", rating=9)]), NONE)
    view = FakeView(fresh, known, raters={"r2": "extractive"})
    plan = reflect(view, Rules(now=NOW, backend=backend), ONE)
    assert plan.ops == (Rate("r1", "importance", 9, "extractive"),)


def test_constant_answers_are_reported():
    fresh = [replace(record, importance=None) for record in notes(10)]
    same = Ratings(ratings=[Rating(item=record.id, rating=5) for record in fresh])
    plan = run(FakeView(*fresh), questions(1), same, NONE)
    assert plan.warnings == ("constant-answers: 10 ratings are all 5",)


def test_the_same_insight_again_brings_evidence():
    known = a_memory("m1", "Ada drinks tea daily", "r1", kind="insight", strategy="reflect")
    view = FakeView(*notes(3), known, consumed={"reflect": ["r1"]})
    again = insight("The Ada drinks tea daily!", "r1", "r3", "m1@1")
    plan = run(view, questions(1), insights(again))
    assert plan.ops == (Link("m1@1", "r3", "evidence", reason="the same insight again"),)
    assert [item.reason for item in plan.rejected] == ["cycle"]
    assert plan.consumed == ("r2", "r3")


def test_two_alike_in_one_window_are_one():
    low = a_memory("m1", "Ada likes drinks", "r1", kind="insight", attributes={"depth": 1})
    view = FakeView(*notes(3), low, consumed={"reflect": ["r1"]})
    found = insights(insight("Ada drinks tea daily", "r2"), insight("Ada drank tea daily", "r3"))
    more = insights(insight("Ada drinks tea daily!", "r3", "m1@1"))
    plan = run(view, questions(2), found, more, params=Params(questions=2))
    first, second = adds(plan)
    assert first.evidence == (Cite("r2"), Cite("r3"), Cite("m1@1"))
    assert first.attributes["depth"] == 2
    assert second.text == "Ada drank tea daily"


def test_the_guard_keeps_apart_what_the_near_key_joins():
    known = a_memory("m1", "Ada was a tea grower", "r1", kind="insight")
    view = FakeView(*notes(2), known, consumed={"reflect": ["r1"]})
    plan = run(view, questions(1), insights(insight("Ada is a tea grower", "r2")))
    assert [op.text for op in adds(plan)] == ["Ada is a tea grower"]
    assert plan.ops[-1] == Link("new:1", "m1@1", "duplicate", requires=("new:1",))


def test_tombstoned_unless_there_is_new_evidence():
    grave = ("insight", near_key("Ada drinks tea daily"), ["r1", "r2"])
    view = FakeView(*notes(3), tombstones=[grave])
    plan = run(view, questions(1), insights(insight("Ada drinks tea daily", "r2")))
    assert (plan.ops, plan.rejected[0].reason) == ((), "tombstoned")
    assert plan.consumed == ("r1", "r2", "r3")  # it counts as settled
    plan = run(view, questions(1), insights(insight("Ada drinks tea daily", "r2", "r3")))
    assert len(adds(plan)) == 1


def test_relative_dates_become_absolute_or_are_refused():
    view = FakeView(*notes(30))
    found = insights(
        insight("Ada bought tea yesterday", "r25", "r26"),
        insight("Ada sold her tea yesterday", "r1", "r30"),
        insight("Too short", "r1"),
    )
    plan = run(view, questions(1), found)
    assert [op.text for op in adds(plan)] == ["Ada bought tea on 2024-05-01"]
    assert [item.reason for item in plan.rejected] == ["relative-date", "too-short"]


def test_undated_evidence_gives_no_date():
    view = FakeView(a_record("r1", "I bought tea", importance=5))
    plan = run(view, questions(1), insights(insight("Ada bought tea yesterday", "r1")))
    assert plan.rejected == (Rejection("Ada bought tea yesterday", "relative-date"),)
    plan = run(view, questions(1), insights(insight("Ada has bought tea", "r1")))
    assert adds(plan)[0].valid_from is None


def test_tool_results_take_part_cut_and_thoughts_do_not():
    view = FakeView(
        a_record("r1", "x" * 400, kind="tool_result", role="tool", importance=3),
        a_record("r2", "hm", kind="thinking", importance=3),
        a_record("r3", "", importance=3),
    )
    backend = Scripted(questions(1), NONE)
    plan = reflect(view, a_context(backend), ONE)
    assert [(item.ref, len(item.text)) for item in backend.asked[0].items] == [("r1", 301)]
    assert plan.consumed == ("r1", "r3")


def test_records_without_text_are_settled_without_a_question():
    plan = run(FakeView(a_record("r1", " ")))
    assert (plan.consumed, plan.selected, plan.ops) == (("r1",), ("r1",), ())


def test_evidence_of_a_long_history_is_sought_by_text_too(monkeypatch):
    monkeypatch.setattr("memcli.strategies.reflect.NEWEST", 5)
    said = [*notes(3), a_record("r4", "the zither is mine", at=MAY[1], importance=9), *notes(8, 50)]
    view = FakeView(*said)
    backend = Scripted(Questions(questions=["Whose is the zither?"]), NONE)
    reflect(view, a_context(backend), ONE)
    assert [i.ref for i in backend.asked[1].items] == ["r4", "r53", "r54", "r55", "r56", "r57"]


def test_prompts_hold_no_clock_and_no_store_ids():
    backend = Scripted(questions(1), NONE)
    reflect(FakeView(*notes(2)), a_context(backend, now="2031-07-09T01:02:03Z"), ONE)
    text = repr([task.messages() for task in backend.asked])
    assert "2031" not in text
    assert "r1" not in text


def test_errors_of_the_gateway_pass_through():
    with pytest.raises(GatewayError):
        run(FakeView(*notes(2)), GatewayError("no key"))


def test_deterministic():
    answers = [questions(1), insights(insight("Ada drinks tea daily", "r1", "r2"))]
    plans = [run(FakeView(*notes(120)), *answers) for _ in range(2)]
    assert plans[0] == plans[1]
    assert NOW[:4] in adds(plans[0])[0].attributes["expires_at"]


def test_a_rating_that_does_not_fit_the_model_marks_nothing():
    fresh = [replace(record, importance=None) for record in notes(1)]
    plan = run(FakeView(*fresh), questions(1), TooLong("x"), NONE)
    assert plan.failed == ("rating of r1: x",)
    assert plan.unusable == ()
