"""A store file: making, opening and closing it, and what may be wrong with it."""

import contextlib
import os
import stat
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from memcli.errors import BusyError, ExistsError, MemError, StoreError, UsageError
from memcli.store import migrations, schema
from memcli.store.connection import Connection
from memcli.store.driver import sqlite3
from memcli.store.mounts import network_type

BUSY_TIMEOUT_MS = 5000
PAGE_SIZE = 8192  # bytes; seven float32 vectors of 256 dimensions lie in one page
# The default of 2 MB spills a large ingest to disk; 32 were no faster at 100,000 records, and 27 MB
# of the 120 that an ingest may take at its peak.
CACHE_KIB = 8 * 1024
# Who searches again and again in one process finds the pages there that the search before read; of
# 10,000 records these are all, and a command that reads once takes no more than it reads.
READ_CACHE_KIB = 16 * 1024
_MAGIC = b"SQLite format 3\0"
_HERE = Path(__file__).parent
# Why the driver raises a UnicodeDecodeError: SQLite quotes a damaged schema, or gives it names of it.
_UNREADABLE = "its schema cannot be read"


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        f"The store is damaged: {why}.",
        where=str(path),
        hint="restore a copy, without the -wal and -shm that lie beside this one; sqlite3 FILE"
        " .recover saves what can still be read",
    )


@contextlib.contextmanager
def errors_of(
    path: Path, written: Callable[[], str] = lambda: "nothing was written"
) -> Iterator[None]:
    """Turn SQLite's errors into ours. A failed transaction has been rolled back by then.

    `written` says what is in the store all the same.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(path, error, written()) from error
    except UnicodeDecodeError as error:
        if not _raised_here(error):
            raise
        raise _damaged(path, _UNREADABLE) from error


def _raised_here(error: UnicodeDecodeError) -> bool:
    """Whether it came out of a statement of the store, and not of a reader of transcripts."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and Path(trace.tb_frame.f_code.co_filename).parent == _HERE


def _explain(path: Path, error: "sqlite3.Error", written: str = "nothing was written") -> MemError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return BusyError(
            "Another process is writing to the store.",
            where=str(path),
            hint=f"try again; {written}",
        )
    if "full" in text or "disk I/O" in text:
        return StoreError(
            f"The disk did not take the write ({text}). {written[0].upper()}{written[1:]}.",
            where=str(path),
            hint="free some space (or look at the disk) and run the command again",
        )
    if "readonly" in text or "unable to open" in text:
        return StoreError(
            f"The store cannot be written here ({text}).",
            where=str(path),
            hint="give write permission on the file and its folder, or copy it elsewhere",
        )
    if isinstance(error, sqlite3.DatabaseError) and (
        "malformed" in text or "not a database" in text or "encrypted" in text
    ):
        return _damaged(path, text)
    if isinstance(error, sqlite3.ProgrammingError) and "thread" in text:
        return UsageError(
            "A store is used by the thread that opened it alone.",
            where=str(path),
            hint="open the store in each thread that uses it",
        )
    return StoreError(
        f"SQLite reports: {text}.", where=str(path), hint="mem doctor, then mem audit"
    )


def real(path: Path) -> Path:
    """Where the file behind `path` lies: SQLite keeps its log beside that, not beside a link.

    Raises StoreError where the path cannot be followed.
    """
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise StoreError(
            f"The path of the store cannot be followed: {error}.",
            where=str(path),
            hint="give a path that exists (--store)",
        ) from error


def exists(path: Path) -> bool:
    """Whether there is a file; also False where it cannot be looked at (opening it says why)."""
    return os.path.exists(path)


