"""`mem.toml` and the environment."""

import os
from pathlib import Path

import pytest

from memcli import api, config, registry
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


@pytest.mark.parametrize(
    "text", ["modle = 1", "[modell]\nname = 'x'", "[store.x]\ny = 1", "x.y = 2"]
)
def test_what_is_not_known_is_not_passed_over(here: Path, text: str) -> None:
    (here / "mem.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        config.load()
    if "store" not in text:
        assert "it has store, single_valued, parameters, model, budget, prices, embedder" in (
            refused.value.what
        )


@pytest.mark.parametrize("name", ["reflct", "Reflect", "m5"])
def test_parameters_of_no_strategy(here: Path, name: str) -> None:
    with api.open_store(here / "m.db", mode="create") as store:
        store.add("I live in Ghent.")
        assert store.due()
        (here / "mem.toml").write_text(f"[parameters.{name}]\nquestions = 2\n")
        assert store.log()  # what only reads does not look at strategies
        for ask in (store.consolidate, store.estimate, store.due):
            with pytest.raises(UsageError, match=f"There is no strategy '{name}'") as refused:
                ask("reflect")
            assert "reconcile, reflect" in (refused.value.hint or "")
            assert refused.value.where == str(here / "mem.toml")


def test_parameters_by_another_name_of_a_strategy(here: Path) -> None:
    (alias, *_) = registry.get_strategy("reflect").info.aliases
    (here / "mem.toml").write_text(f"[parameters.{alias}]\nquestions = -1\n")
    with api.open_store(here / "m.db", mode="create") as store:
        store.add("I live in Ghent.")
        with pytest.raises(UsageError, match="questions"):
            store.consolidate("reflect")


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
