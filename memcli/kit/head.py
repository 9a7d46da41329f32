"""The beginning of a source, taken apart once for all readers that want to recognise it."""

import codecs
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from memcli.core.found import Guess
from memcli.core.values import dataclass
from memcli.kit.arrays import read_arrays
from memcli.kit.decode import encoding_of
from memcli.kit.jsonio import BadJsonError, decode_at, parse
from memcli.kit.values import Value
from memcli.ports import Source

SIZE = 1 << 16
# What the score of a guess means. Detection takes the highest, if it is WEAK or more.
SURE, GOOD, FAIR, WEAK, NEAR, NO = 0.95, 0.8, 0.65, 0.5, 0.2, 0.0

_MOST_VALUES = 50
_TOKEN = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|(?P<cut>\\?\Z))|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL
)
_HALF_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\u[0-9a-fA-F]{0,3})\Z")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


@dataclass(frozen=True, slots=True)
class Head:
    """What a reader may look at. Nothing in it may be changed: it is shared.

    `text` is None for binary data; `valid` False if some of it is in no encoding we know. `lines`: complete ones, at most what `SIZE` bytes hold.
    `values`: the first JSON values, elements of a top-level array (`in_array`) or values in a
    row; the last one may lack what lies beyond the head. `whole`: the head is the whole source.
    """

    data: bytes
    text: str | None
    valid: bool
    lines: tuple[str, ...]
    values: tuple[Any, ...]
    in_array: bool
    whole: bool

    @property
    def objects(self) -> list[Mapping[str, Any]]:
        """The values that are JSON objects."""
        return [value for value in self.values if isinstance(value, dict)]

    @property
    def no_json(self) -> str:
        """Why there are no objects, in words."""
        if not self.data:
            return "empty"
        if self.text is None:
            return "binary data"
        return "no JSON object at the beginning" if not self.values else "no JSON objects"


def look(source: Source, size: int = SIZE) -> Head:
    """The head of `source`; raises InputError where the source cannot be read."""
    data = source.head(size)
    return _take_apart(data, len(data) < size)


def nearest(guesses: list[Guess]) -> Guess:
    """The highest of the guesses about each value, if at least half of them agree with it.

    Raises ValueError for none.
    """
    best = max(guesses, key=lambda guess: guess.score)
    if best.score > NEAR and sum(guess.score >= WEAK for guess in guesses) * 2 < len(guesses):
        return Guess(NEAR, f"only some values: {best.why}")
    return best


@lru_cache(maxsize=4)
def _take_apart(data: bytes, whole: bool) -> Head:
    codec, mark = encoding_of(data[:4])
    text, valid = _decode(data[mark:], codec, whole)
    if "\x00" in text or len(_CONTROL.findall(text)) * 10 > len(text):
        return Head(data, None, False, (), (), False, whole)
    lines = text.split("\n")
    if not whole and len(lines) > 1:
        lines.pop()
    body = text.strip(" \t\r\n")
    in_array = body.startswith("[")
    values: list[Any] = []
    if in_array:
        values = _array(body)
    elif body.startswith("{"):
        values = _row(body)
    elif body:
        values = _after_foreign(body)
    return Head(data, text, valid, tuple(lines), tuple(values), in_array, whole)


def _decode(data: bytes, codec: str, whole: bool) -> tuple[str, bool]:
    """The text, and whether all of it could be decoded; a character cut at the end is dropped."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(data, final=whole), True
    except UnicodeDecodeError:
        return data.decode(codec, "replace"), False


def _array(body: str) -> list[Any]:
    try:
        value, _ = decode_at(body)
    except BadJsonError:
        return _mended(body)
    return value[:_MOST_VALUES] if isinstance(value, list) else []


def _mended(body: str) -> list[Any]:
    """Of an array that is cut or damaged its values, as far as they go."""
    value = mend(body)
    if isinstance(value, list):
        found = value[:_MOST_VALUES]
    else:
        # Something in the middle is bad; the elements around it still say what this is.
        units = islice(read_arrays(iter([body])), _MOST_VALUES)
        found = [unit.data for unit in units if isinstance(unit, Value)]
    # `[14:02] Ida: ...` is no array that breaks behind its first number.
    return found if any(isinstance(one, dict | list) for one in found) else []


def _after_foreign(body: str) -> list[Any]:
    """The values of a text that does not begin with one.

    A torn or foreign line may stand first; the lines after it still say what this is. But a page
    of prose that shows what such lines look like holds more prose than values.
    """
    first = body.find("\n{") + 1
    if not first:
        return []
    values, foreign = _rows(body[first:])
    foreign += sum(bool(line.strip()) for line in body[:first].split("\n"))
    return values if len(values) >= foreign else []


def _row(body: str) -> list[Any]:
    return _rows(body)[0]


def _rows(body: str) -> tuple[list[Any], int]:
    """The first values in a row, and how many lines in between are none."""
    values: list[Any] = []
    at = foreign = 0
    while at < len(body) and len(values) < _MOST_VALUES:
        try:
            value, end = decode_at(body, at)
            values.append(value)
        except BadJsonError as error:
            if error.cut and not values:
                mended = mend(body[at:])
                return ([mended] if isinstance(mended, dict) else []), foreign
            foreign += 1
            end = body.find("\n", at)
            if end < 0:
                break
        at = end
        while at < len(body) and body[at] in " \t\r\n":
            at += 1
    return values, foreign


def mend(text: str) -> Any:
    """The value of a JSON text that ends too early: what is complete, closed again; None if bad."""
    stack: list[str] = []
    good, key, close = 0, False, ""
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if token["cut"] is not None:
            if not key:  # the beginning of a long text is worth keeping
                whole = mark.removesuffix(token["cut"])
                half = _HALF_ESCAPE.search(whole)
                good, close = token.start() + (half.start(1) if half else len(whole)), '"'
            break
        if mark in "{[":
            stack.append("}" if mark == "{" else "]")
            good, key = token.end(), mark == "{"
        elif mark in "}]":
            if not stack or stack.pop() != mark:
                return None
            good, key = token.end(), False
            if not stack:
                break
        elif mark == ":":
            key = False
        elif mark == ",":
            key = bool(stack) and stack[-1] == "}"
        elif not key and (mark[0] == '"' or token.end() < len(text)):
            good = token.end()
    try:
        return parse(text[:good] + close + "".join(reversed(stack)))
    except BadJsonError:
        return None
