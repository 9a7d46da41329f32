"""A progress bar on a terminal, for what takes longer than a second."""

import sys
import time
from types import TracebackType
from typing import Any

_QUIET = 1.0  # seconds before a bar appears


class Counter:
    """A line that counts, for what has no end that is known. Nothing where nobody looks."""

    def __init__(self, title: str, *, quiet: bool = False) -> None:
        self._title = title
        self._wanted = not quiet and sys.stderr.isatty()
        self._since = time.monotonic()
        self._status: Any = None

    def __enter__(self) -> "Counter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, said: str) -> None:
        """Show `said` beside the title."""
        if not self._wanted or time.monotonic() - self._since < _QUIET:
            return
        from rich.text import Text

        from memcli.render.terminal import console

        line = Text(f"{self._title}: {said}")
        if self._status is None:
            self._status = console(sys.stderr).status(line)
            self._status.start()
        self._status.update(line)


class Progress:
    """Call it with the bytes done and their total. It shows nothing where nobody looks."""

    def __init__(self, title: str, *, quiet: bool = False) -> None:
        self._title = title
        self._wanted = not quiet and sys.stderr.isatty()
        self._since = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int | None) -> None:
        """Show that `done` of `total` bytes are through."""
        if not self._wanted or time.monotonic() - self._since < _QUIET:
            return
        if self._bar is None:
            self._start()
        self._bar.update(self._task, completed=done, total=total)

    def _start(self) -> None:
        from rich import progress

        from memcli.render.terminal import console

        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TimeRemainingColumn(),
            console=console(sys.stderr),
            transient=True,
        )
        self._task = self._bar.add_task(self._title, total=None)
        self._bar.start()
