"""Documents as JSON text that any parser and any terminal takes."""

import json
import math
import re
from collections.abc import Mapping, Set
from typing import Any

from memcli.render.text import HARMFUL


def dumps(document: Any, *, indent: bool = False, ascii_only: bool = False) -> str:
    """The document as JSON, keys in their order.

    What could act on a terminal is escaped: outside strings JSON has no such characters, so the
    value stays the same. NaN and infinities, which JSON lacks, become null.
    """
    depth = 2 if indent else None
    separators = (",", ": ") if indent else (", ", ": ")
    try:
        text = _dump(document, depth, separators, ascii_only)
    except ValueError:
        text = _dump(_finite(document), depth, separators, ascii_only)
    return HARMFUL.sub(_escape, text)


def _dump(document: Any, indent: int | None, separators: tuple[str, str], ascii_only: bool) -> str:
    return json.dumps(
        document,
        indent=indent,
        separators=separators,
        ensure_ascii=ascii_only,
        allow_nan=False,
        default=_plain,
    )


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code == 0x0A:  # between values; inside strings it is escaped already
        return "\n"
    return f"\\u{code:04x}" if code < 0x10000 else json.dumps(found[0])[1:-1]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Set):
        return sorted(value)
    if (names := getattr(type(value), "__match_args__", None)) is not None:
        return {name: getattr(value, name) for name in names}
    return str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
