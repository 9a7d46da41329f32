"""Passes and memories are taken back, and undos too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.api.opened import Opened
from memcli.engine import revert
from memcli.store import file

if TYPE_CHECKING:
    from memcli.core.reports import RollbackReport


class Part(Opened):
    """The methods of `Store` that take back. Raise RefusedError where that cannot be."""

    def rollback(
        self,
        target: str,
        *,
        cascade: bool = False,
        reject: bool = False,
        dry_run: bool = False,
    ) -> RollbackReport:
        """Take back a memory (`m4`), a version and later ones (`m4@2`) or a pass (`p7`, `last`).

        Raises UsageError for an unknown target, RefusedError for dependents without `cascade`.
        """
        with file.errors_of(self.path), self._for_writing(dry_run) as connection:
            return revert.rollback(
                connection or self._connection,
                target,
                now=self._now(),
                cascade=cascade,
                reject=reject,
                dry_run=dry_run,
            )

    def rollback_to(
        self, point: str, *, cascade: bool = False, reject: bool = False, dry_run: bool = False
    ) -> RollbackReport:
        """Take back every pass in force after `point`; raises as `rollback`."""
        with file.errors_of(self.path), self._for_writing(dry_run) as connection:
            return revert.rollback_to(
                connection or self._connection,
                point,
                now=self._now(),
                cascade=cascade,
                reject=reject,
                dry_run=dry_run,
            )

    def undo(self) -> RollbackReport:
        """Take back the newest pass in force that no undo, redo or erase made."""
        with file.errors_of(self.path):
            return revert.undo(self._connection, now=self._now())

    def redo(self) -> RollbackReport:
        """Take back the newest undo in force, while only undos and redos follow it."""
        with file.errors_of(self.path):
            return revert.redo(self._connection, now=self._now())
