"""Plan files on disk: read whole, written whole, and never over anything that is no plan."""

import contextlib
import errno
import os
import stat
from pathlib import Path

from memcli.engine import planfile, writing
from memcli.engine.planfile import Proposal
from memcli.errors import ExistsError, InputError, UsageError
from memcli.kit.jsonio import MAX_BYTES, BadJsonError


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
            missing = FileNotFoundError(errno.ENOENT, "there is no such folder")
            raise writing.unwritten("The plan", path, missing)
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
    """Put `text` at `path`, whole or not at all. Raises ExistsError, UsageError, StoreError."""
    refuse_taken(path)
    try:
        writing.write(path, [text])
    except FileExistsError as error:
        raise ExistsError(
            "There is a file already: it was made meanwhile.",
            where=str(path),
            hint="choose another name for --plan",
        ) from error
    except (OSError, ValueError) as error:
        raise writing.unwritten("The plan", path, error) from error
