"""Which SQLite is used: chosen once, here. Everybody in `store` takes `sqlite3` from this module.

Many builds of Python (pyenv's among them) cannot load extensions. Then the `pysqlite3` wheel is
used; where there is none, the standard library without extension, and vectors are scanned in
NumPy with the same results. `MEM_SQLITE` (stdlib, pysqlite3, plain) overrides the choice.
"""

import importlib
import os
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal, cast

from memcli.errors import UsageError

if TYPE_CHECKING:
    import sqlite3 as sqlite3

Driver = Literal["stdlib", "pysqlite3", "plain"]


def _can_load() -> bool:
    """Whether this Python's own sqlite3 was built with extension loading."""
    # The C module alone tells it; the package around it takes 3 ms that pysqlite3 takes again.
    built_in = importlib.import_module("_sqlite3")
    return hasattr(built_in.Connection, "enable_load_extension")


def _choose() -> tuple[Driver, ModuleType]:
    asked = os.environ.get("MEM_SQLITE", "")
    can_load = asked != "plain" and _can_load()
    if asked in ("plain", "stdlib") or (not asked and can_load):
        return ("stdlib" if can_load else "plain"), importlib.import_module("sqlite3")
    if asked not in ("", "pysqlite3"):
        raise UsageError(
            f"MEM_SQLITE is {asked!r}.",
            where="the environment",
            hint="unset it, or use stdlib, pysqlite3 or plain",
        )
    if find_spec("pysqlite3") is None:
        return "plain", importlib.import_module("sqlite3")
    return "pysqlite3", importlib.import_module("pysqlite3.dbapi2")


DRIVER, _module = _choose()
if not TYPE_CHECKING:
    sqlite3 = _module

SQLITE_VERSION = cast(str, _module.sqlite_version)


def extension_path() -> Path | None:
    """Where sqlite-vec's library lies, without importing the module (which imports NumPy)."""
    spec = find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "vec0"


def load_vec(connection: "sqlite3.Connection") -> bool:
    """Load sqlite-vec into `connection`; False where this SQLite or platform cannot."""
    path = extension_path()
    if DRIVER == "plain" or path is None:
        return False
    try:
        connection.enable_load_extension(True)
        try:
            connection.load_extension(str(path))
        finally:
            connection.enable_load_extension(False)
    except sqlite3.Error:
        return False
    return True
