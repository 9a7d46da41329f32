"""Patterns that are compiled when they are first used.

Compiling takes .1 to 2 ms each, and a command loads a hundred patterns of which it uses a few.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Protocol

    class Pattern(Protocol):
        """What the program asks of a pattern, late or `re.Pattern`.

        A late one is no `re.Pattern`: `re.search(late, text)` is a mistake, `late.search(text)`
        is meant.
        """

        @property
        def pattern(self) -> str: ...
        @property
        def flags(self) -> int: ...
        @property
        def groups(self) -> int: ...
        @property
        def groupindex(self) -> Mapping[str, int]: ...
        def search(self, string: str, pos: int = 0, endpos: int = ...) -> re.Match[str] | None: ...
        def match(self, string: str, pos: int = 0, endpos: int = ...) -> re.Match[str] | None: ...
        def fullmatch(
            self, string: str, pos: int = 0, endpos: int = ...
        ) -> re.Match[str] | None: ...
        def findall(self, string: str, pos: int = 0, endpos: int = ...) -> list[Any]: ...
        def finditer(
            self, string: str, pos: int = 0, endpos: int = ...
        ) -> Iterator[re.Match[str]]: ...
        def split(self, string: str, maxsplit: int = 0) -> list[str | Any]: ...
        def sub(
            self, repl: str | Callable[[re.Match[str]], str], string: str, count: int = 0
        ) -> str: ...
        def subn(
            self, repl: str | Callable[[re.Match[str]], str], string: str, count: int = 0
        ) -> tuple[str, int]: ...


class _Late:
    """Stands for a pattern. What is asked of it once is from then on the pattern's own."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            # `copy` and `pickle` ask for such names, of an object that is still empty, too.
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found


def pattern(source: str, flags: int = 0) -> Pattern:
    """As `re.compile`, but a mistake in `source` shows at the first use only."""
    late: Any = _Late(source, flags)
    return late  # type: ignore[no-any-return]
