"""Text and attributes as they are stored and hashed (formats.md, "Normalise")."""

import math
from typing import Any

from memcli.core.patterns import pattern

# SQLite's length() and LIKE stop at U+0000, and a lone surrogate cannot be bound at all.
_UNSTORABLE = pattern("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` with U+0000 and lone surrogates replaced by U+FFFD; nothing else changes."""
    if text.isascii():  # the common case, and many times faster
        return text.replace("\x00", "\ufffd")
    return _UNSTORABLE.sub("\ufffd", text)


def normalise(text: str) -> str:
    """`text` with newlines as LF, unstorable characters as U+FFFD, and no outer white space.

    Neither case nor Unicode forms are folded: the words stay as they were said. Idempotent.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return storable(text).strip()


def clean(value: Any) -> Any:
    """A JSON value that any JSON parser and SQLite take: storable strings, finite numbers.

    Keys are cleaned too; NaN and infinities become None. `value` is not changed. The depth is
    bounded by `kit.jsonio`, so recursion is safe for what was parsed there.
    """
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {storable(str(key)): clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    return value


def text_of(value: Any) -> str:
    """The normalised text if `value` is a string, else the empty string."""
    return normalise(value) if isinstance(value, str) else ""


def name_of(value: Any) -> str | None:
    """A normalised name or id: a non-empty string, or an integer as digits; else None."""
    if isinstance(value, str):
        return normalise(value) or None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None
