"""Embedders whose weights an installed package carries: found without importing it, and known by
the files themselves."""

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from memcli.core.values import dataclass
from memcli.errors import GatewayError, UsageError
from memcli.gateway.measured import MEASURED

Vector = Sequence[float]
_PIECE = 1 << 20  # bytes that are hashed at a time


@dataclass(frozen=True, slots=True)
class Carried:
    """A file that a package carries; `others` are (package, path) of files that are the same."""

    role: str
    package: str
    path: str
    others: tuple[tuple[str, str], ...] = ()

    def find(self) -> Path | None:
        """Where it lies, if any of its packages is installed."""
        for package, path in ((self.package, self.path), *self.others):
            folder = _folder(package)
            if folder is not None and (folder / path).is_file():
                return folder / path
        return None


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model of a package. `modules` run it; `install` is what pip is to be told.

    `longest`: characters of a text that count. `settled`: what else decides over its vectors.
    """

    name: str
    distribution: str
    files: tuple[Carried, ...]
    modules: tuple[str, ...]
    install: str
    longest: int
    version: int
    settled: Mapping[str, object]

    def lacking(self) -> str | None:
        """What is not installed here that it needs; None if all is."""
        for carried in self.files:
            if carried.find() is None:
                return carried.package.replace("_", "-")
        return next((name for name in self.modules if not _there(name)), None)

    def needed(self) -> UsageError | None:
        """What to tell who asks for it where it cannot be had."""
        lacking = self.lacking()
        if lacking is None:
            return None
        return UsageError(
            f"{self.name} needs {lacking}, which is not installed.",
            where="--embedder",
            hint=self.install,
        )


def _folder(package: str) -> Path | None:
    """The folder of an installed package, which is not imported for that."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    places = None if spec is None else spec.submodule_search_locations
    return None if not places else Path(next(iter(places)))


def _there(module: str) -> bool:
    if module in sys.modules:
        return True
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, changed: int) -> str:
    import hashlib  # of files that a store knows only name and size are asked for

    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


class Packaged:
    """Implements engine's StoreEmbedder by a model of a package; a subclass runs it.

    `recorded` is the fingerprint that a store has: a file is taken for the one that was hashed then
    if its name and size are. Without it the files are hashed when the fingerprint is asked for.
    """

    model: ClassVar[Model]
    remote = False
    late = True
    portion = 256
    exact = False
    dtype = "int8-peak"

    def __init__(self, recorded: Mapping[str, Any] | None = None) -> None:
        self._recorded = recorded or {}
        measured = MEASURED[self.model.name]
        self.name = self.model.name
        self.longest = self.model.longest
        self.dimensions = measured.dimensions
        self.related = measured.related
        self.near_duplicate = measured.near_duplicate
        self.fusion = measured.fusion
        self.measured = (measured.related, measured.near_duplicate)

    # --- what it is -----------------------------------------------------------------------------

    def described(self) -> dict[str, object]:
        """The fingerprint: all that decides over its vectors, as a store keeps it."""
        return {
            "name": self.name,
            "provider": "package",
            "package": self.model.distribution,
            "dimensions": self.dimensions,
            "dtype": self.dtype,
            "normalisation": "unit",
            "truncation": self.longest,
            "version": self.model.version,
            **self.model.settled,
            **{carried.role: self._file(carried) for carried in self.model.files},
        }

    def _file(self, carried: Carried) -> dict[str, object]:
        path = self._path(carried.role)
        known = self._recorded.get(carried.role)
        try:
            seen = os.stat(path)
            found = {"file": path.name, "size": seen.st_size}
            if isinstance(known, dict) and all(known.get(key) == found[key] for key in found):
                return {**found, "sha256": known.get("sha256")}
            return {**found, "sha256": _sha256(path, seen.st_size, seen.st_mtime_ns)}
        except OSError as error:
            raise self._failed(error) from error

    def _path(self, role: str) -> Path:
        """Where the file of that role lies; raises GatewayError if it is gone."""
        found = next(one.find() for one in self.model.files if one.role == role)
        if found is None:
            raise self._failed("it is not installed any more")
        return found

    def _failed(self, why: object) -> GatewayError:
        return GatewayError(
            f"{self.name} cannot be used: {why}.",
            where=self.model.distribution,
            hint=self.model.install,
        )

    # --- what it does ---------------------------------------------------------------------------

    def blocks(self, texts: Sequence[str]) -> Iterator[Sequence[Vector]]:
        """See engine.embedding.StoreEmbedder."""
        raise NotImplementedError

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of unit length for each text; zero for one without a visible character."""
        return [_plain(vector) for block in self.blocks(texts) for vector in block]

    def embed_query(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of questions, to be compared with those of texts."""
        return self.embed(texts)

    def close(self) -> None:
        """Nothing is open but files that are mapped."""

    def start(self, text: str) -> str:
        """The part of a text that counts, without what no tokenizer takes."""
        return text[: self.longest].encode("utf-8", "replace").decode("utf-8")


def _plain(vector: Any) -> Vector:
    return tuple(vector.tolist() if hasattr(vector, "tolist") else vector)
