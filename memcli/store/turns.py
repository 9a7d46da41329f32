"""Turns of conversations, narrow: what a search needs of many records to rank them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memcli.kit.words import words
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


_COLUMNS = "r.item, r.session, r.seq, r.kind, r.role, r.speaker, r.said_at"
_AROUND = f"""
SELECT {_COLUMNS} FROM json_each(:spans) s
CROSS JOIN record r ON r.session = json_extract(s.value, '$[0]')
    AND r.seq BETWEEN json_extract(s.value, '$[1]') AND json_extract(s.value, '$[2]')
CROSS JOIN life l ON l.item = r.item AND {HELD}
ORDER BY r.session, r.seq
"""

# What is attached is read with what it is attached to, which stands before it.
_PLACES = """
SELECT r.session, r.seq, r.item, CASE WHEN r.kind <> 'attachment' THEN r.seq ELSE coalesce(
    (SELECT p.seq FROM record p WHERE p.session = r.session AND p.seq < r.seq
        AND p.kind <> 'attachment' ORDER BY p.seq DESC LIMIT 1), r.seq) END
FROM json_each(:items) j CROSS JOIN record r ON r.item = j.value
"""
_ATTACHMENTS = f"""
SELECT r.item, a.item FROM json_each(:items) j
CROSS JOIN record r ON r.item = j.value
CROSS JOIN record a ON a.session = r.session AND a.seq > r.seq AND a.seq < coalesce(
    (SELECT p.seq FROM record p WHERE p.session = r.session AND p.seq > r.seq
        AND (p.kind <> 'attachment' OR p.role <> r.role) ORDER BY p.seq LIMIT 1), 1 << 62)
CROSS JOIN life l ON l.item = a.item AND {HELD}
ORDER BY a.session, a.seq
"""


def around(connection: "sqlite3.Connection", at: int, reach: Mapping[int, int]) -> list[TurnRow]:
    """Records held at pass `at`, by session and place, each once: those of the items of `reach`,
    and those of their sessions up to so many places away."""
    places = connection.execute(_PLACES, {"items": json.dumps(list(reach))})
    wanted = sorted(
        (session, min(seq - reach[item], first), seq + reach[item])
        for session, seq, item, first in places
    )
    spans: list[list[int]] = []
    for session, first, last in wanted:
        if spans and spans[-1][0] == session and first <= spans[-1][2] + 1:
            spans[-1][2] = max(spans[-1][2], last)
        else:
            spans.append([session, first, last])
    rows = connection.execute(_AROUND, {"spans": json.dumps(spans), "at": at})
    return [TurnRow(*row) for row in rows]


def attachments(
    connection: "sqlite3.Connection", at: int, items: Iterable[int]
) -> dict[int, list[int]]:
    """item -> items of what came with it and is held at pass `at`, in order: what follows it in
    its session up to the next message."""
    out: dict[int, list[int]] = {}
    for item, attached in connection.execute(
        _ATTACHMENTS, {"items": json.dumps(list(items)), "at": at}
    ):
        out.setdefault(item, []).append(attached)
    return out


def texts_of(connection: "sqlite3.Connection", items: Iterable[int]) -> dict[int, str]:
    """item -> text of these records."""
    rows = connection.execute(
        "SELECT r.item, r.text FROM json_each(:items) j CROSS JOIN record r ON r.item = j.value",
        {"items": json.dumps(list(items))},
    )
    return dict(rows.fetchall())


def days_of(connection: "sqlite3.Connection", items: Iterable[int]) -> dict[int, str]:
    """item -> the UTC day on which it was said, of those records whose time is known."""
    rows = connection.execute(
        "SELECT r.item, substr(r.said_at, 1, 10) FROM json_each(:items) j"
        " CROSS JOIN record r ON r.item = j.value WHERE r.said_at IS NOT NULL",
        {"items": json.dumps(list(items))},
    )
    return dict(rows.fetchall())


def speakers(
    connection: "sqlite3.Connection", asked: Sequence[str], among: Among
) -> dict[str, frozenset[str]]:
    """Those of the words `asked` (lower case) that are the first name of somebody who speaks in the store,
    with the speakers so called.

    A text is indexed with its speaker in front, so a name is looked for where texts begin: no
    walk over all records. Raises UnusableIndexError.
    """
    where, values = among.clause("fts.rowid")
    out = {}
    with asking():
        for word in asked:
            rows = connection.execute(
                "SELECT DISTINCT r.speaker FROM"
                " (SELECT rowid AS item FROM fts WHERE fts MATCH :begins"
                f" AND {where} LIMIT 2000) f"
                " CROSS JOIN record r ON r.item = f.item WHERE r.speaker IS NOT NULL",
                {"begins": f"^ {match_expression([word])}", **values},
            )
            found = frozenset(name for (name,) in rows if _is_called(name, word))
            if found:
                out[word] = found
    return out


def _is_called(speaker: str, name: str) -> bool:
    """Whether the first of a speaker's names is `name`, a word in lower case."""
    return words(speaker.split(maxsplit=1)[0] if speaker.split() else "") == [name]
