"""Zip archives, read in place: nothing is unpacked to the disk.

A few kilobytes can unpack to terabytes, so an archive is refused by the sizes it declares, and a
member that turns out larger than it declared is refused too.
"""

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache

from memcli.engine.opening import CHUNK, Headed, OpenSource, refuse
from memcli.errors import InputError

_MOST_MEMBERS = 100_000
# Transcripts shrink by 5 to 20, the dullest logs by 100; deflate ends at 1,032.
_MOST_RATIO = 200
_ALWAYS_FINE = 1 << 24  # bytes; a small text of one repeated line may shrink beyond the ratio
_LEFT_OUT = ("__MACOSX/", ".git/")


def is_zip(first: bytes) -> bool:
    """Whether a file that begins with these bytes is a zip archive."""
    return first.startswith((b"PK\x03\x04", b"PK\x05\x06"))


@lru_cache(maxsize=4)
def _opened(path: str, changed: int) -> zipfile.ZipFile:
    """An open archive. A few stay open: opening one reads the names of all its members.

    `changed` is when the file was: another file of this name is another archive.
    """
    return zipfile.ZipFile(path)


class ZipMember(Headed):
    """A file in a zip. The archive is open while a member is read: there may be many archives."""

    def __init__(self, info: zipfile.ZipInfo, path: str) -> None:
        self.path, self.inside = f"{path}/{info.filename}", True
        self.size: int | None = info.file_size
        self._archive, self._info = path, info

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from the start, anew at each call. Raises InputError."""
        read = 0
        try:
            changed = os.stat(self._archive).st_mtime_ns
            with _opened(self._archive, changed).open(self._info) as member:
                while chunk := member.read(size):
                    read += len(chunk)
                    if read > self._info.file_size:
                        raise zipfile.BadZipFile("larger than it says")
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            refuse(self.path, error)
        except RuntimeError as error:  # zipfile's word for a password
            raise InputError(
                "This member of the archive is encrypted.",
                where=self.path,
                hint="unpack it with its password, and name the file",
            ) from error


def members(path: str) -> list[OpenSource]:
    """The files in an archive, sorted by name. Raises InputError if it is damaged or a bomb."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if _is_file(info)]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        refuse(path, error)
    infos.sort(key=lambda info: info.filename)
    _refuse_bomb(path, infos)
    return [ZipMember(info, path) for info in infos]


def _is_file(info: zipfile.ZipInfo) -> bool:
    mode = info.external_attr >> 16
    if info.is_dir() or (mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
        return False
    return not any(part in f"/{info.filename}" for part in (f"/{name}" for name in _LEFT_OUT))


def _refuse_bomb(path: str, infos: list[zipfile.ZipInfo]) -> None:
    packed = sum(info.compress_size for info in infos)
    size = sum(info.file_size for info in infos)
    # Members may overlap in the file, so that each looks harmless and only the sum does not.
    on_disk = os.path.getsize(path)
    if len(infos) > _MOST_MEMBERS:
        why = f"it holds {len(infos):,} files, more than {_MOST_MEMBERS:,}"
    elif size > _ALWAYS_FINE and size > _MOST_RATIO * min(packed, on_disk):
        why = f"it would grow from {on_disk:,} to {size:,} bytes"
    else:
        return
    raise InputError(
        f"This archive is not opened: {why}.",
        where=path,
        hint="if you trust it, unpack it and name the folder",
    )
