"""Standard streams as shells, pipes and odd terminals hand them over."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of sh in which $MEM is `mem` over the fake store."""
    keep = {
        key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")
    }
    mem = f"'{sys.executable}' -m tests.cli.child"
    return subprocess.run(
        ["bash", "-c", line.replace("$MEM", mem)],
        cwd=ROOT,
        env={**keep, **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )


@posix
@pytest.mark.parametrize("arguments", ["log", "log --json", "--help", "diff --format html"])
def test_a_pipe_that_closes_is_no_drama(arguments: str) -> None:
    done = shell(f"$MEM {arguments} | true; exit ${{PIPESTATUS[0]}}")
    assert done.stderr == b""
    assert done.returncode in (0, 141)


@posix
def test_a_pipe_that_is_closed_already() -> None:
    done = shell("sleep 0.1 | true; (sleep 0.5; $MEM diff) | true; exit ${PIPESTATUS[0]}")
    assert done.stderr == b""
    assert done.returncode == 141


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("arguments", ["log", "--help", "log --nonsense", "ingest x"])
def test_closed_streams(closed: str, arguments: str) -> None:
    done = shell(f"$MEM {arguments} {closed}")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    assert done.returncode == {"log --nonsense": 2, "ingest x": 3}.get(arguments, 0)


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told() -> None:
    done = shell("$MEM log > /dev/full")
    assert done.returncode == 4
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr
    done = shell("$MEM log 2> /dev/full")
    assert done.returncode == 0


@posix
@pytest.mark.parametrize(
    "environment",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_poor_encodings(environment: dict[str, str]) -> None:
    for arguments in ("why m7", "diff", "search x", "context x", "show r12", "log --nonsense"):
        done = shell(f"$MEM {arguments}", **environment)
        assert b"Traceback" not in done.stderr
        assert done.returncode in (0, 2)
    done = shell("$MEM why m7 --json", **environment)
    assert json.loads(done.stdout)["schema"] == "mem.why/1"


@posix
def test_arguments_that_are_no_text() -> None:
    done = shell("$MEM search $'\\xff'")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@posix
def test_interrupted_at_work() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _WAITING],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err.startswith(b"mem: Interrupted. Nothing is half-written")
    assert b"Traceback" not in err


_WAITING = """
import sys, time
from memcli import api
from memcli.__main__ import main
def open_store(path=None, **kwargs):
    print("ready", flush=True)
    time.sleep(30)
api.open_store = open_store
sys.exit(main(["log"]))
"""


@posix
@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colour(environment: dict[str, str], coloured: bool) -> None:
    done = shell("$MEM diff", TERM="xterm-256color", **environment)
    assert (b"\x1b[" in done.stdout) is coloured
    done = shell("$MEM diff --json", TERM="xterm-256color", **environment)
    assert b"\x1b" not in done.stdout
