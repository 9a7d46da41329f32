"""Stores on network file systems: no memory is shared there, so no WAL."""

from pathlib import Path

import pytest

from memcli.api import doctor, open_store
from memcli.store import file, mounts

LOCAL = "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
NFS = "40 22 0:45 / /mnt/team\\040disk rw,relatime shared:9 - nfs4 host:/x rw\n"
OVER = "41 40 8:2 / /mnt/team\\040disk/fast rw - ext4 /dev/sdb1 rw\n"


def table(folder: Path, *lines: str) -> Path:
    path = folder / "mountinfo"
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/mnt/team disk/m.db", "nfs4"),
        ("/mnt/team disk", "nfs4"),
        ("/mnt/team disk/fast/m.db", None),
        ("/mnt/team disks/m.db", None),
        ("/home/m.db", None),
    ],
)
def test_the_nearest_mount_counts(tmp_path: Path, path: str, kind: str | None) -> None:
    assert mounts.network_type(Path(path), table(tmp_path, LOCAL, NFS, OVER)) == kind


def test_the_last_mount_at_a_point_counts(tmp_path: Path) -> None:
    again = NFS.replace("nfs4 host:/x", "ext4 /dev/sdc1")
    assert mounts.network_type(Path("/mnt/team disk/a"), table(tmp_path, NFS, again)) is None


@pytest.mark.parametrize("text", ["", "nonsense\n", "a b\n - \n"])
def test_what_tells_nothing(tmp_path: Path, text: str) -> None:
    assert mounts.network_type(Path("/a"), table(tmp_path, text)) is None
    assert mounts.network_type(Path("/a"), tmp_path / "none") is None


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (file, mounts):
        monkeypatch.setattr(module, "network_type", lambda path: "nfs4")


def mode_of(store: Path) -> int:
    """Byte 18 of the file: 2 in WAL mode, else 1."""
    return store.read_bytes()[18]


def test_a_store_that_is_made_there(tmp_path: Path, network: None) -> None:
    store = tmp_path / "m.db"
    with open_store(store, mode="create") as opened:
        opened.add("I like tea")
    assert mode_of(store) == 1
    with open_store(store) as opened:
        assert len(opened.search("tea").results) == 1
    report = doctor(store)
    assert "network file system" in next(
        line.value for line in report.lines if line.name == "place"
    )


def test_a_store_that_was_brought_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "m.db"
    with open_store(store, mode="create") as opened:
        opened.add("I like tea")
    assert mode_of(store) == 2
    monkeypatch.setattr(file, "network_type", lambda path: "nfs4")
    with open_store(store, mode="write") as opened:
        opened.add("And soup")
        assert opened.audit(deep=True).findings == ()
    assert mode_of(store) == 1
    monkeypatch.undo()
    with open_store(store, mode="write") as opened:
        opened.add("Back home")
    assert mode_of(store) == 2
