"""Rolling back a pass of 1,000 memories, against the bare statements."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from memcli.core.plan import Add, Cite, Plan
from memcli.store.driver import sqlite3
from tests.benchmarks.goal import Goal, chat, cpu, median
from tests.engine.world import World, said

_MEMORIES = 1_000
_RUNS = 7


def _bare(connection: "sqlite3.Connection", rows: int) -> None:
    """Closing three rows a memory and taking the texts out of the index, and nothing else."""
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(
        "UPDATE life SET to_pass = 2 WHERE item = ? AND to_pass IS NULL",
        ((item,) for item in range(3 * rows)),
    )
    connection.execute("INSERT INTO fts (fts, rowid, text) SELECT 'delete', id, text FROM memory")
    connection.execute("COMMIT")


def _bare_store(path: Path, texts: Sequence[str]) -> "sqlite3.Connection":
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("CREATE TABLE life (item INTEGER, from_pass INTEGER, to_pass INTEGER)")
    connection.execute("CREATE UNIQUE INDEX held ON life (item) WHERE to_pass IS NULL")
    connection.execute("CREATE TABLE memory (id INTEGER PRIMARY KEY, text TEXT)")
    connection.execute("CREATE VIRTUAL TABLE fts USING fts5 (text, content='memory')")
    connection.execute("BEGIN")
    rows = ((n,) for n in range(3 * len(texts)))
    connection.executemany("INSERT INTO life VALUES (?, 1, NULL)", rows)
    connection.executemany("INSERT INTO memory VALUES (?, ?)", enumerate(texts))
    connection.execute("INSERT INTO fts (rowid, text) SELECT id, text FROM memory")
    connection.execute("COMMIT")
    return connection


def run(size: int) -> Iterator[Goal]:
    """A store of `size` records; the pass is rolled back and rolled back again, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        texts = list(chat(size))
        world.ingest([said(f"id{n}", text) for n, text in enumerate(texts)])
        step = max(size // _MEMORIES, 1)
        ops = tuple(
            Add("fact", f"{text} noted {n}", (Cite(f"r{n * step + 1}"),), f"new:{n + 1}")
            for n, text in enumerate(texts[:_MEMORIES])
        )
        made: list[str] = []
        applied = cpu(lambda: made.append(world.apply(Plan(ops=ops)).pass_id or ""))
        yield Goal("apply 1,000 memories, CPU s", size, applied, None, "watched", None)
        taken, bare = [], []
        target = made[0]
        for nth in range(_RUNS):
            connection = _bare_store(Path(folder, f"bare{nth}.db"), texts[:_MEMORIES])
            bare.append(cpu(lambda c=connection: _bare(c, _MEMORIES)))  # type: ignore[misc]
            connection.close()
            taken.append(cpu(lambda: made.append(world.rollback(target).pass_id or "")))  # noqa: B023
            target = made[-1]
        world.close()
        middle, _ = median(taken)
        base, spread = median(bare)
        good = middle <= 0.05 and middle <= 3 * base
        goal = "<= 0.050 and <= 3x the bare statements"
        yield Goal("rollback of 1,000 memories, CPU s", size, middle, base, goal, good, spread)
