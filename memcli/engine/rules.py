"""The rules that hold for every item of a plan, whoever proposed it; they raise ItemRefusedError.

Of texts and what they rest on: C13 empty text, C15 quotes, C16 relative dates, C22 world time, C23
tombstones; and that no memory is an order to whoever reads it.
"""

from collections.abc import Iterable, Sequence

from memcli.core.memories import STATUSES, Memory, Slot
from memcli.core.plan import Cite, Rejection
from memcli.core.records import Record
from memcli.engine import plans
from memcli.engine.checked import ItemRefusedError, SoFar, key_of
from memcli.engine.clock import normalised
from memcli.kit.dates import absolute, relative_words
from memcli.kit.instructions import is_instruction
from memcli.kit.moments import day_of
from memcli.kit.nearkey import near_key
from memcli.kit.quoting import find_quote

_MAX_TEXT = 1_000_000  # characters: SQLite takes more, but nobody reads it


def refuse_text(text: str) -> None:
    """A memory says something, and gives nobody orders (C13)."""
    if not text.strip():
        raise ItemRefusedError("empty-text")
    if len(text) > _MAX_TEXT:
        raise ItemRefusedError("text-too-long")
    if is_instruction(text):
        raise ItemRefusedError("instruction")


def evidence(so_far: SoFar, cites: Sequence[Cite]) -> tuple[Cite, ...]:
    """Known sources with the quotes that occur in them; the union where one is named twice."""
    found: dict[str, tuple[str, ...]] = {}
    asked = kept = 0
    for cite in cites:
        try:
            source = so_far.held(cite.ref)
        except ItemRefusedError as refused:
            so_far.out.rejected.append(Rejection(cite.ref, str(refused)))
            continue
        good = tuple(q for q in cite.quotes if find_quote(source.text, q) is not None)
        asked, kept = asked + len(cite.quotes), kept + len(good)
        ref = source.id
        if isinstance(source, Memory) and cite.ref not in so_far.revised:
            ref = source.ref
        found[ref] = tuple(dict.fromkeys((*found.get(ref, ()), *good)))
    if asked and not kept:
        raise ItemRefusedError("quote-not-in-source")
    return tuple(Cite(ref, quotes) for ref, quotes in found.items())


def dates(so_far: SoFar, text: str, cites: Iterable[Cite]) -> str:
    """The text with relative words made absolute where all that is cited has one date (C16).

    Verbatim text keeps its words: the record's date stands beside them.
    """
    if not relative_words(text):
        return text
    sources = [so_far.held(cite.ref) for cite in cites]
    lines = [line for line in text.splitlines() if line.strip()]
    if all(any(find_quote(source.text, line) for source in sources) for line in lines):
        return text
    times = [s.said_at if isinstance(s, Record) else s.valid_from for s in sources]
    days = frozenset(day_of(time) for time in times if time)
    fixed = absolute(text, days) if all(times) else None
    if fixed is None:
        raise ItemRefusedError("relative-date")
    return fixed


def said(so_far: SoFar, cites: Sequence[Cite]) -> str | None:
    """World time comes from evidence (C22): the newest of what is cited, never the clock."""
    times = []
    for cite in cites:
        found = so_far.held(cite.ref)
        times.append(found.said_at if isinstance(found, Record) else found.valid_from)
    return max((time for time in times if time), default=None)


def moment(text: str | None) -> str | None:
    """A time in UTC as it is stored; half a time (a year, a month) begins it."""
    if text is None:
        return None
    found = normalised(text)
    if found is None:
        raise ItemRefusedError("bad-time")
    return found


def refuse_tombstoned(
    so_far: SoFar, kind: str, text: str, slot: Slot | None, cites: Sequence[Cite]
) -> None:
    """What was rejected comes back only from evidence that is new (C23)."""
    refs = plans.roots((cite.ref for cite in cites), so_far.drafts)
    if so_far.view.tombstoned(kind, near_key(text), refs):
        raise ItemRefusedError("tombstoned")
    if slot is not None and so_far.view.slot_tombstoned(kind, key_of(slot), refs):
        raise ItemRefusedError("tombstoned")
    if so_far.view.again:
        return
    # A superseded memory is its own tombstone for the strategy that made it (C23).
    for memory in so_far.superseded.get((kind, near_key(text)), ()):
        known = so_far.view.closure(memory.id)
        if all(so_far.view.closure(ref) <= known for ref in refs):
            raise ItemRefusedError("tombstoned")


def value_fits(name: str, value: int | str | bool) -> bool:
    """Whether a rating may have this value; of a name that is no rating none does."""
    if name == "importance":
        return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10
    if name == "pinned":
        return isinstance(value, bool)
    return name == "status" and value in STATUSES
