"""What sources of all sorts have in common."""

from collections.abc import Iterator
from typing import NoReturn, Protocol

from memcli.errors import InputError

CHUNK = 1 << 16
HINT = "name a transcript, a folder or zip with some, or - for standard input"


class OpenSource(Protocol):
    """A source with what the engine knows beyond `ports.Source`.

    `size` is in bytes, None if not known. `inside`: found in a folder or zip, not named.
    """

    path: str
    size: int | None
    inside: bool

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from the start, anew at each call; raises InputError."""
        ...

    def head(self, size: int = CHUNK) -> bytes:
        """The first bytes; raises InputError."""
        ...


class Headed:
    """Gives a source its head."""

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from the start, anew at each call; raises InputError."""
        raise NotImplementedError

    def head(self, size: int = CHUNK) -> bytes:
        """The first `size` bytes, or all if there are fewer; raises InputError."""
        found = b""
        for chunk in self.chunks(size):
            found += chunk
            if len(found) >= size:
                break
        return found[:size]


def refuse(path: str, error: Exception) -> NoReturn:
    """Raise the InputError for a failure of the system while `path` was opened or read."""
    if isinstance(error, FileNotFoundError):
        what, hint = "There is no such file or folder.", HINT
    elif isinstance(error, PermissionError):
        what, hint = "This may not be read.", "check its rights, or run as a user who may read it"
    else:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        what, hint = f"This cannot be read: {reason or error}.", "check the file, then try again"
    raise InputError(what, where=path, hint=hint) from None
