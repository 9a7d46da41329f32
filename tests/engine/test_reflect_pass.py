"""`reflect` through the real engine: the acceptance tests of its page that need a store."""

from typing import Any

import pytest

from memcli.core.memories import Memory
from memcli.core.plan import Plan, Supersede
from memcli.core.reports import ConsolidateReport, Due
from memcli.engine import audit, due, run
from memcli.engine.embedding import embedding
from memcli.errors import GatewayError, RefusedError
from memcli.ports import Failed
from memcli.registry import get_strategy
from memcli.retrieval.lexical import search_text
from memcli.retrieval.view import SearchView
from memcli.strategies.reflect import Params
from memcli.tasks.ask_questions import Questions
from memcli.tasks.draw_insights import Insight, Insights
from memcli.tasks.rate_importance import RateImportance, Rating, Ratings
from memcli.testing import Scripted, a_context
from tests.engine.world import World, said

NOW = "2026-07-01T12:00:00.000Z"
BAD = {"not": "what was asked for"}


class Model:
    """A scripted model that rates all records alike and then gives its answers in order."""

    def __init__(self, *answers: Any, rating: int = 5) -> None:
        self.scripted = Scripted(*answers, name="model-x")
        self.rating = rating
        self.name = "model-x"

    def answer(self, tasks: Any) -> list[Any]:
        out = []
        for task in tasks:
            if isinstance(task, RateImportance):
                ratings = tuple(Rating(item=i.ref, rating=self.rating) for i in task.items)
                out.append(Ratings(ratings=ratings))
            else:
                out += self.scripted.answer([task])
        return out


def questions(*texts: str) -> Questions:
    return Questions(questions=list(texts or ("What does Ada drink?",)))


def insights(*found: tuple[str, tuple[str, ...]]) -> Insights:
    drawn = [Insight(text=text, because_of=refs, importance=6) for text, refs in found]
    return Insights(insights=drawn)


def reflect(
    world: World, *answers: Any, params: Params | None = None, again: bool = False, rating: int = 5
) -> ConsolidateReport:
    context = a_context(Model(*answers, rating=rating), now=NOW)
    request = run.Request(
        get_strategy("reflect"),
        params or Params(questions=1),
        now=NOW,
        model="model-x",
        again=again,
    )
    return run.run_pass(
        world.connection, request, context, embedding(world.connection, world.embedder)
    )


def offline(world: World) -> ConsolidateReport:
    request = run.Request(get_strategy("reflect"), Params(), now=NOW)
    embed = embedding(world.connection, world.embedder)
    return run.run_pass(world.connection, request, a_context(now=NOW), embed)


def is_due(world: World, *, model: bool = True) -> Due:
    view = SearchView(world.connection, world.head)
    return due.due(view, get_strategy("reflect"), a_context(now=NOW), Params(), model=model)


def texts(world: World) -> list[str]:
    return [memory.text for memory in world.view.memories()]


@pytest.fixture
def told(world: World) -> World:
    world.ingest(
        [
            said("a", "I live in NYC and drink tea", at="2026-01-05T10:00:00Z"),
            said("b", "Tea again this morning", at="2026-01-06T10:00:00Z"),
            said("c", "I moved to SF", at="2026-06-05T10:00:00Z"),
        ]
    )
    return world


DAILY = insights(("Ada drinks tea every day", ("r1", "r2")))


class TestCitations:
    def test_an_insight_on_an_insight_keeps_the_first_pass_from_going_alone(
        self, told: World
    ) -> None:
        first = reflect(told, questions(), DAILY)
        told.ingest([said("d", "Green tea, too", at="2026-06-06T10:00:00Z")])
        second = reflect(told, questions(), insights(("Ada lives on tea", ("m1@1", "r4"))))
        memory = told.view.get("m2")
        assert isinstance(memory, Memory)
        assert memory.attributes["depth"] == 2
        assert first.pass_id is not None
        with pytest.raises(RefusedError) as refused:
            told.rollback(first.pass_id)
        assert "m2" in refused.value.details["dependents"]
        told.rollback(first.pass_id, cascade=True)
        assert texts(told) == []
        assert second.outcome == "applied"


