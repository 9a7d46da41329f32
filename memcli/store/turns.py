"""Turns of conversations, narrow: what a search needs of many records to rank them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memcli.store.driver import sqlite3
from memcli.store.load import HELD
from memcli.store.texts import Among, asking, match_expression


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A record without its text. `said_at`: ISO 8601 or None."""

    item: int
    session: int
    seq: int
    kind: str
    role: str
    speaker: str | None
    said_at: str | None


_ATTACHED = 3
_COLUMNS = "r.item, r.session, r.seq, r.kind, r.role, r.speaker, r.said_at"
_AROUND = f"""
SELECT {_COLUMNS} FROM json_each(:spans) s
CROSS JOIN record r ON r.session = json_extract(s.value, '$[0]')
    AND r.seq BETWEEN json_extract(s.value, '$[1]') AND json_extract(s.value, '$[2]')
CROSS JOIN life l ON l.item = r.item AND {HELD}
ORDER BY r.session, r.seq
"""


def around(connection: "sqlite3.Connection", at: int, reach: Mapping[int, int]) -> list[TurnRow]:
    """Records held at pass `at`, by session and place, each once: those of the items of `reach`,
    and those of their sessions up to so many places away."""
    places = connection.execute(
        "SELECT r.session, r.seq, r.item, r.kind FROM json_each(:items) j"
        " CROSS JOIN record r ON r.item = j.value",
        {"items": json.dumps(list(reach))},
    )
    wanted = []
    for session, seq, item, kind in places:
        # What is attached is read with what it is attached to, which stands before it.
        before = max(reach[item], _ATTACHED if kind == "attachment" else 0)
        wanted.append((session, seq - before, seq + reach[item]))
    wanted.sort()
    spans: list[list[int]] = []
    for session, first, last in wanted:
        if spans and spans[-1][0] == session and first <= spans[-1][2] + 1:
            spans[-1][2] = max(spans[-1][2], last)
        else:
            spans.append([session, first, last])
    rows = connection.execute(_AROUND, {"spans": json.dumps(spans), "at": at})
    return [TurnRow(*row) for row in rows]


def texts_of(connection: "sqlite3.Connection", items: Iterable[int]) -> dict[int, str]:
    """item -> text of these records."""
    rows = connection.execute(
        "SELECT r.item, r.text FROM json_each(:items) j CROSS JOIN record r ON r.item = j.value",
        {"items": json.dumps(list(items))},
    )
    return dict(rows.fetchall())


def speakers(
    connection: "sqlite3.Connection", words: Sequence[str], among: Among
) -> dict[str, frozenset[str]]:
    """Those of `words` (lower case) that are the first name of somebody who speaks in the store,
    with the speakers so called.

    A text is indexed with its speaker in front, so a name is looked for where texts begin: no
    walk over all records. Raises UnusableIndexError.
    """
    where, values = among.clause("f.item")
    out = {}
    with asking():
        for word in words:
            rows = connection.execute(
                "SELECT DISTINCT r.speaker FROM"
                " (SELECT rowid AS item FROM fts WHERE fts MATCH :begins LIMIT 2000) f"
                " CROSS JOIN record r ON r.item = f.item"
                " WHERE r.speaker IS NOT NULL AND lower(r.speaker) LIKE :name || '%'"
                f" AND {where}",
                {"begins": f"^ {match_expression([word])}", "name": word, **values},
            )
            found = frozenset(name for (name,) in rows if _first_name(name) == word)
            if found:
                out[word] = found
    return out


def _first_name(speaker: str) -> str:
    return speaker.lower().split()[0].strip(".,:'\"") if speaker.split() else ""
