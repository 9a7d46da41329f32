"""Tables of messages: CSV, and with semicolons, tabs or bars, by a map (formats.md, 6.24).

Nothing is run: `=1+1` is text.
"""

from collections.abc import Iterator, Mapping, Sequence

from memcli.core.found import Bad, Guess, Skipped, Unit
from memcli.errors import UsageError
from memcli.kit import columns
from memcli.kit.delimited import Dialect, beginning, dialect_of, encoding, read_table
from memcli.kit.head import NEAR, NO, WEAK, look
from memcli.kit.normalise import normalise
from memcli.kit.roles import proposed, role_of
from memcli.kit.rows import Row, Rows, read_rows
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_ONE_COLUMN = 0.1
_EVEN = 0.8  # the share of rows that must fit the header to be taken for a table
_MOST_WORDS = 8  # role words in advice


def sniff(source: Source) -> Guess:
    """Weak by a header with a text and who or when; near by any even rows, which a map will read."""
    head = look(source)
    text = beginning(head.data, head.whole) if head.text is None else head.text
    if text is None:
        return Guess(NO, head.no_json)
    if head.values:
        return Guess(NO, "JSON, not a table")
    dialect = dialect_of(text, head.whole)
    if dialect is None:
        return Guess(NO, "empty")
    if len(dialect.names) < 2:
        return Guess(_ONE_COLUMN, "no delimiter that gives columns")
    if dialect.even < _EVEN:
        return Guess(_ONE_COLUMN, "rows of differing numbers of columns")
    found = columns.propose(dialect.names)
    if dialect.rows and "text" in found and len(found) > 1:
        return Guess(WEAK, "a header that names a text: " + ", ".join(found.values()))
    return Guess(NEAR, "a table, but no header that names a text and who said it")


@reader(
    "csv",
    title="CSV with a map of columns",
    sniff=sniff,
    recognised="a header row; --map says which column holds what",
    mapped=True,
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """One record a row, by `--map text=COLUMN` and so on; a row of another width is bad.

    Raises UsageError without a map, with one to copy, and for a column that is not there.
    """
    codec, warning = encoding(source)
    head = look(source)
    text = beginning(head.data, head.whole, codec) or ""
    dialect = dialect_of(text, head.whole, options.columns.values())
    if dialect is None:
        raise UsageError("There is no header in this.", where=source.path, hint="name a table")
    if not options.columns:
        words = _role_words(source, codec, dialect)
        raise columns.unmapped("a CSV file", dialect.names, source.path, words)
    places = {
        key: _place(column, dialect.names, source.path) for key, column in options.columns.items()
    }
    if warning is not None:
        yield warning
    yield from read_rows(lambda: _rows(source, codec, dialect, places), options)


def _rows(source: Source, codec: str, dialect: Dialect, places: Mapping[str, int]) -> Rows:
    for row in read_table(source, codec, dialect):
        if isinstance(row, Skipped | Bad):
            yield row
        else:
            line, cells = row
            yield Row(line, {key: cells[place] for key, place in places.items()})


def _place(column: str, names: Sequence[str], path: str) -> int:
    """The place of a column: by its very name, else without regard to case."""
    wanted = normalise(column)
    for found in (
        [place for place, name in enumerate(names) if name == wanted],
        [place for place, name in enumerate(names) if name.casefold() == wanted.casefold()],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"There are {len(found)} columns {column!r}.",
                where=path,
                hint="rename all but one in the header",
            )
    raise columns.missing(column, names, path)


def _role_words(source: Source, codec: str, dialect: Dialect) -> list[str]:
    """Options for role words that nobody knows, to be filled in by the user."""
    found = columns.propose(dialect.names)
    if "role" not in found:
        return []
    place = dialect.names.index(found["role"])
    words: dict[str, None] = {}
    for number, row in enumerate(read_table(source, codec, dialect)):
        if number == 1_000 or len(words) == _MOST_WORDS:
            break
        if isinstance(row, tuple):
            word = normalise(row[1][place])
            if word and role_of(word) is None:
                words[word] = None
    return proposed(words)
