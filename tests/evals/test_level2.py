"""Level 2: answers and verdicts, by rules and by a model behind a real server."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.core.reports import EvalReport
from memcli.errors import ExistsError, GatewayError, UsageError
from memcli.evals.judging import is_right, refuses
from memcli.evals.suite import Probe
from memcli.render.eval import as_json
from memcli.tasks.answer_question import RULE
from tests import models
from tests.evals import small
from tests.loopback import shown
from tests.models import MODEL, serving


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return small.suite(tmp_path)


def run(suite: str, *arms: str, **more: Any) -> EvalReport:
    return api.evaluate(suite, arms=arms, **{"embedder": "none", "level": 2, "budget": 40, **more})


def answers(report: EvalReport) -> Mapping[str, Any]:
    assert report.answers is not None
    return report.answers


def by_arm(report: EvalReport) -> dict[str, Any]:
    return {one["arm"]: one for one in answers(report)["arms"]}


# --- by rules -------------------------------------------------------------------------------------


def probe(kind: str, *right: str) -> Probe:
    return Probe("p", kind, "w", "?", answer=right, current_refs=("a",), stale_refs=("b",))


@pytest.mark.parametrize(
    ("kind", "text", "right"),
    [
        ("update", "You live in Porto.", True),
        ("update", "You live in Porto; formerly you lived in Ghent.", True),
        ("update", "You live in Ghent.", False),
        ("update", "You live in Porto and in Ghent.", False),
        ("update", "Somewhere by the sea.", False),
        ("recall", "It was Porto, or so you said.", True),
        ("abstain", "That is not known.", True),
        ("abstain", "You never mentioned a dog.", True),
        ("abstain", "I don't have any information on that.", True),
        ("abstain", "The dog is called Porto.", False),
        ("contradiction", "You said two different things about that.", True),
    ],
)
def test_rules_judge(kind: str, text: str, right: bool) -> None:
    assert is_right(probe(kind, "Porto"), text, ("Ghent",)) is right


def test_a_long_answer_need_not_be_said_word_for_word() -> None:
    wanted = probe("recall", "She moved the two hives to the orchard behind the old mill")
    assert is_right(wanted, "The hives went to the orchard, behind the mill; she moved both.", ())
    assert not is_right(wanted, "She keeps bees.", ())
    assert refuses("There is no mention of it.")


def test_without_a_model_it_says_what_it_is(suite: str) -> None:
    report = run(suite, "raw+newest2", "strategy:reconcile", "oracle", "full")
    found = answers(report)
    assert (found["reader"], found["judge"], report.usage.calls) == ("extractive", "rules", 0)
    assert "No model answered" in found["how"]
    arms = by_arm(report)
    letters = {name: one["letter"] for name, one in arms.items()}
    assert letters == {
        "none": "a", "instruction": "b", "placebo": "c", "raw": "d", "raw+newest2": "d",
        "strategy:reconcile": "e", "oracle": "f", "full": "g",
    }  # fmt: skip
    assert arms["none"]["right"] == arms["instruction"]["right"] == 0.25, "of what has no answer"
    assert all(one["n"] == 4 for one in arms.values())
    assert {one["judge"] for one in found["planted"]} == {"rules"}
    compared = [
        (one.arm, one.against) for one in report.differences if one.metric == "answer_right"
    ]
    assert {against for _, against in compared} == {"instruction", "placebo", "raw", "raw+newest2"}
    assert ("strategy:reconcile", "placebo") in compared
    assert all(against != "none" for _, against in compared), "that would credit memory with a rule"
    assert not Path("mem-eval.db").exists()


def test_answers_have_thresholds(suite: str) -> None:
    demands = ("answer_right=0.5", "placebo:answer_right=0.9", "raw:hit@1=0.1")
    report = run(suite, "raw+newest2", fail_under=demands)
    assert [(one.arm, one.ok) for one in report.thresholds] == [
        ("raw+newest2", True),
        ("placebo", False),
        ("raw", True),
    ]


def test_one_world_has_no_placebo(suite: str) -> None:
    report = run(suite, "raw", pool=True)
    assert by_arm(report)["placebo"]["n"] == 0


# --- by a model -----------------------------------------------------------------------------------


def reading(messages: Any) -> dict[str, Any]:
    """The newest line that names a city, else what the first line says."""
    lines = shown(messages)
    cities = [line for line in lines if "Porto" in line["text"] or "Ghent" in line["text"]]
    if cities and "Where do I live" in messages[-1]["content"]:
        newest = max(cities, key=lambda line: line.get("date", ""))
        return {"answer": "Porto" if "Porto" in newest["text"] else "Ghent"}
    return {"answer": lines[0]["text"] if lines else "It is not known to me."}


def judging(messages: Any) -> dict[str, Any]:
    """Right if the answer holds a right one, or refuses where there is none."""
    lines = shown(messages)
    right = [line["text"] for line in lines if line["id"].startswith("K")]
    (given,) = (line["text"] for line in lines if line["id"].startswith("A"))
    if not right:
        return {"right": "not known" in given}
    return {"right": any(one.casefold() in given.casefold() for one in right)}


GOOD: dict[str, Callable[[Any], Any]] = {"AnswerQuestion": reading, "JudgeAnswer": judging}


def test_a_model_answers_once(suite: str, tmp_path: Path) -> None:
    given = {"model": MODEL, "record": "kept.db"}
    with serving(GOOD, tmp_path) as server:
        report = run(suite, "raw+newest2", "oracle", **given)
        asked = len(server.chats)
        assert asked > 0
        prompts = [json.dumps(one.body["messages"]) for one in server.chats]
        again = run(suite, "raw+newest2", "oracle", **given)
        assert len(server.chats) == asked, "the second run makes no call"
    found = answers(report)
    assert (found["reader"], found["judge"]) == (MODEL, MODEL)
    assert answers(again)["arms"] == found["arms"]
    assert report.usage.calls == asked
    assert again.usage.calls == 0
    assert again.usage.calls_recorded == asked + report.usage.calls_recorded
    documents = [as_json(one) for one in (report, again)]
    for document in documents:
        document.pop("timings")
    assert documents[0] == documents[1]
    assert by_arm(report)["oracle"]["right"] == 1
    assert by_arm(report)["oracle"]["agreement"] is not None
    assert {one["judge"] for one in found["planted"]} == {"model", "rules"}
    # All but the arm without memory get the rule, and no store id is ever shown.
    readers = [one for one in prompts if "answer a question of a person" in one]
    assert sum(RULE not in one for one in readers) == len(small.PROBES)
    assert '"r1"' not in "".join(prompts)
    # In CI: nothing is asked, and the same comes out.
    replayed = run(suite, "raw+newest2", "oracle", calls="none", **given)
    assert answers(replayed)["arms"] == found["arms"]
    with api.open_store("kept.db") as store:
        assert {line.task for line in store.calls().calls} == {"AnswerQuestion", "JudgeAnswer"}
        assert store.audit().findings == ()


def test_what_was_never_asked_is_missed(suite: str, tmp_path: Path) -> None:
    with serving(GOOD, tmp_path) as server:
        with pytest.raises(GatewayError):
            run(suite, "raw", model=MODEL, calls="none")
        assert server.chats == []


def test_a_budget_leaves_answers_out(suite: str, tmp_path: Path) -> None:
    with serving(GOOD, tmp_path) as server:
        report = run(suite, "raw", model=MODEL, max_calls=6)
        assert len(server.chats) == 6
    assert sum(one["n"] + one["pending"] for one in answers(report)["arms"]) < 16
    assert any("stopped" in said for said in report.warnings)


def test_a_careless_judge_is_found_out(suite: str, tmp_path: Path) -> None:
    careless = {**GOOD, "JudgeAnswer": lambda messages: {"right": True}}
    with serving(careless, tmp_path):
        report = run(suite, "raw", model=MODEL)
    rates = {(one["lie"], one["judge"]): one["accepted"] for one in answers(report)["planted"]}
    assert rates[("vague", "model")] == 1
    assert rates[("vague", "rules")] == 0
    assert any("planted vague answers" in said for said in report.findings)
    gains = [one for one in report.differences if one.metric == "answer_right"]
    assert {one.verdict for one in gains} == {"none"}, "it takes those of the instruction, too"


def test_a_judge_alone_judges_the_stand_in(suite: str, tmp_path: Path) -> None:
    with serving(GOOD, tmp_path):
        path = tmp_path / "mem.toml"
        text = path.read_text("utf-8").replace("[model]", "[model.judge]")
        path.write_text(text, "utf-8")
        report = run(suite, "raw")
    assert (answers(report)["reader"], answers(report)["judge"]) == ("extractive", MODEL)


def test_strict_is_told_to_the_judge(suite: str, tmp_path: Path) -> None:
    with serving(GOOD, tmp_path) as server:
        run(suite, "raw", model=MODEL, strict=True, kinds=("update",))
        assert any("two values" in json.dumps(one.body["messages"]) for one in server.chats)


# --- the export -----------------------------------------------------------------------------------


def test_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = str(small.written(tmp_path, small.longmemeval()))
    for _ in range(2):  # one of its own is replaced
        run(path, "raw+newest2", export="longmemeval=out.jsonl")
    lines = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [line["question_id"] for line in lines] == ["q1", "q2", "q3", "q4_abs", "q5"]
    assert {"question_type", "question", "answer", "question_date", "hypothesis"} <= lines[0].keys()
    assert "haystack_sessions" not in lines[0]
    assert lines[0]["hypothesis"] == "I keep four hives now."


def test_an_export_replaces_nothing_else(suite: str) -> None:
    Path("notes.txt").write_text("mine\n", "utf-8")
    with pytest.raises(ExistsError):
        run(suite, "raw", export="longmemeval=notes.txt")
    with pytest.raises(UsageError):
        run(suite, "raw", export="longmemeval=no/such/folder/x.jsonl")
    assert Path("notes.txt").read_text("utf-8") == "mine\n"


# --- passes by a model ----------------------------------------------------------------------------


def test_what_a_strategy_asks_is_kept_too(suite: str, tmp_path: Path) -> None:
    def consolidated(**more: Any) -> EvalReport:
        return api.evaluate(
            suite,
            arms=("strategy:reflect",),
            embedder="none",
            model=MODEL,
            record="kept.db",
            **more,
        )

    def cost(report: EvalReport) -> tuple[int, int]:
        arm = report.arms[-1]
        assert arm.cost is not None
        assert arm.timings is not None
        return arm.cost.calls, arm.timings.calls

    with serving(models.GOOD, tmp_path) as server:
        first = consolidated()
        asked = len(server.chats)
        assert cost(first) == (asked, asked)
        assert asked > 4
        again = consolidated(calls="none")
        assert len(server.chats) == asked
    assert cost(again) == (asked, 0)
    documents = [as_json(one) for one in (first, again)]
    for document in documents:
        document.pop("timings")
        document["settings"].pop("calls")
    assert documents[0] == documents[1]
    # Without --model rules answer, whatever mem.toml says.
    assert (
        api.evaluate(suite, arms=("strategy:reflect",), embedder="none").settings["model"] is None
    )


def test_a_limit_is_one_of_all_passes(suite: str, tmp_path: Path) -> None:
    with serving(models.GOOD, tmp_path) as server:
        with pytest.raises(GatewayError):
            api.evaluate(
                suite, arms=("strategy:reflect",), embedder="none", model=MODEL, max_calls=5
            )
        assert len(server.chats) == 5
