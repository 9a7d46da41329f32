"""Killed between any two calls to a model, and beside other writers: no answer is lost (C32)."""

import json
import os
import random
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

import pytest

from memcli.api import open_store
from tests.loopback import Asked, Behaviour, ModelServer, Reply, answering, shown
from tests.model_runner import NOW, ROOT, command, ingesting, start
from tests.models import (
    TALK,
    about,
    assert_sound,
    configure,
    filled,
    prompts,
    rated,
    recorded,
    state,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that are forked"),
]

AT_ONCE = 3
QUESTIONS = [
    *("What does Ada do before work?", "Where is Ada's home?", "Who is Runa to Ada?"),
    *("What does Tom make of water?", "How do bees fare in winter?", "What is kept on the roof?"),
]
PASS = (
    *("consolidate", "--strategy", "reflect", "--param", f"questions={len(QUESTIONS)}"),
    *("--now", NOW, "--json"),
)
ONE_TALK = (*PASS, "--session", "s1")
REPAIRED = QUESTIONS[3]  # its first answer does not fit
CALLS = 2 + len(QUESTIONS) + 1
Moment = Literal["arrival", "reply", "sent"]
PATIENCE = 60.0  # seconds
LONG = 0.05  # an answer takes so many seconds: others are on their way meanwhile


def asked(_: Any) -> dict[str, Any]:
    return {"questions": QUESTIONS}


def drawn(messages: Any) -> Any:
    question = next(q for q in QUESTIONS if about(q, messages))
    if question == REPAIRED and len(messages) == 2:
        return Reply("The answer is water.", delay=LONG)
    ids = [line["id"] for line in shown(messages)][:2]
    text = f"There is an answer of its own to this: {question.rstrip('?')}."
    found = {"insights": [{"text": text, "because_of": ids, "importance": 6}]}
    return Reply(json.dumps(found), delay=LONG)


ANSWERS = {"RateImportance": rated, "AskQuestions": asked, "DrawInsights": drawn}


class Watched(ModelServer):
    """Answers well. At a `moment` of request `nth` it does something else first: `then`."""

    def __init__(self, nth: int = 0, moment: Moment = "arrival") -> None:
        super().__init__(answering(ANSWERS))
        self.then: Callable[[], None] = lambda: None
        self.ready = threading.Event()  # `then` can be done
        self._nth, self._moment = nth, moment
        self._here = threading.local()

    def decide(self, asked: Asked) -> Behaviour:
        """What to answer, after `then`, if that is to come before."""
        self._here.asked = asked
        self._at("arrival", asked)
        behaviour = super().decide(asked)
        self._at("reply", asked)
        return behaviour

    def done(self) -> None:
        """The answer is on its way."""
        self._at("sent", self._here.asked)
        super().done()

    def _at(self, moment: Moment, asked: Asked) -> None:
        if (asked.nth, moment) == (self._nth, self._moment):
            assert self.ready.wait(PATIENCE)
            self.then()


@contextmanager
def serving(folder: Path, nth: int = 0, moment: Moment = "arrival") -> Iterator[Watched]:
    server = Watched(nth, moment)
    with server:
        configure(folder, server.api_base, concurrency=AT_ONCE, timeout=PATIENCE)
        yield server


def kill(process: BaseProcess) -> None:
    """Kill; comes back when it is dead."""
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    assert wait([process.sentinel], PATIENCE)


def ended(process: BaseProcess) -> int | None:
    """The exit code of a process that ends by itself."""
    process.join(PATIENCE)
    return process.exitcode


def finished(folder: Path, words: tuple[str, ...] = PASS) -> Any:
    """What a command answers that nobody kills; it has to end well."""
    process = start(command, folder, words)
    assert ended(process) == 0, (folder / "run.err").read_text("utf-8")
    said = (folder / "run.out").read_text("utf-8")
    return json.loads(said) if "--json" in words else said


