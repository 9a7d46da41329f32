"""Rule C2: no lock while a strategy thinks, and nothing applied if what it rests on moved."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from memcli.core.plan import Add, Cite, Link, Operation, Plan, Retire, Revise, Supersede, Unlink
from memcli.core.reports import ConsolidateReport, StrategyInfo
from memcli.engine import revert, run
from memcli.engine.embedding import embedding
from memcli.errors import MovedError
from memcli.gateway.context import RunContext
from memcli.registry import Strategy
from memcli.store import file
from tests.engine.world import NOW, NoParams, World, said


@dataclass
class Meanwhile:
    """Another process: a second connection to the same file."""

    world: World

    def apply(self, *ops: Operation, consumed: tuple[str, ...] = (), name: str = "other") -> None:
        self._do(lambda other: other.apply(Plan(ops=ops, consumed=consumed), name))

    def rollback(self, target: str) -> None:
        self._do(lambda other: other.rollback(target))

    def ingest(self, *units: object) -> None:
        self._do(lambda other: other.ingest(list(units)))  # type: ignore[arg-type]

    def _do(self, action: Callable[[World], object]) -> None:
        other = World.__new__(World)
        other.path, other.embedder = self.world.path, self.world.embedder
        other.connection = file.open_write(self.world.path)
        action(other)
        other.close()


def think(world: World, plan: Plan, meanwhile: Callable[[Meanwhile], None]) -> ConsolidateReport:
    """A pass whose strategy takes its time: `meanwhile` happens after it has looked."""

    def strategy(view: object, context: object, params: object) -> Plan:
        view.memories()  # type: ignore[attr-defined]
        meanwhile(Meanwhile(world))
        return plan

    info = StrategyInfo("scripted", (), "test", (), "", "", "", "none", {})
    request = run.Request(Strategy(info, strategy, NoParams, "none"), NoParams(), now=NOW)  # type: ignore[arg-type]
    embed = embedding(world.connection, world.embedder)
    return run.run_pass(world.connection, request, RunContext(now=NOW), embed)


NYC = Add("fact", "Ada lives in NYC", (Cite("r1"),), "new:1")
TEA = Add("fact", "Ada likes tea", (Cite("r3"),), "new:1")


@pytest.fixture
def told(world: World) -> World:
    world.ingest([said("a", "I live in NYC"), said("b", "I moved to SF"), said("c", "I like tea")])
    tea = Add("fact", "Ada drinks tea", (Cite("r3"),), "new:2")
    more = Add("fact", "Ada really drinks tea", (Cite("r2"),), "new:3")
    world.apply(Plan(ops=(NYC, tea, more)))
    return world


BY = "2027-01-01T00:00:00Z"
CONFLICTS: list[tuple[str, Plan, Callable[[Meanwhile], None]]] = [
    (
        "a target was retired",
        Plan(ops=(Revise("m1", "NYC it is"),)),
        lambda other: other.apply(Retire("m1")),
    ),
    (
        "a target was revised",
        Plan(ops=(Supersede("m1", BY),)),
        lambda other: other.apply(Revise("m1", "Ada lives in New York")),
    ),
    (
        "a target was superseded",
        Plan(ops=(Revise("m1", "NYC it is"),)),
        lambda other: other.apply(Supersede("m1", BY)),
    ),
    (
        "a cited version was revised",
        Plan(ops=(Add("insight", "Ada is urban", (Cite("m1@1"),), "new:1"),)),
        lambda other: other.apply(Revise("m1", "Ada lives in New York")),
    ),
    (
        "a successor was retired",
        Plan(ops=(Supersede("m1", BY, by="m2"),)),
        lambda other: other.apply(Retire("m2")),
    ),
    (
        "a survivor was retired",
        Plan(ops=(Retire("m3", merged_into="m2"),)),
        lambda other: other.apply(Retire("m2")),
    ),
    (
        "a link's end was rolled back",
        Plan(ops=(Link("m1", "r3", "evidence"),)),
        lambda other: other.rollback("m1"),
    ),
    (
        "a cited record was marked superseded",
        Plan(ops=(TEA,)),
        lambda other: other.ingest(said("c", "I like coffee")),
    ),
    (
        "a record was consumed by the same strategy",
        Plan(ops=(TEA,), consumed=("r3",)),
        lambda other: other.apply(consumed=("r3",), name="scripted"),
    ),
    (
        "the same was stored",
        Plan(ops=(TEA,)),
        lambda other: other.apply(Add("fact", "Ada likes TEA!", (Cite("r3"),), "new:1")),
    ),
    (
        "the same was rejected",
        Plan(ops=(Add("fact", "Ada stays in NYC", (Cite("r1"), Cite("r2")), "new:1"),)),
        lambda other: (
            other.apply(Add("fact", "Ada stays in nyc", (Cite("r1"), Cite("r2")), "new:1")),
            other.rollback("m4"),
        )[0],
    ),
]


@pytest.mark.parametrize(
    ("plan", "meanwhile"), [c[1:] for c in CONFLICTS], ids=[c[0] for c in CONFLICTS]
)
def test_what_the_plan_rests_on_moved(
    told: World, plan: Plan, meanwhile: Callable[[Meanwhile], None]
) -> None:
    heads: list[int] = []

    def happen(other: Meanwhile) -> None:
        meanwhile(other)
        heads.append(told.head)

    with pytest.raises(MovedError) as moved:
        think(told, plan, happen)
    assert moved.value.code == 5
    assert told.head == heads[0]


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda other: other.ingest(said("z", "Something new")),
        lambda other: other.apply(Add("fact", "Ada moved", (Cite("r2"),), "new:1")),
        lambda other: other.apply(consumed=("r3",), name="other"),
        lambda other: other.apply(Link("m1", "r2", "related")),
    ],
    ids=["new records", "another memory", "consumed by another strategy", "a link elsewhere"],
)
def test_nothing_else_matters(told: World, meanwhile: Callable[[Meanwhile], None]) -> None:
    report = think(told, Plan(ops=(TEA,), consumed=("r3",)), meanwhile)
    assert report.outcome == "applied"
    assert "Ada likes tea" in {memory.text for memory in told.view.memories()}


@pytest.mark.parametrize(
    ("ops", "other"),
    [
        ((Link("m1", "m2", "evidence"),), Link("m2", "m1", "evidence")),
        (
            (Link("m1", "m2", "evidence"), Link("m3", "m1", "evidence")),
            Link("m2", "m3", "evidence"),
        ),
        (
            (
                Add("insight", "Ada is so urban", (Cite("m2"),), "new:1"),
                Link("m1", "new:1", "evidence"),
            ),
            Link("m2", "m1", "evidence"),
        ),
    ],
    ids=["two edges", "edges of two passes", "through a draft"],
)
def test_two_plans_cannot_close_a_circle(
    told: World, ops: tuple[Operation, ...], other: Operation
) -> None:
    with pytest.raises(MovedError, match="rest on itself"):
        think(told, Plan(ops=ops), lambda meanwhile: meanwhile.apply(other))


def test_a_pass_that_waits_blocks_no_writer(told: World) -> None:
    """The other writer commits while the strategy thinks: there is no lock to wait for."""
    seen: list[int] = []
    think(
        told,
        Plan(ops=(TEA,)),
        lambda other: (other.ingest(said("z", "Hello")), seen.append(told.head))[0],
    )
    assert seen == [3]


def test_rollback_of_what_was_made_on_an_older_view(told: World) -> None:
    before = told.dump()
    report = think(told, Plan(ops=(TEA,)), lambda other: other.ingest(said("z", "Hello")))
    assert report.pass_id is not None
    revert.rollback(told.connection, report.pass_id, now=NOW)
    assert told.dump() == before


def test_two_passes_do_not_take_away_the_last_evidence_together(told: World) -> None:
    both = Add("fact", "Ada moved twice", (Cite("r1"), Cite("r2")), "new:1")
    told.apply(Plan(ops=(both,)))
    plan = Plan(ops=(Unlink("m4", "r1", "evidence"),))
    with pytest.raises(MovedError, match="without evidence"):
        think(told, plan, lambda other: other.apply(Unlink("m4", "r2", "evidence")))
