"""A progress bar on a terminal, for what takes longer than a second."""

import sys
import time
from types import TracebackType
from typing import Any, TypeVar

_QUIET = 1.0  # seconds before a bar appears

Live = TypeVar("Live", bound="_Shown")


class _Shown:
    """Something live on the terminal, for what takes longer than a second. Nothing where nobody
    looks."""

    def __init__(self, title: str, *, quiet: bool = False) -> None:
        self._title = title
        self._wanted = not quiet and sys.stderr.isatty()
        self._since = time.monotonic()
        self._shown: Any = None

    def __enter__(self: Live) -> Live:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take it off the terminal: what comes next may show itself."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def _due(self) -> bool:
        return self._wanted and time.monotonic() - self._since >= _QUIET


class Counter(_Shown):
    """A line that counts, for what has no end that is known."""

    def __call__(self, said: str) -> None:
        """Show `said` beside the title."""
        if not self._due():
            return
        from rich.text import Text

        from memcli.render.terminal import console

        line = Text(f"{self._title}: {said}")
        if self._shown is None:
            self._shown = console(sys.stderr).status(line)
            self._shown.start()
        self._shown.update(line)


class Progress(_Shown):
    """Call it with the bytes done and their total."""

    _task: Any = None

    def __call__(self, done: int, total: int | None) -> None:
        """Show that `done` of `total` bytes are through."""
        if not self._due():
            return
        if self._shown is None:
            self._start()
        self._shown.update(self._task, completed=done, total=total)

    def _start(self) -> None:
        from rich import progress

        from memcli.render.terminal import console

        self._shown = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TimeRemainingColumn(),
            console=console(sys.stderr),
            transient=True,
        )
        self._task = self._shown.add_task(self._title, total=None)
        self._shown.start()