class TestFailures:
    def test_half_a_window_is_partial_and_the_rerun_adds_what_was_missing(
        self, told: World
    ) -> None:
        params = Params(questions=2)
        asked = questions("What does Ada drink?", "Where does Ada live?")
        report = reflect(told, asked, DAILY, BAD, BAD, params=params)
        assert report.outcome == "partial"
        assert texts(told) == ["Ada drinks tea every day"]
        assert len(told.view.unconsumed("reflect")) == 3
        again = reflect(
            told, asked, DAILY, insights(("Ada lives in SF now", ("r3",))), params=params
        )
        assert again.outcome == "applied"
        assert texts(told) == ["Ada drinks tea every day", "Ada lives in SF now"]
        assert told.view.unconsumed("reflect") == []

    def test_without_questions_only_the_ratings_are_kept(self, told: World) -> None:
        report = reflect(told, BAD, BAD)
        assert report.outcome == "partial"
        assert report.operations["rate"] == 3
        assert texts(told) == []
        assert len(told.view.unconsumed("reflect")) == 3

    def test_nothing_settled_is_failed_and_writes_nothing(self, told: World) -> None:
        reflect(told, BAD, BAD)
        head = told.head
        with pytest.raises(GatewayError) as failed:
            reflect(told, BAD, BAD)
        assert failed.value.code == 7
        assert told.head == head

    def test_an_error_of_the_provider_fails_the_pass(self, told: World) -> None:
        head = told.head
        with pytest.raises(GatewayError):
            reflect(told, questions(), GatewayError("no answer"))
        assert told.head == head

    def test_nothing_new_asks_nothing(self, told: World) -> None:
        reflect(told, questions(), DAILY)
        report = reflect(told)
        assert (report.outcome, report.pass_id) == ("nothing-due", None)


class TestTrigger:
    def test_the_sum_counts_what_is_not_consumed(self, told: World) -> None:
        assert is_due(told).value == 12
        reflect(told, questions(), DAILY, rating=8)
        assert is_due(told).value == 0
        told.rollback("last")
        assert is_due(told).value == 12

    def test_it_fires_at_the_threshold(self, world: World) -> None:
        world.ingest([said(f"n{n}", f"note {n}") for n in range(37)])
        assert not is_due(world).due
        world.ingest([said("one more", "note")])
        assert is_due(world).due


class TestKnowledgeUpdate:
    def test_both_stand_with_their_dates_and_a_closed_source_makes_stale(self, told: World) -> None:
        reflect(
            told,
            questions("Where is Ada's home?"),
            insights(("Ada's home is NYC", ("r1",)), ("Ada's home is SF", ("r3",))),
        )
        first, second = told.view.memories()
        assert (first.valid_from, second.valid_from) == (
            "2026-01-05T10:00:00Z",
            "2026-06-05T10:00:00Z",
        )
        hits = search_text(told.view, "Ada home SF moved", k=10)
        assert {"m2", "r3"} <= {hit.id for hit in hits}
        told.ingest([said("d", "So much tea", at="2026-06-06T10:00:00Z")])
        reflect(told, questions(), insights(("Ada's base is NYC", ("m1@1", "r4"))))
        told.apply(Plan(ops=(Supersede("m1", "2026-06-05T10:00:00Z", by="m2"),)), "other")
        found = audit.audit(told.view, select=["P106"]).findings
        assert [finding.subject for finding in found] == ["m3"]


class TestRollback:
    def test_a_pass_is_as_if_it_had_not_run(self, told: World) -> None:
        before = told.dump()
        report = reflect(told, questions(), DAILY)
        assert report.pass_id is not None
        told.rollback(report.pass_id)
        assert told.dump() == before
        assert search_text(told.view, "drinks every day", k=5, layer="derived") == []
        record = told.view.records()[0]
        assert record.importance is None
        assert reflect(told, questions(), DAILY).operations["add"] == 1

    @pytest.mark.parametrize("how", ["memory", "reject"])
    def test_what_was_wrong_is_not_stored_again(self, told: World, how: str) -> None:
        reflect(told, questions(), DAILY)
        if how == "memory":
            told.rollback("m1")
        else:
            told.rollback("last", reject=True)
        report = reflect(told, questions(), DAILY)
        assert report.operations["add"] == 0
        assert "tombstoned" in {item.reason for item in report.rejected}
        assert told.view.unconsumed("reflect") == []
        told.ingest([said("d", "Tea at noon", at="2026-06-06T10:00:00Z")])
        fresh = insights(("Ada drinks tea every day", ("r1", "r2", "r4")))
        assert reflect(told, questions(), fresh).operations["add"] == 1


