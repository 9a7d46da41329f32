"""Evaluations as a whole, over real stores: level 1, forms, thresholds."""

import dataclasses
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.core.reports import EvalArm, EvalDifference, EvalMetric, EvalReport
from memcli.errors import InputError, UsageError
from memcli.evals import loading
from memcli.evals.items import items
from memcli.evals.summing import findings
from memcli.evals.worlds import Bench, Stores
from memcli.gateway.hashed import HashEmbedder
from memcli.render.eval import as_json
from tests.evals import small


def run(suite: str, *arms: str, **more: Any) -> EvalReport:
    return api.evaluate(suite, arms=arms, **{"embedder": "none", **more})


def arm(report: EvalReport, name: str) -> EvalArm:
    return next(one for one in report.arms if one.name == name)


def value(report: EvalReport, name: str, metric: str) -> float | None:
    found = arm(report, name).metrics
    return next(one.value for one in found if (one.name, one.group) == (metric, "all"))


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return small.suite(tmp_path)


ARMS = ("none", "instruction", "raw", "raw+newest2", "strategy:reconcile")


def test_all_arms(suite: str) -> None:
    report = run(suite, *ARMS, budget=40)
    assert [one.name for one in report.arms] == list(ARMS)
    for name in ("none", "instruction"):
        assert value(report, name, "evidence_recall@10") == 0
        assert value(report, name, "stale_exposure@5") == 0
        assert value(report, name, "abstained") == 1, "it wins there, by knowing nothing"
    assert value(report, "raw", "evidence_recall@10") == 1
    assert value(report, "raw+newest2", "update_take") == 1
    assert arm(report, "raw").cost is not None
    assert report.versions["embedder"] == "none"
    assert report.settings["seed"] == 1
    assert report.warnings == (
        "bootstrap intervals rest on 4 clusters: with so few they are too narrow",
    )


def test_the_same_twice_but_for_the_time_it_took(suite: str) -> None:
    documents = []
    for _ in range(2):
        document = as_json(run(suite, *ARMS, "strategy:reflect", budget=40, embedder="hash-1024"))
        assert document.pop("timings")["seconds"] > 0
        documents.append(json.dumps(document))
    assert documents[0] == documents[1]


def test_what_must_hold_after_a_pass_of_memories_on_memories_holds(suite: str) -> None:
    held = arm(run(suite, "strategy:summarize"), "strategy:summarize").integrity
    assert held is not None
    assert held.ok, "quotes of memories are words of memories"
    assert held.quotes > 0


def test_what_must_hold_after_a_pass_holds(suite: str) -> None:
    report = run(suite, "strategy:reconcile")
    held = arm(report, "strategy:reconcile").integrity
    assert held is not None
    assert held.ok
    assert (held.worlds, held.records_unchanged) == (4, 4)
    assert held.memories > 0
    assert held.quotes > 0
    assert held.searches == 4
    assert arm(report, "strategy:reconcile").outcomes["applied"] >= 3
    assert arm(report, "raw").integrity is None


def test_raw_always_runs_beside(suite: str) -> None:
    report = run(suite, "strategy:reconcile", metrics=("served_correct",))
    assert [one.name for one in report.arms] == ["raw", "raw+newest2", "strategy:reconcile"]
    assert [(one.arm, one.against) for one in report.differences] == [
        ("raw+newest2", "raw"),
        ("strategy:reconcile", "raw"),
        ("strategy:reconcile", "raw+newest2"),
    ]
    assert all(one.verdict in ("gain", "loss", "none") for one in report.differences)
    assert any("reconcile" in said and "n = 3" in said for said in report.findings)


def test_it_says_when_consolidation_does_not_help(tmp_path: Path) -> None:
    probes = [{**small.NOISE, "id": f"tea{n}"} for n in range(4)]
    report = run(
        small.suite(tmp_path, *probes), "strategy:reflect", metrics=("evidence_recall@10",)
    )
    assert any("does not help here" in said for said in report.findings)
    assert not any(" gain " in said for said in report.findings)


