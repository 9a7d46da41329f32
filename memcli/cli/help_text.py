"""Render `help.txt`, the packaged answer to `mem --help`, from the commands themselves.

`python -m memcli.cli.help_text` prints it; with `--write` it is put in its place. A test
compares the two, so that the file cannot go stale.
"""

import sys
from pathlib import Path

from memcli.cli._command import EXITS, GROUPS
from memcli.cli._run import load

PATH = Path(__file__).with_name("help.txt")

_HEAD = """\
mem: sources, dates, diffs and undo for the memory of AI agents, in one file

Usage: mem COMMAND [OPTIONS]
"""
_TAIL = """\
Every command takes
  -s, --store PATH   the store; else MEM_STORE, `store` in mem.toml, ./memory.db
  --json             one JSON object; failures too, on stderr
  -q, --quiet        no notes and no progress
  -h, --help         its options, worked examples and exit codes

Start with
  mem demo
  mem ingest ~/.claude/projects && mem search "what did we decide"
"""


def render() -> str:
    """The help text; ASCII, at most 80 columns."""
    parts = [_HEAD]
    for title, names in GROUPS:
        rows = [f"  {name:<12} {summary(name)}" for name in names]
        parts.append("\n".join([title, *rows, ""]))
    parts.append(_TAIL)
    codes = "\n".join(f"  {code:<3} {text}" for code, text in EXITS.items())
    parts.append(f"Exit codes\n{codes}\n")
    return "\n".join(parts)


def summary(name: str) -> str:
    """The first line of a command's docstring."""
    return (load(name).call.__doc__ or "").strip().splitlines()[0].rstrip(".")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PATH.write_text(render(), encoding="ascii", newline="\n")
    else:
        sys.stdout.write(render())
