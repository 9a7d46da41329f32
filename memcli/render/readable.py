"""JSON laid out for people who read and edit it."""

from collections.abc import Mapping
from typing import Any

from memcli.render.jsonout import dumps

_WIDTH = 100  # columns


def readable(value: Any, depth: int = 0, used: int = 0) -> str:
    """The value as JSON: on one line what fits in 100 columns, else its parts on lines of their own.

    Lists of words and numbers are filled. `used` are columns taken before the value on its line.
    """
    flat = dumps(value)
    if not isinstance(value, Mapping | list | tuple) or 2 * depth + used + len(flat) < _WIDTH:
        return flat
    if isinstance(value, Mapping):
        names = [(f"{dumps(str(name))}: ", item) for name, item in value.items()]
        parts = [name + readable(item, depth + 1, len(name)) for name, item in names]
        return _block("{", parts, "}", depth)
    if any(isinstance(item, Mapping | list | tuple) for item in value):
        return _block("[", [readable(item, depth + 1) for item in value], "]", depth)
    return _block("[", _filled([dumps(item) for item in value], depth + 1), "]", depth)


def _block(first: str, parts: list[str], last: str, depth: int) -> str:
    pad = "\n" + "  " * depth
    return first + ",".join(f"{pad}  {part}" for part in parts) + pad + last


def _filled(words: list[str], depth: int) -> list[str]:
    """Words by commas on as few lines as fit."""
    lines: list[str] = []
    for word in words:
        if lines and 2 * depth + len(lines[-1]) + len(word) + 3 <= _WIDTH:
            lines[-1] += f", {word}"
        else:
            lines.append(word)
    return lines
