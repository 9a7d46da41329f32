"""How an embedding model is reached: [embedder] of `mem.toml`. Which one it is, a store says itself.

[embedder]
api_base = "http://localhost:8080/v1"
api_key_env = "MY_KEY"
batch = 64
"""

from collections.abc import Mapping
from typing import Any

from memcli.core.values import dataclass
from memcli.gateway.tables import address, bad, number, only, text

PLACE = "[embedder]"


@dataclass(frozen=True)
class EmbedderSettings:
    """One embedding model, by its name at LiteLLM, and how it is asked.

    `batch` texts go into one request, of each the first `characters`; `concurrency` requests run at
    a time. `timeout` and `backoff` (the first pause before a second try, doubled each time) are
    seconds; `retries` counts tries after the first. `related` and `near_duplicate` are cosines that
    stand for those which were measured; None: as measured.
    """

    name: str
    api_base: str | None = None
    api_key_env: str | None = None
    timeout: float = 60.0
    retries: int = 4
    backoff: float = 1.0
    concurrency: int = 4
    batch: int = 64
    characters: int = 4_000
    related: float | None = None
    near_duplicate: float | None = None


_TEXTS = ("api_base", "api_key_env")
_NUMBERS: dict[str, tuple[type, float, float]] = {
    "timeout": (float, 0.01, 3600),
    "retries": (int, 0, 20),
    "backoff": (float, 0, 60),
    "concurrency": (int, 1, 64),
    "batch": (int, 1, 2048),
    "characters": (int, 1, 1_000_000),
    "related": (float, -1, 1),
    "near_duplicate": (float, -1, 1),
}


def embedder(name: str, table: Mapping[str, Any], where: str) -> EmbedderSettings:
    """The settings of the model `name`. `table` is [embedder] of the file `where`.

    Raises UsageError for what does not fit, and for a key of a provider.
    """
    only(table, (*_TEXTS, *_NUMBERS), PLACE, where)
    values: dict[str, Any] = {}
    for key in _TEXTS:
        if key in table:
            read = address if key == "api_base" else text
            values[key] = read(table[key], f"{PLACE} {key}", where)
    for key, (kind, least, most) in _NUMBERS.items():
        if key in table:
            values[key] = kind(number(table[key], kind, least, most, f"{PLACE} {key}", where))
    made = EmbedderSettings(name, **values)
    related, near = made.related, made.near_duplicate
    if related is not None and near is not None and near < related:
        raise bad(f"{PLACE} near_duplicate is below related", where)
    return made
