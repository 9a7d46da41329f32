"""Differences between two points of a store's history, and between two stores."""

from collections.abc import Iterable, Iterator

from memcli.core import ids
from memcli.core.memories import Evidence, Memory
from memcli.core.records import Record
from memcli.core.reports import Change, ChangeKind, DiffReport
from memcli.store import history
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView

# Which rows tell of a change: a rating that came later did not add the memory.
_TOLD_BY = {
    "added": "version",
    "restored": "version",
    "revised": "version",
    "retired": "version",
    "superseded": "validity",
    "linked": "edge",
    "unlinked": "edge",
    "rated": "rating",
}


class _Whys:
    """Who made a change between two points, and why."""

    def __init__(self, found: history.Reasons) -> None:
        self._found = found
        self._last = {memory: why for (memory, _), why in found.items()}

    def of(self, change: str, memory: str) -> tuple[str | None, str | None, str]:
        """(pass, strategy, reason)."""
        told = self._found.get((memory, _TOLD_BY[change]))
        if told is None:  # a date that was opened again, say
            told = self._last.get(memory)
        return told or (None, None, "")


_NOBODY = _Whys({})


def between(connection: "sqlite3.Connection", start: int, end: int) -> DiffReport:
    """What changed from the state at pass `start` to that at pass `end` (either may be later)."""
    low, high = min(start, end), max(start, end)
    owner = history.owners(connection, low, high)
    touched = {memory for memory, _ in owner.values()}
    before = StoreView(connection, start).some(touched)
    after = StoreView(connection, end).some(touched)
    why = _Whys(history.reasons(connection, low, high, owner))
    changes: list[Change] = []
    for number in sorted(touched):
        ident = f"m{number}"
        was, now = before.get(ident), after.get(ident)
        known = was is None and now is not None and _held_before(connection, number, start)
        changes += _memory_changes(was, now, known, why)
    changes += _record_ratings(connection, start, end)
    added, removed = history.records_between(connection, start, end)
    return DiffReport(f"p{start}", f"p{end}", tuple(changes), added, removed)


def moved(connection: "sqlite3.Connection", start: int, end: int) -> tuple[list[str], list[str]]:
    """Memories that `between` calls retired, and those that it calls restored or revised.

    Only those that are held at both points are read: a rollback may take back thousands.
    """
    touched = {memory for memory, _ in history.owners(connection, start, end).values()}
    was = history.held_among(connection, start, touched)
    now = history.held_among(connection, end, touched)
    known = history.first_opened_among(connection, now - was)
    both = was & now
    before = StoreView(connection, start).some(both)
    after = StoreView(connection, end).some(both)
    changed = {
        number
        for number in both
        for change in _memory_changes(before[f"m{number}"], after[f"m{number}"], False, _NOBODY)
        if change.change in ("restored", "revised")
    }
    back = {number for number in now - was if known[number] <= start}
    retired, restored = sorted(was - now), sorted(back | changed)
    return [f"m{number}" for number in retired], [f"m{number}" for number in restored]


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
        changes += _memory_changes(mine.get(uid), memory, False, _NOBODY)
    for uid, memory in sorted(mine.items(), key=lambda pair: _order(pair[1])):
        if uid not in theirs:
            changes += _memory_changes(memory, None, False, _NOBODY)
    ours = {record.uid for record in left.records(inactive=True)}
    others = {record.uid for record in right.records(inactive=True)}
    return DiffReport(
        left.point, right.point, tuple(changes), len(others - ours), len(ours - others)
    )


def _order(memory: Memory) -> int:
    return ids.parse(memory.id).number


def _memory_changes(
    before: Memory | Record | None, after: Memory | Record | None, known: bool, why: _Whys
) -> Iterator[Change]:
    assert not isinstance(before, Record)
    assert not isinstance(after, Record)
    if before is None and after is None:
        return
    if before is None:
        assert after is not None
        kind: ChangeKind = "restored" if known else "added"
        yield _change(kind, after, None, after.text, after.evidence, why)
        if kind == "added":
            yield from _with_it(after, why)
        return
    if after is None:
        yield _change("retired", before, before.text, None, before.evidence, why)
        return
    if (before.text, before.attributes, before.slot) != (after.text, after.attributes, after.slot):
        yield _change("revised", after, before.text, after.text, after.evidence, why)
    elif (before.valid_from, before.valid_to) == (after.valid_from, after.valid_to):
        if before.superseded_by != after.superseded_by:
            yield _change("revised", after, dates(before), dates(after), after.evidence, why)
    elif before.valid_to == after.valid_to:
        yield _change("revised", after, dates(before), dates(after), after.evidence, why)
    yield from _beside(before, after, why)


