"""`mem consolidate --plan` and `mem apply`."""

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import MovedError, RefusedError
from tests.cli.conftest import Result, Run
from tests.cli.fakes import FakeStore
from tests.cli.test_json import check
from tests.cli.test_real import NOW, SAID
from tests.render import samples

Mem = Callable[..., Result]


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    run(
        "apply", "plan.json", "--reject", "new:1,op:2", "--reject", "op:3", "--gate",
        "--dry-run", "--now", "2026-03-02",
    )  # fmt: skip
    assert store.asked[0] == ("open", (None,), {"mode": "read", "now": "2026-03-02"})
    asked = {"reject": ("new:1", "op:2", "op:3"), "gate": True, "dry_run": True}
    assert store.asked[1] == ("apply_plan", ("plan.json",), asked)


def test_a_plan_is_made_without_writing_to_the_store(run: Run, store: FakeStore) -> None:
    run("consolidate", "--strategy", "reflect", "--plan", "plan.json")
    assert store.asked[0][2]["mode"] == "read"
    assert store.asked[1][2]["plan"] == "plan.json"


def test_a_part_that_had_failed_is_exit_3(run: Run, store: FakeStore) -> None:
    assert run("apply", "plan.json").code == 3
    store.answers["apply_plan"] = dataclasses.replace(samples.CONSOLIDATE, failed=())
    assert run("apply", "plan.json").code == 0


@pytest.mark.parametrize("error", [RefusedError("edited"), MovedError("moved")])
def test_a_failure_keeps_its_code(
    run: Run, store: FakeStore, error: RefusedError | MovedError
) -> None:
    store.answers["apply_plan"] = error
    assert run("apply", "plan.json").code == error.code


# --- over a real store ------------------------------------------------------------------------------


