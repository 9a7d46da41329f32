"""Points of a summary, looked at before they are stored: a line each, with what it rests on.

A point rests on sources that were shown, and quotes words of theirs (C15); its dates are absolute
(C16); it is no order to its reader, and does not only repeat what a memory says (C28).
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from memcli.core.plan import Cite
from memcli.core.records import Record
from memcli.core.values import dataclass, replace
from memcli.kit.answers import Quoted, Quoting
from memcli.kit.claims import spans_of
from memcli.kit.dates import absolute, relative_words
from memcli.kit.draft import Draft
from memcli.kit.handles import Item
from memcli.kit.instructions import is_instruction
from memcli.kit.joining import cites_of
from memcli.kit.nearkey import near_key
from memcli.kit.recalled import Recalled
from memcli.kit.support import unsupported


class Pointed(Quoting, Protocol):
    """A point of an answer; see tasks.summarise.Point. A trait has the same fields."""

    @property
    def unknown(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Shown:
    """What a point may rest on: a record, a memory, or a point of a part.

    `id`: how the answer names it. `day`: its date (YYYY-MM-DD) if it is known. `records`: what it
    rests on itself. `record`: itself, if it is one. `cites`: what stands for it as evidence, where
    that is not itself.
    """

    id: str
    text: str
    day: str | None = None
    speaker: str | None = None
    records: tuple[Record, ...] = ()
    record: Record | None = None
    cites: tuple[Cite, ...] | None = None

    def cite(self, quotes: Iterable[Quoted]) -> tuple[Cite, ...]:
        """It as evidence, with those quotes that are words of it."""
        return (Cite(self.id, spans_of(self, quotes)),) if self.cites is None else self.cites


@dataclass(frozen=True)
class Point:
    """A line that may be stored. `day`: the newest date of what it rests on, if all have one.

    `speaker`: who says its words, if one does.
    """

    text: str
    cites: tuple[Cite, ...]
    section: str = ""
    day: str | None = None
    speaker: str | None = None

    def shown(self, nth: int, records: Iterable[Record]) -> Shown:
        """It as a source of the points of a whole."""
        return Shown(
            f"point:{nth}",
            self.text,
            day=self.day,
            speaker=self.speaker,
            records=tuple(records),
            cites=self.cites,
        )


def shown_of(record: Record, day: str | None) -> Shown:
    """A record as a source."""
    return Shown(
        record.id,
        record.text,
        day=day,
        speaker=record.speaker or record.role,
        records=(record,),
        record=record,
    )


def item_of_point(shown: Shown) -> Item:
    """How a point of a part is shown: it stands for the records that it rests on."""
    roots = tuple(sorted({record.id for record in shown.records}))
    return Item(
        shown.id, shown.text, memory=True, day=shown.day, speaker=shown.speaker, roots=roots
    )


class Pointing:
    """Looks at the points of one answer. `verbatim`: rules gave it, so its words stay as they are."""

    def __init__(
        self,
        draft: Draft,
        shown: Iterable[Shown],
        *,
        verbatim: bool,
        recalled: Recalled | None = None,
    ) -> None:
        self._draft = draft
        self._shown = {one.id: one for one in shown}
        self._verbatim = verbatim
        self._recalled = recalled

    def all(self, told: Iterable[tuple[Pointed, str]]) -> list[Point]:
        """Those of (point, section) that may be stored, in order; the others are reported."""
        found: dict[str, Point] = {}
        for one, section in told:
            point = self.one(one, section)
            if point is None:
                continue
            key = near_key(point.text)
            known = found.get(key)
            found[key] = point if known is None else _joined(known, point)
        return list(found.values())

    def one(self, told: Pointed, section: str = "") -> Point | None:
        """The point; None, with the reason reported, if it is refused."""
        for handle in told.unknown:
            self._draft.reject(f"{handle} in {told.text!r}", "unknown-id")
        sources = [self._shown[ref] for ref in dict.fromkeys(told.sources) if ref in self._shown]
        text = self._dated(" ".join(told.text.split()), sources)
        reason = self._why_not(told, sources)
        if not reason and text is None:
            reason = "relative-date"
        if reason or text is None:
            self._draft.reject(told.text, reason)
            return None
        doubtful = () if self._verbatim else self._unsupported(text, sources)
        if doubtful:
            self._draft.warn(f"unsupported: {', '.join(doubtful)} in {text!r}")
        days = [source.day for source in sources]
        speakers = {source.speaker for source in sources}
        return Point(
            text,
            cites_of(cite for source in sources for cite in source.cite(told.quotes)),
            section,
            day=max((day for day in days if day), default=None) if all(days) else None,
            speaker=speakers.pop() if len(speakers) == 1 else None,
        )

    def _why_not(self, told: Pointed, sources: Sequence[Shown]) -> str:
        if not told.text.strip():
            return "empty-text"
        if not sources:
            return "no-evidence"
        if is_instruction(told.text) or any(is_instruction(quote.text) for quote in told.quotes):
            return "instruction"
        if not any(spans_of(source, told.quotes) for source in sources):
            return "quote-not-in-source" if told.quotes else "no-quote"
        if all(self._repeats(source, told) for source in sources):
            return "recalled-text"
        return ""

    def _repeats(self, source: Shown, told: Pointed) -> bool:
        if self._recalled is None or source.record is None:
            return False
        quotes = spans_of(source, told.quotes)
        return self._recalled.repeats(source.record, told.text) or self._recalled.around(
            source.record, quotes
        )

    def _dated(self, text: str, sources: Sequence[Shown]) -> str | None:
        """With dates for relative words; rules take whole statements, whose date stands beside."""
        if self._verbatim or not relative_words(text):
            return text
        days = [source.day for source in sources]
        return absolute(text, frozenset(day for day in days if day) if all(days) else frozenset())

    def _unsupported(self, text: str, sources: Sequence[Shown]) -> tuple[str, ...]:
        records = {record.id: record for source in sources for record in source.records}
        days = (source.day for source in sources if source.day)
        return unsupported(text, records.values(), *(one.text for one in sources), *days)


def _joined(known: Point, again: Point) -> Point:
    return replace(known, cites=cites_of((*known.cites, *again.cites)))


def beside(points: Sequence[Point], *names: str) -> dict[str, list[str | None]]:
    """What stands beside the lines of a text, a list for each of `names` that says something.

    Names: sections, speakers, dates.
    """
    lists: dict[str, list[str | None]] = {
        "sections": [point.section or None for point in points],
        "speakers": [point.speaker for point in points],
        "dates": [point.day for point in points],
    }
    return {name: lists[name] for name in names if any(lists[name])}
