"""Files of recorded answers: what is read from them, and what is never written over."""

import errno
import io
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli.core.calls import CallReply, CallRequest, Which
from memcli.engine import callfiles, recordings, writing
from memcli.errors import ExistsError, InputError, StoreError, UsageError
from memcli.store.calls import StoredCalls
from tests.engine.world import World

ASKED = CallRequest("Say", 1, "m", ({"role": "user", "content": "a"},), {}, {})


@pytest.fixture
def recorded(world: World) -> World:
    log = StoredCalls(world.connection, lambda: "2026-01-01T00:00:00.000Z")
    log.record(ASKED, CallReply("héllo", "stop", "m-1", 3, 4, 0.5), "accepted", [])
    return world


def line(world: World) -> str:
    return next(recordings.exported(world.connection, Which()))


def export(world: World, path: Path) -> int:
    return recordings.written(world.connection, Which(), str(path)).count


def changed(text: str, **fields: Any) -> str:
    return json.dumps({**json.loads(text), **fields})


# --- out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "\nmy notes\n",
        "   \n",
        "see mem.call/1\n",
        '"mem.call/1"\n',
        '["mem.call/1"]\n',
        '{"schema": "mem.call/1"}\n',
        '{"schema": "mem.call/x", "request": {}, "reply": {}}\n',
        '{"schema": "mem.plan/1", "note": "mem.call/1"}\n',
        "my notes",
        "\0",
    ],
)
def test_what_is_no_recording_is_left_alone(recorded: World, tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes"
    path.write_text(content, "utf-8")
    with pytest.raises(ExistsError):
        export(recorded, path)
    assert path.read_text("utf-8") == content


def test_empty_files_and_recordings_of_any_version_are_replaced(
    recorded: World, tmp_path: Path
) -> None:
    good = line(recorded)
    for content in ("", good, changed(good, schema="mem.call/2") + "\n", good + "rubbish\n"):
        path = tmp_path / "calls.jsonl"
        path.write_text(content, "utf-8")
        assert export(recorded, path) == 1
        assert path.read_text("utf-8") == good


@pytest.mark.skipif(os.name != "posix", reason="links and rights are POSIX's")
def test_a_link_stays_one_and_rights_are_those_of_the_umask(
    recorded: World, tmp_path: Path
) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    target, link = folder / "calls.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(target)
    before = os.umask(0o027)
    try:
        for _ in range(2):
            assert export(recorded, link) == 1
            assert link.is_symlink()
            assert stat.S_IMODE(target.stat().st_mode) == 0o640
    finally:
        os.umask(before)
    assert [one.name for one in folder.iterdir()] == ["calls.jsonl"]


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken(error: BaseException) -> Iterator[str]:
        yield "one\n"
        raise error

    path = tmp_path / "calls.jsonl"
    for error in (OSError(errno.ENOSPC, "full"), RuntimeError(), KeyboardInterrupt()):
        path.write_text("before", "utf-8")
        with pytest.raises(type(error)):
            writing.write(path, broken(error))
        assert path.read_text("utf-8") == "before"
        assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_no_wrong_call(
    recorded: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        export(recorded, tmp_path / "calls.jsonl")
    assert not [one for one in tmp_path.iterdir() if "calls" in one.name]


def test_what_came_meanwhile_is_not_replaced(recorded: World, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"

    def meanwhile() -> Iterator[str]:
        path.write_text("another's", "utf-8")
        yield "one\n"

    with pytest.raises(FileExistsError):
        writing.write(path, meanwhile())
    assert path.read_text("utf-8") == "another's"


def test_a_name_as_long_as_names_may_be(recorded: World, tmp_path: Path) -> None:
    assert export(recorded, tmp_path / ("x" * 240)) == 1


@pytest.mark.skipif(os.name != "posix", reason="there are no such files")
def test_what_is_no_file(recorded: World, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/null"), tmp_path):
        with pytest.raises(UsageError, match="it is no file"):
            export(recorded, path)
        with pytest.raises(InputError, match="it is no file"), callfiles.opened(str(path), None):
            pass
    assert stat.S_ISFIFO(pipe.stat().st_mode)


# --- in -------------------------------------------------------------------------------------------


def taken(world: World, data: bytes) -> Any:
    return recordings.imported(world.connection, io.BytesIO(data), "f")


LONE = "\ud800"


@pytest.mark.parametrize(
    "fields",
    [
        {"messages": [{"role": "user", "content": LONE}]},
        {"messages": [{"role": LONE, "content": "x"}]},
        {"schema": {"title": LONE}},
        {"schema": {LONE: 1}},
        {"parameters": {"stop": [LONE]}},
        {"task": LONE},
        {"model": LONE},
        {"parameters": {"temperature": float("inf")}},
        {"version": int("9" * 401)},
    ],
)
def test_a_request_that_cannot_be_stored_is_a_bad_line(
    recorded: World, fields: dict[str, Any]
) -> None:
    good = json.loads(line(recorded))
    bad = changed(line(recorded), request={**good["request"], **fields})
    fresh = changed(line(recorded), request={**good["request"], "task": "Tell"})
    text = f"{bad}\n{fresh}\n".replace("Infinity", "1e999")
    report = taken(recorded, text.encode())
    assert [unit.line for unit in report.bad] == [1]
    assert report.count == 1


@pytest.mark.parametrize("field", ["cost_usd", "tokens_in", "tokens_out"])
@pytest.mark.parametrize("value", ["9" * 401, "-" + "9" * 401, "1e999", "NaN0", "9" * 5000])
def test_numbers_that_no_machine_holds(recorded: World, field: str, value: str) -> None:
    bad = changed(line(recorded), **{field: "here"}).replace('"here"', value)
    report = taken(recorded, bad.encode())
    assert [unit.line for unit in report.bad] == [1]


class Slow(io.RawIOBase):
    """A file that gives what it has piece by piece, and remembers the largest that was wanted."""

    def __init__(self, data: bytes) -> None:
        self.data, self.most = io.BytesIO(data), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.most = max(self.most, len(buffer))
        return self.data.readinto(buffer)


def test_a_line_that_is_too_long_is_passed_over_in_pieces(
    recorded: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callfiles, "MAX_BYTES", 2_000)
    fresh = changed(line(recorded), model="n").replace('"model": "m"', '"model": "n"')
    raw = Slow(b"x" * 100_000 + b"\n" + fresh.encode() + b"\n" + b"y" * 5_000)
    report = recordings.imported(recorded.connection, io.BufferedReader(raw, 512), "f")
    assert [unit.line for unit in report.bad] == [1, 3]
    assert "2,000 bytes" in report.bad[0].reason
    assert report.count == 1
    assert raw.most <= 2_001


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no such file here")
def test_a_file_that_fails_while_it_is_read(recorded: World) -> None:
    with callfiles.opened("/proc/self/mem", None) as file, pytest.raises(InputError):
        recordings.imported(recorded.connection, file, "/proc/self/mem")
