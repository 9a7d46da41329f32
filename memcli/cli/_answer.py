"""How a command speaks: the answer on stdout, notes on stderr."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator

from memcli.errors import StoreError
from memcli.render import output
from memcli.render.output import Document
from memcli.render.page import Page, Span


def answer(as_json: bool, document: Callable[[], Document], page: Callable[[], Page]) -> None:
    """Print the answer, as one JSON object or for people."""
    with _writing():
        if as_json:
            output.show_json(document(), sys.stdout)
        else:
            output.show(page(), sys.stdout)


def write(text: str) -> None:
    """Print an answer that is text of another format."""
    with _writing():
        sys.stdout.write(text)


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritten(error) from error


def unwritten(error: OSError) -> Exception:
    """What an answer that standard output does not take comes to."""
    silence()
    if error.errno == errno.EINVAL and os.name == "nt":  # what Windows says of a broken pipe
        return BrokenPipeError()
    return StoreError(
        f"The answer could not be written: {error.strerror}.",
        where="standard output",
        hint="whatever the command did to the store stays done",
    )


def silence() -> None:
    """Let stdout end in nothing: else Python tries, and complains, once more when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(text: str, *, quiet: bool = False) -> None:
    """Say something beside the answer."""
    page = Page()
    page.line(text)
    if not quiet:
        with contextlib.suppress(OSError):
            output.show(page, sys.stderr)


def warn(warnings: Iterable[str], *, quiet: bool = False) -> None:
    """Say what to beware of, a line each."""
    page = Page()
    for warning in warnings:
        page.line(Span("note: ", "warn"), warning, rest="      ")
    if not quiet:
        with contextlib.suppress(OSError):
            output.show(page, sys.stderr)


def lost(lines: Iterable[str], *, as_json: bool) -> None:
    """Say what went missing, a line each, also where notes are not wanted.

    Nothing else would: a clock that calls a command throws the answer away. A person who sees the
    answer, or a program that reads it, finds it there.
    """
    page = Page()
    for line in lines:
        page.line(Span("mem: ", "bad"), line, rest="     ")
    if not as_json and not _is_seen():
        with contextlib.suppress(OSError):
            output.show(page, sys.stderr)


def _is_seen() -> bool:
    return sys.stdout.isatty()
