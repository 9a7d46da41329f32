"""What every method stands on: the connection of one open file, its newest pass, and the clock."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal

from memcli.errors import BusyError, ExistsError, StoreError
from memcli.store import file, journal
from memcli.store.view import StoreView

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from memcli.engine.embedding import StoreEmbedder
    from memcli.store.driver import sqlite3

# `read-any` reads a store if there is one: a dry run of an ingest needs none.
Mode = Literal["read", "write", "create", "read-any"]
# Called with what is done so far and the whole of it (None if it is not known).
ProgressCallback = Callable[[int, int | None], None]


class Opened:
    """One open store file, without the methods of `Store`, which are written in parts."""

    def __init__(self, path: Path, mode: Mode, now: str | None) -> None:
        self.path = path
        self._mode = mode
        self._given_now = now
        self._open: sqlite3.Connection | None = None
        self._recorder: sqlite3.Connection | None = None
        self._stamp: tuple[int, int] | None = None

    def __enter__(self) -> Self:
        if self._mode == "read" or (self._mode == "read-any" and file.exists(self.path)):
            self._open = file.open_read(self.path)
            if not file.writable(self.path):
                self._stamp = file.stamp(self.path)
        elif self._mode == "read-any":
            pass
        elif self._mode == "write" or file.exists(self.path):
            self._open = file.open_write(self.path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._open is not None:
            file.close(self._open, wrote=self._writes)
            self._open = None
        if self._recorder is not None:
            file.close(self._recorder, wrote=True)
            self._recorder = None
        stamp, self._stamp = self._stamp, None
        if error is None and stamp is not None and file.stamp(self.path) != stamp:
            raise BusyError(
                "The store changed while it was being read from where it cannot be locked.",
                where=str(self.path),
                hint="run the command again; nothing was written",
            )

    # --- connections ----------------------------------------------------------------------------

    @property
    def _writes(self) -> bool:
        return self._mode in ("write", "create")

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            file.check_header(self.path)
            raise StoreError("The store is closed.", where=str(self.path), hint="open it again")
        return self._open

    def _writable(self) -> sqlite3.Connection:
        """The open connection; makes the store first if it is to be created."""
        if self._open is None and self._mode == "create":
            if not file.exists(self.path):
                from memcli.api.making import init_store

                # If another process made it meanwhile, that is the store.
                with suppress(ExistsError):
                    init_store(self.path)
            self._open = file.open_write(self.path)
        return self._connection

    @contextmanager
    def _for_writing(self, dry_run: bool) -> Iterator[sqlite3.Connection | None]:
        """The open connection, if there is a store; for a dry run a copy of it in memory.

        So a dry run needs no right to write, waits for no writer and keeps none waiting.
        """
        if self._open is None or not dry_run:
            yield self._open
            return
        copy = file.copy_in_memory(self._open)
        try:
            yield copy
        finally:
            copy.close()

    def _recording(self) -> sqlite3.Connection:
        """The connection that records answers and recalls: of what only reads, one of its own."""
        if self._writes:
            return self._connection
        if self._recorder is None:
            self._recorder = file.open_write(self.path)
        return self._recorder

    # --- state and time -------------------------------------------------------------------------

    def _head(self) -> int:
        return journal.last_pass(self._connection)[0]

    def _view(self) -> StoreView:
        return StoreView(self._connection, self._head())

    def _clock(self) -> str:
        """The time given by the user, or the system's."""
        from memcli.engine.clock import system_now

        return system_now() if self._given_now is None else self._given_now

    def _now(self) -> str:
        """The time of a pass: never before the last one's."""
        from memcli.engine.clock import not_before

        last = "" if self._open is None else journal.last_pass(self._open)[1]
        return not_before(self._clock(), last, explicit=self._given_now is not None)

    @contextmanager
    def _embedder(
        self,
        connection: sqlite3.Connection | None,
        name: str | None = None,
        *,
        examine: bool = False,
    ) -> Iterator[StoreEmbedder]:
        """The store's embedder, or the one of another `name`."""
        from memcli.api.configured import embedder_table
        from memcli.engine import embedders

        made = embedders.of_store(connection, embedder_table, examine=examine)
        if name is not None and name != made.name:
            made = embedders.named(name, embedder_table())
        try:
            yield made
        finally:
            made.close()
