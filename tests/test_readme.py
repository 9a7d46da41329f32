"""The examples of README.md and docs/ say what `mem` answers.

A block marked `console` is a terminal: the lines after `$ ` are run in one bash session a page, in
a folder that holds `sample_stores/` and nothing else, and what they print is compared. A line
`...` stands for any number of lines. Times of passes, hashes that differ between stores, the
number of audit checks and scores are not compared. A comment `<!-- not run: WHY -->` before a block leaves it
out. Blocks marked `sql` must run on `home.db` and give rows.
"""

import contextlib
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
_BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^>]+ -->\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
# What no two runs have in common.
_VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d\b"), "DATE TIME"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "DATETTIME"),
    (re.compile(r"^((?:journal|  hash)\s+)[0-9a-f]{64}$"), r"\1HASH"),
    (re.compile(r"\b\d+ checks\b"), "N checks"),
    # Scores of a search depend on which embedder is installed.
    (re.compile(r"^([rm]\d+\s+)\d+\.\d{3}(?=\s)"), r"\1SCORE"),
)


class Step(NamedTuple):
    """One command of a page and the lines it is said to print."""

    command: str
    expected: list[str]


def blocks(page: Path, kind: str) -> list[str]:
    """The bodies of the blocks of a kind that are to be run."""
    found = _BLOCK.finditer(page.read_text("utf-8"))
    return [match["body"] for match in found if match["kind"] == kind and not match["skip"]]


def steps(page: Path) -> list[Step]:
    """The commands of a page, in order."""
    found: list[Step] = []
    for body in blocks(page, "console"):
        for line in body.splitlines():
            if line.startswith("$ "):
                found.append(Step(line[2:], []))
            elif line == ">" or line.startswith("> "):
                last = found.pop()
                found.append(Step(f"{last.command}\n{line[2:]}", last.expected))
            else:
                found[-1].expected.append(line)
    return found


def plain(line: str) -> str:
    """A line without what varies."""
    for pattern, instead in _VARIES:
        line = pattern.sub(instead, line)
    return line.rstrip()


def matches(expected: list[str], printed: list[str]) -> bool:
    """Whether the lines are the same, `...` taken as any number of lines."""
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "..." else re.escape(plain(line)) + "\n"
        for line in expected
    )
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in printed)) is not None


def run(commands: list[str], folder: Path) -> list[list[str]]:
    """What each command prints, both streams together, in one session."""
    tools = folder.parent / "bin"
    tools.mkdir()
    mem = tools / "mem"
    mem.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memcli "$@"\n', "utf-8")
    mem.chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MEM_")}
    found = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment |= {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(found),
        "COLUMNS": "100",
    }
    mark = "----- end of a command -----"
    script = "".join(f"{command}\necho '{mark}'\n" for command in commands)
    done = subprocess.run(
        ["bash", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=folder,
        env=environment,
        timeout=300,
        check=False,
    )
    return [part.strip("\n").splitlines() for part in done.stdout.split(f"{mark}\n")[:-1]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_are_what_mem_answers(page: Path, tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("the examples are for bash")
    told = steps(page)
    folder = tmp_path / "clone"
    # Without what another test that looks at a store may have beside it just now.
    ignored = shutil.ignore_patterns("*-wal", "*-shm", "__pycache__")
    shutil.copytree(ROOT / "sample_stores", folder / "sample_stores", ignore=ignored)
    before = (folder / "sample_stores" / "home.db").read_bytes()
    printed = run([step.command for step in told], folder)
    assert len(printed) == len(told)
    for step, lines in zip(told, printed, strict=True):
        expected = "\n".join(step.expected).strip("\n").splitlines()
        assert matches(expected, lines), f"$ {step.command}\n" + "\n".join(lines)
    assert (folder / "sample_stores" / "home.db").read_bytes() == before


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_queries_run_on_a_sample_store(page: Path) -> None:
    uri = f"{(ROOT / 'sample_stores' / 'home.db').as_uri()}?immutable=1"
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        for query in blocks(page, "sql"):
            assert connection.execute(query).fetchall(), query


def test_the_readme_has_examples_and_its_links_lead_somewhere() -> None:
    assert len(steps(ROOT / "README.md")) >= 8
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_readme_names_each_command_and_exit_code() -> None:
    help_page = (ROOT / "memcli" / "cli" / "help.txt").read_text("utf-8")
    text = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^  ([a-z]+)  +[A-Z]", help_page, re.MULTILINE)
    assert len(commands) >= 19
    assert [name for name in commands if f"`mem {name}" not in text] == []
    codes = re.findall(r"^  (\d+)  +\w", help_page, re.MULTILINE)
    assert codes[0] == "0"
    assert [code for code in codes if not re.search(rf"^\| {code} \|", text, re.MULTILINE)] == []


def test_the_two_commands_are_where_others_look_for_them() -> None:
    commands = blocks(ROOT / "README.md", "sh")
    assert commands[0].strip().endswith("mem demo sample_stores/transcripts")
    assert commands[1].strip().endswith("-m pytest -n auto")
    for command in commands[:2]:
        assert command.startswith("python3 -m venv ")
        assert len(command.strip().splitlines()) == 1
