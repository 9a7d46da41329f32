"""Making and opening store files, good ones and bad ones."""

import contextlib
import hashlib
import os
import random
import sqlite3 as plain
from pathlib import Path

import pytest

from memcli.api import init_store, open_store
from memcli.errors import BusyError, ExistsError, StoreError
from memcli.store import file
from tests.engine.world import World, said


@pytest.fixture
def store(tmp_path: Path) -> Path:
    world = World(tmp_path)
    world.ingest([said(f"id{n}", f"I like tea number {n}") for n in range(40)])
    world.close()
    return world.path


def state(folder: Path) -> dict[str, str]:
    return {
        entry.name: hashlib.sha256(entry.read_bytes()).hexdigest() for entry in folder.iterdir()
    }


def read(path: Path) -> None:
    """What a reading command does."""
    with open_store(path) as opened:
        opened.log()
        opened.search("tea")
        opened.digest()
        opened.show("r1")


class TestMaking:
    def test_nothing_is_left_beside_it(self, tmp_path: Path) -> None:
        init_store(tmp_path / "m.db")
        assert [entry.name for entry in tmp_path.iterdir()] == ["m.db"]

    def test_a_file_that_is_there_is_never_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "m.db"
        path.write_text("mine")
        with pytest.raises(ExistsError, match="already"):
            init_store(path)
        assert path.read_text() == "mine"
        assert [entry.name for entry in tmp_path.iterdir()] == ["m.db"]

    def test_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="does not exist"):
            init_store(tmp_path / "no" / "m.db")

    def test_its_rights_are_those_of_a_new_file(self, tmp_path: Path) -> None:
        (tmp_path / "other").touch()
        init_store(tmp_path / "m.db")
        assert (tmp_path / "m.db").stat().st_mode == (tmp_path / "other").stat().st_mode

    def test_a_file_system_without_links(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise OSError("no links here")

        monkeypatch.setattr(os, "link", refuse)
        init_store(tmp_path / "m.db")
        read_log(tmp_path / "m.db")
        with pytest.raises(ExistsError):
            init_store(tmp_path / "m.db")


def read_log(path: Path) -> None:
    with open_store(path) as opened:
        assert opened.log() == ()


class TestReading:
    def test_it_leaves_every_byte_and_no_file(self, store: Path) -> None:
        before = state(store.parent)
        read(store)
        assert state(store.parent) == before

    def test_in_a_folder_that_cannot_be_written(
        self, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = state(store.parent)
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        read(store)
        assert state(store.parent) == before
        with pytest.raises(StoreError, match="no permission"), open_store(store, mode="write"):
            pass

    def test_what_changed_while_it_was_read_there_is_no_answer(
        self, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        opened = open_store(store)
        opened.__enter__()
        opened.log()
        os.utime(store, (1, 1))
        with pytest.raises(BusyError, match="changed while"):
            opened.__exit__(None, None, None)

    def test_a_log_left_in_such_a_folder_is_refused(
        self, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        store.with_name("memory.db-wal").write_bytes(b"left over")
        with pytest.raises(StoreError, match="left open"):
            read(store)

    def test_while_another_writes(self, store: Path) -> None:
        writer = file.open_write(store)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO meta VALUES ('x', 'y')")
        read(store)
        writer.execute("ROLLBACK")
        file.close(writer, wrote=True)

    def test_a_reading_connection_writes_nothing(self, store: Path) -> None:
        connection = file.open_read(store)
        with pytest.raises(file.sqlite3.OperationalError, match="readonly"):
            connection.execute("INSERT INTO meta VALUES ('x', 'y')")
        connection.close()


class TestPaths:
    def test_a_link_leads_to_the_log_beside_the_real_file(
        self, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A log that was left where nobody may write is not overlooked through a link."""
        (tmp_path / "links").mkdir()
        link = tmp_path / "links" / "l.db"
        link.symlink_to(store)
        read(link)
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        store.with_name("memory.db-wal").write_bytes(b"left over")
        with pytest.raises(StoreError, match="left open"):
            read(link)

    def test_a_link_that_leads_nowhere_yet(self, tmp_path: Path) -> None:
        link = tmp_path / "l.db"
        link.symlink_to(tmp_path / "real.db")
        init_store(link)
        assert (tmp_path / "real.db").is_file()
        read_log(link)

    def test_a_name_that_is_too_long(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError), open_store(tmp_path / ("x" * 300), mode="create") as opened:
            opened.add("hello")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(StoreError, match="no file"), open_store(tmp_path / "pipe"):
            pass

    def test_what_a_killed_creation_left_is_swept_away(self, tmp_path: Path) -> None:
        old, young = tmp_path / ".m.db.abc.new", tmp_path / ".m.db.def.new"
        old.touch()
        young.touch()
        os.utime(old, (0, 0))
        init_store(tmp_path / "m.db")
        assert (old.exists(), young.exists()) == (False, True)


class TestBad:
    @pytest.mark.parametrize("content", [b"", b"x", b"plain text\n" * 400, bytes(4096)])
    def test_what_is_no_store(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "memory.db"
        path.write_bytes(content)
        for mode in ("read", "write"):
            with pytest.raises(StoreError, match="not a store of mem"), open_store(path, mode=mode):  # type: ignore[arg-type]
                pass
        assert path.read_bytes() == content

    def test_an_empty_file_is_told_what_to_do_with(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        path.touch()
        with pytest.raises(StoreError, match="it is empty") as refused, open_store(path):
            pass
        assert (
            refused.value.hint
            == "delete it: mem init, ingest and add make a store where no file is"
        )
        with pytest.raises(ExistsError, match="an empty file already") as taken:
            init_store(path)
        assert taken.value.hint == refused.value.hint
        assert path.read_bytes() == b""

    def test_another_programs_database(self, tmp_path: Path) -> None:
        path = tmp_path / "memory.db"
        with plain.connect(path) as connection:
            connection.execute("CREATE TABLE notes (x)")
        connection.close()
        with pytest.raises(StoreError, match="another program"):
            read(path)

    def test_a_schema_that_never_was(self, store: Path) -> None:
        with plain.connect(store) as connection:
            connection.execute("PRAGMA user_version = 0")
        connection.close()
        for mode in ("read", "write"):
            with pytest.raises(StoreError, match="no schema"), open_store(store, mode=mode):  # type: ignore[arg-type]
                pass
        assert [entry.name for entry in store.parent.iterdir()] == ["memory.db"]

    @pytest.mark.parametrize("column", ["attributes", "said_at"])
    def test_a_row_that_makes_no_sense(self, store: Path, column: str) -> None:
        connection = file.open_write(store)
        connection.execute("BEGIN")
        connection.execute("INSERT INTO erasing VALUES (1)")
        connection.execute(f"UPDATE record SET {column} = '{{'")
        connection.execute("DELETE FROM erasing")
        connection.execute("COMMIT")
        file.close(connection, wrote=True)
        with open_store(store) as opened:
            assert opened.audit().count("error") > 0
            for ask in (lambda: opened.digest(), lambda: opened.search("tea")):
                # An answer or a clear error: what may not come is anything else.
                with contextlib.suppress(StoreError):
                    ask()

    def test_a_reader_in_the_way_costs_a_writer_no_time(self, store: Path) -> None:
        """The log is not cut while somebody reads, and that is nothing to wait for."""
        asked: list[str] = []
        reader = file.open_read(store)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM meta").fetchall()
        writer = file.open_write(store)
        writer.set_trace_callback(asked.append)
        file.close(writer, wrote=True)
        assert asked[0] == "PRAGMA busy_timeout = 0"
        reader.close()

    def test_a_folder_and_nothing(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "none.db"):
            with pytest.raises(StoreError), open_store(path):
                pass

    @pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9, 0.999])
    def test_cut_short(self, store: Path, share: float) -> None:
        data = store.read_bytes()
        store.write_bytes(data[: int(len(data) * share)])
        with pytest.raises(StoreError):
            read(store)

    def test_flipped_bytes_end_in_a_finding_or_a_clear_error(self, store: Path) -> None:
        """Wherever a byte is wrong: an answer, or an error of ours, never a crash."""
        data, lots = store.read_bytes(), random.Random(5)
        # Most of a small store is free space, where nothing can be wrong.
        written = [place for place in range(100, len(data)) if data[place]]
        seen = 0
        for place in lots.sample(written, 60):
            store.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
            try:
                with open_store(store) as opened:
                    seen += any(f.severity == "error" for f in opened.audit(deep=True).findings)
            except StoreError:
                seen += 1
        assert seen > 30

    def test_a_writer_that_does_not_end(self, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file, "BUSY_TIMEOUT_MS", 50)
        holder = file.open_write(store)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError) as busy, open_store(store, mode="write") as opened:
            opened.add("one more")
        assert busy.value.code == 5
        holder.execute("ROLLBACK")
        file.close(holder, wrote=True)

    @pytest.mark.skipif(os.name != "posix", reason="limits on file sizes are POSIX")
    def test_a_full_disk_changes_nothing(self, store: Path) -> None:
        """A limit on the size of files stops the write as a full disk does."""
        import subprocess
        import sys

        before = hashlib.sha256(store.read_bytes()).hexdigest()
        code = (
            "import resource, signal, sys;"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000));"
            "from memcli.__main__ import main;"
            "sys.exit(main())"
        )
        root = Path(__file__).resolve().parent.parent.parent
        done = subprocess.run(
            [sys.executable, "-c", code, "add", "word " * 20_000, "--store", str(store)],
            env={**os.environ, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 4
        assert "Nothing was written" in done.stderr
        assert "Traceback" not in done.stderr
        assert hashlib.sha256(store.read_bytes()).hexdigest() == before
        with open_store(store) as opened:
            assert len(opened.log()) == 1
            assert opened.audit(deep=True).count("error") == 0
