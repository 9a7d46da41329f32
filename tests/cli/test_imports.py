"""What a command may import: forbidden modules cost more than most commands do."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memcli import api
from memcli.gateway.local import default_name
from memcli.gateway.naming import HASH

ROOT = Path(__file__).parents[2]
# Never, whatever is read; of `sqlite_vec` only the file beside its module is loaded, by SQLite.
NEVER = {"litellm", "numpy", "sqlite_utils", "sqlite_vec", "rich"}
NEVER |= {"wordllama", "tokenizers", "onnxruntime"}
# What every start would pay for; `memcli.core.values` stands for the first.
NEVER |= {"dataclasses"}
PYDANTIC = {"pydantic", "dataclasses"}
# What a strategy asks of a model is declared with pydantic: these look at strategies themselves.
READS: list[tuple[tuple[str, ...], set[str]]] = [
    (("help",), set()),
    (("show", "r1"), set()),
    (("show", "m1"), set()),
    (("show", "m1", "--json"), set()),
    (("show", "p2"), set()),
    (("show", "s1"), set()),
    (("why", "m1"), set()),
    (("why", "m1", "--json"), set()),
    (("why", "m1", "--dot"), set()),
    (("why", "r1", "--derived"), set()),
    (("log",), set()),
    (("log", "--json"), set()),
    (("diff",), set()),
    (("diff", "p0", "p2"), set()),
    (("diff", "--format", "html"), set()),
    (("diff", "--format", "markdown"), set()),
    (("rollback", "last", "--dry-run"), set()),
    (("rollback", "m1", "--dry-run"), set()),
    (("rollback", "--to", "p1", "--dry-run", "--json"), set()),
    (("audit",), set()),
    (("audit", "--deep"), set()),
    (("audit", "--format", "sarif"), set()),
    (("audit", "--format", "junit"), set()),
    (("audit", "--self-test"), PYDANTIC),  # plants defects in stores that strategies filled
    (("search", "running"), set()),
    (("search", "running", "--explain", "--json"), set()),
    (("context", "running"), set()),
    (("context", "running", "--format", "xml", "--lexical"), set()),
    (("context", "running", "--json"), set()),
    (("digest",), set()),
    (("digest", "--at", "p1"), set()),
    (("history", "m1"), set()),
    (("due",), PYDANTIC),
    (("strategies",), PYDANTIC),
    (("strategies", "reflect"), PYDANTIC),
    (("doctor",), set()),
]


def modules(tmp_path: Path, *arguments: str, **environment: str) -> set[str]:
    """The modules that a child process has loaded after this command line."""
    path = tmp_path / "modules"
    keep = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.child", *arguments],
        cwd=ROOT,
        env={**keep, **environment, "MODULES": str(path)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    return set(path.read_text("utf-8").split())


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), ("--version",)])
def test_help_and_version_import_nothing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    loaded = modules(tmp_path, *arguments, BARE="1")
    assert {name for name in loaded if name.startswith("memcli")} == {"memcli", "memcli.__main__"}
    assert not loaded & {"typer", "rich", "json", "sqlite3", "inspect"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real store with records and what reflect makes of them."""
    folder = tmp_path_factory.mktemp("real")
    lines = [
        {"role": "user", "content": f"I went running by the {place}.", "created_at": day}
        for number, place in enumerate(("river", "lake", "park", "harbour", "bridge", "mill"), 1)
        for day in [f"2026-03-0{number}T07:30:00Z"]
    ]
    (folder / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    path = folder / "m.db"
    with api.open_store(path, mode="create", now="2026-03-10") as opened:
        opened.ingest([str(folder / "talk.jsonl")])
        done = opened.consolidate("reflect")
    assert "m1" in {change.memory for change in done.changes}
    return path


@pytest.mark.parametrize(("arguments", "may"), READS, ids=lambda value: " ".join(sorted(value)))
def test_reading_commands_over_a_real_store(
    tmp_path: Path, store: Path, arguments: tuple[str, ...], may: set[str]
) -> None:
    loaded = modules(tmp_path, *arguments, BARE="1", MEM_STORE=str(store))
    assert not loaded & ((NEVER | PYDANTIC | {"typer"}) - may)
    assert may <= loaded, "it needs no exception any more"
    assert arguments == ("help",) or "memcli.api" in loaded


# What these five start without, who are called again and again: what only a pass, an audit or a
# strategy needs, and of the standard library what costs a millisecond or more.
SPARED = {"calendar", "difflib", "glob", "hashlib", "inspect", "random", "shutil", "tempfile"}
SPARED |= {"memcli.core.calls", "memcli.core.plan", "memcli.kit.overlay", "memcli.ports"}
SPARED |= {"memcli.registry", "memcli.store.inspect", "memcli.store.write"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "running by the river", "--lexical"),
        ("search", "running by the river"),
        ("show", "r1"),
        ("show", "m1"),
        ("why", "m1"),
        ("log",),
        ("diff",),
    ],
    ids=" ".join,
)
def test_what_is_asked_again_and_again_starts_without(
    tmp_path: Path, store: Path, arguments: tuple[str, ...]
) -> None:
    loaded = modules(tmp_path, *arguments, BARE="1", MEM_STORE=str(store))
    # Where there is no wheel of the default embedder, the one that is built in hashes words.
    assert not loaded & (SPARED - ({"hashlib"} if default_name() == HASH else set()))


def test_help_of_a_command_needs_typer_alone(tmp_path: Path) -> None:
    loaded = modules(tmp_path, "show", "--help", BARE="1")
    assert not loaded & (NEVER | PYDANTIC)


def test_taking_back_for_real(tmp_path: Path, store: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(store, copy)
    for arguments in (("rollback", "m1"), ("undo",), ("redo",)):
        loaded = modules(tmp_path, *arguments, BARE="1", MEM_STORE=str(copy))
        assert not loaded & (NEVER | PYDANTIC | {"typer"})


def test_rich_comes_with_colour_only(tmp_path: Path) -> None:
    assert "rich" in modules(tmp_path, "log", FORCE_COLOR="1")
    assert "rich" not in modules(tmp_path, "log", "--json", FORCE_COLOR="1")


def test_only_the_command_that_is_called_is_imported(tmp_path: Path) -> None:
    loaded = modules(tmp_path, "log")
    commands = {name for name in loaded if name.startswith("memcli.cli.")}
    assert {name for name in commands if not name.split(".")[-1].startswith("_")} == {
        "memcli.cli.log"
    }


def test_no_module_prints_while_it_is_imported() -> None:
    code = "import importlib, json; from memcli.cli._command import NAMES\n"
    code += "for name in NAMES: importlib.import_module(f'memcli.cli.{name}')\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + "print(json.dumps(1))"],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert json.loads(done.stdout) == 1, done.stderr.decode()
