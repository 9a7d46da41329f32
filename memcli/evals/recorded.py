"""Where answers of models are kept between runs of an evaluation: the calls of a store file.

Nothing else is in that store. What a call showed is of stores that are gone, so no item is named.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from memcli.core.calls import Call, CallReply, CallRequest, CallStatus
from memcli.engine.clock import system_now
from memcli.engine.consolidating import Tables
from memcli.engine.embedding import install
from memcli.gateway import settings
from memcli.gateway.hashed import HashEmbedder
from memcli.store import file
from memcli.store.calls import StoredCalls


class Kept:
    """Implements ports.CallLog; `mem calls` reads the file."""

    def __init__(self, calls: StoredCalls) -> None:
        self.calls = calls

    def recorded(self, key: str) -> Sequence[Call]:
        """See ports.CallLog."""
        return self.calls.recorded(key)

    def candidates(self, task: str) -> Sequence[Call]:
        """See ports.CallLog."""
        return self.calls.candidates(task)

    def record(
        self, request: CallRequest, reply: CallReply, status: CallStatus, sources: Sequence[str]
    ) -> Call:
        """Keep an answer; see above for why without its sources."""
        return self.calls.record(request, reply, status, ())

    def link(self, call: Call, sources: Sequence[str]) -> None:
        """Nothing is named."""

    def spend(self, calls: Sequence[int]) -> None:
        """See ports.CallLog."""
        self.calls.spend(calls)


@contextlib.contextmanager
def kept(path: Path) -> Iterator[Kept]:
    """The calls in the file at `path`, which is made if there is none. Raises StoreError."""
    if not file.exists(path):
        embedder = HashEmbedder()
        file.create(path, lambda connection: install(connection, embedder))
    connection = file.open_write(path)
    try:
        yield Kept(StoredCalls(connection, system_now))
    finally:
        file.close(connection, wrote=True)


@contextlib.contextmanager
def kept_for(tables: Tables, model: str | None, path: Path) -> Iterator[Kept | None]:
    """The calls in the file at `path` if a model is to be asked; else None, and no file is made."""
    if not settings.models(tables.model, tables.prices, given=model, where=tables.where).any:
        yield None
        return
    with kept(path) as found:
        yield found
