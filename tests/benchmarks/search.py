"""How long a search takes in a process that has its store open, with the default embedder.

The texts are made up: sentences of goal.chat, each with a few words of a vocabulary in which, as in
chat, a few are frequent and most are rare. A question is five words of one of them. CPU of this
thread, the median of 200 questions after 20 to warm up.
"""

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from memcli.core.found import Found
from memcli.core.options import SearchOptions
from memcli.core.records import Scope
from memcli.engine import embedders, embedding
from memcli.engine.embedders import Table
from memcli.engine.ingest import Ingest, Input
from memcli.retrieval import searching
from memcli.retrieval.view import SearchView
from memcli.store import file, journal
from tests.benchmarks.goal import Goal, chat, median

_QUESTIONS, _WARM = 200, 20
_VOCABULARY = 8_000
_SESSION = 20  # turns
# performance.md's limits, in milliseconds, by the size they were set for.
_LIMITS = {10_000: 10.0, 100_000: 80.0}


def run(size: int) -> Iterator[Goal]:
    """The goals at this size: by words and vectors, and by words alone."""
    said = _said(size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.db"
        _store(path, said)
        connection = file.open_read(path)
        view = SearchView(connection, journal.last_pass(connection)[0])
        embedder, _ = embedders.query_embedder(connection, Table)
        questions = _questions(said)
        limit = _LIMITS.get(size)
        for name, by in (("search_hybrid_ms", embedder), ("search_words_ms", None)):
            took = []
            for question in questions:
                begin = time.thread_time()
                searching.search(view, question, SearchOptions(now="2026-06-01T00:00:00Z"), by)
                took.append((time.thread_time() - begin) * 1000)
            middle, spread = median(took[_WARM:])
            ok = None if limit is None else middle <= limit
            yield Goal(name, size, middle, None, f"<= {limit} ms", ok, spread)
        connection.close()


def _store(path: Path, said: Sequence[str]) -> None:
    embedder = embedders.default()
    file.create(path, lambda connection: embedding.install(connection, embedder))
    connection = file.open_write(path)
    made = embedding.embedding(connection, embedder)
    found = [
        Found(
            f"b:{nth}",
            f"s{nth // _SESSION}",
            "utterance",
            "user" if nth % 2 else "assistant",
            text,
            said_at=f"2026-{1 + nth * 5 // len(said):02d}-{1 + nth % 28:02d}T10:00:00Z",
            time_source="exact",
        )
        for nth, text in enumerate(said)
    ]
    run = Ingest(connection, path, given=Scope(), redact=False, embed=made)
    run.run([Input("b", "bench", found)], now="2026-06-01T00:00:00.000Z", dry_run=False)
    file.close(connection, wrote=True)


def _said(size: int) -> list[str]:
    draw = random.Random(11)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    vocabulary = ["".join(draw.choices(syllables, k=3)) for _ in range(_VOCABULARY)]
    weights = [1 / (rank + 20) for rank in range(_VOCABULARY)]
    return [
        f"{text} {' '.join(draw.choices(vocabulary, weights, k=draw.randrange(4, 16)))}."
        for text in chat(size)
    ]


def _questions(said: Sequence[str]) -> list[str]:
    draw = random.Random(7)
    picked = (said[draw.randrange(len(said))].split() for _ in range(_QUESTIONS + _WARM))
    return ["what about " + " ".join(draw.sample(words, min(5, len(words)))) for words in picked]
