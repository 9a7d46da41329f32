"""Every failure that a user can cause, each with the exit code it is documented under.

An error says what happened, where, and what to do. They are raised anywhere and printed in one
place, `memcli.cli._run`. Anything that is not a `MemError` is a bug of ours: exit code 70.
"""

from collections.abc import Mapping
from typing import Any, ClassVar


class MemError(Exception):
    """What happened (`what`), `where`, and what to do (`hint`); `code` is the exit code."""

    code: ClassVar[int] = 70

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint
        self.details = dict(details or {})


class UsageError(MemError):
    """The call is wrong: unknown id, strategy, option value. Nothing was written."""

    code = 2


class InputError(UsageError):
    """A source cannot be read, or is no transcript. Nothing was written."""


class ExistsError(UsageError):
    """There is a file already where one was to be made."""


class StoreError(MemError):
    """The store is missing, damaged, not ours, newer, or cannot be written (rights, full disk)."""

    code = 4


class BusyError(MemError):
    """Another process holds the store for longer than the timeout."""

    code = 5


class MovedError(MemError):
    """The store changed under a plan in a way that the plan depends on (rule C2)."""

    code = 5


class RefusedError(MemError):
    """The store would become unsound: invalid plan, dependents in the way, a gate not passed."""

    code = 6


class GatewayError(MemError):
    """A model did not answer usably, a recording is missing, or a budget left nothing settled."""

    code = 7
