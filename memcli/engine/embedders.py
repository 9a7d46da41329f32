"""Which embedder a store has; its row decides. What came over the network is used again."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from memcli.core.values import dataclass, field
from memcli.engine import embedding
from memcli.engine.embedding import StoreEmbedder
from memcli.errors import GatewayError, MemError, UsageError
from memcli.gateway.local import NAMES, default_name, lacking, local
from memcli.gateway.naming import REMOTE, model_of
from memcli.kit.jsonio import parse
from memcli.store import vectors
from memcli.store.driver import sqlite3

if TYPE_CHECKING:
    from memcli.core.calls import CallRequest
    from memcli.core.journal import Usage
    from memcli.gateway.context import Embedder
    from memcli.gateway.litellm_embedder import LiteLLMEmbedder
    from memcli.gateway.settings import Price
    from memcli.ports import CallLog


@dataclass(frozen=True, slots=True)
class Table:
    """[embedder] of `mem.toml`, unread; `where` it lies."""

    values: Mapping[str, Any] = field(default_factory=dict)
    where: str = "mem.toml"


def of_store(
    connection: sqlite3.Connection | None, table: Callable[[], Table], *, examine: bool = False
) -> StoreEmbedder:
    """The embedder that the store's row names; the default where it is none that is at hand.

    `table` is asked only where the embedder has settings; raises UsageError for those. Files of
    weights are known by name and size; with `examine` they are read, where their hashes are asked for.
    """
    found = None if connection is None else vectors.embedder(connection)
    if connection is None or found is None:
        return default()
    name, described = str(found[0]), found[1]
    if (model := model_of(name)) is not None:
        return _remote(model, table(), described, vectors.thresholds(connection))
    if name not in NAMES or lacking(name) is not None:
        return default()
    return local(name, None if examine else described)


def default() -> StoreEmbedder:
    """The embedder of a store whose maker names none."""
    return local(default_name())


def named(name: str | None, table: Table) -> StoreEmbedder:
    """The embedder that --embedder names, or the default; a remote one has to `learn` what it is
    like.

    Raises UsageError for an unknown name, and where a package is not installed.
    """
    if name is None:
        return default()
    if (model := model_of(name)) is not None:
        return _remote(model, table, {}, (1.0, 1.0))
    if name not in NAMES:
        raise UsageError(
            f"There is no embedder {name!r}.",
            where="--embedder",
            hint=", ".join(NAMES)
            + f", or {REMOTE}NAME, such as {REMOTE}openai/text-embedding-3-small",
        )
    return local(name)


def learned(embedder: StoreEmbedder) -> tuple[int, int | None]:
    """Let a remote embedder find out what it is like; (requests, tokens) that took. Raises
    GatewayError."""
    if not embedder.remote:
        return 0, 0
    remote = cast("LiteLLMEmbedder", embedder)
    remote.learn()
    return remote.requests, remote.tokens


def replaced(connection: sqlite3.Connection, embedder: StoreEmbedder) -> str | None:
    """What to say where the store's own embedder is not at hand and another takes its place."""
    found = vectors.embedder(connection)
    if found is None or found[0] == embedder.name:
        return None
    return f"{embedding.differing(connection, embedder)}: all were made anew by that one"


def _remote(
    model: str, table: Table, described: Mapping[str, Any], thresholds: tuple[float, float]
) -> LiteLLMEmbedder:
    from memcli.gateway.embedder_settings import embedder
    from memcli.gateway.litellm_embedder import LiteLLMEmbedder

    return LiteLLMEmbedder(embedder(model, table.values, table.where), described, thresholds)


