"""Tables as text: encoding, delimiter, header and rows of CSV and its relatives (formats.md, 6.24).

Rows come one at a time; a row that cannot be read is Bad and reading goes on after it.
"""

import codecs
import csv
import re
from collections import deque
from collections.abc import Collection, Iterator

from memcli.core.found import Bad, Skipped
from memcli.core.values import dataclass
from memcli.kit.decode import encoding_of, utf8_chunks
from memcli.kit.frame import TORN_TAIL, byte_lines
from memcli.kit.normalise import normalise, storable
from memcli.ports import Source

DELIMITERS = ",;\t|"
# Python's own limit is 131,072 (simonw/datasette-lite#84). The parser holds a cell at four bytes a
# character, so this one stands for 32 MB.
MOST_CHARACTERS = 1 << 23
_LONGEST_LINE = 1 << 24  # bytes
_SAMPLE = 50  # rows that are looked at for the delimiter
_MOST_MENDS = 100
_TOO_LARGE = f"a cell of more than {MOST_CHARACTERS >> 20} million characters"
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f]")
_WRONG = re.compile("[\udc80-\udcff]")
_RIGHT = re.compile("[^\x00-\x7f\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written: `names` of its columns, `even` the share of rows that fit them."""

    delimiter: str
    names: tuple[str, ...]
    even: float
    rows: int
    old_mac: bool = False


def beginning(data: bytes, whole: bool, codec: str = "utf-8") -> str | None:
    """The text of the first bytes; None where it is binary. A few NULs are damage, no sign of it."""
    marked, size = encoding_of(data[:4])
    decoder = codecs.getincrementaldecoder(codec if marked == "utf-8" else marked)("replace")
    text = decoder.decode(data[size:], final=whole)
    odd = len(_CONTROL.findall(text))
    return None if odd * 20 > len(text) else text


def dialect_of(text: str, whole: bool, wanted: Collection[str] = ()) -> Dialect | None:
    """The dialect of a table by its beginning, or None if there is no header.

    The delimiter is the one that gives a header with all `wanted` columns, then even rows, then
    most columns. A first line such as `sep=;`, as spreadsheets write it, says it outright.
    """
    old_mac = "\n" not in text and "\r" in text
    lines = (
        storable(text).replace("\r", "\n").split("\n") if old_mac else storable(text).split("\n")
    )
    if not whole and len(lines) > 1:
        lines.pop()
    declared = _declared(lines[0])
    found = [
        dialect
        for delimiter in (declared or DELIMITERS)
        if (dialect := _try(lines[1:] if declared else lines, delimiter, old_mac, whole))
    ]
    return max(found, key=lambda dialect: _rank(dialect, wanted), default=None)


def _rank(dialect: Dialect, wanted: Collection[str]) -> tuple[bool, bool, float, int]:
    names = {name.casefold() for name in dialect.names}
    has_all = all(normalise(name).casefold() in names for name in wanted)
    width = len(dialect.names)
    return (bool(wanted) and has_all, width > 1, dialect.even, width)


def _declared(line: str) -> str:
    line = line.rstrip("\r").casefold()
    return line[4:] if line.startswith("sep=") and len(line) == 5 else ""


def _try(lines: list[str], delimiter: str, old_mac: bool, whole: bool) -> Dialect | None:
    rows: list[list[str]] = []
    csv.field_size_limit(MOST_CHARACTERS)
    try:
        for cells in csv.reader((f"{line}\n" for line in lines), delimiter=delimiter):
            if cells:
                rows.append(cells)
            if len(rows) > _SAMPLE:
                break
    except csv.Error:
        pass
    if not rows:
        return None
    # The last row may be cut off inside a quotation.
    body = rows[1:] if whole else rows[1:-1]
    fit = sum(_fits(cells, len(rows[0])) for cells in body)
    names = tuple(normalise(cell) for cell in rows[0])
    return Dialect(delimiter, names, fit / len(body) if body else 1.0, len(rows) - 1, old_mac)


def _fits(cells: list[str], width: int) -> bool:
    """Whether a row has a cell for each column, and beyond them none that says anything."""
    return len(cells) >= width and not any(cell.strip() for cell in cells[width:])


def encoding(source: Source) -> tuple[str, Skipped | None]:
    """(codec, warning): UTF-8, unless the bytes are none; then cp1252, as old programs write it.

    Where most of what is no ASCII is UTF-8, a few damaged characters do not change that.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    wrong = right = 0
    for chunk in utf8_chunks(source):
        if chunk.isascii() and not decoder.getstate()[0]:
            continue
        text = decoder.decode(chunk)
        wrong += len(_WRONG.findall(text))
        right += len(_RIGHT.findall(text))
    wrong += len(decoder.getstate()[0])
    if not wrong:
        return "utf-8", None
    if right > wrong:
        told = f"{wrong} bytes are no UTF-8; each stands as U+FFFD"
        return "utf-8", Skipped("encoding", count=0, warning=told)
    return "cp1252", Skipped("encoding", count=0, warning="this is not UTF-8; it is read as cp1252")


def read_table(
    source: Source, codec: str, dialect: Dialect
) -> Iterator[tuple[int, list[str]] | Skipped | Bad]:
    """(line where it begins, cells) of each row after the header."""
    yield from _Rows(_Feed(_lines(source, codec, dialect.old_mac)), dialect).read()


class _Rows:
    def __init__(self, feed: "_Feed", dialect: Dialect) -> None:
        csv.field_size_limit(MOST_CHARACTERS)
        self._feed, self._dialect = feed, dialect
        self._width = len(dialect.names)
        self._table = self._parser()
        self._mends = 0

    def _parser(self) -> Iterator[list[str]]:
        return csv.reader(self._feed, delimiter=self._dialect.delimiter)

    def read(self) -> Iterator[tuple[int, list[str]] | Skipped | Bad]:
        """The rows; what is wrong with one is told, and reading goes on behind it."""
        header = True
        while (found := self._next()) is not None:
            cells, reason = found
            if reason:
                yield Bad(reason, self._feed.first)
                if self._mends == _MOST_MENDS:
                    yield Bad("too many broken quotations: the rest is not read", self._feed.last)
                    return
                self._mend(reason)
            elif header:
                # Blank lines and `sep=;` may stand before it.
                delimiter = self._dialect.delimiter
                header = not cells or bool(_declared(delimiter.join(cells)))
            elif cells:
                yield self._row(cells)

    def _next(self) -> tuple[list[str], str] | None:
        """The next row and what is wrong with it, or None at the end."""
        feed = self._feed
        feed.begin()
        cells: list[str] = []
        reason = ""
        try:
            cells = next(self._table)
        except StopIteration:
            return None
        except csv.Error as error:
            too_large = "larger" in str(error)
            reason = _TOO_LARGE if too_large else "a line end outside of quotation marks"
        if feed.too_long:
            reason = f"a line longer than {_LONGEST_LINE >> 20} MiB"
        elif feed.open_ended and feed.lines > 1:
            reason = "a quotation that never ends"
        return cells, reason

    def _mend(self, reason: str) -> None:
        """Go on behind a broken row: the lines that a quotation took in are read as rows.

        But of a cell that is too large they may be the text: where they do not look like rows, the
        end of the quotation is looked for.
        """
        self._mends += 1
        sample = self._feed.taken(_SAMPLE)
        rows = csv.reader(iter(sample), delimiter=self._dialect.delimiter)
        try:
            fit = sum(_fits(cells, self._width) for cells in rows)
        except csv.Error:
            fit = 0
        if reason == _TOO_LARGE and self._width > 1 and fit * 2 < len(sample):
            self._feed.leave_quotation()
        else:
            self._feed.back()
        self._table = self._parser()

    def _row(self, cells: list[str]) -> tuple[int, list[str]] | Skipped | Bad:
        feed = self._feed
        if _fits(cells, self._width) and not feed.open_ended:
            return feed.first, cells
        if feed.cut:
            told = f"line {feed.first}: {TORN_TAIL}"
            return Skipped("truncated_last_line", feed.first, warning=told)
        until = f" (to line {feed.last})" if feed.lines > 1 else ""
        columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
        reason = f"{columns} where the header has {self._width}{until}"
        return Bad(reason, feed.first)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    ended: bool
    too_long: bool = False


class _Feed:
    """Lines for the parser, with those of the row that it is at."""

    def __init__(self, lines: Iterator[_Line]) -> None:
        self._lines = lines
        self._again: deque[_Line] = deque()
        self._held: list[_Line] = []
        self.open_ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._pull()
        if line is None:
            # Only inside a quotation does the parser ask for more after a line.
            self.open_ended = bool(self._held)
            raise StopIteration
        self._held.append(line)
        return line.text

    def begin(self) -> None:
        """The next row begins."""
        self._held = []
        self.open_ended = False

    def back(self) -> None:
        """Give all lines of this row again, but for the first."""
        self._again.extendleft(reversed(self._held[1:]))

    def taken(self, most: int) -> list[str]:
        """The first lines that this row took in beyond its own."""
        return [line.text for line in self._held[1 : most + 1]]

    def leave_quotation(self) -> None:
        """Move behind the line in which the quotation of this row ends, or to the end."""
        self._held = self._held[:1]
        for line in iter(self._pull, None):
            if line.text.count('"') % 2:
                return

    def _pull(self) -> _Line | None:
        return self._again.popleft() if self._again else next(self._lines, None)

    @property
    def first(self) -> int:
        """The line where the row begins."""
        return self._held[0].number if self._held else 0

    @property
    def last(self) -> int:
        """The line where it ends."""
        return self._held[-1].number if self._held else 0

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self._held)

    @property
    def too_long(self) -> bool:
        """Whether a line of it was too long to be read."""
        return any(line.too_long for line in self._held)

    @property
    def cut(self) -> bool:
        """Whether the input ends in it, without the end of a line."""
        return bool(self._held) and not self._held[-1].ended


def _lines(source: Source, codec: str, old_mac: bool) -> Iterator[_Line]:
    number = 0
    for line in byte_lines(source, _LONGEST_LINE):
        text = storable((line.data or b"").decode(codec, "replace"))
        for part in text.split("\r") if old_mac else (text,):
            number += 1
            yield _Line(number, f"{part}\n", line.ended, line.data is None)
