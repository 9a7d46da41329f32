"""The demo over the fake store: which steps it takes, and that it notices a false claim."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from memcli.cli import demo
from memcli.core.reports import DigestReport
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.cli.test_json import check
from tests.render import samples

QUIET = dataclasses.replace(samples.INGEST, records_new=0, pass_id=None)


@pytest.fixture
def sound(store: FakeStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeStore:
    """A store whose answers bear out every claim, and a folder of transcripts."""
    (tmp_path / "talk.jsonl").write_text("{}", "utf-8")
    monkeypatch.setattr(demo, "_packaged", lambda: tmp_path)
    store.answers["audit"] = samples.CLEAN
    store.answers["why"] = samples.WHY.children[0]
    store.answers["ingest"] = iter([samples.INGEST, QUIET])
    return store


STEPS = [
    "mem ingest transcripts",
    "mem digest",
    "mem consolidate --strategy reflect",
    "mem digest",
    "mem diff",
    "mem why m7",
    "mem audit --deep",
    "mem rollback last",
    "mem digest",
    "mem undo",
    "mem digest",
    "mem ingest transcripts",
]


def test_the_loop(run: Run, sound: FakeStore) -> None:
    before = Path.cwd()
    result = run("demo", "--now", "2026-03-10T09:00:00Z")
    assert (result.code, result.err) == (0, "")
    shown = [line[2:] for line in result.out.splitlines() if line.startswith("$ ")]
    assert shown == STEPS
    assert "Proved\n" in result.out
    assert "✗" not in result.out
    opened = [call for call in sound.asked if call[0] == "open"]
    assert all(call[1] == ("memory.db",) for call in opened)
    assert all(call[2]["now"] == "2026-03-10T09:00:00Z" for call in opened)
    assert Path.cwd() == before


def test_json(run: Run, sound: FakeStore) -> None:
    result = run("demo", "--json")
    assert (result.code, result.err) == (0, "")
    check("demo", result.json)
    assert [step["command"] for step in result.json["steps"]] == STEPS
    for step in result.json["steps"]:
        check(step["answer"]["schema"].split("/")[0].removeprefix("mem."), step["answer"])


def test_a_source_and_a_store_of_ones_own(run: Run, sound: FakeStore, tmp_path: Path) -> None:
    kept = tmp_path / "kept.db"
    result = run("demo", str(tmp_path / "talk.jsonl"), "--store", str(kept))
    assert f"$ mem ingest {tmp_path / 'talk.jsonl'} --store {kept}" in result.out
    assert result.err == f"kept as {kept}\n"
    assert {call[1] for call in sound.asked if call[0] == "open"} == {(str(kept),)}


def test_the_source_is_shown_as_typed_and_read_from_elsewhere(
    run: Run, sound: FakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my talks"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    result = run("demo", "./my talks", "--store", "kept.db")
    assert "$ mem ingest './my talks' --store kept.db\n" in result.out
    assert str(tmp_path) not in result.out
    asked = [call for call in sound.asked if call[0] == "ingest"]
    assert [call[1] for call in asked] == [([str(folder)],)] * 2
    opened = {call[1] for call in sound.asked if call[0] == "open"}
    assert opened == {(str(tmp_path / "kept.db"),)}
    sound.answers["ingest"] = iter([samples.INGEST, QUIET])
    assert run("demo", "my talks", "--json").json["source"] == "my talks"


def test_a_file_in_the_way(run: Run, sound: FakeStore, tmp_path: Path) -> None:
    assert run("demo", "--store", str(tmp_path / "talk.jsonl")).code == 2
    assert sound.asked == []


OTHER = DigestReport("p1", "aa" * 32, "00" * 32, "cc" * 32)
LIES: dict[str, tuple[str, Any]] = {
    "reading the same again adds nothing": ("ingest", [samples.INGEST, samples.INGEST]),
    "records came in": ("ingest", [QUIET, QUIET]),
    "the audit finds no error": ("audit", [samples.AUDIT]),
    "word for word": ("why", [samples.WHY] * 9),
    "reaches a record": ("why", [dataclasses.replace(samples.WHY, children=())] * 9),
    "what the pass did": ("diff", [samples.EMPTY_DIFF]),
    "what it held before the pass": (
        "digest",
        [samples.DIGEST, samples.DIGEST, OTHER, samples.DIGEST],
    ),
    "exactly what the pass made": (
        "digest",
        [samples.DIGEST, samples.DIGEST, samples.DIGEST, OTHER],
    ),
}


@pytest.mark.parametrize("claim", LIES)
def test_a_false_claim_is_exit_1(run: Run, sound: FakeStore, claim: str) -> None:
    name, answers = LIES[claim]
    sound.answers[name] = iter(answers)
    result = run("demo")
    assert (result.code, result.err) == (1, "")
    (line,) = [line for line in result.out.splitlines() if line.startswith("  ✗")]
    assert claim in line
    assert "Not proved\n" in result.out


def test_a_pass_that_writes_nothing(run: Run, sound: FakeStore) -> None:
    sound.answers["consolidate"] = dataclasses.replace(
        samples.CONSOLIDATE, pass_id=None, outcome="no-changes", changes=()
    )
    result = run("demo")
    assert result.code == 0
    assert "rollback" not in result.out
    assert "nothing to take back" in result.out


def test_without_transcripts(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "memcli" / "cli" / "demo.py"))
    result = run("demo")
    assert result.code == 2
    assert "mem demo SOURCE" in result.err
    (tmp_path / "sample_stores" / "transcripts").mkdir(parents=True)
    assert demo._packaged() == tmp_path / "sample_stores" / "transcripts"
    (tmp_path / "memcli" / "transcripts").mkdir(parents=True)
    assert demo._packaged() == tmp_path / "memcli" / "transcripts"