@pytest.fixture(scope="module")
def chance() -> random.Random:
    return random.Random(20260502)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, from which each round begins."""
    folder = tmp_path_factory.mktemp("template")
    filled(folder)
    # The fork server takes its search path from the folder in which it is started.
    here = Path.cwd()
    os.chdir(ROOT)
    try:
        assert ended(start(command, folder, ("log", "--json"))) == 0
    finally:
        os.chdir(here)
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    shutil.copy(template / "memory.db", tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def undisturbed(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, int]:
    """The state after a pass that nothing happened to."""
    folder = tmp_path_factory.mktemp("undisturbed")
    shutil.copy(template / "memory.db", folder)
    with serving(folder) as server:
        report = finished(folder)
        assert len(server.chats) == CALLS
        assert 1 < server.max_in_flight <= AT_ONCE
    assert (report["outcome"], report["operations"]["add"]) == ("applied", len(QUESTIONS))
    return state(folder / "memory.db")


# Every moment of every call, and some once more.
ROUNDS = [(nth, moment) for nth in range(1, CALLS + 1) for moment in ("arrival", "reply", "sent")]
ROUNDS += [(nth, "sent") for nth in range(2, CALLS + 1, 2)]


@pytest.mark.parametrize(("nth", "moment"), ROUNDS)
def test_killed_between_any_two_calls(
    folder: Path,
    undisturbed: tuple[str, str, int],
    chance: random.Random,
    nth: int,
    moment: Moment,
) -> None:
    store = folder / "memory.db"
    before = state(store)
    with serving(folder, nth, moment) as server:
        process = start(command, folder, PASS)
        later = chance.choice([0, chance.uniform(0, 0.02), chance.uniform(0, 0.2)])

        def then() -> None:
            if moment == "sent":
                threading.Event().wait(later)
            kill(process)

        server.then = then
        server.ready.set()
        process.join(PATIENCE)
        sent = prompts(server)
    whole = process.exitcode == 0  # it was faster than the kill
    assert process.exitcode == -signal.SIGKILL or (whole and moment == "sent")
    after = state(store)
    assert after == undisturbed if whole else after in (before, undisturbed)
    assert_sound(store)
    kept = recorded(store) | recorded(store, "refused") | recorded(store, "spent")
    assert kept <= set(sent)
    # What came but was not recorded, or was under way: no more than run at a time.
    assert len(set(sent) - kept) <= AT_ONCE
    with serving(folder) as server:
        finished(folder)
        again = prompts(server)
    assert not kept & set(again)
    assert len(again) == CALLS - len(kept)
    assert len(set(again) & set(sent)) <= AT_ONCE
    if moment == "arrival":
        assert sent[nth - 1] in again
    assert state(store) == undisturbed
    assert_sound(store)


# --- beside another writer --------------------------------------------------------------------------


def acknowledged(folder: Path, name: str) -> list[tuple[str, str]]:
    """First and last record of each ingest that said that it was done."""
    path = folder / f"{name}.out"
    lines = path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []
    pairs = [line.split() for line in lines if line.endswith("\n")]
    return [(first, last) for first, last in pairs]


def assert_ingested(folder: Path, found: list[tuple[str, str]]) -> None:
    """All that was acknowledged is held."""
    with open_store(folder / "memory.db") as opened:
        for pair in found:
            assert all(opened.show(ident).held for ident in pair)


@pytest.mark.parametrize("nth", [1, 2, 3, 5, CALLS])
@pytest.mark.parametrize("dies", ["consolidating", "ingesting", "both"])
def test_killed_while_another_process_ingests(
    folder: Path, undisturbed: tuple[str, str, int], chance: random.Random, nth: int, dies: str
) -> None:
    store = folder / "memory.db"
    moment: Moment = chance.choice(["arrival", "reply", "sent"])
    with serving(folder, nth, moment) as server:
        other = start(ingesting, folder, "other")
        while not acknowledged(folder, "other"):
            assert not wait([other.sentinel], 0.02)
        process = start(command, folder, ONE_TALK)

        def then() -> None:
            for name, one in (("consolidating", process), ("ingesting", other)):
                if dies in (name, "both"):
                    kill(one)

        server.then = then
        server.ready.set()
        process.join(PATIENCE)
        if other.is_alive():
            kill(other)
        sent = prompts(server)
    # New records move nothing that the pass rests on: if it lives it is applied (C2).
    assert process.exitcode in (0, -signal.SIGKILL), (folder / "run.err").read_text("utf-8")
    assert process.exitcode == 0 or dies != "ingesting"
    assert (folder / "other.err").read_text("utf-8") == ""
    assert_ingested(folder, acknowledged(folder, "other"))
    assert_sound(store)
    kept = recorded(store) | recorded(store, "refused") | recorded(store, "spent")
    assert len(set(sent) - kept) <= AT_ONCE
    with serving(folder) as server:
        report = finished(folder, ONE_TALK)
        again = prompts(server)
    assert not kept & set(again)
    assert report["outcome"] == ("nothing-due" if process.exitcode == 0 else "applied")
    assert len(again) == (0 if process.exitcode == 0 else CALLS - len(kept))
    assert state(store)[1] == undisturbed[1]
    assert_sound(store)


def changed(folder: Path) -> Path:
    """The talk again, its third turn in other words: that is another record, and ends nothing."""
    path = folder / "more.txt"
    path.write_text(TALK.replace("two hives", "nine hives"), encoding="utf-8")
    return path


@pytest.mark.parametrize("nth", [1, 2, 5, CALLS])
def test_another_process_writes_while_a_model_thinks(folder: Path, nth: int) -> None:
    """No lock is held meanwhile, and what was selected is still there: the pass is applied."""
    store = folder / "memory.db"
    with serving(folder, nth) as server:
        server.then = lambda: finished(folder, ("ingest", str(changed(folder)), "--now", NOW))
        process = start(command, folder, PASS, "pass")
        server.ready.set()
        assert ended(process) == 0, (folder / "pass.err").read_text("utf-8")
    with open_store(store) as opened:
        assert [entry.kind for entry in opened.log()] == ["consolidate", "ingest", "ingest"]
    assert_sound(store)


@pytest.mark.parametrize("nth", [1, 2, 5, CALLS])
def test_what_moves_under_a_pass_refuses_it(
    folder: Path, undisturbed: tuple[str, str, int], nth: int
) -> None:
    """The same pass by another process consumes its records: exit 5, and nothing written twice."""
    store = folder / "memory.db"
    with serving(folder, nth) as server:
        server.then = lambda: finished(folder)
        process = start(command, folder, PASS, "pass")
        server.ready.set()
        assert ended(process) == 5
        said = json.loads((folder / "pass.err").read_text("utf-8"))
        assert said["code"] == 5
        sent = prompts(server)
    assert state(store) == undisturbed
    assert_sound(store)
    kept = recorded(store) | recorded(store, "refused") | recorded(store, "spent")
    assert kept == set(sent)
