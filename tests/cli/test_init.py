import pytest

from memcli import api
from memcli.errors import ExistsError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    result = run("init", "--store", "team.db", "--embedder", "other")
    assert result.code == 0
    assert store.asked == [("init", ("team.db",), {"embedder": "other"})]
    assert result.out == "Made memory.db  embedder hash-1024\n"
    assert result.err == "next: mem ingest SOURCE\n"
    assert run("init", "--quiet").err == ""


def test_a_file_that_is_there_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def init_store(path: str | None = None, **kwargs: str) -> None:
        raise ExistsError("There is a file already.")

    monkeypatch.setattr(api, "init_store", init_store)
    assert run("init").code == 2
    assert "left alone (exit 2)" in " ".join(run("init", "--help").out.split())
