"""Differences between two points of a store's history, and between two stores."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memcli.core import ids
from memcli.core.memories import Evidence, Memory
from memcli.core.records import Record
from memcli.core.reports import Change, DiffReport
from memcli.store import history
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView


@dataclass(frozen=True, slots=True)
class _Why:
    """The pass and operation that last touched a memory between two points."""

    pass_id: str | None = None
    strategy: str | None = None
    reason: str = ""


def between(connection: "sqlite3.Connection", start: int, end: int) -> DiffReport:
    """What changed from the state at pass `start` to that at pass `end` (either may be later)."""
    low, high = min(start, end), max(start, end)
    owner = history.owners(connection, low, high)
    touched = set(owner.values())
    before = StoreView(connection, start).some(touched)
    after = StoreView(connection, end).some(touched)
    whys = {
        memory: _Why(*found)
        for memory, found in history.reasons(connection, low, high, owner).items()
    }
    changes: list[Change] = []
    for number in sorted(touched):
        ident = f"m{number}"
        why = whys.get(ident, _Why())
        was, now = before.get(ident), after.get(ident)
        known = was is None and now is not None and _held_before(connection, number, start)
        changes += _memory_changes(was, now, known, why)
    changes += _record_ratings(connection, start, end)
    added, removed = history.records_between(connection, start, end)
    return DiffReport(f"p{start}", f"p{end}", tuple(changes), added, removed)


def _held_before(connection: "sqlite3.Connection", memory: int, at: int) -> bool:
    """Whether a memory was ever held up to pass `at`: then it is restored, not added."""
    ever = history.first_opened(connection, memory)
    return ever is not None and ever <= at


def against(left: StoreView, right: StoreView) -> DiffReport:
    """What `right` holds that `left` does not, and the other way round, by uid."""
    mine = {memory.uid: memory for memory in left.memories()}
    theirs = {memory.uid: memory for memory in right.memories()}
    changes: list[Change] = []
    for uid, memory in sorted(theirs.items(), key=lambda pair: _order(pair[1])):
        changes += _memory_changes(mine.get(uid), memory, False, _Why())
    for uid, memory in sorted(mine.items(), key=lambda pair: _order(pair[1])):
        if uid not in theirs:
            changes += _memory_changes(memory, None, False, _Why())
    ours = {record.uid for record in left.records(inactive=True)}
    others = {record.uid for record in right.records(inactive=True)}
    return DiffReport(
        left.point, right.point, tuple(changes), len(others - ours), len(ours - others)
    )


def _order(memory: Memory) -> int:
    return ids.parse(memory.id).number


def _memory_changes(
    before: Memory | Record | None, after: Memory | Record | None, known: bool, why: _Why
) -> Iterator[Change]:
    assert not isinstance(before, Record)
    assert not isinstance(after, Record)
    if before is None and after is None:
        return
    if before is None:
        assert after is not None
        kind = "restored" if known else "added"
        yield _change(kind, after, None, after.text, after.evidence, why)
        return
    if after is None:
        yield _change("retired", before, before.text, None, before.evidence, why)
        return
    if (before.text, before.attributes, before.slot) != (after.text, after.attributes, after.slot):
        yield _change("revised", after, before.text, after.text, after.evidence, why)
    yield from _beside(before, after, why)


def _beside(before: Memory, after: Memory, why: _Why) -> Iterator[Change]:
    """Changes of what hangs on a memory that is held at both points."""
    if before.valid_to != after.valid_to:
        if after.valid_to is not None:
            yield _change("superseded", after, after.text, _dates(after), after.evidence, why)
        else:
            yield _change("restored", after, _dates(before), after.text, after.evidence, why)
    old = {(found.ref, "evidence") for found in before.evidence}
    new = {(found.ref, "evidence") for found in after.evidence}
    old |= {(link.ref, link.role) for link in before.links}
    new |= {(link.ref, link.role) for link in after.links}
    for ref, role in sorted(new - old):
        found = [e for e in after.evidence if role == "evidence" and e.ref == ref]
        yield _change("linked", after, None, f"{role} {ref}", found, why)
    for ref, role in sorted(old - new):
        yield _change("unlinked", after, f"{role} {ref}", None, (), why)
    for name in ("status", "importance", "pinned"):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield _change("rated", after, f"{name} {was}", f"{name} {now}", (), why)


def _dates(memory: Memory) -> str:
    by = f" by {memory.superseded_by}" if memory.superseded_by else ""
    return f"valid {memory.valid_from or '…'} to {memory.valid_to or '…'}{by}"


def _change(
    kind: str,
    memory: Memory,
    before: str | None,
    after: str | None,
    evidence: Iterable[Evidence],
    why: _Why,
) -> Change:
    cited = tuple(evidence)
    return Change(
        change=kind,  # type: ignore[arg-type]
        memory=memory.id,
        kind=memory.kind,
        before=before,
        after=after,
        evidence=tuple(found.ref for found in cited),
        quotes={f.ref: tuple(q.text for q in f.quotes) for f in cited if f.quotes},
        pass_id=why.pass_id,
        strategy=why.strategy or memory.strategy,
        reason=why.reason,
    )


def _record_ratings(connection: "sqlite3.Connection", start: int, end: int) -> Iterator[Change]:
    low, high = min(start, end), max(start, end)
    items = history.records_rated(connection, low, high)
    was = history.record_ratings(connection, start, items)
    now = history.record_ratings(connection, end, items)
    for record in sorted({*was, *now}):
        for name in sorted({*was.get(record, {}), *now.get(record, {})}):
            old, new = was.get(record, {}).get(name), now.get(record, {}).get(name)
            if old != new:
                yield Change(
                    "rated",
                    f"r{record}",
                    "record",
                    None if old is None else f"{name} {old}",
                    None if new is None else f"{name} {new}",
                    pass_id=f"p{high}",
                )