@pytest.fixture
def mem(run: Run, tmp_path: Path) -> Mem:
    """`mem` on a store with records that reflect makes a theme of."""
    path = tmp_path / "chat.jsonl"
    lines = [
        {
            "role": "user",
            "content": text,
            "created_at": f"2026-03-0{day}T07:30:00Z",
            "id": f"u{day}",
        }
        for day, text in enumerate(SAID, 1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    def call(*arguments: str) -> Result:
        return run(arguments[0], "--store", str(tmp_path / "m.db"), "--now", NOW, *arguments[1:])

    assert call("ingest", str(path)).code == 0
    return call


@pytest.fixture
def plan(mem: Mem, tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    result = mem("consolidate", "--strategy", "reflect", "--plan", str(path))
    assert (result.code, result.err) == (0, "")
    assert "reflect  would apply" in result.out
    assert f"The plan is in {path}" in result.out
    return path


def memories(run: Run, tmp_path: Path) -> str:
    return str(run("digest", "--store", str(tmp_path / "m.db"), "--json").json["memories"])


def first_add(document: dict[str, Any]) -> dict[str, Any]:
    return next(op for op in document["parts"][0]["operations"] if op["type"] == "add")


def test_a_plan_does_what_the_pass_does(mem: Mem, plan: Path, run: Run, tmp_path: Path) -> None:
    before = memories(run, tmp_path)
    check("plan", json.loads(plan.read_text("utf-8")))
    mem("consolidate", "--strategy", "reflect")
    wanted = memories(run, tmp_path)
    mem("undo")
    applied = mem("apply", str(plan), "--gate", "--json")
    assert applied.code == 0
    check("consolidate", applied.json)
    assert (applied.json["outcome"], applied.json["pass"]) == ("applied", "p4")
    assert applied.json["plan"] == str(plan)
    assert memories(run, tmp_path) == wanted
    assert run("audit", "--store", str(tmp_path / "m.db"), "--deep").code == 0
    mem("rollback", "last")
    assert memories(run, tmp_path) == before


def test_a_rejected_theme_is_not_made_again(mem: Mem, plan: Path) -> None:
    document = json.loads(plan.read_text("utf-8"))
    label = first_add(document)["label"]
    first_add(document)["reject"] = True
    plan.write_text(json.dumps(document), "utf-8")
    shown = mem("apply", str(plan), "--dry-run", "--json").json
    assert {"item": label, "reason": "rejected"} in shown["rejected"]
    applied = mem("apply", str(plan), "--json").json
    assert applied["operations"]["add"] == shown["operations"]["add"]
    again = mem("consolidate", "--strategy", "reflect", "--json").json
    assert again["operations"]["add"] == 0
    assert mem("apply", str(plan)).code == 5


def test_an_edited_plan_is_refused(mem: Mem, plan: Path) -> None:
    plan.write_text(plan.read_text("utf-8").replace("running", "walking"), "utf-8")
    result = mem("apply", str(plan))
    assert result.code == 6
    assert '"reject": true' in result.err


def test_a_plan_of_another_store_is_refused(mem: Mem, plan: Path, run: Run, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    run("ingest", "--store", other, str(tmp_path / "chat.jsonl"))
    result = run("apply", "--store", other, str(plan))
    assert result.code == 6
    assert "made for another store" in result.err


def test_a_strategy_that_is_not_there(mem: Mem, plan: Path) -> None:
    from memcli.engine import planfile

    document = json.loads(plan.read_text("utf-8"))
    document["strategy"] = "nobody"
    document["sha256"] = planfile.fingerprint(document)
    plan.write_text(json.dumps(document), "utf-8")
    result = mem("apply", str(plan))
    assert (result.code, "'nobody', which is not there" in result.err) == (2, True)


def test_nothing_to_do_writes_no_file(mem: Mem, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    mem("consolidate", "--strategy", "reflect")
    result = mem("consolidate", "--strategy", "reflect", "--plan", str(path), "--json")
    assert (result.code, result.json["outcome"], result.json["plan"]) == (0, "no-changes", None)
    assert not path.exists()


@pytest.mark.parametrize(("option", "word"), [("--dry-run", "dry run"), ("--gate", "mem apply")])
def test_what_does_not_go_with_a_plan(mem: Mem, tmp_path: Path, option: str, word: str) -> None:
    path = tmp_path / "none.json"
    result = mem("consolidate", "--strategy", "reflect", "--plan", str(path), option)
    assert result.code == 2
    assert word in result.err
    assert not path.exists()


# --- the file ---------------------------------------------------------------------------------------


def planned(mem: Mem, path: Path | str) -> Result:
    return mem("consolidate", "--strategy", "reflect", "--plan", str(path))


def test_a_plan_replaces_a_plan_and_nothing_else(mem: Mem, plan: Path, tmp_path: Path) -> None:
    for text in (plan.read_text("utf-8").replace("running", "x"), '{"schema": "mem.plan/9"}'):
        plan.write_text(text, "utf-8")
        assert planned(mem, plan).code == 0
        assert json.loads(plan.read_text("utf-8"))["schema"] == "mem.plan/1"
    for name, text in (("a.json", "{}"), ("b", ""), ("c", "{"), ("d", '{"schema": "mem.diff/1"}')):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        result = planned(mem, path)
        assert (result.code, path.read_text("utf-8")) == (2, text)
        assert "no plan" in result.err
    assert planned(mem, tmp_path / "m.db").code == 2
    assert [path.name for path in tmp_path.glob(".*.new")] == []


def test_a_link_stays_a_link(mem: Mem, plan: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(plan)
    assert planned(mem, link).code == 0
    assert link.is_symlink()
    link.unlink()
    link.symlink_to(tmp_path / "later.json")
    assert planned(mem, link).code in (0, 2)


def test_the_plan_has_the_rights_of_any_new_file(plan: Path, tmp_path: Path) -> None:
    (tmp_path / "any").touch()
    assert plan.stat().st_mode == (tmp_path / "any").stat().st_mode


@pytest.mark.parametrize("name", ["", ".", "-", "nowhere/plan.json", "sub", "chat.jsonl/x", "a\0b"])
def test_where_no_plan_can_lie(
    mem: Mem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir(tmp_path))
    assert planned(mem, name).code == 2
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("name", ["", "nowhere.json", ".", "pipe", "m.db", "a\0b", "chat.jsonl"])
def test_what_no_plan_can_be_read_from(
    mem: Mem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    result = mem("apply", name)
    assert (result.code, result.out) == (2, "")
    assert "--plan FILE makes one" in result.err
