"""No network unless a model was asked for (product.md, promise 6): counted in child processes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.api import open_store
from memcli.cli._command import NAMES
from tests.cli.test_imports import READS
from tests.models import GOOD, filled, serving

ROOT = Path(__file__).resolve().parent.parent
NOW = ("--now", "2026-05-02T00:00:00Z")
REFLECT = ("consolidate", "--strategy", "reflect", *NOW)
RECONCILE = ("consolidate", "--strategy", "reconcile", *NOW)
READING = [
    *(words for words, _ in READS),
    ("show", "r1", "--json"),
    ("calls", "list"),
    ("calls", "export", "-"),
    ("due", "--json"),
    ("ingest", "--list-formats"),
    ("ingest", "talk.txt", "--dry-run"),
    (*REFLECT, "--dry-run", "--model", "extractive"),
    ("consolidate", "--help"),
    ("eval", "--limit", "2", "--arm", "raw,strategy:reflect"),
    ("compare", "append", "reconcile+dedupe", "--model", "extractive"),
    ("forget", "--dry-run"),
]
WRITING = [
    ("init", "--store", "new.db"),
    ("ingest", "talk.txt", "--store", "new.db", *NOW),
    ("add", "I live in Ghent.", *NOW),
    ("rate", "m1", "importance=8", *NOW),
    ("rollback", "m1", "--cascade", *NOW),
    ("forget", "--policy", "lru", *NOW),
    ("undo", *NOW),
    ("redo", *NOW),
    ("reindex",),
    (*REFLECT, "--plan", "plan.json"),
    ("apply", "plan.json", *NOW),
    ("calls", "export", "calls.jsonl"),
    ("calls", "import", "calls.jsonl"),
    ("calls", "prune", "--all"),
    ("demo", *NOW),
]


def child(folder: Path, module: str, *arguments: str) -> None:
    """Run a module in a process of its own, in a folder; it has to end well."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith("MEM_")}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env={**keep, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def ran(folder: Path, lines: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """What the lines did, run in one child process in a folder."""
    child(folder, "tests.socket_child", json.dumps(lines), "answer.json")
    found: list[dict[str, Any]] = json.loads((folder / "answer.json").read_text("utf-8"))
    return found


def assert_quiet(folder: Path, lines: Sequence[Sequence[str]], codes: Sequence[int] = (0,)) -> None:
    """The lines end well, and none of them used the network or imported what might."""
    for words, one in zip(lines, ran(folder, lines), strict=True):
        assert one["code"] in codes, words
        assert (one["seen"], one["litellm"]) == ([], False), words


@pytest.fixture
def by_rule(tmp_path: Path) -> Path:
    """A folder with a store of records and of what rules make of them, and without a model."""
    store = filled(tmp_path)
    with open_store(store, mode="write", now="2026-05-02T00:00:00Z") as opened:
        for strategy in ("reflect", "reconcile"):
            opened.consolidate(strategy)
        assert opened.show("m1").held
    return tmp_path


@pytest.fixture(scope="module")
def _asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    filled(folder)
    with serving(GOOD, folder) as server:
        child(folder, "memcli", *REFLECT, "--dry-run")
        assert len(server.chats) == 5
    return folder


@pytest.fixture
def by_model(_asked: Path, tmp_path: Path) -> Path:
    """A folder whose store has the answers to a pass recorded. Its model is not there any more."""
    for name in ("memory.db", "mem.toml", "talk.txt"):
        shutil.copy(_asked / name, tmp_path)
    return tmp_path


def test_commands_that_read(by_rule: Path) -> None:
    assert_quiet(by_rule, READING, codes=(0, 1))


def test_commands_that_read_where_a_model_is_set(by_model: Path) -> None:
    # Of the model's pass only answers are there: nothing that it would have made.
    lines = [words for words in READING if "m1" not in words and "p2" not in words]
    assert_quiet(by_model, lines, codes=(0, 1, 6))


def test_commands_that_write(by_rule: Path) -> None:
    assert_quiet(by_rule, WRITING)


def test_every_command_is_among_them() -> None:
    assert {words[0] for words in (*READING, *WRITING)} - {"help"} == set(NAMES)


def test_strategies_without_a_model(by_rule: Path) -> None:
    lines = [
        ("consolidate", "--strategy", one.name, *NOW) for one in api.strategies() for _ in (1, 2)
    ]
    assert_quiet(by_rule, [("add", "I moved to Bruges.", *NOW), *lines, ("undo", *NOW)])


def test_an_estimate(by_model: Path) -> None:
    lines = [
        (*REFLECT, "--estimate"),
        (*REFLECT, "--estimate", "--calls", "fresh", "--json"),
        (*RECONCILE, "--estimate", "--model", "openai/gpt-5-mini"),
        (*REFLECT, "--estimate", "--model", "ollama/qwen3:4b"),
    ]
    assert_quiet(by_model, lines)


@pytest.mark.parametrize("calls", ["none", "reuse"])
def test_a_recorded_pass(by_model: Path, calls: str) -> None:
    lines = [
        (*REFLECT, "--calls", calls, "--dry-run"),
        (*REFLECT, "--calls", calls, "--plan", "plan.json"),
        (*REFLECT, "--calls", calls),
        ("audit", "--deep"),
    ]
    assert_quiet(by_model, lines)
    with open_store(by_model / "memory.db") as opened:
        assert opened.log()[0].usage.calls_recorded == 5


def test_a_pass_that_is_not_recorded_asks_nobody(by_model: Path) -> None:
    lines = [
        (*RECONCILE, "--calls", "none"),
        (*REFLECT, "--calls", "none", "--param", "questions=4"),
        (*REFLECT, "--calls", "none", "--model", "openai/gpt-5-mini"),
    ]
    assert_quiet(by_model, lines, codes=(7,))


def test_a_model_that_is_asked_is_noticed(by_model: Path) -> None:
    """Else all of the above would prove nothing."""
    (by_model / "mem.toml").write_text(
        '[model]\nname = "openai/tiny"\napi_base = "http://127.0.0.1:9/v1"\nretries = 0\n', "utf-8"
    )
    [one] = ran(by_model, [(*REFLECT, "--calls", "fresh")])
    assert one["code"] == 7
    assert one["litellm"]
    assert {"socket.__new__", "socket.connect"} <= set(one["seen"])