@pytest.mark.parametrize(
    ("low", "high", "n", "said"),
    [
        (0.0, 1.0, 2, "cannot be told from chance with 2 questions"),
        (-0.4, 0.1, 1, "cannot be told from chance with 1 question"),
        (0.0, 0.0, 2, "does not help here"),
        (-0.04, 0.03, 900, "does not help here"),
    ],
)
def test_it_says_where_too_few_questions_tell_nothing(
    low: float, high: float, n: int, said: str
) -> None:
    names = ("raw", "raw+newest2", "strategy:reconcile")
    arms = [
        EvalArm(name, (EvalMetric("served_correct", 0.5, low, high, n, "bootstrap", group="all"),))
        for name in names
    ]
    found = [
        EvalDifference("served_correct", names[2], against, (low + high) / 2, low, high, n, "none")
        for against in names[:2]
    ]
    (finding,) = findings(arms, found)
    assert finding.startswith(f"reconcile {said}:")


def test_nothing_of_a_question_reaches_the_store(tmp_path: Path) -> None:
    probe = {**small.UPDATE, "rubric": ["names the southern city"]}
    suite = loading.load(small.suite(tmp_path, probe))
    (world,) = suite.worlds.values()
    stores = Stores(Bench(tmp_path, HashEmbedder()))
    with stores.opened(world) as store:
        path = store.path
        assert len(store.records) == 4
        assert store.refs_of == {"r1": ("old",), "r2": ("cake",), "r3": ("new",), "r4": ("rain",)}
    with sqlite3.connect(path) as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()
    assert "Porto" in dump
    for text in ("Where do I live", "southern city", "stale", "current_refs", "update"):
        assert (
            text not in dump.replace("CREATE", "").replace("BEFORE UPDATE", "") or text == "update"
        )
    stores.forget(world)
    assert not path.exists()


def test_a_memory_of_old_and_new_is_judged_by_its_words(tmp_path: Path) -> None:
    suite = loading.load(small.suite(tmp_path, small.UPDATE))
    (probe,), (world,) = suite.probes, suite.worlds.values()
    stores = Stores(Bench(tmp_path, HashEmbedder()))
    with stores.copied(world) as store:
        (hit,) = [hit for hit in _hits(store) if hit.id == "r3"]
        store._closures["m1"] = frozenset({"r1", "r3"})
        sides = {}
        for text in (
            "The user lives in Porto.",
            "The user lives in Ghent.",
            "The user lives in Porto, and lives in Ghent.",
            "The user lives in Porto; before that, in Ghent.",
        ):
            memory = dataclasses.replace(hit, id="m1", layer="derived", text=text)
            (item,) = items(store, probe, [memory])
            assert item.covers == {"old", "new"}
            sides[text] = item.side
    assert list(sides.values()) == ["current", "stale", "mixed", "current"]


def _hits(store: Any) -> Any:
    from memcli.core.options import SearchOptions
    from memcli.evals.asking import ask

    return ask(store.view, "Where do I live?", SearchOptions(), None).results


def test_sessions(tmp_path: Path) -> None:
    path = str(small.written(tmp_path, small.locomo()))
    report = run(path, "raw", unit="session", metrics=("hit@1", "ndcg@5", "evidence_recall@5"))
    assert value(report, "raw", "evidence_recall@5") is not None
    assert all(one.n == 4 for one in arm(report, "raw").metrics if one.group == "all")
    assert {one.group for one in arm(report, "raw").metrics} >= {"all", "category=1", "kind=recall"}
    assert len(report.warnings) == 2


def test_a_caption_finds_its_message(tmp_path: Path) -> None:
    path = str(small.written(tmp_path, small.locomo()))
    report = run(path, "raw", categories=("1",), metrics=("evidence_recall@5", "current@1"))
    assert value(report, "raw", "current@1") == 1


def test_a_pool_is_one_store(tmp_path: Path) -> None:
    path = str(small.written(tmp_path, small.longmemeval()))
    report = run(path, "raw", "raw+newest2", pool=True)
    assert (report.suite["worlds"], report.suite["probes"]) == (1, 5)
    assert value(report, "raw+newest2", "displaced") is not None


def test_shapes_of_benchmarks_run(tmp_path: Path) -> None:
    for number, made in enumerate((small.beam(), small.facts(), small.events())):
        path = str(small.written(tmp_path, made, f"{number}.json"))
        assert run(path, "raw", metrics=("current_before_stale",)).suite["probes"] > 1


