"""Indexes anew, and vectors that take their time: they come over the network or from a large model.

They are made while no transaction is open: nobody waits for them. What of them is complete is
stored in a short one.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memcli.core.reports import ReindexReport
from memcli.engine import embedding
from memcli.engine.embedding import StoreEmbedder
from memcli.errors import MemError, MovedError
from memcli.store import file, vectors
from memcli.store import texts as text_index
from memcli.store.driver import sqlite3
from memcli.store.write import transaction

if TYPE_CHECKING:
    from memcli.gateway.litellm_embedder import LiteLLMEmbedder

# Called with the texts embedded so far and how many there are.
Progress = Callable[[int, int | None], None]
# What arrives while others are asked for is asked for too, once; what comes then is left missing.
_ROUNDS = 2


def reindex(
    connection: "sqlite3.Connection",
    embedder: StoreEmbedder,
    *,
    whole: bool = False,
    progress: Progress | None = None,
) -> ReindexReport:
    """Build the text index anew, and the vectors: all of an embedder of this machine; of a remote
    one those that are missing, or all with `whole` or where the store's are of another model.

    Raises GatewayError, MovedError; then the text index is whole, and vectors are as they were, or
    more of them.
    """
    if not embedder.late:
        return embedding.reindex(connection, embedder)
    with transaction(connection):
        count = text_index.rebuild(connection)
    said = progress or (lambda done, total: None)
    if embedder.remote:
        return _remote(connection, cast("LiteLLMEmbedder", embedder), count, whole, said)
    _all_made(connection, embedder, said)
    return ReindexReport(
        texts=count,
        vectors=vectors.size(connection),
        embedder=embedder.name,
        missing=len(_lacking(connection)),
    )


def _remote(
    connection: "sqlite3.Connection",
    embedder: "LiteLLMEmbedder",
    count: int,
    whole: bool,
    said: Progress,
) -> ReindexReport:
    from memcli.gateway.litellm_embedder import DriftedError

    kept: int | None = None
    warnings: tuple[str, ...] = ()
    if not whole and embedding.fits(connection, embedder):
        try:
            embedder.check()
            kept = _missing_made(connection, embedder, said)
        except DriftedError as error:
            warnings = (f"{error.what} All were made anew.",)
    if kept is None:
        embedder.learn()
        kept = _all_made(connection, embedder, said)
    return ReindexReport(
        texts=count,
        vectors=vectors.size(connection),
        embedder=embedder.name,
        kept=kept,
        missing=len(_lacking(connection)),
        requests=embedder.requests,
        tokens=embedder.tokens,
        warnings=warnings,
    )


def _missing_made(
    connection: "sqlite3.Connection", embedder: "LiteLLMEmbedder", said: Progress
) -> int:
    """Make what is missing; how many vectors were kept."""
    with transaction(connection):
        vectors.sweep(connection, embedder.dimensions)
    kept, above = vectors.size(connection), 0
    for _ in range(_ROUNDS):
        newest = vectors.newest(connection)
        fill(connection, embedder, above=above, said=said)
        above = newest
    return kept


def fill(
    connection: "sqlite3.Connection",
    embedder: StoreEmbedder,
    *,
    above: int = 0,
    said: Progress | None = None,
) -> None:
    """Embed held texts that have no vector, of items > `above`; each part is stored as it comes.

    Raises GatewayError; MovedError if the store has another embedder meanwhile.
    """
    todo = _lacking(connection, above)
    done = 0
    for part in _parts(todo, embedder):
        made = embedding.encode(embedder, [text for _, text in part])
        with transaction(connection, relaxed=True):
            if not embedding.fits(connection, embedder):
                raise MovedError(
                    "The store was given another embedder meanwhile.",
                    where=embedder.name,
                    hint="mem reindex",
                )
            vectors.put_late(connection, [(item, made[t]) for item, t in part if t in made])
        done += len(part)
        if said is not None:
            said(done, len(todo))


def _all_made(connection: "sqlite3.Connection", embedder: StoreEmbedder, said: Progress) -> int:
    """Make all vectors, in memory, then put them in the place of the old ones; none is kept."""
    made: dict[str, bytes] = {}
    tried: set[str] = set()
    for _ in range(_ROUNDS):
        held = vectors.held(connection)
        todo = dict.fromkeys(text for _, text in held if text.strip() and text not in tried)
        for part in _parts([(0, text) for text in todo], embedder):
            texts = [text for _, text in part]
            made.update(embedding.encode(embedder, texts))
            tried.update(texts)
            said(len(tried), len(todo))
    with transaction(connection):
        vectors.clear(connection)
        embedding.install(connection, embedder)
        held = vectors.held(connection)
        vectors.put(connection, [(item, made[text]) for item, text in held if text in made])
    return 0


def _parts(
    todo: Sequence[tuple[int, str]], embedder: StoreEmbedder
) -> Iterator[Sequence[tuple[int, str]]]:
    size = embedder.portion
    for start in range(0, len(todo), size):
        yield todo[start : start + size]


def _lacking(connection: "sqlite3.Connection", above: int = 0) -> list[tuple[int, str]]:
    """(item, text) of what should have a vector and has none."""
    return [found for found in vectors.missing(connection, above) if found[1].strip()]


def after_ingest(
    connection: "sqlite3.Connection",
    path: Path,
    embedder: StoreEmbedder,
    above: int,
    said: Progress | None = None,
) -> list[str]:
    """Embed what an ingest stored, items > `above`; what there is to say if that did not succeed.

    The ingest is done by then, and no failure here makes it undone.
    """
    if not embedding.fits(connection, embedder):
        return []
    try:
        with file.errors_of(path):
            fill(connection, embedder, above=above, said=said)
    except MemError as error:
        left = len(_lacking(connection, above))
        return [f"{left} new texts have no vector until mem reindex: {error.what}"]
    return []
