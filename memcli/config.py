"""Settings: `mem.toml` in the current folder or the nearest one above it, and the environment.

store = "memory.db"      # relative to the file
[parameters.reflect]
questions = 2
[model]                  # also [budget] and [prices]: see memcli.gateway.settings
name = "openai/gpt-5-mini"
[embedder]               # see memcli.gateway.embedder_settings
batch = 64
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memcli.core.values import dataclass, field
from memcli.errors import UsageError

FILE = "mem.toml"
DEFAULT_STORE = "memory.db"
_TABLES = ("model", "budget", "prices", "embedder")
_KNOWN = ("store", "single_valued", "parameters", *_TABLES)
_SHOWN = 60  # characters of a key that is not known


@dataclass(frozen=True, slots=True)
class Settings:
    """What `mem.toml` says; everything has a default."""

    path: Path | None = None
    store: Path | None = None
    single_valued: frozenset[str] | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Any] = field(default_factory=dict)
    embedder: Mapping[str, Any] = field(default_factory=dict)


def load(folder: Path | None = None) -> Settings:
    """The settings that hold in `folder` (default: the current one).

    Raises UsageError for a file that cannot be read, or that says something unknown or of the
    wrong type.
    """
    try:
        start = (folder or Path.cwd()).absolute()
    except OSError:  # the current folder was deleted
        return Settings()
    for place in (start, *start.parents):
        path = place / FILE
        if path.is_file():
            return _read(path)
    return Settings()


def _read(path: Path) -> Settings:
    import tomli  # only where there is a file: most commands find none

    try:
        values = tomli.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _bad(path, str(error)) from error
    for key in values:
        if key not in _KNOWN:
            raise _bad(path, f"there is no {key[:_SHOWN]!r}; it has {', '.join(_KNOWN)}")
    store = values.get("store")
    if store is not None and not (isinstance(store, str) and store and "\0" not in store):
        raise _bad(path, "store is not a path in quotes")
    single = values.get("single_valued")
    if single is not None and not _strings(single):
        raise _bad(path, "single_valued is not a list of names")
    parameters = values.get("parameters", {})
    if not isinstance(parameters, dict) or not all(
        isinstance(v, dict) for v in parameters.values()
    ):
        raise _bad(path, "[parameters.NAME] is not a table")
    for name in _TABLES:
        if not isinstance(values.get(name, {}), dict):
            raise _bad(path, f"[{name}] is not a table")
    return Settings(
        path=path,
        store=None if store is None else path.parent / Path(store).expanduser(),
        single_valued=None if single is None else frozenset(single),
        parameters=parameters,
        model=values.get("model", {}),
        budget=values.get("budget", {}),
        prices=values.get("prices", {}),
        embedder=values.get("embedder", {}),
    )


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _bad(path: Path, why: str) -> UsageError:
    return UsageError(
        f"The settings cannot be used: {why}.", where=str(path), hint="correct the file, or move it"
    )


def store_path(given: str | Path | None) -> Path:
    """The store meant: what is given, else MEM_STORE, else `mem.toml`, else ./memory.db."""
    if given is not None:
        if not str(given):
            raise UsageError("The path of the store is empty.", where="--store", hint="name a file")
        return Path(given)
    if named := os.environ.get("MEM_STORE"):
        return Path(named).expanduser()
    return load().store or Path(DEFAULT_STORE)
