"""Health of the installation and of a store, a line each; nothing heavy is imported."""

import contextlib
import os
import platform
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memcli.core.reports import DoctorLine, DoctorReport
from memcli.engine.embedders import Table, of_store
from memcli.engine.embedding import fits
from memcli.errors import MemError
from memcli.gateway.local import NAMES, default_name, install_hint, lacking
from memcli.gateway.naming import HASH, WORDLLAMA
from memcli.store import driver, file, journal, mounts, schema, texts, vectors
from memcli.store.driver import sqlite3
from memcli.store.inspect import InspectView

if TYPE_CHECKING:
    from memcli.gateway.litellm_embedder import LiteLLMEmbedder

_DRIVERS = {
    "stdlib": "the standard library's sqlite3",
    "pysqlite3": "the pysqlite3 wheel (this Python's own sqlite3 cannot load extensions)",
    "plain": "the standard library's sqlite3, without extensions",
}


def examine(path: Path, table: Callable[[], Table] = Table) -> DoctorReport:
    """What is installed, and the state of the store at `path` if there is one.

    `table` is [embedder] of `mem.toml`. Nobody is asked over the network.
    """
    lines = [_python(), _driver(), _vectors(), _embedders(), *_litellm()]
    if file.exists(path):
        lines += _store(path, table)
    else:
        lines.append(DoctorLine("store", True, f"none at {path}", "mem init makes one"))
    return DoctorReport(tuple(lines))


def _python() -> DoctorLine:
    return DoctorLine("python", True, f"{platform.python_version()} on {platform.platform()}")


def _driver() -> DoctorLine:
    value = f"{_DRIVERS[driver.DRIVER]}, SQLite {driver.SQLITE_VERSION}"
    return DoctorLine("sqlite", True, value)


def _vectors() -> DoctorLine:
    connection = driver.sqlite3.connect(":memory:")
    try:
        if driver.load_vec(connection):
            version = connection.execute("SELECT vec_version()").fetchone()[0]
            return DoctorLine("vectors", True, f"sqlite-vec {version}")
    finally:
        connection.close()
    return DoctorLine(
        "vectors",
        True,
        "sqlite-vec cannot be loaded here: vectors are scanned with NumPy, with the same results",
        "pip install pysqlite3 sqlite-vec, or use a Python whose sqlite3 loads extensions",
    )


def _embedders() -> DoctorLine:
    """What new stores get, and what else could make vectors."""
    first = default_name()
    there = [name for name in NAMES if name != first and lacking(name) is None]
    value = f"{first} for new stores" + (f"; here too: {', '.join(there)}" if there else "")
    return DoctorLine("embedders", True, value, "" if first != HASH else install_hint(WORDLLAMA))


def _litellm() -> list[DoctorLine]:
    try:
        version = metadata.version("litellm")
    except metadata.PackageNotFoundError:
        return [DoctorLine("litellm", False, "not installed", "pip install litellm")]
    bad = version in ("1.82.7", "1.82.8")
    lines = [
        DoctorLine(
            "litellm",
            not bad,
            version,
            "this release steals keys: pip install -U litellm, and renew your keys" if bad else "",
        )
    ]
    # One stolen release ran its code at every start of Python, through such a file.
    for folder in map(Path, sys.path):
        with contextlib.suppress(OSError):
            for found in folder.glob("litellm*.pth"):
                lines.append(
                    DoctorLine(
                        "litellm", False, f"{found} runs at every start of Python", "remove it"
                    )
                )
    return lines


def _store(path: Path, table: Callable[[], Table]) -> list[DoctorLine]:
    try:
        connection = file.open_read(path)
    except MemError as error:
        return [DoctorLine("store", False, f"{path}: {error.what}", error.hint or "")]
    try:
        with file.errors_of(path):
            number, at, _ = journal.last_pass(connection)
            embedder = _embedder(connection, table)
            # A text without a visible character has no vector, and need not have one.
            lost = sum(bool(text.strip()) for _, text in vectors.missing(connection))
            count = texts.size(connection)
            guards = InspectView(connection, number).guard_errors()
    except texts.UnusableIndexError as error:
        return [
            DoctorLine("index", False, f"the text index cannot be used: {error}", "mem reindex")
        ]
    except MemError as error:
        return [DoctorLine("store", False, f"{path}: {error.what}", error.hint or "")]
    finally:
        connection.close()
    last = f"{number} passes, the last on {at}" if number else "no pass yet"
    lines = [DoctorLine("store", True, f"{path}: schema {schema.SCHEMA}, {last}, {count} texts")]
    lines.append(embedder)
    if guards:
        name, what = guards[0]
        lines.append(DoctorLine("guards", False, f"{name} {what}", "mem audit"))
    else:
        lines.append(DoctorLine("guards", True, "in place; mem audit checks what they guard"))
    if (kind := mounts.network_type(path)) is not None:
        lines.append(
            DoctorLine(
                "place",
                False,
                f"{kind}, a network file system: one writer at a time, and slow",
                "keep the store on a local disk, and copies elsewhere",
            )
        )
    if lost:
        lines.append(DoctorLine("index", False, f"{lost} texts have no vector", "mem reindex"))
    return lines


def _embedder(connection: "sqlite3.Connection", table: Callable[[], Table]) -> DoctorLine:
    found = vectors.embedder(connection)
    if found is None:
        return DoctorLine("embedder", False, "none", "mem reindex")
    name = str(found[0])
    try:
        if (missing := lacking(name)) is not None:
            hint = f"{install_hint(name)}; or mem reindex, which takes {default_name()}"
            return DoctorLine("embedder", False, f"{name}: {missing} is not installed", hint)
        embedder = of_store(connection, table, examine=True)
        fitting = fits(connection, embedder)
    except MemError as error:
        return DoctorLine("embedder", False, f"{name}: {error.what}", error.hint or "")
    if not fitting:
        said = "its vectors are not those of this program"
        if embedder.remote:
            said += " and its settings"
        return DoctorLine("embedder", False, f"{name}: {said}", "mem reindex")
    if name == HASH:
        return DoctorLine("embedder", True, name)
    value = (
        f"{name}{', remote' if embedder.remote else ''}: {embedder.dimensions} dimensions, related"
        f" from {embedder.related:.2f}, near duplicates from {embedder.near_duplicate:.2f}"
    )
    return (
        _remote(cast("LiteLLMEmbedder", embedder), value)
        if embedder.remote
        else DoctorLine("embedder", True, value)
    )


def _remote(embedder: "LiteLLMEmbedder", value: str) -> DoctorLine:
    """It is asked only when there is something to embed: here is said what is known of it."""
    lacking = embedder.settings.api_key_env
    if lacking is not None and not os.environ.get(lacking):
        return DoctorLine("embedder", False, f"{value}; {lacking} is not set", f"export {lacking}=")
    return DoctorLine("embedder", True, value)
