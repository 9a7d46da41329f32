import io
import sys

import pytest

from memcli.render import progress
from memcli.render.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("stream", "quiet", "seconds", "shown"),
    [
        (Terminal(), False, 2.0, True),
        (Terminal(), False, 0.5, False),
        (Terminal(), True, 2.0, False),
        (io.StringIO(), False, 2.0, False),
    ],
)
def test_a_bar_only_where_it_helps(
    monkeypatch: pytest.MonkeyPatch,
    clock: list[float],
    stream: io.StringIO,
    quiet: bool,
    seconds: float,
    shown: bool,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("[bold]reading", quiet=quiet) as bar:
        bar(0, 100)
        clock[0] = seconds
        bar(50, 100)
        bar(50, None)
    assert ("[bold]reading" in stream.getvalue()) is shown
