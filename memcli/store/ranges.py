"""Many numbers in few statements."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from memcli.store.canonical import to_ranges

_LONG = 64  # numbers; a shorter run goes into the list


def clauses(items: Iterable[int], column: str) -> Iterator[tuple[str, list[Any]]]:
    """WHERE clauses that together pick `items`: a range for each long run, one list of the rest."""
    rest: list[int] = []
    for low, high in to_ranges(items):
        if high - low < _LONG:
            rest += range(low, high + 1)
        else:
            yield f"{column} BETWEEN ? AND ?", [low, high]
    if rest:
        yield f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(rest)]
