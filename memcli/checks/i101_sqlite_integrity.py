"""I101: SQLite's own check of the file."""

from collections.abc import Iterator

from memcli.core.reports import Finding
from memcli.ports import Inspector
from memcli.registry import check


@check("I101", "sqlite-integrity")
def sqlite_integrity(view: Inspector) -> Iterator[Finding]:
    """A page that a disk or a copy program damaged may hold anything, and read as anything.

    Nothing else that an audit says can be relied on while this check finds something.
    """
    for message in view.sqlite_errors():
        yield Finding(
            code="I101",
            severity="error",
            subject="store",
            message=f"the file is damaged: SQLite reports {message}",
            hint="restore a copy; sqlite3 FILE .recover saves what can still be read",
        )
