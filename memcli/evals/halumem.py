"""HaluMem's preference events: what a user preferred before and after, without the dialogues.

Each preference becomes a statement of the user, in the form of its fields; an event that deletes
one becomes the statement that it no longer holds. There are no times: the events come in order, a
day apart.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from memcli.core.found import Found
from memcli.evals import fields
from memcli.evals.suite import Probe, Suite, World
from memcli.kit.times import stamp

NAME = "halumem"
_FIRST = datetime(2000, 1, 1, tzinfo=timezone.utc)


def recognises(value: Any) -> bool:
    """Whether it is a list of users with events, or one of them."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and {"uuid", "event_list"} <= first.keys()


def convert(value: Any, name: str, sha256: str) -> Suite:
    """The suite; raises InputError."""
    worlds: dict[str, World] = {}
    probes: list[Probe] = []
    problems: Counter[str] = Counter()
    for nth, given in enumerate(value if isinstance(value, list) else [value], 1):
        where = f"{name}, user {nth}"
        entry = fields.table(given, where)
        user = fields.text(entry, "uuid", where)
        events = [
            fields.table(one, where)
            for one in fields.rows(entry.get("event_list"), f"{where}, event_list")
        ]
        worlds[user] = _world(user, events, probes, problems, where)
    return Suite(name, NAME, worlds, tuple(probes), sha256, dict(+problems))


def _world(
    user: str,
    events: list[Mapping[str, Any]],
    probes: list[Probe],
    problems: Counter[str],
    where: str,
) -> World:
    units: list[Found] = []
    # What each preference was said in last, so that a value that an event changes is stored once.
    said_in: dict[tuple[str, str, str], str] = {}

    def say(ref: str, day: int, text: str) -> None:
        said_at = stamp(_FIRST + timedelta(days=day))
        units.extend(
            fields.record(
                world=user,
                session=f"day {day}",
                ref=ref,
                role="user",
                words=text,
                said_at=said_at,
                where=where,
            )
        )

    made: list[Probe] = []
    for nth, event in enumerate(events):
        topic = fields.plain(event.get("preference_type")) or "preference"
        place = fields.plain(event.get("changed_index"))
        index = int(place) if place.isdecimal() else 0
        before = _point(event.get("before_preference"), index)
        after = _point(event.get("after_preference"), index)
        deleted = event.get("update_direction") == "Delete"
        if before is None or (after is None and not deleted):
            problems["events_without_preference"] += 1
            continue
        old = (topic, *before)
        if old not in said_in:
            said_in[old] = f"{nth}:before"
            say(said_in[old], 2 * nth, f"{topic}: {before[0]}: {before[1]}.")
        new_ref = f"{nth}:after"
        if deleted or after is None:
            say(new_ref, 2 * nth + 1, f"{topic}: {before[0]}: no longer {before[1]}.")
        else:
            said_in[(topic, *after)] = new_ref
            say(new_ref, 2 * nth + 1, f"{topic}: {after[0]}: {after[1]}.")
        # Several preferences stand under one heading: the former one says which is meant.
        asked = f"{topic}: {before[0]}: is it still {before[1]}?"
        made.append(
            Probe(
                f"{user}/{nth}",
                "update",
                user,
                asked,
                None,
                (f"no longer {before[1]}",) if deleted or after is None else (after[1],),
                current_refs=(new_ref,),
                stale_refs=(said_in[old],),
                stale_answer=(before[1],),
                category="Delete" if deleted else "Modify",
                cluster=user,
                original={},
            )
        )
    world = World(user, tuple(units), {u.identity: (u.identity[len(user) + 1 :],) for u in units})
    probes += made
    return world


def _point(given: Any, index: int) -> tuple[str, str] | None:
    """(what the preference is about, its item) of the point that an event changes."""
    points = given.get("memory_points") if isinstance(given, dict) else None
    if not isinstance(points, list) or not points:
        return None
    # The index counts in the whole profile, of which mostly the changed point alone is given.
    point = points[index] if index < len(points) else points[0]
    if not isinstance(point, dict):
        return None
    about, item = (fields.plain(point.get(key)) for key in ("type_description", "specific_item"))
    return (about, item.rstrip(".")) if about and item else None
