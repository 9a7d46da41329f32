"""Files that are written whole or not at all."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from memcli.errors import StoreError, UsageError

_MODE = 0o666  # as far as the umask lets; temporary files are made for their owner alone
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
_NAME = 40  # characters of the name in that of the temporary file: names have a limit


def write(path: Path, pieces: Iterable[str]) -> None:
    """Put the pieces of a text at `path`, or where it links to, as UTF-8; what is there is replaced.

    Raises OSError or ValueError where that cannot be done, FileExistsError where a file was made
    meanwhile, and whatever `pieces` raises; then what was there before is there still.
    """
    place = Path(os.path.realpath(path))
    replaces = place.exists()
    handle, name = tempfile.mkstemp(
        prefix=f".{place.name[:_NAME]}.", suffix=".new", dir=place.parent
    )
    temporary = Path(name)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        _give_rights(temporary)
        _move(temporary, place, replaces)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _give_rights(path: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    path.chmod(_MODE & ~umask)


def _move(temporary: Path, place: Path, replaces: bool) -> None:
    if not replaces:
        try:
            os.link(temporary, place)  # unlike a rename it never replaces what came meanwhile
            return
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            pass
    os.replace(temporary, place)


def unwritten(what: str, path: Path, error: Exception) -> UsageError | StoreError:
    """What to raise where `what` (The plan) cannot be written: whether the disk is to blame or
    the name that was given."""
    why = getattr(error, "strerror", None) or str(error)
    kind = StoreError if getattr(error, "errno", None) in _DISK else UsageError
    return kind(
        f"{what} cannot be written: {why}.",
        where=str(path),
        hint="name a file in a folder that exists and that you may write to",
    )
