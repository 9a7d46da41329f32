"""Opening what `mem ingest` is given: files, folders, zips (read in place), standard input.

Readers open nothing; they get sources from here. Every failure is an InputError that names the
file.
"""

import os
import stat
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from memcli.engine.archives import is_zip, members
from memcli.engine.opening import CHUNK, HINT, Headed, OpenSource, refuse
from memcli.errors import InputError

# Called with the bytes read so far and their total (None if it is not known).
Progress = Callable[[int, int | None], None]

_IN_MEMORY = 1 << 24  # standard input above this goes to a temporary file
# Nothing in these is a transcript, and they hold very many files.
_LEFT_OUT = frozenset((".git", ".hg", ".svn", "__pycache__", "node_modules", "__MACOSX"))


class BytesSource(Headed):
    """Bytes that are in memory."""

    def __init__(self, path: str, data: bytes, *, inside: bool = False) -> None:
        self.path, self.inside = path, inside
        self.size: int | None = len(data)
        self._data = data

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from the start, anew at each call."""
        for start in range(0, len(self._data), size):
            yield self._data[start : start + size]


class FileSource(Headed):
    """A regular file. Raises InputError if it cannot be looked at, later if it cannot be read.

    It is read up to the size it had here: a live file that grows while it is read twice stays
    the same, and the next ingest takes the rest.
    """

    def __init__(self, path: str, *, inside: bool = False) -> None:
        self.path, self.inside = path, inside
        try:
            self.size: int | None = os.stat(path).st_size
        except (OSError, ValueError) as error:
            refuse(path, error)

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from the start, anew at each call. Raises InputError."""
        left = self.size or 0
        try:
            with open(self.path, "rb") as file:
                while left > 0 and (chunk := file.read(min(size, left))):
                    left -= len(chunk)
                    yield chunk
        except OSError as error:
            refuse(self.path, error)


class StreamSource(Headed):
    """Standard input or a pipe: kept in memory or a temporary file, since it is read twice."""

    def __init__(self, path: str, stream: BinaryIO) -> None:
        self.path, self.inside = path, False
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        try:
            while chunk := stream.read(CHUNK):
                self._file.write(chunk)
        except OSError as error:
            refuse(path, error)
        self.size: int | None = self._file.tell()

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from the start, anew at each call."""
        at = 0
        while True:
            self._file.seek(at)
            chunk = self._file.read(size)
            if not chunk:
                return
            at += len(chunk)
            yield chunk


class Watched:
    """A source that reports how far it has been read; what is read again is not counted twice."""

    def __init__(self, source: OpenSource, report: Callable[[int], None]) -> None:
        self.path, self.size, self.inside = source.path, source.size, source.inside
        self._source, self._report, self._seen = source, report, 0

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from the start, anew at each call."""
        at = 0
        for chunk in self._source.chunks(size):
            at += len(chunk)
            if at > self._seen:
                self._report(at - self._seen)
                self._seen = at
            yield chunk

    def head(self, size: int = CHUNK) -> bytes:
        """The first bytes; they are not counted."""
        return self._source.head(size)


def walk(
    paths: Sequence[str],
    *,
    stdin: BinaryIO | None = None,
    progress: Progress | None = None,
) -> list[OpenSource]:
    """All sources that `paths` name, in their order; a folder's and a zip's sorted by name.

    `-` is standard input. A file named twice comes once. Symbolic links inside a folder are not
    followed. `progress` hears of bytes as they are read. Raises InputError.
    """
    found: list[OpenSource] = []
    seen: set[tuple[int, int]] = set()
    for path in paths:
        for source in _named(path, stdin):
            if isinstance(source, FileSource):
                status = os.stat(source.path)
                # Some file systems of Windows number no files.
                if status.st_ino and (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
                found += _opened(source)
            else:
                found.append(source)
    return found if progress is None else _watched(found, progress)


def _opened(source: FileSource) -> list[OpenSource]:
    """The members if it is an archive, else the file itself."""
    # In a folder lie office documents and programs that are zips too: there the name decides.
    if source.inside and not source.path.lower().endswith(".zip"):
        return [source]
    try:
        return members(source.path) if is_zip(source.head(4)) else [source]
    except InputError:
        if source.inside:  # one damaged archive must not stop a folder: it is passed over
            return [source]
        raise


def _watched(sources: list[OpenSource], progress: Progress) -> list[OpenSource]:
    sizes = [source.size for source in sources]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    read = 0

    def report(more: int) -> None:
        nonlocal read
        read += more
        progress(read, total)

    return [Watched(source, report) for source in sources]


def _named(path: str, stdin: BinaryIO | None) -> Iterator[OpenSource]:
    if path == "-":
        if stdin is None:
            raise InputError(
                "There is no standard input to read.", where="-", hint="name a file instead"
            )
        yield StreamSource("-", stdin)
        return
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            yield from _folder(path)
        elif stat.S_ISREG(mode):
            yield FileSource(path)
        elif stat.S_ISFIFO(mode):
            with open(path, "rb") as pipe:
                yield StreamSource(path, pipe)
        else:
            raise InputError("This is neither a file nor a folder.", where=path, hint=HINT)
    except (OSError, ValueError) as error:
        refuse(path, error)


def _folder(path: str) -> Iterator[OpenSource]:
    def stop(error: OSError) -> None:
        refuse(error.filename or path, error)

    for folder, folders, names in os.walk(path, onerror=stop):
        # os.walk goes down into what is left here, in this order, and never through a link.
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for name in sorted(names):
            file = os.path.join(folder, name)
            try:
                mode = os.lstat(file).st_mode
            except FileNotFoundError:  # gone since it was listed
                continue
            if stat.S_ISREG(mode):
                yield FileSource(file, inside=True)
