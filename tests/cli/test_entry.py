"""`mem` itself: help, version, unknown commands."""

import gc
import re
import sys
from pathlib import Path

import pytest

from memcli import __main__, __version__
from memcli.cli import _typer, help_text
from memcli.cli._command import EXITS, NAMES
from memcli.cli._run import load
from tests.cli.conftest import Run

HELP = help_text.PATH.read_text(encoding="ascii")


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), ("help",)])
def test_help(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.code, result.out, result.err) == (0, HELP, "")


def test_the_packaged_help_is_what_the_commands_say() -> None:
    assert help_text.render() == HELP, "run python -m memcli.cli.help_text --write"
    assert all(len(line) <= 80 for line in HELP.splitlines())


def test_help_text_prints_what_it_renders(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import runpy

    monkeypatch.delitem(sys.modules, "memcli.cli.help_text")
    monkeypatch.setattr(sys, "argv", ["help_text"])
    runpy.run_module("memcli.cli.help_text", run_name="__main__")
    assert capsys.readouterr().out == HELP


def test_version(run: Run) -> None:
    assert run("--version").out == f"mem {__version__}\n"


def test_every_module_is_a_command_in_the_help() -> None:
    folder = Path(__main__.__file__).parent / "cli"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "help_text"}
    assert {name for name in modules if not name.startswith("_")} == set(NAMES)
    for name in NAMES:
        assert re.search(rf"^  {name} +\S", HELP, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.code == 0
    assert result.err == ""
    assert run(name, "-h").out == run("help", name).out == result.out
    text = result.out
    assert text.startswith(f"Usage: mem {name} ")
    assert f"\n    mem {name}" in text.split("Examples:")[1]
    codes = re.findall(r"^    (\d+) +\S", text.split("Exit codes:")[1], re.MULTILINE)
    assert {"0", "2", "70"} <= set(codes)
    assert set(map(int, codes)) <= set(EXITS)
    for option in ("-s, --store", "--json", "-q, --quiet"):
        assert option in text
    assert all(len(line) <= 80 for line in text.splitlines())


WRITERS = {
    "init", "ingest", "add", "consolidate", "apply", "rollback", "undo", "redo", "rate", "reindex", "demo",
    "calls", "forget",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_writers_take_yes(name: str) -> None:
    options = {option for param in _typer.build(name, load(name)).params for option in param.opts}
    assert ("--yes" in options) == (name in WRITERS)
    assert "--now" in options or name not in WRITERS - {"init"}


@pytest.mark.parametrize("name", NAMES)
def test_examples_parse(name: str) -> None:
    import shlex

    found = load(name)
    own = [
        part.strip()
        for line in found.examples
        for part in re.split(r"[|;]|&&|>\s*\S+", line)
        if part.strip().startswith(f"mem {name}")
    ]
    assert own
    for line in own:
        _typer.build(name, load(name)).make_context("mem", shlex.split(line)[2:])


@pytest.mark.parametrize(
    ("given", "near"),
    [("serch", "mem search"), ("roll", "mem rollback"), ("xyzzy", "mem --help"), ("_run", "mem")],
)
def test_an_unknown_command_names_its_neighbours(run: Run, given: str, near: str) -> None:
    result = run(given)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith(f"mem: There is no command {given!r}.\n  at mem\n  try: ")
    assert near in result.err


def test_options_before_the_command(run: Run) -> None:
    result = run("--json", "log")
    assert result.code == 2
    assert "after the command" in result.err


def test_unknown_command_as_json(run: Run) -> None:
    result = run("serch", "--json")
    assert result.error["code"] == 2
    assert result.error["hint"] == "mem search"


def test_memory_is_searched_seldom_in_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    set_to: list[int] = []
    monkeypatch.setattr(gc, "set_threshold", set_to.append)
    monkeypatch.setattr(gc, "freeze", lambda: set_to.append(0))
    run("log")
    assert not set_to  # who calls it from a program keeps what is set there
    monkeypatch.setattr(sys, "argv", ["mem", "log", "--no-such-option"])
    assert __main__.main() == 2
    assert set_to == [__main__._SELDOM, 0]
