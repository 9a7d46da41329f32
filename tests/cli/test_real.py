"""The commands over a real store, in this process and in children of their own."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.render.text import HARMFUL
from tests.cli.conftest import Result, Run
from tests.cli.test_json import check

NOW = "2026-03-10T09:00:00Z"
SAID = (
    "I went running along the river before work.",
    "Running in the rain was lovely this morning.",
    "I signed up for a running club near the river.",
    "My running shoes fell apart on the river path.",
    "I ran ten kilometres, running is what keeps me sane.",
    "Running with the club by the river was great fun.",
    "The \x1b[31mred\x1b[0m [bold]shoes[/] are for running.",
)


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A week of chat in which one thing comes up again and again."""
    path = tmp_path_factory.mktemp("talk") / "chat.jsonl"
    lines = []
    for day, text in enumerate(SAID, 1):
        moment = f"2026-03-0{day}T07:30:00Z"
        lines += [
            {"role": "user", "content": text, "created_at": moment, "id": f"u{day}"},
            {"role": "assistant", "content": "Nice.", "created_at": moment, "id": f"a{day}"},
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def mem(run: Run, tmp_path: Path) -> Callable[..., Result]:
    """`mem` on a store of its own."""

    def call(*arguments: str) -> Result:
        return run(arguments[0], "--store", str(tmp_path / "m.db"), *arguments[1:])

    return call


@pytest.fixture
def filled(mem: Callable[..., Result], transcripts: Path) -> Callable[..., Result]:
    """A store with records and what reflect makes of them."""
    assert mem("ingest", str(transcripts), "--now", NOW).code == 0
    done = mem("consolidate", "--strategy", "reflect", "--now", NOW, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["operations"]["add"] >= 1, "reflect makes a theme of it"
    return mem


def first_added(mem: Callable[..., Result]) -> str:
    changes = mem("diff", "p1", "p2", "--json").json["changes"]
    return next(change["memory"] for change in changes if change["change"] == "added")


def test_each_answer_fits_its_schema(
    filled: Callable[..., Result], transcripts: Path, tmp_path: Path
) -> None:
    memory = first_added(filled)
    answers: list[tuple[str, tuple[str, ...]]] = [
        ("ingest", ("ingest", str(transcripts))),
        ("ingest", ("ingest", str(transcripts), "--dry-run")),
        ("formats", ("ingest", "--list-formats")),
        ("ingest", ("add", "I moved to Porto.", "--now", NOW)),
        ("consolidate", ("consolidate", "--strategy", "reflect", "--dry-run")),
        ("consolidate", ("consolidate", "--strategy", "reflect", "--if-due")),
        ("strategies", ("strategies",)),
        ("due", ("due",)),
        ("diff", ("diff",)),
        ("diff", ("diff", "p0", "p2")),
        ("log", ("log",)),
        ("show", ("show", "r1")),
        ("show", ("show", memory)),
        ("show", ("show", f"{memory}@1")),
        ("show", ("show", "p2")),
        ("show", ("show", "s1")),
        ("history", ("history", memory)),
        ("why", ("why", memory)),
        ("derived", ("why", "r1", "--derived")),
        ("search", ("search", "running", "--explain")),
        ("context", ("context", "running")),
        ("audit", ("audit",)),
        ("audit", ("audit", "--deep")),
        ("digest", ("digest",)),
        ("digest", ("digest", "--at", "p1")),
        ("rate", ("rate", memory, "importance=9", "pinned=true")),
        ("rollback", ("undo",)),
        ("rollback", ("redo",)),
        ("rollback", ("rollback", memory, "--cascade", "--dry-run")),
        ("rollback", ("rollback", "--to", "p1", "--cascade")),
        ("reindex", ("reindex",)),
        ("doctor", ("doctor",)),
    ]
    for name, arguments in answers:
        result = filled(*arguments, "--json")
        assert result.code in (0, 1), (arguments, result.err)
        check(name, result.json)


def test_stored_text_acts_on_no_terminal(filled: Callable[..., Result]) -> None:
    memory = first_added(filled)
    for arguments in (
        ("diff", "p0"), ("why", memory), ("show", "r13"), ("search", "red shoes"),
        ("why", "r13", "--derived"), ("history", memory), ("diff", "--format", "markdown"),
        ("diff", "--format", "html"), ("why", memory, "--dot"), ("context", "red shoes"),
        ("context", "red shoes", "--format", "xml"),
    ):  # fmt: skip
        result = filled(*arguments)
        assert result.code == 0
        assert not HARMFUL.search(result.out.replace("\n", ""))
    assert "␛[31mred␛[0m [bold]shoes[/]" in filled("show", "r13").out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "m99999"), 2),
        (("show", "nonsense"), 2),
        (("show", "m999999999999999999999"), 2),
        (("why", "p1"), 2),
        (("history", "r1"), 2),
        (("diff", "p77"), 2),
        (("digest", "--at", "someday"), 2),
        (("rollback", "p77"), 2),
        (("rollback", "p1"), 6),
        (("redo",), 6),
        (("rate", "m1", "importance=11"), 2),
        (("rate", "m1", "colour=red"), 2),
        (("consolidate", "--strategy", "magic"), 2),
        (("consolidate", "--strategy", "reflect", "--model", "other"), 2),
        (("consolidate", "--strategy", "reflect", "--param", "nope=1"), 2),
        (("consolidate", "--strategy", "reflect", "--since", "soon"), 2),
        (("consolidate", "--strategy", "reflect", "--session", "s99"), 2),
        (("ingest", "/nowhere.jsonl"), 2),
        (("ingest", "x", "--format", "nope"), 2),
        (("ingest", "x", "--now", "soon"), 2),
        (("add", "x", "--now", "1999-01-01"), 2),
        (("add", "x", "--said-at", "soon"), 2),
        (("audit", "--select", "XYZ"), 2),
        (("due", "magic"), 2),
    ],
)
def test_mistakes_are_told(
    filled: Callable[..., Result], arguments: tuple[str, ...], code: int
) -> None:
    result = filled(*arguments)
    assert (result.code, result.out) == (code, ""), result.err
    assert result.err.startswith("mem: ")
    assert "\n  try: " in result.err
    check("error", filled(*arguments, "--json").error)


