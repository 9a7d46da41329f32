"""Two times at once: when something was true in the world, and when the store knew it.

`known_at` fixes what is known, `valid_at` a moment in the world. Of one thing that says how it stood
there; of two points it leaves the other time to be compared along.
"""

from typing import Any

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.core.reports import Change, ChangeKind, DiffReport, ShowReport
from memcli.core.values import replace
from memcli.engine.changes import between, dates, of_memory
from memcli.errors import UsageError
from memcli.kit.moments import known_time, parse_time
from memcli.retrieval.standing import holds_at
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView

# --- one thing ------------------------------------------------------------------------------------


def check_known(view: StoreView, ident: str) -> None:
    """Raise UsageError unless this is a thing that the store held at the view's point."""
    parsed = ids.parse(ident)
    if parsed.letter == "s":
        return
    if parsed.letter == "p":
        raise UsageError(
            "A pass is the same whenever it is looked at.",
            where="--known-at",
            hint=f"mem show {ident}; --known-at is for records, memories and sessions",
        )
    if view.get(ident) is None:
        hint = (
            f"mem history {parsed.memory} says when it was" if parsed.letter == "m" else "mem log"
        )
        raise UsageError(f"{ident} was not held at {view.point}.", where="--known-at", hint=hint)


def as_known(view: StoreView, report: ShowReport) -> ShowReport:
    """A report on what was held at the view's point, without what came later."""
    details: dict[str, Any] = {**report.details, "known_at": view.point}
    if report.memory is not None:
        details["versions"] = [
            {**one, "held": one["version"] == report.memory.version}
            for one in details.get("versions", ())
            if ids.parse(one["pass"], "p").number <= view.at
        ]
    return replace(report, details=details)


def with_truth(view: StoreView, report: ShowReport, moment: str) -> ShowReport:
    """A report that also says whether the thing was true at `moment`, and what was instead.

    Of a record: whether it had been said. Raises UsageError for what is neither true nor false.
    """
    if report.memory is not None:
        true = holds_at(report.memory.valid_from, report.memory.valid_to, moment)
        instead = None if true else _instead(view, report.memory, moment)
    elif report.record is not None:
        true, instead = _said_by(report.record, moment), None
    else:
        raise UsageError(
            f"{report.id} is neither true nor false at a time.",
            where="--valid-at",
            hint="it is for records and memories",
        )
    told = {"at": moment, "true": true, "instead": instead}
    return replace(report, details={**report.details, "valid_at": told})


def _said_by(record: Record, moment: str) -> bool:
    said = known_time(record.said_at)
    return said is not None and parse_time(said) <= parse_time(moment)


def _instead(view: StoreView, memory: Memory, moment: str) -> str | None:
    """The memory of the same chain of successors that was true then."""
    later = memory.superseded_by
    seen = {memory.id}
    while later is not None and later not in seen:
        seen.add(later)
        found = view.get(later)
        if not isinstance(found, Memory):
            break
        if holds_at(found.valid_from, found.valid_to, moment):
            return found.id
        later = found.superseded_by
    before = [memory.id]
    seen = {memory.id}
    former: dict[str, list[Memory]] = {}
    for one in view.memories():
        former.setdefault(one.superseded_by or "", []).append(one)
    while before:
        for found in former.get(before.pop(), ()):
            if holds_at(found.valid_from, found.valid_to, moment):
                return found.id
            if found.id not in seen:
                seen.add(found.id)
                before.append(found.id)
    return None


# --- two points -----------------------------------------------------------------------------------


def about(connection: "sqlite3.Connection", start: int, end: int, moment: str) -> DiffReport:
    """What the store came to know, from pass `start` to `end`, of how things were at `moment`.

    A change of a memory that was not true then, by either state, is none.
    """
    report = between(connection, start, end)
    touched = {ids.parse(one.memory).number for one in report.changes if one.memory[0] == "m"}
    before, after = (StoreView(connection, at).some(touched) for at in (start, end))
    true = [
        {ident: holds_at(one.valid_from, one.valid_to, moment) for ident, one in state.items()}
        for state in (before, after)
    ]
    changes: list[Change] = []
    done: set[str] = set()
    for change in report.changes:
        was, now = (known.get(change.memory, False) for known in true)
        if was and now and not _moves_dates(change, before, after):
            changes.append(change)
        elif was != now and change.memory not in done:
            done.add(change.memory)
            changes.append(_turned(change, before, after, now))
    return replace(
        report, changes=tuple(changes), records_added=0, records_removed=0, valid_at=moment
    )


def _moves_dates(change: Change, before: dict[str, Memory], after: dict[str, Memory]) -> bool:
    """Whether a change only says since when, or until when, it is true: then it was all the same."""
    if change.change == "revised":
        was, now = before[change.memory], after[change.memory]
        return (was.text, was.attributes, was.slot) == (now.text, now.attributes, now.slot)
    return change.change in ("superseded", "restored")


def _turned(
    change: Change, before: dict[str, Memory], after: dict[str, Memory], now: bool
) -> Change:
    """The store came to hold it for true, or not any more."""
    if now:
        memory = after[change.memory]
        kind = change.change if change.change in ("added", "restored") else "added"
        return _change(kind, memory, None, memory.text, change)
    memory = before[change.memory]
    held = after.get(change.memory)
    if held is None:
        return _change("retired", memory, memory.text, None, change)
    return _change("superseded", memory, memory.text, dates(held), change)


def in_the_world(view: StoreView, start: str, end: str) -> DiffReport:
    """What began and ceased to be true between two moments, as far as the view knows.

    Records count as said from their own time on.
    """
    changes = []
    for memory in view.memories():
        if memory.status == "rejected":
            continue
        was, now = (holds_at(memory.valid_from, memory.valid_to, at) for at in (start, end))
        if now and not was:
            changes.append(_change("added", memory, None, memory.text))
        elif was and not now:
            changes.append(_change("superseded", memory, memory.text, dates(memory)))
    said = [(_said_by(record, start), _said_by(record, end)) for record in view.records()]
    return DiffReport(
        start,
        end,
        tuple(changes),
        records_added=sum(now and not was for was, now in said),
        records_removed=sum(was and not now for was, now in said),
        known_at=view.point,
    )


def _change(
    kind: ChangeKind,
    memory: Memory,
    before: str | None,
    after: str | None,
    told: Change | None = None,
) -> Change:
    """`told`: by which change of the store it came about."""
    found = of_memory(kind, memory, before, after)
    if told is None:
        return replace(found, pass_id=memory.pass_id)
    return replace(found, pass_id=told.pass_id, strategy=told.strategy, reason=told.reason)
