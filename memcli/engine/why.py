"""Provenance trees: what a memory rests on, down to the exact words; what was made of a record."""

from collections.abc import Iterable

from memcli.core import ids
from memcli.core.memories import Evidence, Memory
from memcli.core.records import Record
from memcli.core.reports import WhyNode, WhyQuote
from memcli.core.values import replace
from memcli.errors import UsageError
from memcli.retrieval.status import memory_status, record_status
from memcli.store import history
from memcli.store.view import StoreView

# Deeper than any real tree; a chain of this length is shown as cut, not as a crash.
_MAX_DEPTH = 60


def why(view: StoreView, ident: str, *, derived: bool) -> WhyNode:
    """The provenance tree of a record, memory or version; with `derived` what rests on it."""
    found = find(view, ident)
    if derived:
        return _derived(view, found, set(), 0)
    return _tree(view, found, (), set(), 0)


def find(view: StoreView, ident: str) -> Record | Memory:
    """The record, memory or version of this id, held or not; UsageError if it never was."""
    parsed = ids.parse(ident, "r", "m")
    found = view.get(ident)
    if found is not None:
        return found
    if parsed.letter == "m":
        # As it was when it was last held: its evidence went with it.
        last = history.last_held(view.connection, parsed.number, parsed.version)
        then = None if last is None else StoreView(view.connection, last).get(parsed.memory)
        if then is not None:
            return then
    else:
        former = history.former_record(view.connection, parsed.number)
        if former is not None:
            return former
    raise UsageError(
        f"There is no {ident} in this store.",
        where="the id given",
        hint="mem search finds ids; mem log and mem diff list what passes made",
    )


def _tree(
    view: StoreView,
    found: Record | Memory,
    quotes: tuple[WhyQuote, ...],
    seen: set[str],
    depth: int,
) -> WhyNode:
    if isinstance(found, Record):
        return _record_node(view, found, quotes)
    # A memory that several cite is spelled out once: trees with shared branches grow fast.
    before = found.id in seen or depth >= _MAX_DEPTH
    seen.add(found.id)
    children = (
        () if before else (*_merged(view, found, seen, depth), *_cited(view, found, seen, depth))
    )
    return _memory_node(view, found, quotes, children, before)


def _merged(view: StoreView, memory: Memory, seen: set[str], depth: int) -> Iterable[WhyNode]:
    """The memory that took this one in, with what that rests on: the claim is the same."""
    into = None if view.get(memory.id) is not None else view.merged_into(memory.id)
    survivor = None if into is None else view.get(into)
    if survivor is not None:
        yield _tree(view, survivor, (), seen, depth + 1)


def _cited(view: StoreView, memory: Memory, seen: set[str], depth: int) -> Iterable[WhyNode]:
    for evidence in memory.evidence:
        try:
            source = find(view, evidence.ref)
        except UsageError:
            yield WhyNode(evidence.ref, "", status="missing")
            continue
        yield _tree(view, source, _quotes(evidence, source.text), seen, depth + 1)


def _quotes(evidence: Evidence, text: str) -> tuple[WhyQuote, ...]:
    return tuple(
        WhyQuote(q.text, q.start, q.end, text[q.start : q.end] == q.text) for q in evidence.quotes
    )


def _record_node(view: StoreView, record: Record, quotes: tuple[WhyQuote, ...]) -> WhyNode:
    held = view.get(record.id) is not None
    return WhyNode(
        id=record.id,
        text=record.text,
        kind=record.kind,
        quotes=quotes,
        said_at=record.said_at,
        speaker=record.speaker,
        role=record.role,
        session=record.session,
        source=record.source,
        line=record.line,
        status=record_status(record) if held else "not held",
    )


def _memory_node(
    view: StoreView,
    memory: Memory,
    quotes: tuple[WhyQuote, ...],
    children: tuple[WhyNode, ...],
    seen_before: bool,
) -> WhyNode:
    current = view.get(memory.id)
    if current is None:
        into = view.merged_into(memory.id)
        status = "not held" if into is None else f"merged into {into}"
    elif isinstance(current, Memory) and current.version != memory.version:
        status = "former version"
    else:
        status = memory_status(view, memory)
    return WhyNode(
        id=memory.ref,
        text=memory.text,
        kind=memory.kind,
        strategy=memory.strategy,
        pass_id=memory.pass_id,
        at=history.pass_time(view.connection, memory.pass_id),
        quotes=quotes,
        status=status,
        seen_before=seen_before,
        children=children,
    )


def _derived(view: StoreView, found: Record | Memory, seen: set[str], depth: int) -> WhyNode:
    before = found.id in seen or depth >= _MAX_DEPTH
    seen.add(found.id)
    children: tuple[WhyNode, ...] = ()
    if not before:
        above = history.resting_on(view.connection, view.at, found.id)
        memories = [view.get(f"m{number}") for number in above]
        children = tuple(
            _derived(view, memory, seen, depth + 1) for memory in memories if memory is not None
        )
    if isinstance(found, Record):
        node = _record_node(view, found, ())
        return replace(node, children=children, seen_before=before)
    return _memory_node(view, found, (), children, before)
