"""Secrets in what is to be stored, replaced by typed marks.

Two lists work one after the other: ours, on which identity rests and which therefore never
changes (`kit.secrets`), and that of a library, which grows with its releases. What one release
does not know and the next one does makes no new record, since identity does not see it.
"""

import re
from collections.abc import Mapping
from typing import Any

from memcli.gateway.detecting import ASSIGNED, assigned, find
from memcli.kit.secrets import mask

_MARK = re.compile(r"\[redacted:[a-z_]{1,40}\]")
# Marks beside each other may show another secret; more rounds than this nothing needs.
_ROUNDS = 4


def redact(text: str) -> tuple[str, dict[str, int]]:
    """`text` with each secret as `[redacted:KIND]`, and how many of each kind there were.

    Idempotent; linear in the length of the text.
    """
    text, counts = mask(text)
    for _ in range(_ROUNDS):
        # A mark is no secret and no part of one; what stands there has its length.
        shown = _MARK.sub(lambda mark: "[" * len(mark[0]), text) if "[redacted:" in text else text
        spans = find(shown)
        if not spans:
            break
        pieces, at = [], 0
        for span in spans:
            pieces += [text[at : span.start], f"[redacted:{span.kind}]"]
            counts[span.kind] = counts.get(span.kind, 0) + 1
            at = span.end
        text = "".join([*pieces, text[at:]])
    return text, counts


def redact_value(value: Any) -> tuple[Any, dict[str, int]]:
    """A JSON value with the secrets in its strings and keys redacted, and their counts."""
    counts: dict[str, int] = {}
    return _walk(value, counts), counts


def _walk(value: Any, counts: dict[str, int]) -> Any:
    if isinstance(value, str):
        return _text(value, counts)
    if isinstance(value, Mapping):
        return {_walk(key, counts): _under(key, inner, counts) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(inner, counts) for inner in value]
    return value


def _under(key: Any, value: Any, counts: dict[str, int]) -> Any:
    if isinstance(key, str) and isinstance(value, str):
        text = _text(value, counts)
        if text == value and assigned(key, value):
            counts[ASSIGNED] = counts.get(ASSIGNED, 0) + 1
            return f"[redacted:{ASSIGNED}]"
        return text
    return _walk(value, counts)


def _text(value: str, counts: dict[str, int]) -> str:
    text, found = redact(value)
    for kind, number in found.items():
        counts[kind] = counts.get(kind, 0) + number
    return text
