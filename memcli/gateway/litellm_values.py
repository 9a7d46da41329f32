"""What a server says of itself in an answer, read so that it can be stored: counts and names."""

from typing import Any

_NAME = 200  # characters of a model's name, and of a word for why it ended
_MOST_TOKENS = 10**9  # more is no count


def count_of(value: Any) -> int | None:
    """A number of tokens; None for what is none."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= _MOST_TOKENS else None


def name_of(value: Any) -> str:
    """A name as text, cut; "" for none."""
    return clean(str(value or ""))[:_NAME]


def clean(text: str) -> str:
    """A text as it can be stored: a half of a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
