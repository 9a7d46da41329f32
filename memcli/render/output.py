"""Where answers and talk leave the program, and how they look there."""

import codecs
import os
import sys
from typing import Any, TextIO

from memcli.render.page import Page

Document = dict[str, Any]

# Our own signs where the stream's encoding has none of them; one letter each, so that columns
# stay in line. Stored text falls back to backslash escapes.
_ASCII = str.maketrans("→├─└│…·“”‘’⟨⟩✓✗×␛", ">|-`|.-\"\"''<>+x*^")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    char = error.object[error.start]
    known = char.translate(_ASCII)
    if known != char:
        return known, error.start + 1
    text, _ = codecs.backslashreplace_errors(
        UnicodeEncodeError(error.encoding, error.object, error.start, error.start + 1, error.reason)
    )
    return str(text), error.start + 1


codecs.register_error("mem", _replace)


def prepare() -> None:
    """Make the standard streams safe to write to, whatever the caller closed or set.

    A closed one becomes the null device: else the next file opened, perhaps the store, would
    take its number and get our output.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (for the whole run)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="mem")


def is_terminal(stream: TextIO) -> bool:
    """Whether people look at `stream`. FORCE_COLOR says so of a pipe."""
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def show(page: Page, stream: TextIO) -> None:
    """Print a page: laid out and coloured on a terminal, else plain and without rich."""
    if is_terminal(stream):
        from memcli.render.terminal import paint

        paint(page, stream)
    else:
        from memcli.render.plain import to_text

        stream.write(to_text(page))


def show_json(document: Document, stream: TextIO) -> None:
    """Print one JSON object: on one line, or indented for people at a terminal."""
    from memcli.render.jsonout import dumps

    utf8 = codecs.lookup(stream.encoding or "utf-8").name == "utf-8"
    stream.write(dumps(document, indent=stream.isatty(), ascii_only=not utf8) + "\n")
