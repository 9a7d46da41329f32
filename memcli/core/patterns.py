"""Patterns that are compiled when they are first used.

Compiling takes .1 to 2 ms each, and a command loads a hundred patterns of which it uses a few.
"""

import re
from typing import Any


class _Late:
    """Stands for a pattern. What is asked of it once is from then on the pattern's own."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, but a mistake in `source` shows at the first use only."""
    late: Any = _Late(source, flags)
    return late  # type: ignore[no-any-return]
