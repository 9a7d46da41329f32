"""What a command may import: forbidden modules cost more than most commands do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER = ("litellm", "numpy", "sqlite_utils", "sqlite_vec", "wordllama", "pydantic")
READS = [
    ("search", "ada"),
    ("search", "ada", "--json"),
    ("show", "m4"),
    ("show", "m4", "--json"),
    ("why", "m7"),
    ("why", "m7", "--dot"),
    ("log",),
    ("diff",),
    ("diff", "--format", "html"),
    ("diff", "--format", "markdown"),
    ("history", "m4"),
    ("digest",),
    ("due",),
    ("strategies",),
    ("audit",),
    ("audit", "--format", "sarif"),
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


@pytest.mark.parametrize("arguments", READS)
def test_reading_commands(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    loaded = modules(tmp_path, *arguments)
    assert not loaded & {*NEVER, "rich"}


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
