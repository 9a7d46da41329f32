"""How else one record may be read: with another time, role or speaker, by other options.

A record never changes. So where it is held, another reading is told of and nothing else; where it
was taken back, what is read now is a record of its own, and the former one stays taken back.
"""

from collections.abc import Container
from typing import TYPE_CHECKING

from memcli.core.records import Scope
from memcli.core.values import replace
from memcli.engine.redacting import redact
from memcli.store import ingest as stored
from memcli.store.driver import sqlite3
from memcli.store.records import record_uid

if TYPE_CHECKING:
    from memcli.engine.taking import Prepared, Tally

_DAY, _MINUTE, _SECOND = 10, 16, 19  # characters of 2026-05-01T10:20:30 up to these


def same_text(left: str, right: str) -> bool:
    """Whether two texts are one, redacted or not, and by whichever release of the detectors."""
    return left == right or redact(left)[0] == redact(right)[0]


def other_time(old: str | None, new: str | None) -> bool:
    """Whether `new` says another time than `old` (ISO 8601 in UTC), and not merely less or more.

    That the source names no time any more says nothing against the one that it named.
    """
    if new is None or old == new:
        return False
    return old is None or not (_is_rounded(old, new) or _is_rounded(new, old))


def _is_rounded(exact: str, rounded: str) -> bool:
    """Whether the one time is the other, cut to its day, minute or second."""
    whole = rounded.removesuffix("Z")
    cuts = (exact[:_DAY] + "T00:00:00", exact[:_MINUTE] + ":00", exact[:_SECOND])
    return whole in cuts


def same_reading(known: stored.Known, unit: "Prepared") -> bool:
    """Whether a record says the same of who spoke and when as what was read now."""
    return (
        known.role == unit.found.role
        and same_text(known.speaker or "", unit.speaker or "")
        and not other_time(known.said_at, unit.found.said_at)
    )


def reading_of(
    connection: "sqlite3.Connection",
    unit: "Prepared",
    known: stored.Known | None,
    seen: Container[bytes],
) -> tuple["Prepared", stored.Known | None]:
    """The unit under the uid of the reading that counts, and what is known of that one.

    The readings of a record that was taken back are numbered. The one that is held or `seen` in
    this run counts, so that none is taken up beside it; else one that says the same; else this is
    one more.
    """
    if known is None or known.held or unit.uid in seen:
        return unit, known
    here, uid, number = known, unit.uid, 0
    fitting: tuple[Prepared, stored.Known | None] | None = None
    while True:
        if fitting is None and same_reading(here, unit):
            fitting = replace(unit, uid=uid), here
        number += 1
        uid = _numbered(unit.uid, number)
        found = stored.one(connection, uid)
        # What this batch makes is not in the store yet.
        if uid in seen or found is None or found.held:
            break
        here = found
    if uid in seen or found is not None:
        return replace(unit, uid=uid), found
    if not same_text(known.text, unit.text):
        return unit, known
    return fitting or (replace(unit, uid=uid), None)


def _numbered(uid: bytes, number: int) -> bytes:
    return record_uid(Scope(), f"{uid.hex()}@read{number}")


def held_of(
    connection: "sqlite3.Connection", uid: bytes, known: stored.Known | None
) -> stored.Known | None:
    """Of a record the reading that is held, if one is; else what is `known`."""
    here, number = known, 0
    while here is not None and not here.held:
        number += 1
        here = stored.one(connection, _numbered(uid, number))
    return here or known


def told(connection: "sqlite3.Connection", tally: "Tally") -> list[str]:
    """What to say of one source: times that it has otherwise, and former texts that it has again."""
    said = []
    if tally.other_times:
        item, old, new = tally.other_time
        record, made_by = stored.named(connection, item), stored.held_since(connection, item)
        said.append(
            f"{tally.path}: {tally.other_times:,} known with another time ({record}:"
            f" {old or 'none'} stays, {new} was read now); records never change: mem rollback"
            f" p{made_by} first, and what is read now is stored"
        )
    if tally.came_back:
        many = len(tally.came_back)
        texts = (
            "1 text is again as it was" if many == 1 else f"{many:,} texts are again as they were"
        )
        said.append(
            f"{tally.path}: {texts} before p{max(tally.came_back)}, which had superseded"
            f" {'it' if many == 1 else 'them'}; an older copy?"
        )
    return said
