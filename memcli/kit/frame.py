"""Cutting a source into lines and JSON values, with line numbers (formats.md, "Frame").

Lines end at LF bytes and nowhere else: `str.splitlines` also breaks at U+2028, U+0085 and more,
which tore JSON strings apart in several tools (github/copilot-cli#2490, huggingface/tau#354).
"""

import re
from collections.abc import Iterator
from typing import Any

from memcli.core.found import Bad, Skipped
from memcli.core.values import dataclass
from memcli.kit.arrays import read_arrays
from memcli.kit.decode import text_chunks, utf8_chunks
from memcli.kit.jsonio import MAX_BYTES, BadJsonError, parse
from memcli.kit.values import Value
from memcli.ports import Source

TOO_LONG = f"longer than {MAX_BYTES // 1024 // 1024} MiB"
TORN_TAIL = "the last line is cut off; it is read when it is whole, at the next ingest"

_QUOTED = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SPACE = b" \t\r\n"
# How many places in a broken line are looked at, and how many parsed, as its own full copy.
_LOOKS = 10_000
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its LF. `data` is None if it is too long; `ended` False without LF."""

    number: int
    data: bytes | None
    ended: bool


def byte_lines(source: Source, limit: int = MAX_BYTES) -> Iterator[Line]:
    """All lines as UTF-8, numbered from 1. At most `limit` bytes of one are held in memory."""
    number, pieces, held = 1, [b""], 0
    for chunk in utf8_chunks(source):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            held += end - start
            whole = b"".join([*pieces, chunk[start:end]]) if held <= limit else None
            yield Line(number, whole, True)
            number, pieces, held, start = number + 1, [], 0, end + 1
        held += len(chunk) - start
        if held <= limit:
            pieces.append(chunk[start:])
        else:
            pieces.clear()
    if held:
        yield Line(number, b"".join(pieces) if held <= limit else None, False)


def text_lines(source: Source) -> Iterator[tuple[int, str]]:
    """(number, text) of each line, for formats of plain text; invalid UTF-8 becomes U+FFFD.

    A line that is too long comes as the empty string.
    """
    for line in byte_lines(source):
        data = line.data or b""
        yield line.number, data.decode("utf-8", "replace").removesuffix("\r")


def read_json(source: Source) -> Iterator[Value | Skipped | Bad]:
    """The JSON values of a source, whichever way they are laid out.

    Elements of top-level arrays; else one value a line; else pretty-printed objects in a row.
    Memory holds one value. What cannot be read comes as Bad, what a program was still writing
    (or wrote again in full) as Skipped, and reading goes on after it.
    """
    for chunk in utf8_chunks(source):
        first = chunk.lstrip(_SPACE)[:1]
        if first:
            break
    else:
        return
    if first == b"[":
        yield from read_arrays(text_chunks(source))
    else:
        yield from _Rows(source)


class _Rows:
    """JSON values in lines, as an iterator of values and of what could not be read."""

    def __init__(self, source: Source) -> None:
        self._lines = byte_lines(source)
        self._again: list[Line] = []

    def __iter__(self) -> Iterator[Value | Skipped | Bad]:
        while (line := self._next()) is not None:
            if line.data is None:
                yield Bad(TOO_LONG, line.number)
                continue
            try:
                yield Value(parse(line.data), line.number)
            except BadJsonError as error:
                yield from self._broken(line.number, line.data.strip(_SPACE), line.ended, error)

    def _next(self) -> Line | None:
        """The next line that is not blank."""
        while True:
            line = self._again.pop() if self._again else next(self._lines, None)
            if line is None or line.data is None or line.data.strip(_SPACE):
                return line

    def _broken(
        self, number: int, data: bytes, ended: bool, error: BadJsonError
    ) -> Iterator[Value | Skipped | Bad]:
        glued = _glued(data)
        if glued is not None:
            yield Skipped("torn_line", number)
            yield Value(glued, number)
        elif not ended and error.cut:
            yield Skipped("truncated_last_line", number, warning=f"line {number}: {TORN_TAIL}")
        elif self._copied(data):
            yield Skipped("torn_line", number)
        elif error.cut and data[:1] == b"{":
            yield from self._block(number, data)
        else:
            yield Bad(error.reason, number)

    def _copied(self, torn: bytes) -> bool:
        """Whether the next line is the full form of this torn one (openai/codex#24425)."""
        line = self._next()
        if line is None:
            return False
        self._again.append(line)
        if line.data is None or not line.data.strip(_SPACE).startswith(torn):
            return False
        return _try(line.data) is not None

    def _block(self, number: int, data: bytes) -> Iterator[Value | Bad]:
        """One object printed over several lines, as jq writes it, that begins with `data`.

        In JSON two lines meet only after one of `{[,:` or before one of `}],:`. Where they meet
        otherwise, the first line was torn, and what follows stands for itself.
        """
        parts, inner, depth, held = [data], [], _balance(data), len(data)
        while depth is not None and depth > 0:
            line = self._next()
            if line is None or line.data is None:
                break
            part = line.data.strip(_SPACE)
            if parts[-1][-1:] not in b"{[,:" and part[:1] not in b"}],:":
                self._again.append(line)
                break
            if line.data[:1] == b"{" and (value := _try(part)) is not None:
                inner.append(Value(value, line.number))
            change = _balance(part)
            depth = None if change is None else depth + change
            held += len(part)
            if held > MAX_BYTES:
                yield Bad(TOO_LONG, number)
                return
            parts.append(part)
        if depth == 0:
            try:
                yield Value(parse(b"\n".join(parts)), number)
            except BadJsonError as error:
                yield Bad(error.reason, number)
            return
        yield Bad("not JSON: cut off", number)
        yield from inner


def _balance(line: bytes) -> int | None:
    """Brackets opened less brackets closed; None if a string does not end on the line."""
    bare = _QUOTED.sub(b"", line)
    if b'"' in bare:
        return None
    return sum(map(bare.count, (b"{", b"["))) - sum(map(bare.count, (b"}", b"]")))


def _try(data: bytes) -> Any:
    """The object in `data`, or None."""
    try:
        value = parse(data)
    except BadJsonError:
        return None
    return value if isinstance(value, dict) else None


def _glued(data: bytes) -> Any:
    """The object whose torn beginning stands before it on the same line, or None."""
    start = data[:2]
    if len(start) < 2 or start[:1] != b"{":
        return None
    at, tries = data.find(start, 1), 0
    for _ in range(_LOOKS):
        if at < 0 or at > len(data) // 2 or tries == _TRIES:
            return None
        # The short comparison first: the long one copies up to the whole line.
        if data[at : at + 32].startswith(data[: min(at, 32)]) and data.startswith(data[:at], at):
            tries += 1
            if (value := _try(data[at:])) is not None:
                return value
        at = data.find(start, at + 1)
    return None
