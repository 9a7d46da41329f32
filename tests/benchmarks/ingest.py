"""Ingest against what anybody gets by hand: plain sqlite3, FTS5, float32 vectors, no provenance."""

import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memcli.core.found import Found
from memcli.core.records import Scope
from memcli.engine.embedders import default
from memcli.engine.embedding import StoreEmbedder, encode, install
from memcli.engine.ingest import Ingest, Input
from memcli.store import file
from memcli.store.driver import sqlite3
from tests.benchmarks.goal import Goal, chat, cpu, median

_RUNS = 5


def _floor(path: Path, texts: Sequence[str], embedder: StoreEmbedder | None) -> None:
    """The texts with FTS5 and float32 vectors in one transaction."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE record (id INTEGER PRIMARY KEY, text TEXT, said_at TEXT)")
    connection.execute("CREATE VIRTUAL TABLE fts USING fts5 (text, content='record')")
    connection.execute("CREATE TABLE vector (id INTEGER PRIMARY KEY, data BLOB)")
    connection.executemany("INSERT INTO record VALUES (?, ?, NULL)", enumerate(texts))
    connection.execute("INSERT INTO fts (rowid, text) SELECT id, text FROM record")
    if embedder is not None:
        # In blocks as ours does it: the floor is to be as fast as it can be.
        vectors = (vector for block in embedder.blocks(texts) for vector in block)
        connection.executemany(
            "INSERT INTO vector VALUES (?, ?)", ((n, _packed(v)) for n, v in enumerate(vectors))
        )
    connection.commit()
    connection.close()


def _packed(vector: Any) -> bytes:
    """A vector as float32."""
    if hasattr(vector, "astype"):
        return bytes(vector.astype("<f4").tobytes())
    return struct.pack(f"{len(vector)}f", *vector)


def _ours(path: Path, texts: Sequence[str], embedder: StoreEmbedder | None) -> None:
    """The same texts as records: identity, hashes, journal, indexes."""
    file.create(path, lambda made: install(made, embedder or default()))
    connection = file.open_write(path)
    units = (
        Found(f"id{n}", f"s{n // 500}", "utterance", "user", text, speaker="Ada")
        for n, text in enumerate(texts)
    )
    run_ = Ingest(
        connection,
        path,
        given=Scope(),
        redact=True,
        embed=(lambda part: {}) if embedder is None else (lambda part: encode(embedder, part)),
    )
    run_.run([Input("chat", "bench", units)], now="2026-01-01T00:00:00.000Z", dry_run=False)
    file.close(connection, wrote=True)


def _rate(
    size: int, texts: Sequence[str], embedder: StoreEmbedder | None
) -> tuple[float, float, float, float, float]:
    """(our rate, floor rate, spread, our bytes a record, floor's bytes a record)."""
    ours, floor = [], []
    mine = theirs = 0
    for _ in range(_RUNS):
        with tempfile.TemporaryDirectory() as folder:
            a, b = Path(folder, "a.db"), Path(folder, "b.db")
            floor.append(size / cpu(lambda b=b: _floor(b, texts, embedder)))  # type: ignore[misc]
            ours.append(size / cpu(lambda a=a: _ours(a, texts, embedder)))  # type: ignore[misc]
            mine, theirs = a.stat().st_size, b.stat().st_size
    middle, _ = median(ours)
    base, spread = median(floor)
    return middle, base, spread, mine / size, theirs / size


def _peak_mb(size: int) -> float:
    """Peak memory of a fresh process that ingests `size` records with vectors."""
    code = (
        "import tempfile; from pathlib import Path;"
        "from tests.benchmarks import ingest; from tests.benchmarks.goal import chat;"
        "from memcli.engine.embedders import default;"
        f"ingest._ours(Path(tempfile.mkdtemp(), 'm.db'), chat({size}), default());"
        # Not `ru_maxrss`: a child inherits that from the process it was forked from.
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return int(out.stdout) / 1024


def run(size: int) -> Iterator[Goal]:
    """Records a CPU second, bytes a record, peak memory."""
    texts = list(chat(size))
    rate, floor, spread, mine, theirs = _rate(size, texts, default())
    goal = ">= 0.5x the floor with the same embedder"
    yield Goal("ingest, records/CPU-s", size, rate, floor, goal, rate >= 0.5 * floor, spread)
    yield Goal("file, bytes/record", size, mine, theirs, "<= 1.0x the floor", mine <= theirs)
    rate, floor, spread, _, _ = _rate(size, texts, None)
    goal = ">= 8000, >= 0.05x the floor"
    good = rate >= 8000 and rate >= 0.05 * floor
    yield Goal("ingest without vectors, records/CPU-s", size, rate, floor, goal, good, spread)
    peak = _peak_mb(size)
    yield Goal("ingest, peak MB", size, peak, None, "<= 120", peak <= 120)
