"""Streaming the elements of a JSON array at the top, or right under it, one in memory at a time.

Measured for formats.md ("Sizes") on an array of 87 MB: `json.load` takes 391 MiB, the parser over
a growing buffer 15 MiB and no more time. The buffer is doubled when an element does not fit yet,
since a fixed step is quadratic on one huge element.
"""

import re
from collections.abc import Iterator

from memcli.core.found import Bad
from memcli.kit.jsonio import MAX_BYTES, BadJsonError, decode_at
from memcli.kit.values import Value

_STEP = 1 << 16
_SPACE = re.compile(r"[ \t\r\n]*")
_OUTSIDE = re.compile(r'["\[\]{},]')
_INSIDE = re.compile(r'["\\]')


class _Buffer:
    """Text that has been read and not used, with the line number of its first character."""

    def __init__(self, chunks: Iterator[str]) -> None:
        self._chunks = chunks
        self.text = ""
        self.pos = 0
        self.line = 1
        self.ended = False

    @property
    def left(self) -> int:
        """Characters that have been read and not used."""
        return len(self.text) - self.pos

    def grow(self, size: int) -> None:
        """Read until `size` characters are there, or the source ends."""
        pieces, have = [self.text[self.pos :]], self.left
        while have < size and not self.ended:
            chunk = next(self._chunks, None)
            self.ended = chunk is None
            pieces.append(chunk or "")
            have += len(pieces[-1])
        self.text, self.pos = "".join(pieces), 0

    def use(self, end: int) -> None:
        """Move on to `end`, counting lines."""
        self.line += self.text.count("\n", self.pos, end)
        self.pos = end

    def peek(self) -> str:
        """The next character that is no white space, not used yet; empty at the end."""
        while True:
            found = _SPACE.match(self.text, self.pos)
            self.use(found.end() if found else self.pos)
            if self.left or self.ended:
                return self.text[self.pos : self.pos + 1]
            self.grow(_STEP)


def read_arrays(chunks: Iterator[str], limit: int = MAX_BYTES) -> Iterator[Value | Bad]:
    """The elements of each top-level array in the text, and a Bad for what cannot be read.

    After an element that is malformed, too deep or longer than `limit` characters, reading goes
    on at the next comma of the array.
    """
    buffer = _Buffer(chunks)
    number = 0
    while (first := buffer.peek()) == "[":
        buffer.use(buffer.pos + 1)
        yield from _elements(buffer, number, limit)
        number += 1
    if first:
        yield Bad("text after the end of the array", buffer.line)


def read_member(chunks: Iterator[str], name: str, limit: int = MAX_BYTES) -> Iterator[Value | Bad]:
    """The elements of the array `name` in each top-level object: `{"name": [...], ...}`.

    What else the objects hold is passed over. What cannot be read comes as a Bad.
    """
    buffer = _Buffer(chunks)
    number = 0
    while (first := buffer.peek()) == "{":
        buffer.use(buffer.pos + 1)
        yield from _members(buffer, name, number, limit)
        number += 1
    if first:
        yield Bad("text after the end of the object", buffer.line)


def _members(buffer: _Buffer, name: str, number: int, limit: int) -> Iterator[Value | Bad]:
    unit: Value | Bad | None = None
    while (first := buffer.peek()) not in ("}", ""):
        if first == ",":
            buffer.use(buffer.pos + 1)
            continue
        unit = _element(buffer, number, limit)
        if isinstance(unit, Bad) or not isinstance(unit.data, str) or buffer.peek() != ":":
            yield Bad("not JSON: a member of an object without a name", unit.line)
            return
        buffer.use(buffer.pos + 1)
        if buffer.peek() == "[" and unit.data == name:
            buffer.use(buffer.pos + 1)
            for unit in _elements(buffer, number, limit):
                yield unit
            continue
        unit = _element(buffer, number, limit)
        if isinstance(unit, Bad):
            yield unit
    if first:
        buffer.use(buffer.pos + 1)
    elif not isinstance(unit, Bad):
        yield Bad("the object is cut off", buffer.line)


def _elements(buffer: _Buffer, array: int, limit: int) -> Iterator[Value | Bad]:
    unit: Value | Bad | None = None
    while (first := buffer.peek()) not in ("]", ""):
        if first == ",":
            buffer.use(buffer.pos + 1)
        else:
            unit = _element(buffer, array, limit)
            yield unit
    if first:
        buffer.use(buffer.pos + 1)
    elif not isinstance(unit, Bad):
        yield Bad("the array is cut off", buffer.line)


def _element(buffer: _Buffer, array: int, limit: int) -> Value | Bad:
    line = buffer.line
    while True:
        try:
            value, end = decode_at(buffer.text, buffer.pos)
            # At the edge of the buffer a number may go on in the next chunk.
            if end < len(buffer.text) or buffer.ended or isinstance(value, dict | list | str):
                buffer.use(end)
                return Value(value, line, array)
        except BadJsonError as error:
            if buffer.ended or not error.cut:
                _pass_over(buffer)
                return Bad(error.reason, line)
        if buffer.left > limit:
            _pass_over(buffer)
            return Bad(f"longer than {limit // 1024 // 1024} MiB", line)
        buffer.grow(max(_STEP, 2 * buffer.left))


def _pass_over(buffer: _Buffer) -> None:
    """Move to the comma or bracket after the element that begins here, holding one step of text."""
    depth, quoted = 0, False
    while True:
        found = (_INSIDE if quoted else _OUTSIDE).search(buffer.text, buffer.pos)
        if found is None:
            buffer.use(len(buffer.text))
            if buffer.ended:
                return
            buffer.grow(_STEP)
            continue
        mark = found.group()
        if not quoted and depth == 0 and mark in ",]}":
            # A stray brace would be met again for ever; a bracket ends the array.
            buffer.use(found.end() if mark == "}" else found.start())
            return
        buffer.use(found.end())
        if mark == "\\":
            if not buffer.left:
                buffer.grow(_STEP)
            buffer.use(min(buffer.pos + 1, len(buffer.text)))
        elif mark == '"':
            quoted = not quoted
        elif mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