def check_header(path: Path) -> int:
    """The schema of the store at `path`; StoreError unless it is a whole store of ours, not newer."""
    path = real(path)
    try:
        # Looked at before it is opened: opening a pipe waits for somebody to write.
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise _not_ours(path, "it is no file")
        with path.open("rb") as file:
            head = file.read(100)
        size = status.st_size
    except FileNotFoundError:
        raise StoreError(
            "There is no store.",
            where=str(path),
            hint="mem init makes one; mem ingest SOURCE makes and fills one",
        ) from None
    except OSError as error:
        raise StoreError(
            f"The store cannot be read: {error.strerror or error}.",
            where=str(path),
            hint="give the path of a store file that you may read (--store)",
        ) from error
    if size == 0:
        raise _not_ours(path, "it is empty", _DELETE)
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise _not_ours(path, "it is no SQLite file")
    version, application = struct.unpack(">I4xI", head[60:72])
    if application != schema.APPLICATION_ID:
        raise _not_ours(path, "it is another program's SQLite file")
    if version < 1:
        raise _not_ours(path, "it has no schema")
    if version > schema.SCHEMA:
        raise StoreError(
            f"The store has schema {version}; this program knows up to {schema.SCHEMA}.",
            where=str(path),
            hint="use a newer mem; nothing was changed",
        )
    _check_length(path, head, size)
    return int(version)


# Never done for the user: another program may be about to write to it.
_DELETE = "delete it: mem init, ingest and add make a store where no file is"
_GIVE = "give the path of a store (--store), or make one with mem init"


def _not_ours(path: Path, why: str, hint: str = _GIVE) -> StoreError:
    return StoreError(f"This is not a store of mem: {why}.", where=str(path), hint=hint)


def _check_length(path: Path, head: bytes, size: int) -> None:
    # While a log lies beside the file, a checkpoint that was cut off may have left it shorter.
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        return
    page_size, pages = struct.unpack(">H", head[16:18])[0], struct.unpack(">I", head[28:32])[0]
    expected = (65536 if page_size == 1 else page_size) * pages
    if size < expected:
        raise _damaged(path, f"it has {size} of {expected} bytes")


def create(path: Path, furnish: Callable[["sqlite3.Connection"], None]) -> None:
    """Make an empty store at `path`; raises StoreError if a file is there already.

    `furnish` writes what belongs into it before anybody sees it (the embedder's row).

    It is built in a temporary file and linked into place, so that nobody ever sees half a store
    and an existing file is never replaced.
    """
    import tempfile  # a command that makes no store need not load this

    path = real(path)
    folder = path.parent
    if not folder.is_dir():
        raise StoreError(
            "The folder for the store does not exist.",
            where=str(folder),
            hint=f"mkdir -p {folder}",
        )
    _sweep(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=folder)
    except OSError as error:
        raise _cannot_make(path, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        with errors_of(path):
            _build(temporary, furnish)
        _link(temporary, path)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)


_STRAY_SECONDS = 600  # making a store takes one second at most


def _sweep(path: Path) -> None:
    """Remove what a creation that was killed left behind."""
    from glob import escape

    for stray in path.parent.glob(f".{escape(path.name)}.*.new*"):
        with contextlib.suppress(OSError):
            if time.time() - stray.stat().st_mtime > _STRAY_SECONDS:
                stray.unlink()


def _cannot_make(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"No store can be made here: {error.strerror or error}.",
        where=str(path),
        hint="choose another name, or a folder that you may write to (--store)",
    )


def refuse_taken(path: Path) -> None:
    """Raise ExistsError if there is a file already: before anything is paid for."""
    if exists(path):
        raise _taken(path)


def _taken(path: Path) -> ExistsError:
    with contextlib.suppress(OSError):
        if path.stat().st_size == 0:
            return ExistsError("There is an empty file already.", where=str(path), hint=_DELETE)
    return ExistsError(
        "There is a file already.", where=str(path), hint="choose another path, or use this store"
    )