class TestOffline:
    @pytest.fixture
    def camping(self, world: World) -> World:
        days = ("2026-05-01", "2026-05-02", "2026-05-02", "2026-05-09")
        lines = (
            "I love camping in the forest.",
            "I packed the tent for camping.",
            "I want camping trips every month.",
            "I went camping at the lake.",
        )
        world.ingest(
            [
                said(f"c{n}", line, at=f"{day}T1{n}:00:00Z")
                for n, (day, line) in enumerate(zip(days, lines, strict=True))
            ]
        )
        return world

    def test_one_theme_verbatim_and_all_pending(self, camping: World) -> None:
        report = offline(camping)
        assert report.outcome == "applied"
        assert report.pending == {"needs-model": 4}
        (theme,) = camping.view.memories()
        assert (theme.kind, theme.attributes["count"]) == ("theme", 4)
        assert theme.text in {record.text for record in camping.view.records()}
        assert all(evidence.quotes for evidence in theme.evidence)
        assert len(camping.view.unconsumed("reflect")) == 4

    def test_a_second_run_changes_nothing_and_says_what_waits(self, camping: World) -> None:
        offline(camping)
        report = offline(camping)
        assert (report.outcome, report.pass_id) == ("no-changes", None)
        assert report.pending == {"needs-model": 4}
        assert not is_due(camping, model=False).due

    def test_a_theme_that_grew_is_revised_never_doubled(self, camping: World) -> None:
        offline(camping)
        camping.ingest([said("c9", "I planned camping with friends.", at="2026-05-20T10:00:00Z")])
        report = offline(camping)
        assert report.operations["add"] == 0
        (theme,) = camping.view.memories()
        assert theme.attributes["count"] == 5
        assert camping.rollback("last").restored == ("m1",)
        assert camping.view.memories()[0].attributes["count"] == 4

    def test_a_model_comes_later_and_sees_them_all(self, camping: World) -> None:
        offline(camping)
        report = reflect(camping, questions(), insights(("Ada camps often", ("r1", "r4"))))
        assert report.outcome == "applied"
        assert camping.view.unconsumed("reflect") == []


def test_c27_a_rating_that_fails_alone_is_last_then_set_aside(world: World) -> None:
    class NoRating(Model):
        """Rates all but the record r1."""

        def answer(self, tasks: Any) -> list[Any]:
            rates = [task for task in tasks if isinstance(task, RateImportance)]
            bad = [any(item.ref == "r1" for item in task.items) for task in rates]
            if any(bad):
                return [
                    Failed("x") if b else super(NoRating, self).answer([t])[0]
                    for t, b in zip(rates, bad, strict=True)
                ]
            return super().answer(tasks)

    def one_pass(params: Params) -> ConsolidateReport:
        backend = NoRating(questions(), insights())
        request = run.Request(get_strategy("reflect"), params, now=NOW, model="model-x")
        embed = embedding(world.connection, world.embedder)
        return run.run_pass(world.connection, request, a_context(backend, now=NOW), embed)

    one = Params(questions=1)
    for number in range(1, 4):
        world.ingest([said(f"n{number}", f"I drink tea number {number}")])
        report = one_pass(one)
        assert report.outcome == "partial"
        assert world.view.failures("reflect") == {"r1": number}
    assert [record.id for record in world.view.unconsumed("reflect")] == ["r1"]
    report = one_pass(one)
    assert (report.pass_id, report.pending) == (None, {"set-aside": 1})
    due = is_due(world)
    assert (due.due, due.value, due.pending) == (False, 0, {"set-aside": 1})
    world.ingest([said("more", "I drink coffee too")])
    assert one_pass(one).outcome == "applied"
    assert [record.id for record in world.view.unconsumed("reflect")] == ["r1"]
    retried = reflect(world, questions(), insights(), params=Params(questions=1, retry_failed=True))
    assert (retried.outcome, world.view.unconsumed("reflect")) == ("applied", [])
