"""Reading JSON that somebody may have written by hand: each value knows its place.

What does not fit raises MisfitError with the place and what was expected, never anything else.
"""

from collections.abc import Iterator
from typing import Any

_MOST = 10**15  # more calls or tokens than this are no count; SQLite's integers end at 9.2e18


class MisfitError(ValueError):
    """A value of the wrong type, a key that is missing or unknown; the message says where."""


class Node:
    """A JSON value and its place, such as `parts[0].operations[2].text`."""

    def __init__(self, value: Any, place: str = "") -> None:
        self.value = value
        self.place = place

    def misfit(self, wanted: str) -> MisfitError:
        """The error to raise where this value is not what was wanted."""
        return MisfitError(f"{self.place or 'the whole'} is not {wanted}")

    def fields(self, *names: str) -> "list[Node]":
        """The values of an object that has these keys and no others."""
        known = self.object()
        extra = known.keys() - set(names)
        if extra:
            raise MisfitError(f"{self._under(min(extra))} is not known")
        return [self.field(name) for name in names]

    def named(self, *names: str) -> "dict[str, Node]":
        """The same by name."""
        return dict(zip(names, self.fields(*names), strict=True))

    def field(self, name: str) -> "Node":
        """The value of a key that has to be there."""
        known = self.object()
        if name not in known:
            raise MisfitError(f"{self._under(name)} is missing")
        return Node(known[name], self._under(name))

    def _under(self, name: str) -> str:
        short = name if len(name) <= 80 else f"{name[:80]}..."
        return f"{self.place}.{short}" if self.place else short

    def object(self) -> dict[str, Any]:
        """An object with any keys."""
        if not isinstance(self.value, dict):
            raise self.misfit("an object")
        return self.value

    def items(self) -> "Iterator[Node]":
        """The values of a list."""
        if not isinstance(self.value, list):
            raise self.misfit("a list")
        for nth, value in enumerate(self.value):
            yield Node(value, f"{self.place}[{nth}]")

    def pairs(self) -> "Iterator[tuple[str, Node]]":
        """The keys and values of an object."""
        for name in self.object():
            yield name, self.field(name)

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.misfit("a text")
        return self.value

    def maybe_text(self) -> str | None:
        """A text or null."""
        return None if self.value is None else self.text()

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(item.text() for item in self.items())

    def truth(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.misfit("true or false")
        return self.value

    def count(self) -> int:
        """A whole number, 0 or more."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
            raise self.misfit(f"a whole number from 0 to {_MOST}")
        return value

    def maybe_amount(self) -> float | None:
        """A number, 0 or more, or null."""
        value = self.value
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
            raise self.misfit(f"a number from 0 to {_MOST}")
        return float(value)

    def scalar(self) -> int | str | bool:
        """A whole number, a text, true or false."""
        if not isinstance(self.value, int | str | bool):
            raise self.misfit("a whole number, a text, true or false")
        return self.value
