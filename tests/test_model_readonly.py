"""Passes on a store that cannot be written, or not any more: what that costs, and what is kept."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.api import open_store
from memcli.core.reports import ConsolidateReport
from memcli.errors import BusyError, StoreError
from memcli.store import calls as stored
from memcli.store.calls import StoredCalls
from memcli.store.driver import sqlite3
from tests.loopback import Reply
from tests.models import GOOD, QUESTIONS, filled, instead, run, serving

NO = Reply("I would rather not say.")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEM_STORE", raising=False)
    return tmp_path


@pytest.fixture
def store(here: Path) -> Path:
    return filled(here)


@pytest.fixture
def lock(store: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Takes away the right to write the store, also from root."""
    allowed = os.access

    def access(path: Any, mode: int) -> bool:
        return not (mode & os.W_OK and Path(path) == store) and allowed(path, mode)

    return lambda: monkeypatch.setattr(os, "access", access)


def dry(store: Path, **wish: Any) -> ConsolidateReport:
    with open_store(store, now="2026-05-02T00:00:00Z") as opened:
        return opened.consolidate("reflect", **wish)


@pytest.mark.parametrize("planned", [True, False])
def test_nothing_is_asked_where_no_answer_can_be_recorded(
    store: Path, here: Path, lock: Callable[[], None], planned: bool
) -> None:
    lock()
    wish = {"plan": here / "plan.json"} if planned else {"dry_run": True}
    with serving(GOOD, here) as server, pytest.raises(StoreError) as refused:
        dry(store, **wish)
    assert server.chats == []
    assert "cannot be written" in refused.value.what
    assert "copy the store" in (refused.value.hint or "")
    assert not (here / "plan.json").exists()


def test_rules_need_no_recording(store: Path, lock: Callable[[], None]) -> None:
    lock()
    assert dry(store, dry_run=True).outcome == "planned"


def test_recordings_are_enough(store: Path, here: Path, lock: Callable[[], None]) -> None:
    answers = instead("DrawInsights", *[NO] * 99, only=QUESTIONS[0])
    with serving(answers, here):
        first = dry(store, dry_run=True)
    with open_store(store, mode="write") as opened:  # as if they had been imported
        opened._connection.execute("DELETE FROM call_source")
        before = list(stored.rows(opened._connection))
    lock()
    with serving(GOOD, here) as server:
        assert dry(store, dry_run=True).changes == first.changes
        assert dry(store, dry_run=True, calls="none").changes == first.changes
        assert server.chats == []
    with open_store(store) as reader:
        assert list(stored.rows(reader._connection)) == before


def test_a_pass_that_is_written_says_so_before_it_asks(
    store: Path, here: Path, lock: Callable[[], None]
) -> None:
    lock()
    with serving(GOOD, here) as server, pytest.raises(StoreError):
        run(store)
    assert server.chats == []


@pytest.mark.parametrize(("taken", "busy"), [(0, False), (1, False), (3, False), (3, True)])
def test_a_disk_that_is_full_in_the_middle_of_a_pass(
    store: Path, here: Path, monkeypatch: pytest.MonkeyPatch, taken: int, busy: bool
) -> None:
    record, calls = StoredCalls.record, iter(range(100))

    def full(*given: Any) -> Any:
        if next(calls) < taken:
            return record(*given)
        raise sqlite3.OperationalError("database is locked" if busy else "database or disk is full")

    monkeypatch.setattr(StoredCalls, "record", full)
    with serving(GOOD, here), pytest.raises(BusyError if busy else StoreError) as refused:
        run(store)
    said = f"{refused.value.what} {refused.value.hint}"
    kept = {0: "", 1: "1 answer that was recorded is kept"}.get(
        taken, f"{taken} answers that were recorded are kept"
    )
    assert kept in said
    assert ("kept" in said) == bool(taken)
    assert ("othing of the pass was written" if taken else "othing was written") in said
    with open_store(store) as reader:
        assert len(list(stored.rows(reader._connection))) == taken
        assert [one.kind for one in reader.log()] == ["ingest"]
