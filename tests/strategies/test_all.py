"""What holds for every strategy there is, whatever a model answers, and without one.

The strategies are those of the registry: a new one is tested here without a line more.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from memcli import registry
from memcli.api import open_store
from memcli.core.memories import Memory
from memcli.core.reports import ConsolidateReport
from memcli.engine.audit import audit
from memcli.errors import GatewayError, RefusedError
from memcli.store.inspect import InspectView
from memcli.store.view import StoreView
from tests.engine.world import World
from tests.strategies.all_child import digests
from tests.strategies.erratic import MANNERS, Erratic
from tests.strategies.stories import NOW, TALK, consolidate, copied, filled, transcript

ROOT = Path(__file__).resolve().parents[2]
STRATEGIES = sorted(registry.strategies())
EVERY = pytest.mark.parametrize("name", STRATEGIES)
# These tidy up what others made: they settle no record, and by default ask nobody.
TIDY = {name for name, found in registry.strategies().items() if found.info.calls.startswith("0")}


ASKING = {"dedupe": {"judge": True}}
USUAL = ("valid",) * 6 + MANNERS  # else hardly a pass would come to its end


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store on which nothing was run."""
    return filled(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the facts of its records."""
    return filled(tmp_path_factory.mktemp("settled"), "append", "reconcile")


def errors(world: World) -> list[str]:
    """What a deep audit finds."""
    view = InspectView(world.connection, world.head)
    report = audit(view, deep=True)
    return [
        f"{one.code} {one.subject} {one.message}"
        for one in report.findings
        if one.severity == "error"
    ]


def marks(world: World, name: str) -> frozenset[str]:
    """The records that the strategy has settled."""
    return world.view.consumed(name)


def fading(world: World) -> list[str]:
    """The records that were taken out by a verdict or by forgetting."""
    return [record.id for record in world.view.records() if record.status != "active"]


# --- whatever a model answers -----------------------------------------------------------------------


@EVERY
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    manners=st.lists(st.sampled_from(USUAL), min_size=1, max_size=8),
    seed=st.integers(0, 2**16),
    used=st.booleans(),
)
def test_whatever_a_model_answers_a_pass_can_be_taken_back(
    name: str, fresh: Path, settled: Path, manners: list[str], seed: int, used: bool
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        world = copied(settled if used else fresh, Path(scratch))
        try:
            _run_and_take_back(world, name, Erratic(manners, seed))  # type: ignore[arg-type]
        finally:
            world.close()


def _run_and_take_back(world: World, name: str, model: Erratic) -> None:
    strategy = registry.get_strategy(name)
    before, rows, done, head = world.digest(), world.record_rows(), marks(world, name), world.head
    waiting = {record.id for record in world.view.unconsumed(name)}
    try:
        report = consolidate(world, strategy, model, **ASKING.get(name, {}))
    except (GatewayError, RefusedError) as error:
        event(f"{name}: {type(error).__name__}")
        assert (world.digest(), world.head) == (before, head), "a pass is all or nothing"
        return
    event(f"{name}: {report.outcome}")
    assert world.record_rows() == rows
    _check_marks(world, name, done, waiting, report)
    _check_sound(world)
    if report.pass_id is None:
        assert (world.digest(), world.head) == (before, head)
        return
    after = world.digest()
    world.rollback(report.pass_id)
    assert world.digest() == before, world.dump()
    assert world.record_rows() == rows
    assert marks(world, name) == done
    _check_sound(world)
    world.rollback("last")
    assert world.digest() == after, "a rollback that is taken back leaves the pass"


def _check_marks(
    world: World,
    name: str,
    done: frozenset[str],
    waiting: set[str],
    report: ConsolidateReport,
) -> None:
    new = marks(world, name) - done
    assert marks(world, name) >= done
    tools = {record.id for record in world.view.records(kinds=("tool_result",))}
    assert new <= waiting | tools, "only what waited is settled"
    left = {record.id for record in world.view.unconsumed(name)}
    assert left == waiting - new - set(fading(world))
    if report.pass_id is None:
        assert not new


def _check_sound(world: World) -> None:
    world.check()
    assert errors(world) == []


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name not in TIDY])
def test_a_model_that_answers_well_is_understood(name: str, settled: Path, tmp_path: Path) -> None:
    """Else the property above would be one of failures alone."""
    outcomes = []
    for seed in range(6):
        folder = tmp_path / str(seed)
        folder.mkdir()
        world = copied(settled, folder)
        model = Erratic(seed=seed)
        try:
            outcomes.append(consolidate(world, registry.get_strategy(name), model).outcome)
        except GatewayError:
            outcomes.append("failed")
        world.close()
    assert {"applied", "partial", "no-changes"} & set(outcomes), outcomes


# --- without a model --------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["talk", "work"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Talk of two people, as plain text; sessions of work with tools."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "work":
        return transcript(
            folder / "work.db", ROOT / "sample_stores" / "transcripts" / "work" / "projects"
        )
    return _talk(folder)


def _talk(folder: Path) -> Path:
    """A store with the talk of two people."""
    lines = [
        {"role": "user", "name": who, "content": text, **({"created_at": at} if at else {})}
        for at, who, text in TALK
        if text
    ]
    path = folder / "talk.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return transcript(folder / "talk.db", path)


def _before(name: str) -> tuple[str, ...]:
    """What is tidied up has to be there, and what fades has to be settled."""
    return ("reconcile",) if name in TIDY else ()


@EVERY
def test_without_a_model_it_ends_well_and_a_second_run_changes_nothing(
    name: str, told: Path, tmp_path: Path
) -> None:
    world = copied(told, tmp_path)
    for other in _before(name):
        consolidate(world, registry.get_strategy(other))
    rows = world.record_rows()
    first = consolidate(world, registry.get_strategy(name))
    assert first.outcome in ("applied", "no-changes", "nothing-due")
    assert (first.failed, first.usage.calls) == ((), 0)
    _check_sound(world)
    _check_verbatim(world.view, name)
    head, digest = world.head, world.digest()
    second = consolidate(world, registry.get_strategy(name))
    assert second.outcome in ("no-changes", "nothing-due")
    assert (world.head, world.digest()) == (head, digest)
    assert dict(second.pending) == dict(first.pending), "what waits is told again"
    if world.view.unconsumed(name) and name not in TIDY:
        assert second.pending, "what is not settled is told"
    assert world.record_rows() == rows
    world.close()


def _check_verbatim(view: StoreView, name: str) -> None:
    """Without a model every line of a memory is words of a record that it rests on."""
    for memory in view.memories(strategy=name):
        assert memory.made_by == "extractive"
        roots = [view.get(ref) for ref in sorted(view.closure(memory.id))]
        texts = [" ".join(root.text.split()) for root in roots if root is not None]
        for line in _lines(memory):
            assert any(line in text for text in texts), f"{memory.id} {memory.kind}: {line}"


def _lines(memory: Memory) -> list[str]:
    return [" ".join(line.split()) for line in memory.text.splitlines() if line.strip()]


@EVERY
def test_what_is_due_can_be_told_before_and_after(name: str, told: Path, tmp_path: Path) -> None:
    world = copied(told, tmp_path)
    for other in _before(name):
        consolidate(world, registry.get_strategy(other))
    world.close()
    with open_store(world.path, mode="write", now=NOW) as store:
        before = store.digest().memories
        store.due(name)
        assert store.digest().memories == before
        store.consolidate(name)
        (found,) = store.due(name)
        assert not found.due, (
            f"{found.why}: a pass without a model is not called for again and again"
        )
        assert store.consolidate(name, if_due=True).outcome == "nothing-due"


# --- the same again ---------------------------------------------------------------------------------


def test_the_same_store_answers_and_time_give_the_same_digest(tmp_path: Path) -> None:
    """Also in other processes, which hash texts otherwise and so have sets in another order."""
    own = digests(tmp_path / "own")
    for seed in ("0", "4321"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.strategies.all_child"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            cwd=ROOT,
            check=True,
            timeout=300,
        )
        assert json.loads(done.stdout) == own
    assert len({digest for found in own.values() for digest in found}) > len(own)


# --- how far it is ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - TIDY))
def test_who_waits_is_told_of_all_records_that_wait(name: str, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with open_store(_talk(tmp_path), mode="write", now=NOW) as store:
        store.consolidate(name, went=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    done, total = told[-1]
    assert 1 < done == total


def test_who_asks_what_is_due_is_told_how_many_methods_are_through(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with open_store(_talk(tmp_path), now=NOW) as store:
        found = store.due(went=lambda done, total: told.append((done, total)))
        assert found == store.due()
    assert told == [(done, len(STRATEGIES)) for done in range(len(STRATEGIES))]
