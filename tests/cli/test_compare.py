"""`mem compare`: its options, its exit codes, and real stores that stay as they are."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import memcli
from memcli.api import open_store
from memcli.core.reports import Compared
from memcli.engine.consolidating import Tables
from memcli.errors import UsageError
from memcli.evals.comparing import arms_of, with_params
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.evals import small
from tests.models import GOOD, filled, serving
from tests.render import samples

ROOT = Path(memcli.__file__).parent.parent


def whole(folder: Path, *but: str) -> dict[str, bytes]:
    """Every file under a folder with its bytes, but for some names."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in but)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files)}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store of a talk in it, to be in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEM_STORE", raising=False)
    filled(tmp_path)
    return tmp_path


# --- what is asked for ------------------------------------------------------------------------------


def test_it_is_asked_for_as_it_was_said(run: Run, store: FakeStore) -> None:
    result = run(
        "compare",
        "append",
        "mem0+forget",
        "--param",
        "mem0.batch=20",
        "--model",
        "openai/tiny",
        "--calls",
        "none",
        "--max-usd",
        "1",
        "--eval",
        "probes",
        "--scope",
        "user=ada",
    )
    (asked,) = [given for name, _, given in store.asked if name == "compare"]
    (strategies,) = next(args for name, args, _ in store.asked if name == "compare")
    assert strategies == ["append", "mem0+forget"]
    assert asked["params"] == {"mem0": {"batch": "20"}}
    assert (asked["model"], asked["calls"], asked["max_usd"]) == ("openai/tiny", "none", 1)
    assert (asked["suite"], asked["record"]) == ("probes", "mem-compare.db")
    assert store.asked[0] == ("open", (None,), {"now": None}), "it is opened to be read"
    assert result.code == 3


@pytest.mark.parametrize(
    ("compared", "code"),
    [
        ([samples.COMPARED.compared[1]], 7),
        ([samples.COMPARED.compared[0]], 3),
        (
            [
                Compared(
                    "append",
                    ("append",),
                    (dataclasses.replace(samples.CONSOLIDATE, outcome="applied", failed=()),),
                )
            ],
            0,
        ),
    ],
)
def test_exit_codes(run: Run, store: FakeStore, compared: list[Compared], code: int) -> None:
    store.answers["compare"] = dataclasses.replace(samples.COMPARED, compared=tuple(compared))
    assert run("compare", "append").code == code


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nope",), "There is no strategy 'nope'."),
        (("append+nope",), "There is no strategy 'nope'."),
        (("append", "--param", "batch=1"), "does not say whose parameter"),
        (("append", "--param", "mem0.batch=1"), "mem0 is not compared"),
        (("append", "--param", "append.nope=1"), "append has no parameter 'nope'"),
        (("append", "--scope", "town=ghent"), "A scope has no key 'town'"),
        (("append", "--eval", "nope.json"), "nope.json"),
        ((), "STRATEGY"),
    ],
)
def test_what_is_refused(run: Run, here: Path, words: tuple[str, ...], says: str) -> None:
    before = whole(here)
    result = run("compare", *words)
    assert result.code == 2
    assert says in result.err
    assert whole(here) == before


# --- real stores ------------------------------------------------------------------------------------


def test_the_store_and_its_folder_stay_as_they_are(run: Run, here: Path) -> None:
    before = whole(here)
    result = run("compare", "reconcile", "append", "summarize", "reconcile+dedupe", "--json")
    assert (result.code, result.err) == (0, "")
    assert whole(here) == before
    names = [one["name"] for one in result.json["compared"]]
    assert names == ["reconcile", "append", "summarize", "reconcile+dedupe"]


def test_each_is_what_a_pass_on_the_store_would_be(run: Run, here: Path) -> None:
    compared = run("compare", "append", "reconcile", "--json").json["compared"]
    for one in compared:
        done = run("consolidate", "--strategy", one["name"], "--json").json
        for name in ("outcome", "operations", "pending"):
            assert one[name] == done[name], name
        # Ids that were given and taken back are not given again.
        texts = [
            [(c["change"], c["kind"], c["after"]) for c in each["changes"]] for each in (one, done)
        ]
        assert [part[:2] for part in texts[0]] == [part[:2] for part in texts[1]]
        added = [[text for change, _, text in part if change == "added"] for part in texts]
        assert added[0] == added[1] != []
        assert run("rollback", "last").code == 0


def test_one_after_the_other(run: Run, here: Path) -> None:
    alone, both = run("compare", "append", "append+append", "--json").json["compared"]
    assert both["strategies"] == ["append", "append"]
    assert both["operations"] == alone["operations"], "the second finds nothing new"
    assert both["added"] == alone["added"]


