"""Whole passes with a real small model: plumbing, schema, usage, cost, and guards; never quality."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memcli.api import open_store
from tests.live.model_server import NAME
from tests.models import assert_sound, filled, state

pytestmark = pytest.mark.live
# Short, for a small model on one core reads a hundred tokens a second.
TALK = """\
Ada: I moved to Ghent in March, and I work at the botanical garden now.
Tom: That is far from the sea.
Ada: My sister Runa is allergic to hazelnuts, so I never bake with them.
Tom: I will remember that.
"""
STRATEGIES = {"reflect": ("--param", "questions=1"), "reconcile": ()}
ROOT = Path(__file__).parents[2]


def mem(folder: Path, *arguments: str) -> tuple[int, Any, str]:
    """(exit code, the JSON answer or error, stderr) of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "memcli", *arguments, "--json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or done.stderr), done.stderr


@pytest.fixture
def folder(tmp_path: Path, live_api_base: str) -> Path:
    """A store, and a `mem.toml` that names the real model and a price."""
    filled(tmp_path, TALK)
    (tmp_path / "mem.toml").write_text(
        f'[model]\nname = "openai/{NAME}"\napi_base = "{live_api_base}"\n'
        "max_tokens = 200\ntimeout = 240\nconcurrency = 1\n"
        f'[prices."openai/{NAME}"]\ninput = 1.0\noutput = 2.0\n',
        encoding="utf-8",
    )
    return tmp_path


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_pass(folder: Path, strategy: str) -> None:
    store = folder / "memory.db"
    before = state(store)
    command = ("consolidate", "--strategy", strategy, *STRATEGIES[strategy])
    code, answer, errors = mem(folder, *command)
    assert code in (0, 3, 7), errors
    used = answer["details"] if code == 7 else answer
    assert used["calls"] >= 1
    assert used["tokens_in"] > 100
    assert used["tokens_out"] > 0
    assert used["cost_usd"] == pytest.approx(
        (used["tokens_in"] + 2 * used["tokens_out"]) / 1e6, rel=1e-6
    )
    assert_sound(store)
    with open_store(store) as opened:
        calls = opened.calls().calls
        view = opened._view()
        assert all(view.closure(memory.id) for memory in view.memories())
        newest = opened.log()[0]
    assert len(calls) == used["calls"]
    assert {call.model for call in calls} == {f"openai/{NAME}"}
    if code == 7:
        assert state(store) == before
        return
    assert (newest.model, newest.usage.calls) == (f"openai/{NAME}", used["calls"])
    after = state(store)
    mem(folder, "rollback", "last")
    assert state(store)[:2] == before[:2]
    # What it said is replayed to the letter, also what was refused, and nothing is asked.
    (folder / "mem.toml").write_text(
        f'[model]\nname = "openai/{NAME}"\napi_base = "http://127.0.0.1:9/v1"\nmax_tokens = 200\n',
        encoding="utf-8",
    )
    again, replayed, errors = mem(folder, *command, "--calls", "none")
    assert again == code, errors
    assert (replayed["calls"], replayed["calls_recorded"]) == (0, used["calls"])
    assert replayed["operations"] == answer["operations"]
    assert replayed["rejected"] == answer["rejected"]
    assert state(store)[1] == after[1] or strategy == "reflect"  # insights expire by the clock


def test_a_budget_of_one_call(folder: Path) -> None:
    code, answer, errors = mem(folder, "consolidate", "--strategy", "reconcile", "--max-calls", "1")
    assert code in (3, 7), errors
    used = answer["details"] if code == 7 else answer
    assert used["calls"] == 1
    assert_sound(folder / "memory.db")
