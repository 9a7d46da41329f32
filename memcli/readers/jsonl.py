"""JSON objects of any shape, one a message, by a map of keys: `--map text=message.content`."""

from collections.abc import Iterator, Sequence
from typing import Any

from memcli.core.found import Bad, Guess, Unit
from memcli.kit import columns
from memcli.kit.frame import read_json
from memcli.kit.head import NEAR, NO, WEAK, look
from memcli.kit.normalise import text_of
from memcli.kit.rows import Row, Rows, read_rows
from memcli.kit.values import Value
from memcli.ports import ReadOptions, Source
from memcli.registry import reader

_ONE_OBJECT = 0.1
_DEPTH = 3  # levels of keys in advice
_ABSENT = object()


def sniff(source: Source) -> Guess:
    """Weak by rows with a text and who or when; near by any rows, which a map will read."""
    head = look(source)
    rows = head.objects
    if not rows:
        return Guess(NO, head.no_json)
    if len(rows) < 2 and not head.in_array:
        return Guess(_ONE_OBJECT, "one JSON object, not one a message")
    found = columns.propose(_names(rows))
    if "text" in found and len({"role", "speaker", "time"} & found.keys()):
        texts = [text_of(_value(row, found["text"])) for row in rows]
        if sum(map(bool, texts)) * 2 >= len(rows):
            return Guess(WEAK, "objects that hold a text: " + ", ".join(found.values()))
    return Guess(NEAR, "JSON objects, but none that name a text and who said it")


@reader(
    "jsonl",
    title="JSON objects with a map of keys (JSON, JSONL)",
    sniff=sniff,
    recognised="objects one a line, or in an array; --map says which key holds what",
    mapped=True,
)
def read(source: Source, options: ReadOptions) -> Iterator[Unit]:
    """One record an object, by `--map text=KEY` and so on; `message.content` is a key in a key.

    Raises UsageError without a map, with one to copy, and for a key that no object has.
    """
    head = look(source)
    if not options.columns:
        what = "JSON with one message an object"
        raise columns.unmapped(what, _names(head.objects), source.path)
    for column in options.columns.values():
        if not any(_value(row, column) is not _ABSENT for row in _all(source, head.objects)):
            raise columns.missing(column, _names(head.objects), source.path)
    yield from read_rows(lambda: _rows(source, options), options)


def _all(source: Source, first: Sequence[Any]) -> Iterator[Any]:
    """The objects at the beginning, and only then all others."""
    yield from first
    for value in read_json(source):
        if isinstance(value, Value) and isinstance(value.data, dict):
            yield value.data


def _rows(source: Source, options: ReadOptions) -> Rows:
    for value in read_json(source):
        if not isinstance(value, Value):
            yield value
        elif not isinstance(value.data, dict):
            yield Bad("a row that is no object", value.line)
        else:
            found = {key: _value(value.data, name) for key, name in options.columns.items()}
            values = {key: one for key, one in found.items() if one is not _ABSENT}
            yield Row(value.line, values)


def _value(row: Any, name: str) -> Any:
    """What a dotted name leads to, or `_ABSENT`; a number in it is a place in a list.

    Of keys that have a dot in themselves the longest goes first.
    """
    here, rest = row, name.split(".")
    while rest:
        if isinstance(here, dict):
            sizes = range(len(rest), 0, -1)
            size = next((size for size in sizes if ".".join(rest[:size]) in here), 0)
            if not size:
                return _ABSENT
            here, rest = here[".".join(rest[:size])], rest[size:]
        elif isinstance(here, list) and rest[0].isdecimal() and int(rest[0][:9]) < len(here):
            here, rest = here[int(rest[0][:9])], rest[1:]
        else:
            return _ABSENT
    return here


def _names(rows: Sequence[Any]) -> list[str]:
    """Dotted names of what the objects hold, in the order in which they are met."""
    found: dict[str, None] = {}
    waiting = [("", row, 0) for row in reversed(rows)]
    while waiting:
        name, value, depth = waiting.pop()
        if isinstance(value, dict) and value and depth < _DEPTH:
            inner = [
                (f"{name}.{key}" if name else key, one, depth + 1) for key, one in value.items()
            ]
            waiting += reversed(inner)
        elif name:
            found[name] = None
    return list(found)
