"""Vectors for texts, as they are stored."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from memcli.core.reports import ReindexReport
from memcli.errors import GatewayError
from memcli.gateway.local import lacking
from memcli.store import texts as text_index
from memcli.store import vectors
from memcli.store.driver import sqlite3

_BATCH = 2_000


class StoreEmbedder(Protocol):
    """An embedder as a store is made with one: HashEmbedder, Packaged, LiteLLMEmbedder."""

    @property
    def name(self) -> str:
        """What --embedder calls it."""
        ...

    @property
    def remote(self) -> bool:
        """Whether vectors come over the network, are paid for, and may fail to come."""
        ...

    @property
    def late(self) -> bool:
        """Whether vectors take so long that nobody is to wait for them: they are made while the
        store is not locked, after the records are safe."""
        ...

    @property
    def portion(self) -> int:
        """How many texts are embedded before what came is stored."""
        ...

    @property
    def dtype(self) -> str:
        """How its vectors are stored; see store.vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """How long its vectors are."""
        ...

    @property
    def longest(self) -> int:
        """Characters of a text that count; it is embedded by its beginning."""
        ...

    @property
    def measured(self) -> tuple[float, float]:
        """(related, near_duplicate) as a store keeps them."""
        ...

    @property
    def related(self) -> float:
        """See gateway.context.Embedder."""
        ...

    @property
    def near_duplicate(self) -> float:
        """See gateway.context.Embedder."""
        ...

    @property
    def fusion(self) -> float:
        """The weight of its cosine in a search; see gateway.measured."""
        ...

    def described(self) -> Mapping[str, object]:
        """All that decides over its vectors: equal only where vectors may be compared."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of unit length, one a text; a remote one raises GatewayError."""
        ...

    def embed_query(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of questions, to be compared with those of texts; see `embed`."""
        ...

    def blocks(self, texts: Sequence[str]) -> Iterator[Sequence[Sequence[float]]]:
        """The vectors of the beginnings of texts, in order, some at a time so that few are in
        memory as floats; a block may be a NumPy array. Raises as `embed` does."""
        ...

    def close(self) -> None:
        """Close connections."""
        ...


def row(embedder: StoreEmbedder) -> tuple[object, ...]:
    """What a store of this embedder says of it."""
    return vectors.embedder_row(
        embedder.name,
        embedder.described(),
        embedder.dimensions,
        *embedder.measured,
        embedder.dtype,
    )


def install(connection: "sqlite3.Connection", embedder: StoreEmbedder) -> None:
    """Write the embedder's row."""
    vectors.set_embedder(connection, row(embedder))


def fits(connection: "sqlite3.Connection", embedder: StoreEmbedder) -> bool:
    """Whether the store's vectors are those of `embedder`, as far as can be told without asking."""
    found = vectors.embedder(connection)
    return found is not None and found[1] == embedder.described()


def mismatch(connection: "sqlite3.Connection | None", embedder: StoreEmbedder) -> str | None:
    """What to say where the store's vectors are another embedder's; None where they are not.

    Nothing is blocked by it: records are stored without vectors, and search goes on by text.
    """
    if connection is None or fits(connection, embedder):
        return None
    return f"{differing(connection, embedder)}: what is new has none until mem reindex"


def differing(connection: "sqlite3.Connection", embedder: StoreEmbedder) -> str:
    """Whose vectors the store has, and whose are made here."""
    found = vectors.embedder(connection)
    name = "no embedder" if found is None else str(found[0])
    missing = lacking(name)
    if missing is not None:
        name += f" ({missing} is not installed)"
    elif name == embedder.name:
        name = f"another version of {name}"
    return f"this store has vectors of {name}, this program makes those of {embedder.name}"


def embedding(
    connection: "sqlite3.Connection | None",
    embedder: StoreEmbedder,
    failed: Callable[[str], None] | None = None,
) -> Callable[[Sequence[str]], Mapping[str, bytes]]:
    """A function from texts to stored vectors; of none if the store's embedder is another.

    With `failed` none either where the embedder cannot be used, which is said once.
    """
    if connection is not None and not fits(connection, embedder):
        return lambda texts: {}
    if failed is None:
        return lambda texts: encode(embedder, texts)
    told: list[str] = []

    def made(texts: Sequence[str]) -> Mapping[str, bytes]:
        if told or not any(texts):
            return {}
        try:
            return encode(embedder, texts)
        except GatewayError as error:
            told.append(error.what)
            failed(f"what is new has no vector until mem reindex: {error.what}")
            return {}

    return made


def encode(embedder: StoreEmbedder, texts: Sequence[str]) -> dict[str, bytes]:
    """text -> vector as stored; a text without a vector is left out."""
    wanted = [text for text in dict.fromkeys(texts) if text]
    if not wanted:
        return {}
    made = (
        data
        for block in embedder.blocks(wanted)
        for data in vectors.encode_all(block, embedder.dtype)
    )
    pairs = zip(wanted, made, strict=True)
    return {text: data for text, data in pairs if data is not None}


def reindex(connection: "sqlite3.Connection", embedder: StoreEmbedder) -> ReindexReport:
    """Build the text index and all vectors anew, in one transaction: for a built-in embedder."""
    from memcli.store.write import transaction

    with transaction(connection):
        count = text_index.rebuild(connection)
        vectors.clear(connection)
        install(connection, embedder)
        missing = vectors.missing(connection)
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            made = encode(embedder, [text for _, text in part])
            vectors.put(connection, [(item, made[text]) for item, text in part if text in made])
    return ReindexReport(texts=count, vectors=vectors.size(connection), embedder=embedder.name)
