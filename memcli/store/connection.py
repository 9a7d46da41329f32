"""A connection to a store, which keeps what is read again and again until it is closed."""

from typing import Any

from memcli.store.driver import sqlite3
from memcli.store.kept import Kept


class Connection(sqlite3.Connection):
    """As the driver's; `kept`: the vectors of its store, once they are worth it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.kept = Kept()

    def close(self) -> None:
        """Close, and forget."""
        self.kept.drop()
        super().close()


def kept(connection: "sqlite3.Connection") -> Kept | None:
    """What this connection keeps; None of one that keeps nothing."""
    return connection.kept if isinstance(connection, Connection) else None
