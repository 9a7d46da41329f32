"""A page as plain text: no colour and no wrapping, for pipes and files."""

from memcli.render.page import Cell, Line, Page, Span, Table, split_lines
from memcli.render.text import cells, safe

_GAP = "  "


def to_text(page: Page) -> str:
    """The page as text, with a newline at its end unless it is empty."""
    out: list[str] = []
    for block in page.blocks:
        out += [_line(block)] if isinstance(block, Line) else _table(block)
    return "".join(f"{line.rstrip()}\n" for line in out)


def _line(line: Line) -> str:
    return line.first + _flat(line.parts)


def _flat(parts: tuple[Span, ...]) -> str:
    return "".join(safe(part.text) for part in parts)


def _table(table: Table) -> list[str]:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    if any(column.title for column in table.columns):
        rows.insert(0, [[column.title] for column in table.columns])
    widths = [
        max(cells(text) for cell in column for text in cell) for column in zip(*rows, strict=True)
    ]
    out = []
    for row in rows:
        for depth in range(max(len(cell) for cell in row)):
            texts = [cell[depth] if depth < len(cell) else "" for cell in row]
            out.append(_GAP.join(_pad(table, at, texts[at], widths[at]) for at in range(len(row))))
    return out


def _cell(cell: Cell) -> list[str]:
    return [_flat(parts) for parts in split_lines(cell)]


def _pad(table: Table, at: int, text: str, width: int) -> str:
    blank = " " * (width - cells(text))
    return blank + text if table.columns[at].right else text + blank
