"""Points: passes, steps back, and times."""

import pytest

from memcli.core.plan import Plan
from memcli.engine import run
from memcli.engine.embedding import embedding
from memcli.engine.points import resolve_point
from memcli.errors import UsageError
from memcli.gateway.context import RunContext
from tests.engine.world import NoParams, World, said, scripted

TIMES = ("2026-07-11T22:10:30.000Z", "2026-07-12T09:00:00.000Z", "2026-07-12T18:30:45.500Z")


@pytest.fixture
def dated(world: World) -> World:
    world.ingest([said(f"id{n}", f"text {n}") for n in range(3)])
    embed = embedding(world.connection, world.embedder)
    for nth, now in enumerate(TIMES):
        plan = Plan(consumed=(f"r{nth + 1}",))
        request = run.Request(scripted(plan), NoParams(), now=now)
        run.run_pass(world.connection, request, RunContext(now=now), embed)
    return world


@pytest.mark.parametrize(
    ("point", "number"),
    [
        ("last", 4),
        ("last~0", 4),
        ("last~3", 1),
        ("last~4", 0),
        ("p0", 0),
        ("p2", 2),
        ("2026-07-10", 1),
        ("2026-07-11", 2),
        ("2026-07-12", 4),
        # What `mem log` prints names that pass: a minute means its end.
        ("2026-07-11 22:10", 2),
        ("2026-07-12 09:00", 3),
        ("2026-07-12T09:00", 3),
        ("2026-07-12T08:59", 2),
        ("2026-07-12T18:30:45", 4),
        ("2026-07-12T18:30:45.400Z", 3),
        ("2026-07-12T10:00:00+01:00", 3),
        ("2026-07-12T10:00:00+05:00", 2),
        ("2031-01-01", 4),
        ("9999-12-31", 4),
        ("9999-12-31T23:59:59.9999Z", 4),
    ],
)
def test_points(dated: World, point: str, number: int) -> None:
    assert resolve_point(dated.connection, point) == number


@pytest.mark.parametrize(
    "point",
    [
        "2026-garbage",
        "2026-13-45",
        "2026-02-30",
        "0000-01-01",
        "last~5",
        "last~\u0661",
        "last~-1",
        "last~",
        "\u0662\u0660\u0662\u0666-07-12",
        "p5",
        " p1",
        "m1",
        "r1",
        "",
        "yesterday",
    ],
)
def test_no_points(dated: World, point: str) -> None:
    with pytest.raises(UsageError):
        resolve_point(dated.connection, point)


def test_a_date_that_is_none_rolls_nothing_back(dated: World) -> None:
    with pytest.raises(UsageError):
        dated.rollback_to("2026-02-30")
    assert dated.head == 4