def test_a_role_that_said_nothing_leaves_empty_stores(suite: str) -> None:
    report = run(suite, "raw", "strategy:reconcile", roles=("assistant",))
    assert report.suite["records"] == 0
    assert value(report, "raw", "abstained") == 1


def test_bad_wishes(suite: str) -> None:
    wrong: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        (("best",), {}),
        (("strategy:",), {}),
        (("strategy:none-such",), {}),
        (("placebo",), {}),
        (("raw",), {"metrics": ("beauty",)}),
        (("raw",), {"metrics": ("coverage",)}),
        (("raw",), {"k": 0}),
        (("raw",), {"budget": 0}),
        (("raw",), {"level": 3}),
        (("raw",), {"unit": "word"}),
        (("raw",), {"kinds": ("duplicate",)}),
        (("raw",), {"embedder": "none-such"}),
        (("raw",), {"kinds": ("update",), "roles": ("king",)}),
        (("raw",), {"strict": True}),
        (("raw",), {"export": "longmemeval=x.jsonl"}),
        (("raw",), {"level": 2, "export": "other=x.jsonl"}),
        (("raw",), {"level": 2, "unit": "session"}),
        (("raw",), {"metrics": ("answer_right",)}),
        (("raw",), {"fail_under": ("answer_right=0.5",)}),
        (("raw",), {"level": 2, "max_usd": float("nan")}),
        (("raw",), {"max_usd": float("inf")}),
        (("raw",), {"max_calls": -1}),
        ((), {"forms": ("poems",)}),
        ((), {"forms": ("raw",), "fail_under": ("hit@1=0.5",)}),
    ]
    for arms, more in wrong:
        with pytest.raises(UsageError) as caught:
            run(suite, *arms, **more)
        assert caught.value.hint, more


# --- forms ----------------------------------------------------------------------------------------


def test_forms_at_one_budget(suite: str) -> None:
    report = run(suite, forms=("facts", "insights", "instructions"), budget=30)
    made = {form.form: form for form in report.forms}
    assert list(made) == ["raw", "facts", "insights", "instructions"]
    assert made["raw"].strategies == ()
    assert made["facts"].strategies == ("reconcile",)
    assert made["facts"].items > 0
    assert all(form.tokens <= 30 for form in report.forms)
    assert {one.against for one in report.differences} == {"form:raw"}
    assert any(said.startswith("facts bring") for said in report.findings)
    assert not report.arms


def test_forms_of_a_strategy_that_is_named(suite: str) -> None:
    report = run(suite, "strategy:reflect", forms=("insights",), budget=30)
    assert report.forms[1].strategies == ("reflect",)


# --- thresholds -----------------------------------------------------------------------------------


def test_thresholds(suite: str) -> None:
    wanted = ("evidence_recall@10=0.9", "raw:served_correct=0.99", "raw+newest2:stale_exposure@5=1")
    report = run(suite, "raw", "raw+newest2", fail_under=wanted, metrics=("hit@1",))
    assert [(one.arm, one.metric, one.ok) for one in report.thresholds] == [
        ("raw+newest2", "evidence_recall@10", True),
        ("raw", "served_correct", False),
        ("raw+newest2", "stale_exposure@5", True),
    ]
    assert not report.ok
    assert report.thresholds[1].n == 3
    assert report.thresholds[1].low is not None


def test_a_threshold_on_what_no_question_is_about_is_missed(tmp_path: Path) -> None:
    path = small.suite(tmp_path, small.UPDATE)
    report = run(path, "raw", fail_under=("noise_hold=0.1",))
    assert [(one.value, one.ok) for one in report.thresholds] == [(None, False)]


@pytest.mark.parametrize(
    "given",
    [
        "",
        "served_correct",
        "served_correct=much",
        "=0.5",
        "beauty=0.5",
        "best:hit@1=0.5",
        "hit@1=nan",
    ],
)
def test_what_demands_nothing(suite: str, given: str) -> None:
    with pytest.raises(UsageError):
        run(suite, "raw", fail_under=(given,))


def test_an_arm_that_is_no_part_of_the_run(suite: str) -> None:
    with pytest.raises(UsageError, match="not part"):
        run(suite, "raw", fail_under=("strategy:reflect:hit@1=0.1",))


