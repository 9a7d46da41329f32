"""What docs/schedule.md gives to cron and systemd is right: units verify, commands are ones of ours."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from memcli.cli import _quick
from memcli.cli._run import load

PAGE = Path(__file__).resolve().parents[1] / "docs" / "schedule.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(found[1], found[2]) for found in BLOCK.finditer(PAGE.read_text("utf-8"))]
UNITS = [body for kind, body in BLOCKS if kind == "ini"]
(CRONTAB,) = [body for kind, body in BLOCKS if kind == "crontab"]
COMMAND = re.compile(r"\bmem ((?!%)[a-z].*?)(?= > | \|\| | && |$)")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_units_verify(tmp_path: Path) -> None:
    service, timer = UNITS
    names = ("mem@reconcile.service", "mem@reconcile.timer")
    for name, text in zip(names, (service, timer), strict=True):
        (tmp_path / name).write_text(text, "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / name) for name in names)],
        capture_output=True,
        text=True,
        env={**os.environ, "SYSTEMD_LOG_LEVEL": "warning"},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_lines_of_the_crontab_have_a_time_and_a_command() -> None:
    field = r"(?:\*(?:/\d+)?|\d+)"
    lines = [line for line in CRONTAB.splitlines() if line and not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(rf"[A-Z_]+=\S+|(?:{field}\s+){{5}}\S.*", line), line
        assert "%" not in line, "cron takes that for the end of the command"
    assert len(lines) >= 5


@pytest.mark.parametrize(
    "words", [COMMAND.findall(text) for text in (CRONTAB, *UNITS)], ids=["cron", "service", "timer"]
)
def test_the_commands_are_ones_that_mem_takes(words: list[str]) -> None:
    for line in words:
        name, *arguments = shlex.split(line.replace("%i", "reconcile"))
        assert _quick.read(load(name).call, arguments) is not None, line
