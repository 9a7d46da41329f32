"""A page on a terminal: colour, wrapping, tables that fit. Imported only where there is one."""

import os
from typing import TextIO

from rich.console import Console, RenderableType
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text

from memcli.render import page as pages
from memcli.render.text import safe

# Few colours, from the sixteen that every theme of a terminal sets to be readable.
_STYLES: dict[pages.Style, Style] = {
    "": Style.null(),
    "title": Style(bold=True),
    "strong": Style(bold=True),
    "dim": Style(dim=True),
    "id": Style(color="cyan"),
    "quote": Style(italic=True),
    "good": Style(color="green"),
    "warn": Style(color="yellow"),
    "bad": Style(color="red"),
    "old": Style(color="red"),
    "old-word": Style(color="red", bold=True, reverse=True),
    "new": Style(color="green"),
    "new-word": Style(color="green", bold=True, reverse=True),
}
_NARROW = 20  # columns that a wrapped text gets at least, however deep it stands


def console(stream: TextIO) -> Console:
    """A console that reads no markup in what it prints; without colour if NO_COLOR asks so."""
    silent = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Console(
        file=stream,
        color_system=None if silent else "auto",
        no_color=silent,
        markup=False,
        emoji=False,
        highlight=False,
    )


def paint(page: pages.Page, stream: TextIO) -> None:
    """Print the page."""
    target = console(stream)
    for block in page.blocks:
        if isinstance(block, pages.Line):
            for line in _wrapped(block, target):
                target.print(line, no_wrap=True, overflow="ignore", crop=False)
        else:
            target.print(_table(block))


def _text(parts: tuple[pages.Span, ...]) -> Text:
    out = Text()
    for part in parts:
        out.append(safe(part.text), _STYLES[part.style])
    return out


def _wrapped(line: pages.Line, target: Console) -> list[Text]:
    # Spans, not base styles: a base style would hold for all that is appended.
    first, rest = (Text().append(prefix, _STYLES["dim"]) for prefix in (line.first, line.rest))
    room = max(target.width - max(first.cell_len, rest.cell_len), _NARROW)
    pieces = _text(line.parts).wrap(target, room) or [Text()]
    return [(rest if number else first) + piece for number, piece in enumerate(pieces)]


def _table(table: pages.Table) -> RenderableType:
    made = RichTable(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style=_STYLES["dim"],
        show_header=any(column.title for column in table.columns),
    )
    for column in table.columns:
        made.add_column(
            Text(column.title),
            justify="right" if column.right else "left",
            no_wrap=not column.wrap,
            overflow="fold",
        )
    for row in table.rows:
        made.add_row(*(Text("\n").join(map(_text, pages.split_lines(cell))) for cell in row))
    return made
