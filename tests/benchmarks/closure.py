"""Provenance closure of one memory, against the bare recursive query."""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memcli.store.driver import sqlite3
from memcli.store.view import StoreView
from tests.benchmarks.goal import Goal, cpu, median
from tests.engine.world import World

_QUERIES = 200
_BARE = (
    "WITH RECURSIVE reach (node) AS (SELECT ? UNION SELECT e.parent_node FROM reach"
    " JOIN edge e ON e.child = reach.node AND e.role = 'evidence') SELECT count(*) FROM reach"
)


def _fill(connection: "sqlite3.Connection", edges: int) -> list[int]:
    """Memories by the thousand, three edges each, to records or older memories."""
    lots = random.Random(3)
    memories = edges // 3
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    first = 10_000_000
    connection.executemany(
        "INSERT INTO memory VALUES (?, ?, x'00', 'bench')",
        ((n, first + n) for n in range(1, memories + 1)),
    )
    item = 20_000_000
    rows = []
    for n in range(1, memories + 1):
        for _ in range(3):
            deep = n > 10 and lots.random() < 0.2
            parent = first + lots.randrange(1, n) if deep else lots.randrange(1, 1_000_000)
            item += 1
            rows.append((item, first + n, item, parent))
    connection.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, 'evidence', 1)", rows)
    connection.executemany("INSERT INTO life VALUES (?, 1, NULL)", ((row[0],) for row in rows))
    connection.execute("COMMIT")
    return list(range(1, memories + 1))


def run(size: int) -> Iterator[Goal]:
    """A graph of 100 edges for each of `size`: a million at 10k."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        memories = _fill(world.connection, size * 100)
        view = StoreView(world.connection, 1)
        lots = random.Random(5)
        ours, bare = [], []
        for _ in range(_QUERIES):
            number = lots.choice(memories)
            node = view.node(f"m{number}")
            bare.append(cpu(lambda n=node: world.connection.execute(_BARE, (n,)).fetchone()))  # type: ignore[misc]
            ours.append(cpu(lambda n=number: view.closure(f"m{n}")))  # type: ignore[misc]
        world.connection.close()
        middle, _ = median(ours)
        base, spread = median(bare)
        good = middle <= 0.001 and middle <= 2 * base
        goal = "<= 0.001 and <= 2x the bare query"
        yield Goal("closure of one memory, CPU s", size * 100, middle, base, goal, good, spread)
