import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.cli.test_json import check
from tests.loopback import ModelServer, Status, Vectors
from tests.render import samples

ROOT = Path(__file__).parents[2]
NAME = "litellm:openai/tiny"


def test_reindex(run: Run, store: FakeStore) -> None:
    result = run("reindex", "--store", "x.db")
    assert (result.code, result.err) == (0, "")
    assert store.asked[0] == ("open", ("x.db",), {"mode": "write", "now": None})
    assert result.out == "Indexed 12 texts anew, 11 vectors by hash-1024\n"


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    assert run("reindex", "--embedder", NAME, "--all").code == 0
    name, _, options = store.asked[1]
    progress = options.pop("progress")
    progress(1, 2)
    assert (name, options) == ("reindex", {"embedder": NAME, "whole": True})


def test_what_it_took_and_what_is_left(run: Run, store: FakeStore) -> None:
    store.answers["reindex"] = dataclasses.replace(
        samples.REINDEX, kept=3, missing=1, requests=2, tokens=40, warnings=("another model",)
    )
    result = run("reindex")
    assert result.out.splitlines()[1] == "3 kept, 2 requests, 40 tokens"
    assert "another model" in result.err
    assert "1 texts have no vector: mem reindex" in result.err
    answer = run("reindex", "--json").json
    check("reindex", answer)
    assert (answer["kept"], answer["missing"], answer["requests"]) == (3, 1, 2)


class TestReal:
    """Through a real server, in this process; the settings are those of the current folder."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("MINE", raising=False)

    def settings(self, server: ModelServer, more: str = "") -> None:
        text = f'[embedder]\napi_base = "{server.api_base}"\nretries = 0\n{more}\n'
        Path("mem.toml").write_text(text, "utf-8")

    def test_from_init_to_another_embedder_and_back(self, run: Run) -> None:
        with ModelServer(embeddings=Vectors(dimensions=64)) as server:
            self.settings(server)
            made = run("init", "--embedder", NAME)
            assert (made.code, made.out) == (0, f"Made memory.db  embedder {NAME}\n")
            assert run("add", "tea by the lake").code == 0
            answer = run("reindex", "--embedder", "hash-1024", "--json").json
            check("reindex", answer)
            assert (answer["embedder"], answer["vectors"]) == ("hash-1024", 1)
            answer = run("reindex", "--embedder", NAME, "--json").json
            check("reindex", answer)
            assert (answer["embedder"], answer["kept"], answer["requests"]) == (NAME, 0, 2)
            assert f"{NAME}, remote: 64 dimensions" in run("doctor").out

    @pytest.mark.parametrize(
        ("more", "said"),
        [("", "refused the key"), ('api_key_env = "MINE"', "There is no key for openai/tiny")],
    )
    def test_failures_are_exit_7(self, run: Run, more: str, said: str) -> None:
        with ModelServer(embeddings=Status(401)) as server:
            self.settings(server, more)
            for arguments in (("init",), ("reindex", "--store", "there.db")):
                if arguments[0] == "reindex":
                    assert run("init", "--store", "there.db").code == 0
                result = run(*arguments, "--embedder", NAME)
                assert (result.code, result.out) == (7, "")
                assert said in result.err
            assert sorted(path.name for path in Path().iterdir()) == ["mem.toml", "there.db"]

    @pytest.mark.parametrize("command", ["init", "reindex"])
    def test_mistakes_are_exit_2(self, run: Run, command: str) -> None:
        if command == "reindex":
            assert run("init").code == 0
        assert run(command, "--embedder", "magic").code == 2
        Path("mem.toml").write_text('[embedder]\napi_key = "sk-1"\n', "utf-8")
        result = run(command, "--embedder", NAME)
        assert result.code == 2
        assert "a key never stands in a file" in result.err


# Fails at a name that is looked up, a socket that is opened, or an import of what could open one.
WATCH = """
import sys
def watch(event, arguments):
    if event.startswith("socket."):
        raise AssertionError(event)
    if event == "import" and arguments[0].split(".")[0] in ("litellm", "httpx", "openai"):
        raise AssertionError(arguments[0])
sys.addaudithook(watch)
from memcli.__main__ main
""".replace("__main__ main", "__main__ import main")


def test_a_store_of_the_built_in_embedder_opens_no_socket(tmp_path: Path) -> None:
    (tmp_path / "mem.toml").write_text('[embedder]\napi_base = "http://127.0.0.1:9/v1"\n', "utf-8")
    said = "Ada: I went running by the {} today.\nTom: Nice.\n"
    lines = "".join(said.format(place) for place in ("lake", "park", "mill", "pier", "dam"))
    (tmp_path / "talk.txt").write_text(lines, "utf-8")
    code = WATCH + "\n".join(
        f"assert main({arguments!r}) in (0, 1), {arguments!r}"
        for arguments in (
            ["init"],
            ["ingest", "talk.txt"],
            ["consolidate", "--strategy", "reflect"],
            ["due"],
            ["search", "running"],
            ["reindex"],
            ["reindex", "--embedder", "hash-1024", "--all"],
            ["audit", "--deep"],
            ["doctor"],
        )
    )
    code += "\nassert not any('litellm_embedder' in name for name in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
