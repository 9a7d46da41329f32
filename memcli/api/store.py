"""`Store`: its methods stand in parts, and a part is imported with the first call of one of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memcli import config
from memcli.api.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memcli.api import (
        answers,
        changes,
        checking,
        ingesting,
        measuring,
        passes,
        searching,
        showing,
        undoing,
    )
    from memcli.api.opened import Mode

    class _Parts(
        ingesting.Part,
        passes.Part,
        undoing.Part,
        showing.Part,
        changes.Part,
        searching.Part,
        checking.Part,
        answers.Part,
        measuring.Part,
    ): ...
else:
    _Parts = Opened

# Module -> the methods of its class `Part`. A test compares both.
PARTS = {
    "ingesting": ("ingest", "add"),
    "passes": ("consolidate", "forget", "apply_plan", "estimate", "due"),
    "undoing": ("rollback", "rollback_to", "undo", "redo"),
    "showing": ("show", "history", "why"),
    "changes": ("rate", "log", "diff", "diff_against"),
    "searching": ("search", "context"),
    "checking": ("audit", "audit_self_test", "digest", "reindex"),
    "answers": (
        "which_calls",
        "calls",
        "recorded_call",
        "exported_calls",
        "export_calls",
        "import_calls",
        "prune_calls",
    ),
    "measuring": ("compare",),
}


class Store(_Parts):
    """One open store file. Use as a context manager; see `open_store`."""


class _Late:
    """A method of a part, in its place until somebody asks for it."""

    def __init__(self, part: str, name: str) -> None:
        self._part = part
        self._name = name

    def __get__(self, opened: Store | None, owner: type[Store]) -> Callable[..., Any]:
        part = import_module(f"memcli.api.{self._part}").Part
        found = vars(part)[self._name]
        setattr(Store, self._name, found)
        # Not getattr: a derived class that overrides the method asks by `super()`.
        method: Callable[..., Any] = found.__get__(opened, owner)
        return method


for _part, _names in PARTS.items():
    for _name in _names:
        setattr(Store, _name, _Late(_part, _name))


def open_store(
    path: str | Path | None = None, *, mode: Mode = "read", now: str | None = None
) -> Store:
    """Open the store at `path` (else MEM_STORE, mem.toml, ./memory.db).

    `mode`: read, write (must exist), create (made if missing, by the first write), read-any
    (read if it exists: for dry runs of an ingest). `now` is the one clock, ISO 8601; the system's
    if None. Raises StoreError, BusyError, UsageError.
    """
    moment = now
    if now is not None:
        from memcli.engine.clock import parse_now

        moment = parse_now(now, where="--now")
    return Store(config.store_path(path), mode, moment)
