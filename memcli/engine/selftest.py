"""Does each check find its defect, and no other check find it? Asked of copies of a store."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from memcli import registry
from memcli.core.reports import AuditReport, Finding
from memcli.engine import defects
from memcli.engine.audit import audit
from memcli.errors import MemError
from memcli.store import file, journal
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView

_HINT = "a bug of mem: report it with the output of mem doctor"


def self_test(connection: "sqlite3.Connection") -> AuditReport:
    """Plant each defect in a fresh copy of the store, and audit that copy.

    A finding for each check that stays silent, or is not alone: what others newly find has to be
    among the companions that the defect allows. The store itself is only read.
    """
    findings: list[Finding] = []
    with tempfile.TemporaryDirectory(prefix="mem-") as folder:
        base = Path(folder) / "base.db"
        _copy(connection, base)
        ground = defects.prepare(base)
        before = _audit(base)
        for check in registry.checks().values():
            copy = base.with_name(f"{check.code}.db")
            shutil.copyfile(base, copy)
            findings += _try(check, copy, ground, before)
            copy.unlink()
    return AuditReport(tuple(findings), tuple(registry.checks()))


def _copy(connection: "sqlite3.Connection", path: Path) -> None:
    with closing(sqlite3.connect(path)) as target:
        connection.backup(target)


def _audit(path: Path) -> frozenset[Finding]:
    # Vectors are not made again for each copy: that is slow, and no defect is in one.
    with file.errors_of(path), closing(file.open_read(path)) as connection:
        view = StoreView(connection, journal.last_pass(connection)[0])
        return frozenset(audit(view, deep=True, vectors=False).findings)


def _try(
    check: registry.Check, copy: Path, ground: defects.Ground, before: frozenset[Finding]
) -> Iterator[Finding]:
    defect = defects.DEFECTS.get(check.code)
    if defect is None:
        yield _failed(check, "no defect is known that it would find")
        return
    defect.plant(copy, ground)
    try:
        after = _audit(copy)
    except MemError as error:
        yield _failed(check, f"its defect ended the audit: {error.what}")
        return
    if not any(found.code == check.code for found in after):
        yield _failed(check, "does not find the defect that was planted for it")
    others = {found.code for found in after - before} - {check.code} - defect.companions
    if others:
        named = ", ".join(sorted(others))
        yield _failed(check, f"is not alone: its defect is found by {named} too")


def _failed(check: registry.Check, message: str) -> Finding:
    return Finding(
        code=check.code,
        severity="error",
        subject=check.code,
        message=message,
        hint=_HINT,
        name=check.name,
    )