def _with_it(added: Memory, why: _Whys) -> Iterator[Change]:
    """What came over a memory between the same two points as the memory itself."""
    if added.superseded_by is not None:
        yield _change("superseded", added, added.text, dates(added), (), why)
    for link in added.links:
        yield _change("linked", added, None, f"{link.role} {link.ref}", (), why)


def _beside(before: Memory, after: Memory, why: _Whys) -> Iterator[Change]:
    """Changes of what hangs on a memory that is held at both points."""
    if before.valid_to != after.valid_to:
        if after.valid_to is not None:
            yield _change("superseded", after, after.text, dates(after), after.evidence, why)
        else:
            yield _change("restored", after, dates(before), after.text, after.evidence, why)
    old = {(found.ref, "evidence") for found in before.evidence}
    new = {(found.ref, "evidence") for found in after.evidence}
    old |= {(link.ref, link.role) for link in before.links}
    new |= {(link.ref, link.role) for link in after.links}
    quoted = {found.ref: found.quotes for found in before.evidence}
    for found in after.evidence:
        more = set(found.quotes) - set(quoted.get(found.ref, found.quotes))
        if more:
            words = ", ".join(f"“{quote.text}”" for quote in found.quotes if quote in more)
            yield _change("linked", after, None, f"evidence {found.ref} {words}", [found], why)
    for ref, role in sorted(new - old):
        cited = [e for e in after.evidence if role == "evidence" and e.ref == ref]
        yield _change("linked", after, None, f"{role} {ref}", cited, why)
    for ref, role in sorted(old - new):
        yield _change("unlinked", after, f"{role} {ref}", None, (), why)
    for name in ("status", "importance", "pinned"):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield _change("rated", after, in_words(name, was), in_words(name, now), (), why)


def in_words(name: str, value: object) -> str | None:
    """`importance 9`, `pinned true`; None where nothing was said."""
    if value is None:
        return None
    return f"{name} {str(value).lower() if isinstance(value, bool) else value}"


def dates(memory: Memory) -> str:
    """Since when and until when a memory is true, and what ended it."""
    by = f" by {memory.superseded_by}" if memory.superseded_by else ""
    return f"valid {memory.valid_from or '…'} to {memory.valid_to or '…'}{by}"


def _change(
    kind: ChangeKind,
    memory: Memory,
    before: str | None,
    after: str | None,
    evidence: Iterable[Evidence],
    why: _Whys,
) -> Change:
    cited = tuple(evidence)
    pass_id, strategy, reason = why.of(kind, memory.id)
    return Change(
        change=kind,
        memory=memory.id,
        kind=memory.kind,
        before=before,
        after=after,
        evidence=tuple(found.ref for found in cited),
        quotes={f.ref: tuple(q.text for q in f.quotes) for f in cited if f.quotes},
        pass_id=pass_id,
        # What no pass of a strategy did (a verdict, a rollback) has none.
        strategy=memory.strategy if pass_id is None else strategy,
        reason=reason,
    )


def of_memory(kind: ChangeKind, memory: Memory, before: str | None, after: str | None) -> Change:
    """A change of a memory with all that it rests on, whoever made it."""
    return _change(kind, memory, before, after, memory.evidence, _NOBODY)


def _record_ratings(connection: "sqlite3.Connection", start: int, end: int) -> Iterator[Change]:
    raters = history.records_rated(connection, min(start, end), max(start, end))
    items = sorted({item for item, _ in raters})
    numbers = history.record_numbers(connection, items)
    was = history.record_ratings(connection, start, items)
    now = history.record_ratings(connection, end, items)
    for item, name in sorted(raters):
        number = numbers[item]
        old, new = was.get(number, {}).get(name), now.get(number, {}).get(name)
        if old == new:
            continue
        pass_id, strategy = raters[item, name]
        yield Change(
            "rated",
            f"r{number}",
            "record",
            in_words(name, old),
            in_words(name, new),
            pass_id=f"p{pass_id}",
            strategy=strategy,
        )
