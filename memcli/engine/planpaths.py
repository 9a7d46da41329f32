"""Plan files on disk: read whole, written whole, and never over anything that is no plan."""

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path

from memcli.engine import planfile
from memcli.engine.planfile import Proposal
from memcli.errors import ExistsError, InputError, StoreError, UsageError
from memcli.kit.jsonio import MAX_BYTES, BadJsonError

_MODE = 0o666  # as far as the umask lets; temporary files are made for their owner alone


def read(path: Path) -> Proposal:
    """The plan in a file. Raises InputError, UsageError, RefusedError; see planfile.read."""
    return planfile.read(_bytes(path), path)


def _bytes(path: Path) -> bytes:
    try:
        # Looked at before it is opened: opening a pipe waits for somebody to write.
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise _unreadable(path, "it is no file")
        if status.st_size > MAX_BYTES:
            raise _unreadable(path, f"it has more than {MAX_BYTES:,} bytes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def _unreadable(path: Path, why: str) -> InputError:
    return InputError(
        f"The plan cannot be read: {why}.",
        where=str(path),
        hint="mem consolidate --strategy NAME --plan FILE makes one",
    )


def refuse_taken(path: Path) -> None:
    """Raise ExistsError if there is something at `path` that is no plan, UsageError for no name.

    Asked before a pass is planned: it may cost money.
    """
    if str(path) in (".", "-") or "\0" in str(path):
        raise UsageError("A plan needs a file of its own.", where="--plan", hint="--plan plan.json")
    if not os.path.lexists(path):
        if not path.parent.is_dir():
            raise _unwritten(path, FileNotFoundError(errno.ENOENT, "there is no such folder"))
        return
    if not _is_plan(path):
        raise ExistsError(
            "There is something already that is no plan.",
            where=str(path),
            hint="choose another name for --plan, or remove it first",
        )


def _is_plan(path: Path) -> bool:
    """Whether a plan lies there, of any version and edited or not: a new one may replace it."""
    with contextlib.suppress(InputError, BadJsonError):
        return planfile.is_plan(_bytes(path))
    return False


def write(path: Path, text: str) -> None:
    """Put `text` at `path`, whole or not at all. Raises ExistsError, StoreError."""
    refuse_taken(path)
    place = Path(os.path.realpath(path))
    replaces = place.exists()
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".new", dir=place.parent)
    except (OSError, ValueError) as error:
        raise _unwritten(path, error) from error
    temporary = Path(name)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        _give_rights(temporary)
        _move(temporary, place, replaces)
    except FileExistsError as error:
        raise ExistsError(
            "There is a file already: it was made meanwhile.",
            where=str(path),
            hint="choose another name for --plan",
        ) from error
    except OSError as error:
        raise _unwritten(path, error) from error
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


_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def _unwritten(path: Path, error: Exception) -> UsageError | StoreError:
    why = getattr(error, "strerror", None) or str(error)
    kind = StoreError if getattr(error, "errno", None) in _DISK else UsageError
    return kind(
        f"The plan cannot be written: {why}.",
        where=str(path),
        hint="name a file in a folder that exists and that you may write to",
    )
