"""How many of the true ten nearest a search by vectors finds, and what that takes once it is warm.

The truth are the ten nearest by the embedder's own numbers, before they are stored as bytes, among all
texts of the store; texts and questions are those of the search benchmark. The last of equal cosines
are by chance, here as there. CPU of this thread, of 200 questions after 20 to warm up.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memcli.engine import embedders
from memcli.engine.embedders import Table
from memcli.retrieval.view import SearchView
from memcli.store import file, journal
from memcli.store.texts import Among
from tests.benchmarks import search
from tests.benchmarks.goal import Goal, median

_BEST = 10
_PART = 20_000  # texts embedded at a time
_LEAST = 0.95
# Of the 100 ms that a search of a million may take; the words need the rest.
_LIMITS = {1_000_000: 50.0}


def run(size: int) -> Iterator[Goal]:
    """Recall of the ten nearest, and the 95th percentile of what finding them takes."""
    said = search._said(size)
    questions = search._questions(said)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        search._store(path, said)
        connection = file.open_read(path)
        view = SearchView(connection, journal.last_pass(connection)[0])
        embedder, _ = embedders.query_embedder(connection, Table)
        assert embedder is not None
        vectors = embedder.embed(questions)
        found, took = [], []
        for vector in vectors:
            begin = time.thread_time()
            near = view.near(list(map(float, vector)), 50, Among())
            took.append((time.thread_time() - begin) * 1000)
            found.append(set(list(near)[:_BEST]))
        # The benchmark's records are the first rows of the store, in their order.
        (first,) = connection.execute("SELECT min(item) FROM record").fetchone()
        true = _nearest(said, vectors, first)
        connection.close()
    recall = sum(len(one & best) / _BEST for one, best in zip(found, true, strict=True)) / len(true)
    yield Goal("nearest_recall", size, recall, None, f">= {_LEAST}", recall >= _LEAST)
    warm = sorted(took[search._WARM :])
    late, limit = warm[len(warm) * 95 // 100], _LIMITS.get(size)
    ok = None if limit is None else late <= limit
    goal = "watched" if limit is None else f"<= {limit} ms"
    yield Goal("nearest_p95_ms", size, late, None, goal, ok, median(warm)[1])


def _nearest(said: Sequence[str], wanted: Sequence[Sequence[float]], first: int) -> list[set[int]]:
    """The items of the `_BEST` texts nearest to each vector; a part of them is compared at a time."""
    questions = np.asarray(wanted, dtype=np.float32)
    scores = np.full((len(questions), _BEST), -2, dtype=np.float32)
    items: Any = np.zeros((len(questions), _BEST), dtype=np.int64)
    embedder = embedders.default()
    for start in range(0, len(said), _PART):
        blocks = embedder.blocks(said[start : start + _PART])
        made = np.concatenate([np.asarray(block, dtype=np.float32) for block in blocks])
        numbers = np.broadcast_to(np.arange(len(made)) + first + start, (len(items), len(made)))
        scores = np.concatenate([scores, questions @ made.T], axis=1)
        items = np.concatenate([items, numbers], axis=1)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :_BEST]
        scores, items = (np.take_along_axis(one, order, axis=1) for one in (scores, items))
    return [set(row.tolist()) for row in items]
