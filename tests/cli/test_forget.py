import os
from pathlib import Path
from typing import Any

import pytest

from memcli.api import open_store
from memcli.core.records import Scope
from memcli.store import file
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples

MARCH, JUNE = "2026-03-01T12:00:00Z", "2026-06-01T12:00:00Z"


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    result = run(
        "forget", "--policy", "lru", "--param", "capacity=5", "--scope", "user=ada", "--if-due",
        "--now", "2026-03-02",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "note: constant-answers\n")
    assert store.asked[0] == ("open", (None,), {"mode": "write", "now": "2026-03-02"})
    assert store.asked[1] == (
        "forget",
        (),
        {
            "policy": "lru",
            "params": {"capacity": "5"},
            "scope": Scope(user="ada"),
            "dry_run": False,
            "if_due": True,
        },
    )


def test_a_dry_run_lists_every_item_and_only_reads(run: Run, store: FakeStore) -> None:
    store.answers["forget"] = samples.FADING
    result = run("forget", "--dry-run")
    assert (result.code, result.err) == (0, "note: no recalls logged\n")
    assert store.asked[0] == ("open", (None,), {"mode": "read", "now": None})
    first, _, _, *rows = result.out.splitlines()
    assert first == "forget  would apply  1 would fade, 1 come back, of 3"
    shown = [row.split()[:1] for row in rows if row[:1] in "rm" and row.strip()]
    assert shown == [["r1"], ["m1"], ["m2"]]
    assert "active → faded" in result.out
    assert "active, pinned" in result.out
    assert run("forget", "--dry-run", "--json").json["items"][2]["kept"] == "pinned"


def test_a_policy_that_is_none(run: Run, store: FakeStore) -> None:
    assert run("forget", "--policy", "chance").code == 2
    assert store.asked == []


# --- on a real store ------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "memory.db"
    with open_store(made, mode="create", now=MARCH) as opened:
        for text in ("I like green tea.", "I live in Ghent."):
            opened.add(text, speaker="Ada", said_at=MARCH)
    return made


def recalls(path: Path) -> dict[str, Any]:
    with open_store(path) as opened:
        return dict(opened._view().recalls())


def mem(run: Run, path: Path, *words: str, now: str = JUNE) -> Any:
    return run(*words, "--store", str(path), "--now", now)


def test_refused_before_anything_was_consolidated(run: Run, path: Path) -> None:
    before = path.read_bytes()
    result = mem(run, path, "forget", "--json")
    assert (result.code, result.error["code"]) == (6, 6)
    assert "no method has run yet" in result.error["what"]
    listed = mem(run, path, "forget", "--dry-run", "--json")
    assert listed.code == 6
    assert [item["kept"] for item in listed.json["items"]] == ["unconsumed", "unconsumed"]
    assert "would be refused" in mem(run, path, "forget", "--dry-run").out
    assert path.read_bytes() == before


def test_consolidate_first_then_forget(run: Run, path: Path) -> None:
    assert mem(run, path, "consolidate", "--strategy", "reconcile", now=MARCH).code == 0
    planned = mem(run, path, "forget", "--dry-run", "--json").json
    assert {item["id"]: item["becomes"] for item in planned["items"]} == {
        "r1": "faded",
        "r2": "faded",
        "m1": None,
        "m2": None,
    }
    done = mem(run, path, "forget", "--json").json
    assert (done["outcome"], done["operations"]["rate"]) == ("applied", 2)
    assert mem(run, path, "forget", "--json").json["outcome"] in ("no-changes", "nothing-due")
    assert mem(run, path, "rollback", "last").code == 0
    assert mem(run, path, "due", "forget").code == 0


def test_pinned_is_protected(run: Run, path: Path) -> None:
    mem(run, path, "consolidate", "--strategy", "reconcile", now=MARCH)
    assert mem(run, path, "rate", "r1", "pinned=true", now=MARCH).code == 0
    assert mem(run, path, "show", "r1", "--json").json["record"]["pinned"] is True
    planned = mem(run, path, "forget", "--dry-run", "--json").json
    assert [i["kept"] for i in planned["items"] if i["id"] == "r1"] == ["pinned"]


@pytest.mark.parametrize("command", ["search", "context"])
def test_recalls_are_logged_only_when_asked_for(run: Run, path: Path, command: str) -> None:
    assert mem(run, path, command, "green tea").code == 0
    assert recalls(path) == {}
    assert mem(run, path, command, "green tea", "--log-recall").code == 0
    assert recalls(path)["r1"] == ("2026-06-01T12:00:00.000Z",)
    before = path.read_bytes()
    assert mem(run, path, command, "zebra", "--log-recall", "--lexical").code == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize("command", ["search", "context"])
def test_a_store_that_cannot_be_written_logs_nothing_and_says_so(
    run: Run, path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and allowed(path, mode))
    assert not file.writable(path)
    assert mem(run, path, command, "green tea").code == 0
    result = mem(run, path, command, "green tea", "--log-recall", "--json")
    assert (result.code, result.out) == (4, "")
    assert result.error["what"].startswith("Recalls cannot be logged. ")
    assert "--log-recall" in result.error["hint"]
    assert recalls(path) == {}


def test_show_tells_how_an_item_was_used(run: Run, path: Path) -> None:
    mem(run, path, "search", "green tea", "--log-recall", now="2026-03-05T12:00:00Z")
    use = mem(run, path, "show", "r1", "--json", now="2026-03-06T12:00:00Z").json["details"]["use"]
    assert use == {
        "policy": "ebbinghaus",
        "last_use": "2026-03-05T12:00:00.000Z",
        "t": 1.0,
        "S": 2,
        "R": 0.6065,
        "threshold": 0.1,
    }
    assert "R=0.6065" in mem(run, path, "show", "r1", now="2026-03-06T12:00:00Z").out


def test_show_goes_by_the_parameters_of_mem_toml(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    settings = '[parameters.ebbinghaus]\npolicy = "heat"\nalpha = 2\n'
    (path.parent / "mem.toml").write_text(settings, encoding="utf-8")
    use = mem(run, path, "show", "r1", "--json", now=MARCH).json["details"]["use"]
    assert (use["policy"], use["heat"], use["age"]) == ("heat", 2.0, 0.0)


def test_a_real_pass_says_how_to_find_what_faded_and_to_take_it_back(run: Run, path: Path) -> None:
    with open_store(path, mode="write", now=MARCH) as opened:
        opened.consolidate("reconcile")
    result = run("forget", "--store", str(path), "--now", JUNE)
    said = (
        "2 items faded; mem search --include faded still finds them, mem undo takes the pass back."
    )
    assert (result.code, said in result.out.splitlines()) == (0, True)
    again = run("forget", "--store", str(path), "--now", JUNE)
    assert "faded;" not in again.out
