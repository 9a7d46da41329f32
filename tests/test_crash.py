"""Killed at any point, and several processes at once: nothing acknowledged is lost."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli.api import open_store

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 60


def start(store: Path, name: str, turns: int) -> "subprocess.Popen[str]":
    """A writer in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.crash_child", str(store), name, str(turns)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill_later(child: "subprocess.Popen[str]", delay: float) -> tuple[list[list[str]], str]:
    """What the child acknowledged until it was killed, `delay` seconds after its first word."""
    assert child.stdout is not None
    first = child.stdout.readline()
    time.sleep(delay)
    child.send_signal(signal.SIGKILL)
    rest, errors = child.communicate()
    # A line that was cut off acknowledges nothing.
    lines = [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]
    return [line.split() for line in lines], errors


def read_line(child: "subprocess.Popen[str]") -> list[str]:
    """The next thing that the child acknowledges."""
    assert child.stdout is not None
    return child.stdout.readline().split()


def assert_kept(store: Path, acknowledged: list[list[str]]) -> None:
    """Every pass and record that was acknowledged is there."""
    with open_store(store) as opened:
        passes = {entry.id for entry in opened.log()}
        for kind, pass_id, *records in acknowledged:
            assert pass_id == "None" or pass_id in passes
            if kind == "ingest":
                for ident in records:
                    assert opened.show(ident).held


def assert_sound(store: Path) -> None:
    """A deep audit finds no error, and it did look."""
    with open_store(store) as opened:
        report = opened.audit(deep=True)
    assert "I106" in report.checked
    assert [found for found in report.findings if found.severity == "error"] == []


@pytest.fixture
def delays() -> random.Random:
    return random.Random(20260301)


@pytest.mark.slow
def test_kill_at_any_point(tmp_path: Path, delays: random.Random) -> None:
    stores = [tmp_path / f"store{nth}" / "memory.db" for nth in range(3)]
    cut = 0
    for round_ in range(ROUNDS):
        # A fresh store now and then, so that its making is killed too.
        store = stores[round_ % 3]
        store.parent.mkdir(exist_ok=True)
        child = start(store, f"n{round_}", 150)
        acknowledged, errors = kill_later(child, delays.uniform(0, 1.0))
        assert errors == ""
        assert acknowledged
        cut += store.with_name(store.name + "-wal").exists()
        assert_kept(store, acknowledged)
        assert_sound(store)
    # A log left behind shows that the child died in the middle of its work.
    assert cut > 0


@pytest.mark.slow
def test_kill_while_a_store_is_made(tmp_path: Path, delays: random.Random) -> None:
    for round_ in range(12):
        store = tmp_path / f"new{round_}.db"
        child = subprocess.Popen(
            [sys.executable, "-m", "memcli", "init", "--store", str(store)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(delays.uniform(0.05, 0.4))
        child.kill()
        child.wait()
        if store.exists():
            assert_sound(store)


@pytest.mark.slow
def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    children = [start(store, name, 20) for name in ("left", "right")]
    try:
        acknowledged = [[read_line(child) for _ in range(12)] for child in children]
    finally:
        for child in children:
            child.kill()
        ends = [child.communicate() for child in children]
    assert [errors for _, errors in ends] == ["", ""]
    for lines in acknowledged:
        assert all(lines)
        assert_kept(store, lines)
    assert_sound(store)
