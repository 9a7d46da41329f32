"""Opening files, folders, zips and standard input, and refusing what cannot be opened."""

import io
import os
import stat
import threading
import zipfile
from pathlib import Path

import pytest

from memcli.engine.sources import BytesSource, FileSource, StreamSource, walk
from memcli.errors import InputError


def whole(source, size=65536):
    return b"".join(source.chunks(size))


def write(path, data=b"x"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def zipped(path, files, **more):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return str(path)


# --- one source ---------------------------------------------------------------------------------


@pytest.fixture(params=["file", "bytes", "stream", "zip", "watched"])
def source(request, tmp_path):
    data = bytes(range(256)) * 300
    path = write(tmp_path / "a.bin", data)
    if request.param == "zip":
        return walk([zipped(tmp_path / "a.zip", {"a.bin": data})])[0]
    if request.param == "watched":
        return walk([path], progress=lambda read, total: None)[0]
    return {
        "file": lambda: FileSource(path),
        "bytes": lambda: BytesSource("x", data),
        "stream": lambda: StreamSource("-", io.BytesIO(data)),
    }[request.param]()


def test_source_gives_its_bytes_anew_each_time(source):
    assert whole(source) == whole(source, 1000) == bytes(range(256)) * 300
    assert all(len(chunk) <= 1000 for chunk in source.chunks(1000))
    assert source.size == 256 * 300
    one, other = source.chunks(700), source.chunks(700)
    assert [next(one) == next(other) for _ in range(3)] == [True] * 3


def test_head_is_the_beginning(source):
    assert source.head(10) == bytes(range(10))
    assert source.head(10**6) == whole(source)


def test_file_that_grows_is_read_to_the_size_it_had(tmp_path):
    path = write(tmp_path / "live.jsonl", b"one\n")
    source = FileSource(path)
    with open(path, "ab") as file:
        file.write(b"two\n")
    assert whole(source) == b"one\n"
    assert whole(FileSource(path)) == b"one\ntwo\n"


def test_large_stream_goes_to_a_file_and_is_read_twice():
    data = b"ab" * (9 << 20)
    source = StreamSource("-", io.BytesIO(data))
    assert whole(source) == whole(source) == data


# --- walking ------------------------------------------------------------------------------------


def test_walk_is_sorted_and_marks_what_was_not_named(tmp_path):
    for name in ("b/2.txt", "b/1.txt", "a/x/9.txt", "z.txt", "b/10.txt"):
        write(tmp_path / name)
    found = walk([str(tmp_path)])
    names = [os.path.relpath(source.path, tmp_path).replace(os.sep, "/") for source in found]
    assert names == ["z.txt", "a/x/9.txt", "b/1.txt", "b/10.txt", "b/2.txt"]
    assert all(source.inside for source in found)
    assert not walk([str(tmp_path / "z.txt")])[0].inside


def test_order_of_what_is_named_is_kept(tmp_path):
    b, a = write(tmp_path / "b"), write(tmp_path / "a")
    assert [source.path for source in walk([b, a])] == [b, a]


def test_file_named_twice_comes_once(tmp_path):
    path = write(tmp_path / "a")
    assert len(walk([path, path, str(tmp_path)])) == 1


def test_caches_and_histories_of_tools_are_left_out(tmp_path):
    write(tmp_path / ".git/config")
    write(tmp_path / "node_modules/x/package.json")
    kept = write(tmp_path / ".claude/projects/p/s.jsonl")
    assert [source.path for source in walk([str(tmp_path)])] == [kept]


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="needs symbolic links")
def test_links_inside_a_folder_are_not_followed(tmp_path):
    outside = write(tmp_path / "outside/secret.txt")
    inside = tmp_path / "inside"
    kept = write(inside / "a.txt")
    os.symlink(outside, inside / "link.txt")
    os.symlink(tmp_path / "outside", inside / "folder")
    os.symlink(inside, inside / "loop")
    assert [source.path for source in walk([str(inside)])] == [kept]
    os.symlink(inside, tmp_path / "named")
    assert len(walk([str(tmp_path / "named")])) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_in_a_folder_is_passed_over(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert walk([str(tmp_path)]) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_named_pipe_is_read_like_standard_input(tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: Path(path).write_bytes(b"hello"))
    writer.start()
    (source,) = walk([path])
    writer.join()
    assert (whole(source), whole(source)) == (b"hello", b"hello")


def test_standard_input_is_a_dash():
    (source,) = walk(["-"], stdin=io.BytesIO(b"hello"))
    assert (source.path, whole(source)) == ("-", b"hello")
    with pytest.raises(InputError, match="no standard input"):
        walk(["-"])


def test_progress_hears_each_byte_once(tmp_path):
    heard = []
    one, two = write(tmp_path / "1", b"a" * 100), write(tmp_path / "2", b"b" * 50)
    for source in walk([one, two], progress=lambda read, total: heard.append((read, total))):
        source.head(10)
        whole(source, 60)
        whole(source, 60)
    assert heard == [(60, 150), (100, 150), (150, 150)]


# --- what cannot be opened ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["missing.jsonl", "no/such/folder", "a\x00b"])
def test_missing_path_is_an_input_error(tmp_path, name):
    with pytest.raises(InputError) as caught:
        walk([str(tmp_path / name)])
    assert caught.value.where == str(tmp_path / name)
    assert caught.value.hint


def as_other_user():
    return os.name == "nt" or os.geteuid() == 0


@pytest.mark.skipif(as_other_user(), reason="this user may read everything")
def test_unreadable_file_and_folder_are_input_errors(tmp_path):
    path = write(tmp_path / "locked/a")
    os.chmod(path, 0)
    with pytest.raises(InputError, match="may not be read"):
        walk([path])
    os.chmod(path, stat.S_IRUSR)
    os.chmod(tmp_path / "locked", 0)
    try:
        with pytest.raises(InputError, match="may not be read"):
            walk([str(tmp_path)])
    finally:
        os.chmod(tmp_path / "locked", stat.S_IRWXU)


def test_failures_while_reading_name_the_file(tmp_path, monkeypatch):
    path = write(tmp_path / "a")
    source = FileSource(path)
    os.remove(path)
    with pytest.raises(InputError, match="no such file") as caught:
        whole(source)
    assert caught.value.where == path

    def locked(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", locked)
    with pytest.raises(InputError, match="may not be read"):
        whole(source)


def test_stream_that_fails_is_an_input_error():
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match="Input/output error"):
        walk(["-"], stdin=Broken())


# --- zips ---------------------------------------------------------------------------------------


def test_members_of_a_zip_are_read_in_place(tmp_path):
    path = zipped(
        tmp_path / "e.zip", {"b/2.txt": "two", "a.txt": "one", "__MACOSX/a.txt": "x", "empty/": ""}
    )
    found = walk([path])
    assert [source.path for source in found] == [f"{path}/a.txt", f"{path}/b/2.txt"]
    assert [whole(source) for source in found] == [b"one", b"two"]
    assert all(source.inside for source in found)
    assert sorted(os.listdir(tmp_path)) == ["e.zip"]


def test_zip_is_known_by_its_bytes_and_in_a_folder_by_its_name(tmp_path):
    zipped(tmp_path / "report.docx", {"word/document.xml": "x"})
    zipped(tmp_path / "export.ZIP", {"a.txt": "one"})
    found = [os.path.relpath(source.path, tmp_path) for source in walk([str(tmp_path)])]
    assert found == [os.path.join("export.ZIP", "a.txt").replace(os.sep, "/"), "report.docx"]
    assert len(walk([str(tmp_path / "report.docx")])) == 1


def test_bomb_is_refused(tmp_path):
    path = zipped(tmp_path / "bomb.zip", {"a.txt": b"\0" * (40 << 20)})
    with pytest.raises(InputError, match="would grow") as caught:
        walk([path])
    assert caught.value.where == path
    dull = zipped(tmp_path / "dull.zip", {"a.txt": b"the same line\n" * 50_000})
    assert len(whole(walk([dull])[0])) == 700_000


def test_too_many_members_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("memcli.engine.archives._MOST_MEMBERS", 3)
    path = zipped(tmp_path / "many.zip", {str(number): "x" for number in range(4)})
    with pytest.raises(InputError, match="4 files"):
        walk([path])


def test_damaged_zip_is_refused_where_it_is_named(tmp_path):
    data = (tmp_path / "a.zip", zipped(tmp_path / "a.zip", {"a.txt": "one two three"}))[
        0
    ].read_bytes()
    cut = write(tmp_path / "inside/cut.zip", data[:40])
    with pytest.raises(InputError, match="cannot be read"):
        walk([cut])
    assert [source.path for source in walk([str(tmp_path / "inside")])] == [cut]


def test_member_with_wrong_bytes_or_size_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.txt", "one two three")
    path.write_bytes(path.read_bytes().replace(b"one two", b"two one"))
    (source,) = walk([str(path)])
    with pytest.raises(InputError, match="CRC") as caught:
        whole(source)
    assert caught.value.where == f"{path}/a.txt"


def test_encrypted_member_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    zipped(path, {"a.txt": "one"})
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="encrypted"):
        whole(walk([str(path)])[0])


def test_links_in_a_zip_are_passed_over(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a.txt", "one")
    assert [source.path for source in walk([str(path)])] == [f"{path}/a.txt"]