# --- for a search ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Questions:
    """Implements retrieval's QueryEmbedder: `fusion` is the weight of its cosine in a score,
    `related` the cosine from which on two texts may be about one topic."""

    embedder: StoreEmbedder

    @property
    def name(self) -> str:
        """Whose vectors the store has."""
        return self.embedder.name

    @property
    def fusion(self) -> float:
        """See gateway.measured."""
        return self.embedder.fusion

    @property
    def related(self) -> float:
        """See gateway.context.Embedder."""
        return self.embedder.related

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of questions, of unit length; zero for one without a visible character.

        Raises GatewayError where none can be had, from a provider or of damaged files.
        """
        return self.embedder.embed_query(texts)

    def encode(self, text: str) -> bytes | None:
        """The vector of a question as store.vectors.nearest takes it; None if it is zero."""
        return vectors.encode(self.embed([text])[0], self.embedder.dtype)

    def close(self) -> None:
        """Close connections."""
        self.embedder.close()


def query_embedder(
    connection: sqlite3.Connection, table: Callable[[], Table]
) -> tuple[Questions | None, str | None]:
    """What questions are embedded with, and what is to be said where they cannot be compared.

    Neither where the store has no vectors. Nothing is loaded, and nobody asked, before `embed`.
    """
    if not vectors.any_held(connection):
        return None, None
    try:
        embedder = of_store(connection, table)
        fitting = embedding.fits(connection, embedder)
    except MemError as error:
        return None, f"words alone decide: {error.what}"
    if not fitting:
        why = embedding.differing(connection, embedder)
        return None, f"words alone decide: {why}; mem reindex makes the vectors anew"
    return Questions(embedder), None


# --- for a pass -----------------------------------------------------------------------------------


class Thrifty:
    """Implements context.Embedder: takes the vectors that the store has, then recorded ones, and asks
    for the rest.

    Each text is asked for once a run; with `ask` False none is. What came is recorded as calls are,
    so that a rerun needs no network (C32); it names no source, for it is a cache of a text alone.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        embedder: StoreEmbedder,
        log: CallLog,
        *,
        ask: bool,
        prices: Mapping[str, Price] | None = None,
        may_record: Callable[[], object] = bool,
    ) -> None:
        self.name = embedder.name
        self.related = embedder.related
        self.near_duplicate = embedder.near_duplicate
        self.left = 0  # texts to be stored that have no vector since none was asked for
        self._connection = connection
        self._embedder = embedder
        self._log = log
        self._ask = ask
        self._may_record = may_record
        self._price = (prices or {}).get(model_of(embedder.name) or "")
        self._recorded = 0
        self._made: dict[str, Sequence[float]] = {}
        self._usable = embedding.fits(connection, embedder)

    @property
    def usage(self) -> Usage:
        """Requests and tokens of this run; the cost is None if the price or the tokens are not
        known and something was asked."""
        from memcli.core.journal import Usage
        from memcli.gateway.budget import cost_of

        requests = getattr(self._embedder, "requests", 0)
        tokens = getattr(self._embedder, "tokens", 0)
        cost = cost_of(self._price, tokens, 0) if requests else 0.0
        return Usage(requests, self._recorded, tokens or 0, 0, cost)

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """See context.Embedder. Raises GatewayError, also for what must not be asked for."""
        unknown = self._unknown(texts)
        if unknown and not self._ask:
            raise GatewayError(
                f"Nothing is asked under --calls none, and {len(unknown)} texts have no vector here.",
                where=self.name,
                hint="run it once with --calls reuse, which records them",
            )
        if unknown:
            from memcli.core.calls import CallReply

            self._may_record()
            for text, vector in zip(unknown, self._embedder.embed(unknown), strict=True):
                reply = CallReply(json.dumps(list(vector)), model=self.name)
                self._log.record(self._request(text), reply, "accepted", ())
                self._made[text] = vector
        return [self._made[text] for text in texts]

    def _request(self, text: str) -> CallRequest:
        """What a recorded vector is filed under: the text, and all that decides over its vector."""
        from memcli.core.calls import CallRequest

        described = dict(self._embedder.described())
        return CallRequest(
            "Embed",
            1,
            self.name,
            ({"role": "user", "content": text[: self._embedder.longest]},),
            {},
            described,
        )

    def _replayed(self, text: str) -> Sequence[float] | None:
        for call in self._log.recorded(self._request(text).key):
            # What was imported may hold anything: numbers no float holds, brackets without end.
            with contextlib.suppress(ValueError, TypeError, OverflowError):
                vector = [float(one) for one in parse(call.reply.text)]
                if len(vector) == self._embedder.dimensions and all(map(math.isfinite, vector)):
                    self._recorded += 1
                    return vector
        return None

    def stored(self, texts: Sequence[str]) -> dict[str, bytes]:
        """text -> vector as stored, for a pass that is written; see embedding.encode."""
        if not self._usable:
            return {}
        wanted = [text for text in dict.fromkeys(texts) if text.strip()]
        if not self._ask:
            unknown = set(self._unknown(wanted))
            self.left += len(unknown)
            wanted = [text for text in wanted if text not in unknown]
        pairs = zip(wanted, self.embed(wanted), strict=True)
        made = {text: vectors.encode(vector, self._embedder.dtype) for text, vector in pairs}
        return {text: data for text, data in made.items() if data is not None}

    def _unknown(self, texts: Sequence[str]) -> list[str]:
        """Those of `texts` that have no vector yet, once each; what the store has is fetched."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._made]
        if fresh and self._usable:
            found = vectors.known(self._connection, fresh)
            self._made.update((text, vectors.decode(data)) for text, data in found.items())
        for text in fresh:
            if text not in self._made and (vector := self._replayed(text)) is not None:
                self._made[text] = vector
        return [text for text in fresh if text not in self._made]


def for_pass(
    connection: sqlite3.Connection,
    embedder: StoreEmbedder,
    log: CallLog,
    *,
    ask: bool = True,
    prices: Mapping[str, Price] | None = None,
    may_record: Callable[[], object] = bool,
) -> tuple[Embedder, Callable[[Sequence[str]], Mapping[str, bytes]]]:
    """What a strategy embeds with, and what the texts of its plan are embedded with.

    `may_record` is called before vectors are asked for, and raises where they could not be kept.
    """
    if not embedder.remote:
        return embedder, embedding.embedding(connection, embedder)
    thrifty = Thrifty(connection, embedder, log, ask=ask, prices=prices, may_record=may_record)
    return thrifty, thrifty.stored


def offline(embedder: StoreEmbedder) -> StoreEmbedder:
    """What stands in for an embedder where nothing may be asked: for what is due, for estimates."""
    return default() if embedder.remote else embedder
