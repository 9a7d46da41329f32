"""A page: what is printed for people, as blocks of styled words.

Text is written once as a page; `plain` and `terminal` lay it out. Words are data throughout: no
markup is read in them, and both printers pass them through `text.safe`. Named tuples rather than dataclasses: every start of a command makes these classes.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from memcli.render import text as texts

Style = Literal[
    "",
    "title",
    "strong",
    "dim",
    "id",
    "quote",
    "good",
    "warn",
    "bad",
    "old",  # a text that is gone, and in it the words that differ
    "old-word",
    "new",
    "new-word",
]


class Span(NamedTuple):
    """Words of one style."""

    text: str
    style: Style = ""


Part = str | Span
BREAK = Span("\n")  # ends a line within a cell


class Line(NamedTuple):
    """Words on a line; `first` stands before it, `rest` before each line it is wrapped into."""

    parts: tuple[Span, ...]
    first: str = ""
    rest: str = ""


class Column(NamedTuple):
    """A column of a table. Only those with `wrap` are broken where room is short."""

    title: str
    wrap: bool = False
    right: bool = False


Cell = tuple[Span, ...]


class Table(NamedTuple):
    """Rows of cells under titles."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


def spans(*parts: Part) -> tuple[Span, ...]:
    """Parts as spans; a bare string has no style."""
    return tuple(Span(part) if isinstance(part, str) else part for part in parts)


def joined(parts: Iterable[Part], by: str = ", ") -> tuple[Span, ...]:
    """Parts with `by` between them."""
    out: list[Part] = []
    for part in parts:
        out += [by, part] if out else [part]
    return spans(*out)


class Page:
    """Blocks in their order."""

    def __init__(self, blocks: Iterable[Line | Table] = ()) -> None:
        self.blocks = list(blocks)

    def line(self, *parts: Part, first: str = "", rest: str | None = None) -> None:
        """Add a line; wrapped lines are indented like the first unless `rest` says otherwise."""
        blank = " " * texts.cells(first)
        self.blocks.append(Line(spans(*parts), first, blank if rest is None else rest))

    def title(self, *parts: Part) -> None:
        """Add a heading, with a blank line before it."""
        self.gap()
        self.line(*(Span(part, "title") if isinstance(part, str) else part for part in parts))

    def gap(self) -> None:
        """Leave one blank line; never two, never at the start."""
        if self.blocks and self.blocks[-1] != Line(()):
            self.blocks.append(Line(()))

    def text(
        self,
        text: str | Sequence[Span],
        style: Style = "",
        *,
        first: str = "",
        rest: str | None = None,
    ) -> None:
        """Add text of several lines, each under `rest` but for the first one."""
        after = " " * texts.cells(first) if rest is None else rest
        whole = (Span(text, style),) if isinstance(text, str) else text
        for number, parts in enumerate(split_lines(whole)):
            self.blocks.append(Line(parts, after if number else first, after))

    def facts(self, pairs: Iterable[tuple[str, Part | Sequence[Part]]], indent: str = "") -> None:
        """Add `name  value` lines with the values below each other."""
        known = list(pairs)
        width = max((texts.cells(name) for name, _ in known), default=0)
        for name, value in known:
            parts = (value,) if isinstance(value, str | Span) else tuple(value)
            self.line(*parts, first=f"{indent}{name}{' ' * (width - texts.cells(name))}  ")

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Part | Cell]]) -> None:
        """Add a table; nothing if there is no row."""
        made = tuple(
            tuple(spans(cell) if isinstance(cell, str | Span) else cell for cell in row)
            for row in rows
        )
        if made:
            self.blocks.append(Table(tuple(columns), made))

    def add(self, other: "Page") -> None:
        """Add the blocks of another page."""
        self.blocks += other.blocks


def split_lines(whole: Sequence[Span]) -> list[tuple[Span, ...]]:
    """Spans cut at their newlines."""
    out: list[list[Span]] = [[]]
    for span in whole:
        for number, piece in enumerate(texts.lines(span.text)):
            if number:
                out.append([])
            if piece:
                out[-1].append(Span(piece, span.style))
    return [tuple(row) for row in out]


def counted(counts: Mapping[str, int], *, skip_zero: bool = True) -> str:
    """`added 2, revised 1` of a mapping of counts."""
    return ", ".join(f"{name} {n:,}" for name, n in counts.items() if n or not skip_zero)
