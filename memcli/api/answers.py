"""The recorded answers of models: looked at, moved between stores, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.api.opened import Opened
from memcli.core.calls import Which
from memcli.engine import recordings
from memcli.store import file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from memcli.core.reports import BadUnit, CallsReport


def _ignored(unit: BadUnit) -> None:
    """What is told of what is passed over, where nobody asks."""


class Part(Opened):
    """The methods of `Store` about recorded answers."""

    def which_calls(
        self,
        *,
        task: str | None = None,
        model: str | None = None,
        status: str | None = None,
        before: str | None = None,
    ) -> Which:
        """Recorded answers as the methods below take them; what is not given does not narrow."""
        from memcli.engine.clock import parse_now

        moment = None if before is None else parse_now(before, where="--before")
        return Which(task, model, status, moment)

    def calls(self, which: Which | None = None) -> CallsReport:
        """The recorded answers, oldest first."""
        with file.errors_of(self.path):
            return recordings.listed(self._connection, which or Which())

    def recorded_call(self, key: str) -> CallsReport:
        """The recorded answers whose key begins with `key`, with what was asked."""
        with file.errors_of(self.path):
            return recordings.shown(self._connection, key)

    def exported_calls(
        self, which: Which | None = None, *, passed_over: Callable[[BadUnit], None] = _ignored
    ) -> Iterator[str]:
        """The recorded answers as lines of JSON, as a file of them holds them.

        `passed_over` is told of those that are damaged.
        """
        with file.errors_of(self.path):
            yield from recordings.exported(self._connection, which or Which(), passed_over)

    def export_calls(self, path: str, which: Which | None = None) -> CallsReport:
        """Write recorded answers to a file; one of recorded answers is replaced."""
        with file.errors_of(self.path):
            return recordings.written(self._connection, which or Which(), path)

    def import_calls(self, path: str, *, stdin: BinaryIO | None = None) -> CallsReport:
        """Store the recorded answers of a file (`-`: `stdin`) that are not there yet."""
        from memcli.engine import callfiles

        with file.errors_of(self.path), callfiles.opened(path, stdin) as opened:
            return recordings.imported(self._connection, opened, path)

    def prune_calls(self, which: Which) -> CallsReport:
        """Remove recorded answers; a rerun would have to ask for them again."""
        with file.errors_of(self.path):
            return recordings.pruned(self._connection, which)
