"""`mem eval`: options, exit codes, streams, formats."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.errors import UsageError
from tests.cli.conftest import Run
from tests.cli.test_json import check
from tests.evals import small


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return small.suite(tmp_path)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `api.evaluate` is asked for, and refuses."""
    found: dict[str, Any] = {}

    def evaluate(suite: str, **given: Any) -> Any:
        found.update(given, suite=suite)
        raise UsageError("Enough.", where="here", hint="none")

    monkeypatch.setattr(api, "evaluate", evaluate)
    return found


def test_options_reach_the_evaluation(run: Run, asked: dict[str, Any]) -> None:
    line = "eval s.json --arm raw,none --arm raw+newest2 --kind update,noise --categories 1,2"
    line += " --role user --metric hit@1 --unit session --pool -k 7 --limit 9 --budget 50 --seed 3"
    line += " --embedder none --model m --calls none --record r.db --max-calls 5 --max-usd 1.5"
    line += " --level 2 --strict --export longmemeval=x --fail-under hit@1=.5 --baseline b.json"
    assert run(*line.split()).code == 2
    asked.pop("progress")
    assert asked == {
        "suite": "s.json", "arms": ("raw", "none", "raw+newest2"), "forms": (),
        "kinds": ("update", "noise"), "categories": ("1", "2"), "roles": ("user",),
        "metrics": ("hit@1",), "unit": "session", "pool": True, "k": 7, "limit": 9, "budget": 50,
        "seed": 3, "embedder": "none", "model": "m", "calls": "none", "record": "r.db",
        "max_calls": 5, "max_tokens": None, "max_usd": 1.5, "level": 2, "strict": True,
        "export": "longmemeval=x", "fail_under": ("hit@1=.5",), "baseline": "b.json",
    }  # fmt: skip


def test_recorded_answers_of_a_store(run: Run, asked: dict[str, Any]) -> None:
    run("eval", "--store", "mine.db")
    assert (asked["record"], asked["suite"]) == ("mine.db", "probes")
    run("eval")
    assert asked["record"] == "mem-eval.db"


def test_json_fits_its_schema(run: Run, suite: str) -> None:
    arms = "none,raw,raw+newest2,strategy:reconcile"
    result = run("eval", suite, "--arm", arms, "--embedder", "none", "--budget", "40", "--json")
    assert (result.code, result.err) == (0, "")
    check("eval", result.json)
    assert result.json["arms"][3]["integrity"]["ok"] is True
    answered = run("eval", suite, "--level", "2", "--arm", "oracle", "--embedder", "none", "--json")
    check("eval", answered.json)
    forms = run("eval", suite, "--form", "facts", "--embedder", "none", "--format", "json")
    check("eval", forms.json)
    assert not Path("mem-eval.db").exists()


def test_a_page_for_people(run: Run, suite: str) -> None:
    result = run("eval", suite, "--embedder", "none", "--budget", "40")
    assert result.code == 0
    for words in ("4 questions, 4 worlds, 10 records", "served_correct", "raw+newest2", "coverage"):
        assert words in result.out
    answered = run("eval", suite, "--level", "2", "--embedder", "none").out
    assert "No model answered" in answered
    assert "planted" in answered
    forms = run("eval", suite, "--form", "facts,insights", "--embedder", "none").out
    assert "facts bring" in forms


def test_a_missed_threshold_is_exit_1(run: Run, suite: str) -> None:
    words = ("eval", suite, "--arm", "raw", "--embedder", "none")
    assert run(*words, "--fail-under", "evidence_recall@10=0.5").code == 0
    missed = run(*words, "--fail-under", "served_correct=0.999")
    assert missed.code == 1
    assert "95 %" in missed.out
    assert "n = 3" in missed.out


def test_a_baseline_of_its_own(run: Run, suite: str, tmp_path: Path) -> None:
    words = ("eval", suite, "--arm", "raw", "--embedder", "none")
    (tmp_path / "known.json").write_text(run(*words, "--json").out, "utf-8")
    assert run(*words, "--baseline", "known.json").code == 0
    known = json.loads((tmp_path / "known.json").read_text("utf-8"))
    known["arms"][0]["metrics"][0]["value"] = 1.5
    (tmp_path / "known.json").write_text(json.dumps(known), "utf-8")
    assert run(*words, "--baseline", "known.json").code == 1


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("none.json",), "no such file"),
        (("bad.json",), "JSON"),
        (("suite.json", "--arm", "best"), "no arm"),
        (("suite.json", "--metric", "beauty"), "no metric"),
        (("suite.json", "--form", "poems"), "no form"),
        (("suite.json", "--fail-under", "hit@1"), "demands nothing"),
        (("suite.json", "--fail-under", ""), "demands nothing"),
        (("suite.json", "--fail-under", "hit@1=0.1,"), "demands nothing"),
        (("suite.json", "--max-usd", "nan"), "no limit"),
        (("suite.json", "--baseline", "suite.json"), "baseline"),
        (("suite.json", "--json", "--format", "junit"), "disagree"),
        (("suite.json", "--embedder", "none-such"), "no embedder"),
        (("suite.json", "--level", "3"), ""),
    ],
)
def test_bad_input_is_exit_2(
    run: Run, suite: str, tmp_path: Path, arguments: tuple[str, ...], what: str
) -> None:
    (tmp_path / "bad.json").write_text("{", "utf-8")
    result = run("eval", *arguments)
    assert (result.code, result.out) == (2, "")
    assert what in result.err
    assert "try: " in result.err or '"hint": "' in result.err


def test_junit(run: Run, suite: str) -> None:
    words = ("eval", suite, "--arm", "raw", "--embedder", "none", "--format", "junit")
    demands = ("--fail-under", "evidence_recall@10=.5", "--fail-under", "served_correct=.999")
    result = run(*words, *demands)
    assert result.code == 1
    root = ElementTree.fromstring(result.out)
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    (failure,) = root.iter("failure")
    assert "n = 3" in str(failure.get("message"))
    passed = ElementTree.fromstring(run(*words).out)
    assert (passed.get("tests"), passed.get("failures")) == ("1", "0")


def test_markdown(run: Run, suite: str) -> None:
    words = ("--arm", "strategy:reflect", "--embedder", "none", "--format", "markdown")
    result = run("eval", suite, *words, "--fail-under", "hit@1=0")
    assert result.code == 0
    assert "| metric | n | raw | raw+newest2 | strategy:reflect |" in result.out
    assert "- ok: " in result.out
    table = [line for line in result.out.splitlines() if line.startswith("| served_correct")]
    assert len(table) >= 1
    level2 = run("eval", suite, "--level", "2", *words[2:]).out
    assert "| arm | n | right | by rules |" in level2
    forms = run("eval", suite, "--form", "facts", *words[2:]).out
    assert "| form | made by |" in forms


def test_names_in_a_suite_are_data(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    evil = "\x1b[31m<b>|x|</b>"
    small.suite(
        tmp_path,
        small.UPDATE,
        {**small.NOISE, "category": evil},
        {**small.HISTORY, "category": "b"},
        name="evil.json",
    )
    path = tmp_path / "evil.json"
    value = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**value, "name": evil}), "utf-8")
    for form in ("text", "markdown", "junit", "json"):
        out = run("eval", "evil.json", "--arm", "raw", "--embedder", "none", "--format", form).out
        assert "\x1b" not in out
        if form == "junit":
            ElementTree.fromstring(out)
        if form == "markdown":
            assert "<b>" not in out