def test_a_baseline(suite: str, tmp_path: Path) -> None:
    known = as_json(run(suite, "raw", "raw+newest2"))
    path = small.written(tmp_path, known, "known.json")
    again = run(suite, "raw", "raw+newest2", baseline=str(path))
    assert again.ok
    assert {one.source for one in again.thresholds} == {"baseline"}
    for metric in known["arms"][0]["metrics"]:
        if metric["metric"] == "evidence_recall@5":
            metric["value"] = 1.1
    small.written(tmp_path, known, "known.json")
    worse = run(suite, "raw", baseline=str(path))
    assert [one.metric for one in worse.thresholds if not one.ok] == ["evidence_recall@5"]


def test_a_baseline_of_other_questions(suite: str, tmp_path: Path) -> None:
    known = as_json(run(suite, "raw"))
    path = str(small.written(tmp_path, known, "known.json"))
    other = small.suite(tmp_path, small.UPDATE, name="other.json")
    for call in (
        lambda: run(other, "raw", baseline=path),
        lambda: run(suite, "raw", kinds=("update",), baseline=path),
        lambda: run(suite, "raw", baseline=suite),
        lambda: run(suite, "raw", baseline=str(tmp_path / "none.json")),
        lambda: run(suite, "none", baseline=path),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert f"> {caught.value.where}" not in caught.value.hint, "that file may be anything"


def test_a_baseline_of_other_budgets(suite: str, tmp_path: Path) -> None:
    """What fits into 10 tokens says nothing of what fits into 40; the rest may be compared."""
    known = as_json(run(suite, "raw", budget=10))
    path = str(small.written(tmp_path, known, "known.json"))
    with pytest.raises(InputError, match="other settings: budget"):
        run(suite, "raw", budget=40, baseline=path)
    assert run(suite, "raw", budget=10, baseline=path).ok
    assert run(suite, "raw", budget=40, metrics=("hit@1",), baseline=path).ok
    assert run(suite, "raw", baseline=path).ok


def test_a_baseline_of_other_verdicts(suite: str, tmp_path: Path) -> None:
    known = as_json(run(suite, "raw", level=2, strict=True))
    path = str(small.written(tmp_path, known, "known.json"))
    with pytest.raises(InputError, match="other settings: strict"):
        run(suite, "raw", level=2, baseline=path)
    assert run(suite, "raw", baseline=path).ok


# --- the data that lie beside a checkout ----------------------------------------------------------


def test_sizes_of_the_real_files(shared_data: Path) -> None:
    def load(name: str) -> loading.Suite:
        return loading.load(str(shared_data / name))

    locomo = load("locomo5.json")
    assert (len(locomo.probes), len(locomo.worlds)) == (1020, 5)
    answerable = loading.narrowed(locomo, categories=("1", "2", "3", "4")).probes
    assert (len(answerable), sum(bool(p.current_refs) for p in answerable)) == (788, 786)
    longmemeval = load("longmemeval_evidence250.json")
    kinds = [probe.kind for probe in longmemeval.probes]
    assert (len(kinds), kinds.count("update"), kinds.count("history")) == (250, 28, 7)
    pool = loading.narrowed(longmemeval, pool=True)
    assert len(pool.worlds) == 1
    assert sum(bool(probe.current_refs) for probe in pool.probes) == 235
    beam = load("beam100k_10.json")
    assert (len(beam.worlds), len(beam.probes)) == (10, 200)
    assert sum(probe.kind == "update" for probe in beam.probes) == 19
    assert len(load("halumem_preference_events10.jsonl").worlds) == 10


def test_a_pass_that_is_refused_leaves_the_records(suite: str) -> None:
    report = run(suite, "strategy:forget", metrics=["served_correct"])
    arms = {arm.name: arm for arm in report.arms}
    assert arms["strategy:forget"].outcomes["refused"] > 0
    assert any("forget was refused" in said for said in report.warnings)
    values = {name: arm.metrics[0].value for name, arm in arms.items()}
    assert values["strategy:forget"] == values["raw+newest2"]


def test_a_form_whose_pass_is_refused_has_none_of_its_items(suite: str) -> None:
    report = run(suite, "strategy:forget", forms=("summary",), budget=30)
    assert {form.form: form.items for form in report.forms}["summary"] == 0
