"""JSON as found in the wild: one place that knows what Python's parser does not guard against.

Deep nesting raises RecursionError, an integer of 5,000 digits a bare ValueError, `NaN` loads, a
duplicate key wins silently (tuchg/Lucarne#45: that must not refuse the file).
"""

import json
import re
from typing import Any

MAX_BYTES = 64 * 1024 * 1024  # a single line or element above this is bad (wesm/agentsview)
MAX_DEPTH = 200  # what walks the value later may recurse

# The parser reports where it stopped; a word such as `-Infinity` is at most this long.
_LONGEST_WORD = 12
_UNDECODED = re.compile("[\udc80-\udcff]")
_decoder = json.JSONDecoder(parse_constant=lambda name: None)


class BadJsonError(ValueError):
    """Not JSON, or not JSON that we take. `cut`: more text could still make it whole."""

    def __init__(self, reason: str, *, cut: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cut = cut


def decode_at(text: str, start: int = 0) -> tuple[Any, int]:
    """(value, index after it) of the JSON value at `start`; raises BadJsonError."""
    try:
        value, end = _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        unclosed = error.msg.startswith("Unterminated string")
        cut = unclosed or error.pos >= len(text) - _LONGEST_WORD
        raise BadJsonError(f"not JSON: {error.msg}", cut=cut) from None
    except RecursionError:
        raise BadJsonError("JSON nested too deeply") from None
    except ValueError:  # an integer with more digits than Python converts
        raise BadJsonError("a number with too many digits") from None
    _check(value, text, start, end)
    return value, end


def _check(value: Any, text: str, start: int, end: int) -> None:
    if text.count("[", start, end) + text.count("{", start, end) > MAX_DEPTH and _deep(value):
        raise BadJsonError("JSON nested too deeply")
    # A plain isascii() answers in nanoseconds for nearly every input.
    if not text.isascii() and _UNDECODED.search(text, start, end):
        raise BadJsonError("not UTF-8")


def _deep(value: Any) -> bool:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return True
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return False


def parse(data: bytes | str) -> Any:
    """The value of a text that is one JSON value and nothing else; raises BadJsonError."""
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else data
    text = text.strip(" \t\r\n")
    value, end = decode_at(text)
    if end != len(text):
        raise BadJsonError("not JSON: text after the value")
    return value
