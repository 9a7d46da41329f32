"""One thing whole, and the life of a memory."""

from collections.abc import Callable, Mapping
from typing import Any

from memcli.core import ids
from memcli.core.memories import Memory
from memcli.core.proof import KIND as OBSERVATION
from memcli.core.records import Record
from memcli.core.reports import HistoryEntry, HistoryReport, ShowReport
from memcli.engine import changes, using
from memcli.engine.why import find
from memcli.errors import UsageError
from memcli.store import history, journal
from memcli.store.view import StoreView


def show(
    view: StoreView,
    ident: str,
    *,
    now: str | None = None,
    parameters: Callable[[], Mapping[str, Mapping[str, Any]]] = dict,
) -> ShowReport:
    """The record, memory, version, pass or session of this id, held or not.

    With `now`, also how a record or memory that is held was used until then, by what [parameters]
    of `mem.toml` say of forgetting.
    """
    parsed = ids.parse(ident)
    if parsed.letter == "p":
        return _pass(view, parsed.number)
    if parsed.letter == "s":
        return _session(view, ident)
    found = find(view, ident)
    held = view.get(ident) is not None
    if isinstance(found, Record):
        above = history.resting_on(view.connection, view.at, found.id)
        details: dict[str, Any] = {"memories": [f"m{number}" for number in above]}
    else:
        details = _memory_details(view, found) | _proof(view, found, now)
    if held and now is not None:
        quoting = details["memories"] if isinstance(found, Record) else []
        chosen = using.configured(parameters())
        details["use"] = using.use_of(view, found, quoting, now, chosen)
    if isinstance(found, Record):
        return ShowReport(ident, record=found, held=held, details=details)
    return ShowReport(ident, memory=found, held=held, details=details)


def _memory_details(view: StoreView, memory: Memory) -> dict[str, Any]:
    versions = [
        {"version": version.version, "text": version.text, "pass": version.pass_id, "held": held}
        for version, held in view.versions(memory.id)
    ]
    above = history.resting_on(view.connection, view.at, memory.id)
    merged = view.merged_into(memory.id)
    return {
        "versions": versions,
        "memories": [f"m{number}" for number in above],
        "records": sorted(view.closure(memory.id), key=lambda ref: int(ref[1:])),
        "merged_into": merged,
    }


def _proof(view: StoreView, memory: Memory, now: str | None) -> dict[str, Any]:
    """Of an observation how well it is borne out, `now` or when its newest record was said."""
    if memory.kind != OBSERVATION:
        return {}
    from memcli.kit.proving import latest, proof_of

    found = proof_of(view, memory.id, now or latest(view, memory))
    days = (None if time is None else time[:10] for time in (found.first, found.last))
    first, last = days
    return {"proof": found.count, "first_said": first, "last_said": last, "trend": found.trend}


def _pass(view: StoreView, number: int) -> ShowReport:
    entries = journal.passes(view.connection, only=number)
    if not entries:
        raise UsageError(
            f"There is no pass p{number}.", where="the id given", hint="mem log lists the passes"
        )
    details: dict[str, Any] = {}
    for op in journal.operations(view.connection, number):
        if op.type == "run" and op.content is not None:
            details = {key: value for key, value in op.content.items() if key != "rows"}
        elif op.type in ("records", "restore", "known") and op.content is not None:
            details.setdefault("sources", []).append(
                {key: value for key, value in op.content.items() if key != "rows"}
                | {"opened": len(op.opened), "found": len(op.found)}
            )
    diff = changes.between(view.connection, number - 1, number)
    details["changes"] = [
        {
            "change": change.change,
            "memory": change.memory,
            "before": change.before,
            "after": change.after,
        }
        for change in diff.changes
    ]
    details["records_added"], details["records_removed"] = diff.records_added, diff.records_removed
    return ShowReport(f"p{number}", entry=entries[0], details=details)


def _session(view: StoreView, ident: str) -> ShowReport:
    found = view.get_session(ident)
    if found is None:
        raise UsageError(
            f"There is no session {ident}.", where="the id given", hint="mem show rN names sessions"
        )
    records = history.record_sessions(view.connection, int(found.id[1:]), view.at)
    return ShowReport(found.id, session=found, held=bool(records), details={"records": records})


def life_of(view: StoreView, ident: str) -> HistoryReport:
    """What happened to a memory, pass by pass, oldest first."""
    parsed = ids.parse(ident, "m")
    find(view, ident)
    entries = []
    for number in history.memory_passes(view.connection, parsed.number):
        diff = changes.between(view.connection, number - 1, number)
        for change in diff.changes:
            if change.memory == parsed.memory:
                entries.append(_entry(view, number, change))
    held = view.get(parsed.memory)
    state = _state(held) if isinstance(held, Memory) else ()
    return HistoryReport(parsed.memory, held is not None, tuple(entries), state)


def _state(memory: Memory) -> tuple[str, ...]:
    """In words what keeps a memory that is held from being shown as current; () if nothing does."""
    superseded = ("superseded",) if memory.superseded else ()
    return superseded if memory.status == "active" else (*superseded, memory.status)


def _entry(view: StoreView, number: int, change: Any) -> HistoryEntry:
    then = StoreView(view.connection, number).get(change.memory)
    entry = journal.passes(view.connection, only=number)[0]
    return HistoryEntry(
        pass_id=f"p{number}",
        at=entry.at,
        event=change.change,
        version=then.version if isinstance(then, Memory) else None,
        text=change.after if change.after is not None else change.before,
        strategy=entry.strategy or (entry.manner or entry.kind),
        reason=change.reason,
    )