def _link(temporary: Path, path: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    temporary.chmod(0o666 & ~umask)
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without hard links
        if exists(path):
            raise _taken(path) from None
        try:
            temporary.rename(path)
        except OSError as error:
            raise _cannot_make(path, error) from error


def _build(path: Path, furnish: Callable[["sqlite3.Connection"], None]) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.executescript(
            f"BEGIN; PRAGMA application_id = {schema.APPLICATION_ID};"
            f"PRAGMA user_version = {schema.SCHEMA};" + schema.script() + "COMMIT;"
        )
        connection.execute("INSERT INTO meta VALUES ('store', ?)", (os.urandom(16).hex(),))
        furnish(connection)
        _set_journal(connection, path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _set_journal(connection: "sqlite3.Connection", path: Path) -> None:
    """WAL; on a network file system the TRUNCATE journal under an exclusive lock."""
    if network_type(path) is None:
        connection.execute("PRAGMA journal_mode = WAL")
        return
    # Before the first access, so that a store that comes in WAL mode needs no shared memory.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = TRUNCATE")


def writable(path: Path) -> bool:
    """Whether file and folder may be written; else a store is read as one that never changes."""
    path = real(path)
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of the last change: whether a file stayed the same while it was read."""
    status = real(path).stat()
    return status.st_size, status.st_mtime_ns


def open_read(path: Path) -> "sqlite3.Connection":
    """A connection that writes nothing and leaves a store at rest byte for byte as it was.

    Opened for writing with `query_only` on: a read-only connection would leave the log files of
    WAL mode behind. Where file or folder are not writable, `immutable` is used, which is sound
    only while no log lies beside the file.
    """
    version = check_header(path)
    path = real(path)
    if version < schema.SCHEMA:
        raise StoreError(
            f"The store has schema {version}, older than this program's {schema.SCHEMA}.",
            where=str(path),
            hint="any writing command brings it up to date and keeps a copy: mem reindex",
        )
    if writable(path):
        try:
            return _prepare_read(path, _connect(path, "mode=rw"))
        except sqlite3.Error as error:
            # On a full disk there is no room for the log's index: that is no reason not to read.
            if not any(word in str(error) for word in _NO_LOG_HERE):
                raise _explain(path, error) from error
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        raise StoreError(
            "The store is in use or was left open, and this place is not writable.",
            where=str(path),
            hint="open it once where its folder is writable, or copy it with its -wal file",
        )
    with errors_of(path):
        return _prepare_read(path, _connect(path, "immutable=1"))


_NO_LOG_HERE = ("readonly", "unable to open", "full", "disk I/O")


def _prepare_read(path: Path, connection: "sqlite3.Connection") -> "sqlite3.Connection":
    with _closed_on_failure(path, connection):
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA cache_size = -{READ_CACHE_KIB}")
        connection.execute("SELECT 1 FROM meta").fetchone()
    return connection


@contextlib.contextmanager
def _closed_on_failure(path: Path, connection: "sqlite3.Connection") -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        connection.close()
        raise _damaged(path, _UNREADABLE) from error
    except BaseException:
        connection.close()
        raise


def _connect(path: Path, query: str) -> "sqlite3.Connection":
    uri = f"file:{quote(os.fsencode(path))}?{query}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=0, factory=Connection)
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    return connection


def open_write(path: Path) -> "sqlite3.Connection":
    """A connection that may write: WAL, foreign keys on, waiting at most five seconds."""
    check_header(path)
    path = real(path)
    for place in (path, path.parent):
        if not os.access(place, os.W_OK):
            raise StoreError(
                "The store cannot be written: no permission.",
                where=str(place),
                hint="give write permission on the file and its folder, or copy it elsewhere",
            )
    with errors_of(path):
        connection = _connect(path, "mode=rw")
        with _closed_on_failure(path, connection):
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            _set_journal(connection, path)
            migrations.migrate(connection, path, schema.SCHEMA)
    return connection


def close(connection: "sqlite3.Connection", *, wrote: bool) -> None:
    """Close; the last one out leaves a single file."""
    if wrote:
        # Busy only means that somebody else is still reading: no reason to wait, they will do it.
        with contextlib.suppress(sqlite3.Error):
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def copy_in_memory(connection: "sqlite3.Connection") -> "sqlite3.Connection":
    """A copy of the store that can be written to and is gone when it is closed."""
    copy = sqlite3.connect(":memory:", isolation_level=None, factory=Connection)
    connection.backup(copy)
    copy.execute("PRAGMA foreign_keys = ON")
    return copy
