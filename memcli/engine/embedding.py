"""Vectors for texts, as they are stored."""

from collections.abc import Callable, Mapping, Sequence

from memcli.core.reports import ReindexReport
from memcli.gateway.hashed import HashEmbedder
from memcli.store import texts as text_index
from memcli.store import vectors
from memcli.store.driver import sqlite3
from memcli.store.write import transaction

# A longer text is embedded by its beginning: what it is about stands there, and a megabyte of
# tool output would take a second.
LONGEST = 4_000  # characters
_BATCH = 500
_AT_ONCE = 50


def fingerprint(embedder: HashEmbedder) -> dict[str, object]:
    """What decides over the vectors of a store."""
    return {"name": embedder.name, "sha256": embedder.fingerprint(), "truncation": LONGEST}


def row(embedder: HashEmbedder) -> tuple[object, ...]:
    """What a store of this embedder says of it."""
    return vectors.embedder_row(
        embedder.name,
        fingerprint(embedder),
        embedder.dimensions,
        embedder.related,
        embedder.near_duplicate,
    )


def install(connection: "sqlite3.Connection", embedder: HashEmbedder) -> None:
    """Write the embedder's row."""
    vectors.set_embedder(connection, row(embedder))


def fits(connection: "sqlite3.Connection", embedder: HashEmbedder) -> bool:
    """Whether the store's vectors are those of `embedder`."""
    found = vectors.embedder(connection)
    return found is not None and found[1] == fingerprint(embedder)


def mismatch(connection: "sqlite3.Connection | None", embedder: HashEmbedder) -> str | None:
    """What to say where the store's vectors are another embedder's; None where they are not.

    Nothing is blocked by it: records are stored without vectors, and search goes on by text.
    """
    if connection is None or fits(connection, embedder):
        return None
    found = vectors.embedder(connection)
    name = "no embedder" if found is None else found[0]
    if name == embedder.name:
        name = f"another version of {name}"
    return (
        f"this store has vectors of {name}, this program makes those of {embedder.name}:"
        " what is new has none until mem reindex"
    )


def embedding(
    connection: "sqlite3.Connection | None", embedder: HashEmbedder
) -> Callable[[Sequence[str]], Mapping[str, bytes]]:
    """A function from texts to stored vectors; of none if the store's embedder is another."""
    if connection is not None and not fits(connection, embedder):
        return lambda texts: {}
    return lambda texts: encode(embedder, texts)


def encode(embedder: HashEmbedder, texts: Sequence[str]) -> dict[str, bytes]:
    """text -> vector as stored; a text without a vector is left out."""
    wanted = [text for text in dict.fromkeys(texts) if text]
    out: dict[str, bytes] = {}
    # A vector of floats takes thirty times the memory of its bytes: a few at a time.
    for start in range(0, len(wanted), _AT_ONCE):
        part = wanted[start : start + _AT_ONCE]
        made = embedder.embed([text[:LONGEST] for text in part])
        for text, vector in zip(part, made, strict=True):
            data = vectors.encode(vector)
            if data is not None:
                out[text] = data
    return out


def reindex(connection: "sqlite3.Connection", embedder: HashEmbedder) -> ReindexReport:
    """Build the text index and all vectors anew, in one transaction."""
    with transaction(connection):
        count = text_index.rebuild(connection)
        vectors.clear(connection)
        install(connection, embedder)
        missing = vectors.missing(connection)
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            made = encode(embedder, [text for _, text in part])
            vectors.put(connection, [(item, made[text]) for item, text in part if text in made])
        total = connection.execute("SELECT count(*) FROM vector").fetchone()[0]
    return ReindexReport(texts=count, vectors=int(total), embedder=embedder.name)
