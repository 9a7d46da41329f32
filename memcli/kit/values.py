"""A JSON value with the place where it stood."""

from typing import Any

from memcli.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """`line` counts from 1. `array` numbers the top-level array it is an element of, if any."""

    data: Any
    line: int
    array: int | None = None