@pytest.mark.parametrize(
    "name", ["log", "show", "why", "history", "diff", "search", "digest", "audit", "rate", "undo"]
)
def test_no_store_is_exit_4(mem: Callable[..., Result], tmp_path: Path, name: str) -> None:
    arguments = {"show": ("m1",), "why": ("m1",), "history": ("m1",), "search": ("x",)}
    arguments["rate"] = ("m1", "pinned=true")
    result = mem(name, *arguments.get(name, ()))
    assert result.code == 4
    assert not list(tmp_path.iterdir())


def test_a_dry_run_creates_no_store(
    mem: Callable[..., Result], transcripts: Path, tmp_path: Path
) -> None:
    result = mem("ingest", str(transcripts), "--dry-run", "--json")
    assert (result.code, result.json["pass"]) == (0, None)
    assert result.json["records_new"] == 2 * len(SAID)
    assert not list(tmp_path.iterdir())


def test_init_refuses_what_is_there(mem: Callable[..., Result], tmp_path: Path) -> None:
    assert mem("init").code == 0
    assert mem("init").code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["m.db"]


def test_a_file_that_is_no_store(mem: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "m.db").write_bytes(b"no database" * 100)
    for name in ("log", "undo"):
        assert mem(name).code == 4
    assert mem("doctor").code in (1, 4)


def test_undo_takes_back_and_redo_brings_it(filled: Callable[..., Result]) -> None:
    def held() -> Any:
        return filled("digest", "--json").json["memories"]

    after = held()
    before = filled("digest", "--at", "p1", "--json").json["memories"]
    assert filled("undo", "--now", NOW).code == 0
    assert held() == before != after
    assert filled("redo", "--now", NOW).code == 0
    assert held() == after


def test_standard_input(mem: Callable[..., Result], transcripts: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memcli", "ingest", "-", "--json", "-s", str(tmp_path / "m.db")],
        input=transcripts.read_bytes(),
        capture_output=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records_new"] == 2 * len(SAID)


def test_the_demo_says_the_same_twice(run: Run, transcripts: Path) -> None:
    first = run("demo", str(transcripts), "--now", NOW)
    assert first.out == run("demo", str(transcripts), "--now", NOW).out
    answer = run("demo", str(transcripts), "--now", NOW, "--json").json
    check("demo", answer)
    failed = [claim for claim in answer["claims"] if not claim["ok"]]
    assert not failed or [claim["claim"] for claim in failed] == ["the audit finds no error"]
