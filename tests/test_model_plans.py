"""Answers that did not fit, and passes that are planned first and applied later (C11, C32)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memcli.api import open_store
from memcli.core.reports import ConsolidateReport
from memcli.errors import GatewayError
from tests.loopback import ModelServer, Reply
from tests.models import GOOD, QUESTIONS, filled, instead, recorded, run, serving, state

NO = Reply("I would rather not say.")
FAILING = instead("DrawInsights", *[NO] * 99, only=QUESTIONS[0])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEM_STORE", raising=False)
    return tmp_path


@pytest.fixture
def store(here: Path) -> Path:
    return filled(here)


def dry(store: Path, **wish: Any) -> ConsolidateReport:
    """A pass that is only planned, by a reader of the store."""
    with open_store(store, now="2026-05-02T00:00:00Z") as opened:
        return opened.consolidate("reflect", **wish)


def apply(store: Path, path: Path) -> ConsolidateReport:
    with open_store(store, mode="write", now="2026-05-02T00:00:00Z") as opened:
        return opened.apply_plan(path)


@contextmanager
def asked_anew(here: Path, count: int) -> Iterator[ModelServer]:
    """A server that answers well and has to be asked so often."""
    with serving(GOOD, here) as server:
        yield server
        assert len(server.chats) == count


def test_a_plan_is_made_again_from_the_same_answers(store: Path, here: Path) -> None:
    with serving(FAILING, here) as server:
        first = dry(store, plan=here / "one.json")
        assert (first.outcome, len(first.failed)) == ("planned", 1)
        assert len(server.chats) == 6
    assert len(recorded(store, "refused")) == 2
    again = dry(store, plan=here / "two.json", calls="none")
    assert (again.changes, again.failed) == (first.changes, first.failed)
    assert len(recorded(store, "refused")) == 2


def test_once_a_plan_is_applied_what_was_refused_is_asked_anew(store: Path, here: Path) -> None:
    with serving(FAILING, here):
        dry(store, plan=here / "plan.json")
    assert apply(store, here / "plan.json").outcome == "partial"
    assert recorded(store, "refused") == set()
    assert len(recorded(store, "spent")) == 2
    with asked_anew(here, 1):
        report = run(store)
    assert (report.outcome, report.operations["add"]) == ("applied", 1)


def test_a_pass_that_is_run_after_a_plan_ends_like_it(store: Path, here: Path) -> None:
    with serving(FAILING, here):
        dry(store, plan=here / "plan.json")
    with asked_anew(here, 0):
        assert run(store).outcome == "partial"
    assert recorded(store, "refused") == set()
    with asked_anew(here, 1):
        assert run(store).outcome == "applied"


def test_a_dry_run_leaves_what_was_refused_to_the_pass(store: Path, here: Path) -> None:
    with serving(FAILING, here):
        assert dry(store, dry_run=True).outcome == "planned"
    before = store.read_bytes()
    assert dry(store, dry_run=True, calls="none").outcome == "planned"
    assert store.read_bytes() == before
    with asked_anew(here, 0):
        assert run(store).outcome == "partial"
    assert len(recorded(store, "spent")) == 2


@pytest.mark.parametrize("wish", [{"dry_run": True}, {"plan": "plan.json"}])
def test_where_nothing_was_usable_the_next_one_asks_anew(
    store: Path, here: Path, wish: dict[str, Any]
) -> None:
    """Nothing was planned, so nothing is left to apply: it would fail alike for ever."""
    before = state(store)
    failing = {**GOOD, "AskQuestions": lambda _: NO, "RateImportance": lambda _: NO}
    with serving(failing, here), pytest.raises(GatewayError, match="No part of the pass"):
        dry(store, **wish)
    assert recorded(store, "refused") == set()
    assert state(store) == before
    # A dry run that asks nobody writes nothing, not even that an answer is spent.
    kept = store.read_bytes()
    with pytest.raises(GatewayError, match="No part of the pass"):
        dry(store, dry_run=True, calls="none")
    assert store.read_bytes() == kept
    with serving(GOOD, here):
        assert dry(store, **wish).outcome == "planned"
