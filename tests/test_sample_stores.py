"""The committed sample stores are what their script builds, sound, and left alone by readers."""

import contextlib
import importlib.util
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from memcli.api import Store, init_store, open_store

FOLDER = Path(__file__).resolve().parents[1] / "sample_stores"
NAMES = ("home", "work")


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sample_stores_build", FOLDER / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """Copies of the committed stores: other tests may be looking at those."""
    folder = tmp_path / "copies"
    folder.mkdir()
    for name in NAMES:
        shutil.copy(FOLDER / f"{name}.db", folder)
    return folder


def _digests(folder: Path) -> dict[str, dict[str, str]]:
    found = {}
    for name in NAMES:
        with open_store(folder / f"{name}.db") as store:
            digest = store.digest()
        found[name] = {"records": digest.records, "memories": digest.memories}
    return found


def test_the_script_builds_what_is_committed(copies: Path, tmp_path: Path) -> None:
    names = ("digests.json", "recorded.jsonl", *(f"{name}.db" for name in NAMES))
    before = [(FOLDER / name).read_bytes() for name in names]
    built = tmp_path / "built"
    built.mkdir()
    made = _script().build(built)
    written = json.loads((FOLDER / "digests.json").read_text("utf-8"))
    assert made == written == _digests(copies) == _digests(built)
    # A prompt that changed asks something else: python sample_stores/build.py records it anew.
    assert [(built / name).read_bytes() for name in names[:2]] == before[:2]
    assert sorted(path.name for path in built.iterdir()) == sorted(names)
    assert [(FOLDER / name).read_bytes() for name in names] == before


@pytest.mark.parametrize("name", NAMES)
def test_they_have_the_tables_of_this_version(name: str, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.db"
    init_store(fresh)
    assert _schema(FOLDER / f"{name}.db") == _schema(fresh), "run python sample_stores/build.py"


def _schema(path: Path) -> list[tuple[str, ...]]:
    with contextlib.closing(_plain(path)) as connection:
        query = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        return connection.execute(query).fetchall()


def _plain(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)


def test_they_are_small() -> None:
    assert sum((FOLDER / f"{name}.db").stat().st_size for name in NAMES) < 2_000_000


@pytest.mark.parametrize("name", NAMES)
def test_they_audit_clean(name: str, copies: Path) -> None:
    with open_store(copies / f"{name}.db") as store:
        report = store.audit(deep=True)
    assert report.checked
    assert report.findings == ()


READS: tuple[Callable[[Store], object], ...] = (
    lambda store: store.digest(),
    lambda store: store.digest("p1"),
    lambda store: store.log(),
    lambda store: store.diff(),
    lambda store: store.diff("p0"),
    lambda store: store.show("r1"),
    lambda store: store.show("s1"),
    lambda store: store.show("p1"),
    lambda store: store.why("r1", derived=True),
    lambda store: store.search("lake"),
    lambda store: store.due(),
    lambda store: store.audit(deep=True),
)


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_reading_leaves_them_byte_for_byte(name: str, writable: bool, copies: Path) -> None:
    path = copies / f"{name}.db"
    before = (FOLDER / f"{name}.db").read_bytes()
    beside = sorted(f"{name}.db" for name in NAMES)
    if not writable:
        path.chmod(0o444)
        copies.chmod(0o555)
    try:
        for read in READS:
            with open_store(path) as store:
                read(store)
            assert sorted(found.name for found in copies.iterdir()) == beside
            assert path.read_bytes() == before
    finally:
        copies.chmod(0o755)


def test_home_has_the_history_that_its_page_tells(copies: Path) -> None:
    with open_store(copies / "home.db") as store:
        kinds = [(entry.kind, entry.strategy) for entry in reversed(store.log())]
        themes = [found for found in store.diff("p1", "p2").changes if found.change == "added"]
        taken = store.diff("p5", "p6").changes
        grown = store.diff("p4", "p5").changes
    assert kinds == [
        ("ingest", None),
        ("consolidate", "reflect"),
        ("rate", None),
        ("ingest", None),
        ("consolidate", "reflect"),
        ("rollback", None),
    ]
    assert len(themes) == 6
    assert [found.change for found in taken] == ["retired"]
    assert grown[0].change == "revised"


@pytest.mark.parametrize("name", NAMES)
def test_plain_sqlite_opens_them_and_finds_no_path_of_the_builder(name: str) -> None:
    with contextlib.closing(_plain(FOLDER / f"{name}.db")) as connection:
        paths = [path for (path,) in connection.execute("SELECT path FROM source")]
        assert len(connection.execute("SELECT * FROM mem_log").fetchall()) >= 1
        held = connection.execute("SELECT count(*) FROM mem_current").fetchone()[0]
    assert all(path.startswith(("transcripts/", "shell")) for path in paths)
    assert held == {"home": 5, "work": 0}[name]


def test_the_transcripts_have_the_formats_that_the_page_names() -> None:
    found = set()
    for name in NAMES:
        with open_store("unused.db", mode="create") as store:
            report = store.ingest([str(FOLDER / "transcripts" / name)], dry_run=True)
        found |= {source.format for source in report.sources}
    assert found == {
        "anthropic_messages",
        "claude_code",
        "locomo",
        "openai_chat",
        "speaker_text",
    }
