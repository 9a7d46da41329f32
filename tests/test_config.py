"""`mem.toml` and the environment."""

import os
from pathlib import Path

import pytest

from memcli import config
from memcli.errors import UsageError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEM_STORE", raising=False)
    return tmp_path


def test_nothing_said() -> None:
    assert config.load() == config.Settings()
    assert config.store_path(None) == Path("memory.db")


def test_the_nearest_file_counts_and_paths_are_its_own(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mem.toml").write_text('store = "notes/m.db"\n[parameters.reflect]\nquestions = 2\n')
    (here / "below" / "more").mkdir(parents=True)
    monkeypatch.chdir(here / "below" / "more")
    assert config.store_path(None) == here / "notes" / "m.db"
    assert config.load().parameters["reflect"] == {"questions": 2}


def test_what_is_given_goes_before_the_environment_and_that_before_the_file(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mem.toml").write_text('store = "file.db"')
    monkeypatch.setenv("MEM_STORE", "environment.db")
    assert config.store_path(None) == Path("environment.db")
    assert config.store_path("given.db") == Path("given.db")


def test_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEM_STORE", "~/m.db")
    assert config.store_path(None) == Path.home() / "m.db"


BAD = [
    "store = 3",
    'store = ""',
    'store = "a\\u0000b"',
    "single_valued = 3",
    "parameters = 3",
    "parameters.reflect = 3",
    "embedder = 3",
    "x = [" + "[" * 3000,
    "not toml",
]


@pytest.mark.parametrize("text", BAD, ids=[text[:20] for text in BAD])
def test_what_cannot_be_used(here: Path, text: str) -> None:
    (here / "mem.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        config.load()
    assert str(here / "mem.toml") in (refused.value.where or "")


def test_bytes_that_are_no_utf8(here: Path) -> None:
    (here / "mem.toml").write_bytes(b'store = "caf\xe9"')
    with pytest.raises(UsageError):
        config.load()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a folder in use stays")
def test_a_current_folder_that_is_gone(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = here / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert config.load() == config.Settings()
    monkeypatch.chdir(here)
