"""Turns of conversations, narrow: what a search needs of many records to rank them."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from memcli.kit.words import words
from memcli.store import texts
from memcli.store.driver import sqlite3
from memcli.store.load import HELD
from memcli.store.texts import Among, asking, match_expression


class TurnRow(NamedTuple):
    """A record without its text; rows sort by session and place. `said_at`: ISO 8601 or None."""

    session: int
    seq: int
    item: int
    kind: str
    role: str
    speaker: str | None
    said_at: str | None


_COLUMNS = "r.session, r.seq, r.item, r.kind, r.role, r.speaker, r.said_at"
_THESE = f"""
SELECT {_COLUMNS} FROM json_each(:items) j CROSS JOIN record r ON r.item = j.value
"""
_AROUND = f"""
SELECT {_COLUMNS} FROM json_each(:items) j
CROSS JOIN record o ON o.item = j.value
CROSS JOIN record r ON r.session = o.session AND r.seq BETWEEN o.seq - :reach AND o.seq + :reach
CROSS JOIN life l ON l.item = r.item AND {HELD}
"""


# What an attachment came with: the message before it.
_CARRIERS = f"""
SELECT {_COLUMNS} FROM json_each(:items) j
CROSS JOIN record a ON a.item = j.value
CROSS JOIN record r ON r.session = a.session AND r.seq = (SELECT p.seq FROM record p
    WHERE p.session = a.session AND p.seq < a.seq AND p.kind <> 'attachment' ORDER BY p.seq DESC LIMIT 1)
CROSS JOIN life l ON l.item = r.item AND {HELD}
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


def around(
    connection: "sqlite3.Connection", at: int, items: Iterable[int], reach: Collection[int]
) -> list[TurnRow]:
    """Those of these items that are records, by session and place, each once; with those in `reach`,
    where speakers are named, what stands up to _NEAR places away, and with what is attached what it
    is attached to.

    `items` are held at pass `at`, as those are that an index found; of the others it is looked up.
    """
    found = set(_read(connection, _THESE, items))
    reach = {row[_ITEM] for row in found if row[_SPEAKER] is not None}.intersection(reach)
    if reach:
        found.update(_read(connection, _AROUND, reach, at=at, reach=_NEAR))
    attached = [row[_ITEM] for row in found if row[_KIND] == "attachment"]
    if attached:
        found.update(_read(connection, _CARRIERS, attached, at=at))
    return list(map(TurnRow._make, sorted(found)))


_ITEM, _KIND, _SPEAKER = map(TurnRow._fields.index, ("item", "kind", "speaker"))
# Turns two away, with something attached in between.
_NEAR = 3


def _read(
    connection: "sqlite3.Connection", sql: str, items: Iterable[int], **values: int
) -> "sqlite3.Cursor":
    return connection.execute(sql, {"items": json.dumps(list(items)), **values})


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


# In so many texts with a word at least it is looked whether it is a speaker's name.
_NEWEST = 10_000


def speakers(
    connection: "sqlite3.Connection", asked: Sequence[str], among: Among
) -> dict[str, frozenset[str]]:
    """Those of the words `asked` (lower case) that are the first name of somebody who speaks in the store,
    with the speakers so called.

    A text is indexed with its speaker in front, so a name is looked for where texts begin: no
    walk over all records; in a large store, of the last texts in which the word stands. Raises
    UnusableIndexError.
    """
    where, values = among.clause("fts.rowid")
    large = texts.last(connection) > _NEWEST
    out = {}
    with asking():
        for word in asked:
            wanted = match_expression([word])
            since = texts.before_newest(connection, wanted, _NEWEST, among) if large else 0
            rows = connection.execute(
                "SELECT DISTINCT r.speaker FROM"
                " (SELECT rowid AS item FROM fts WHERE fts MATCH :begins AND rowid > :since"
                f" AND {where} LIMIT 2000) f"
                " CROSS JOIN record r ON r.item = f.item WHERE r.speaker IS NOT NULL",
                {"begins": f"^ {wanted}", "since": since, **values},
            )
            found = frozenset(name for (name,) in rows if _is_called(name, word))
            if found:
                out[word] = found
    return out


def _is_called(speaker: str, name: str) -> bool:
    """Whether the first of a speaker's names is `name`, a word in lower case."""
    return words(speaker.split(maxsplit=1)[0] if speaker.split() else "") == [name]
