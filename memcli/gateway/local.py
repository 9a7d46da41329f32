"""The embedders that run on this machine, by name; what is not asked for is not imported."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memcli.gateway.naming import E5, HASH, MINILM, WORDLLAMA
from memcli.gateway.packaged import Packaged

if TYPE_CHECKING:
    from memcli.gateway.hashed import HashEmbedder

Recorded = Mapping[str, Any] | None


def _wordllama() -> type[Packaged]:
    from memcli.gateway.wordllama import WordLlama

    return WordLlama


def _minilm() -> type[Packaged]:
    from memcli.gateway.minilm import MiniLM

    return MiniLM


def _e5() -> type[Packaged]:
    from memcli.gateway.e5 import E5

    return E5


_PACKAGED: dict[str, Callable[[], type[Packaged]]] = {
    WORDLLAMA: _wordllama,
    MINILM: _minilm,
    E5: _e5,
}
NAMES = (HASH, *_PACKAGED)


def default_name() -> str:
    """What a store gets whose maker did not say: wordllama-256 where it is installed."""
    return WORDLLAMA if _wordllama().model.lacking() is None else HASH


def lacking(name: str) -> str | None:
    """The package that the local embedder `name` needs and that is not installed; None: all is."""
    return None if name not in _PACKAGED else _PACKAGED[name]().model.lacking()


def install_hint(name: str) -> str:
    """What to do to have the local embedder `name`."""
    return _PACKAGED[name]().model.install


def local(name: str, recorded: Recorded = None) -> "HashEmbedder | Packaged":
    """The local embedder `name`; `recorded` is the fingerprint that a store has of it.

    Raises UsageError if what it needs is not installed, KeyError for an unknown name.
    """
    if name == HASH:
        from memcli.gateway.hashed import HashEmbedder

        return HashEmbedder()
    kind = _PACKAGED[name]()
    if (needed := kind.model.needed()) is not None:
        raise needed
    return kind(recorded)