def test_parameters(run: Run, here: Path) -> None:
    words = ("compare", "summarize", "--json")
    (usual,) = run(*words).json["compared"]
    (fewer,) = run(*words, "--param", "memorybank.digest=1").json["compared"]
    assert usual["operations"] == fewer["operations"]
    texts = [len(one["changes"][0]["after"].splitlines()) for one in (usual, fewer)]
    assert texts[0] > texts[1] == 1


def test_what_fails_is_told_beside_the_others(run: Run, here: Path) -> None:
    result = run("compare", "append", "forget", "--json")
    one, other = result.json["compared"]
    assert result.code == 3
    assert (one["outcome"], other["outcome"]) == ("applied", "failed")
    assert other["failed"] != []


def test_scores(run: Run, here: Path, tmp_path: Path) -> None:
    suite = small.suite(tmp_path)
    before = whole(here)
    result = run("compare", "append", "reconcile", "--eval", suite, "--json")
    arms = [arm["arm"] for arm in result.json["eval"]["arms"]]
    assert arms == ["raw", "raw+newest2", "strategy:append", "strategy:reconcile"]
    assert whole(here) == before
    assert "Scores" in run("compare", "append", "--eval", suite).out


def test_with_a_model_answers_are_kept_and_not_asked_again(run: Run, here: Path) -> None:
    with serving(GOOD, here) as server:
        before = whole(here, "mem-compare.db")
        first = run("compare", "reflect", "--json")
        asked = len(server.chats)
        assert asked == 5
        assert (first.json["model"], first.json["compared"][0]["calls"]) == ("openai/tiny", 5)
        assert whole(here, "mem-compare.db") == before
        again = run("compare", "reflect", "--calls", "none", "--json").json["compared"][0]
        assert len(server.chats) == asked
    assert (again["calls"], again["calls_recorded"]) == (0, 5)
    assert again["changes"] == first.json["compared"][0]["changes"]
    assert run("calls", "export", "answers.jsonl", "--store", "mem-compare.db").code == 0
    assert run("calls", "import", "answers.jsonl").code == 0
    done = run("consolidate", "--strategy", "reflect", "--calls", "none", "--json").json
    assert (done["outcome"], done["calls"], done["calls_recorded"]) == ("applied", 0, 5)


def test_answers_that_the_store_has_are_used(run: Run, here: Path) -> None:
    with serving(GOOD, here) as server:
        run("consolidate", "--strategy", "reflect", "--dry-run")
        asked = len(server.chats)
        one = run("compare", "reflect", "--calls", "none", "--json").json["compared"][0]
        assert len(server.chats) == asked
    assert (one["outcome"], one["calls_recorded"]) == ("applied", 5)


def test_the_budget_is_that_of_all(run: Run, here: Path) -> None:
    with serving(GOOD, here) as server:
        words = ("compare", "reflect", "reflect+reflect", "--max-calls", "2", "--calls", "fresh")
        result = run(*words, "--json")
        assert len(server.chats) == 2
    assert result.code in (3, 7)
    assert sum(one["calls"] for one in result.json["compared"]) == 2


def test_ctrl_c_leaves_nothing_behind(here: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    before = whole(here)
    child = subprocess.Popen(
        [sys.executable, "-m", "memcli", "compare", "append", "--eval", "probes"],
        env={**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=here,
    )
    for _ in range(400):  # until it evaluates, which is what has files
        if child.poll() is not None or any(scratch.glob("*/*")):
            break
        time.sleep(0.05)
    assert any(scratch.glob("*/*"))
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"Traceback" not in err
    assert list(scratch.iterdir()) == []
    assert whole(here) == before


# --- below ------------------------------------------------------------------------------------------


def test_arms() -> None:
    assert arms_of(["mem0", "append + forget"]) == ("strategy:reconcile", "strategy:append+forget")


def test_parameters_lie_over_those_of_the_file() -> None:
    tables = Tables(parameters={"mem0": {"batch": 5, "last": 3}})
    found: dict[str, Any] = dict(with_params(tables, {"reconcile": {"batch": "20"}}).parameters)
    assert found == {"reconcile": {"batch": "20", "last": 3}}
    with pytest.raises(UsageError):
        with_params(tables, {"nope": {}})


def test_in_python(here: Path) -> None:
    with open_store(here / "memory.db") as opened:
        report = opened.compare(["append"], params={"append": {"by_assistant": "true"}})
    (one,) = report.compared
    assert one.outcome == "applied"
    assert one.added == {"fact": one.operations["add"]}
