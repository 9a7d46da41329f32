"""A new store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli import config
from memcli.api.configured import embedder_table
from memcli.core.reports import InitReport
from memcli.engine import embedders
from memcli.engine.embedding import install
from memcli.store import file

if TYPE_CHECKING:
    from pathlib import Path


def init_store(path: str | Path | None = None, *, embedder: str | None = None) -> InitReport:
    """Make an empty store; raises ExistsError if there is a file already.

    Without `embedder`: wordllama-256 where it is installed, else hash-1024. A remote one is asked
    what its vectors are like: raises GatewayError if it does not answer, and then there is no
    store; UsageError for one that is unknown or not installed.
    """
    place = config.store_path(path)
    made = embedders.named(embedder, embedder_table())
    try:
        if made.remote:
            file.refuse_taken(place)
        requests, tokens = embedders.learned(made)
        file.create(place, lambda connection: install(connection, made))
    finally:
        made.close()
    return InitReport(str(place), made.name, requests=requests, tokens=tokens)
