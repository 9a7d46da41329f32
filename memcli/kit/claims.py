"""Facts as a backend tells them, looked at before anything is decided about them.

What comes out is fit to be stored: it rests on records that were shown, its quotes are those
records' own words (C15), its dates are absolute (C16), and it is no order to its reader.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from memcli.core.memories import Memory, Slot
from memcli.core.plan import Cite, Rejection
from memcli.core.records import Record
from memcli.core.values import dataclass, field, replace
from memcli.kit.answers import Quoted, Quoting
from memcli.kit.dates import Begun, absolute
from memcli.kit.draft import Draft
from memcli.kit.guard import Claim, claim_of
from memcli.kit.handles import Voice
from memcli.kit.instructions import is_instruction
from memcli.kit.moments import day_of, format_time, later, parse_time
from memcli.kit.nearkey import near_key
from memcli.kit.quoting import find_quote
from memcli.kit.recalled import Recalled
from memcli.kit.support import unsupported
from memcli.kit.words import listed

KIND = "fact"
# How a subject is written who is whoever speaks.
_SPEAKER = listed("user i me myself we us speaker human")
_DAY = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


class Citable(Protocol):
    """What can be quoted, by its id."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...


class Told(Quoting, Protocol):
    """A fact in an answer; see tasks.extract_facts.Fact."""

    @property
    def by(self) -> Voice: ...
    @property
    def subject(self) -> str: ...
    @property
    def relation(self) -> str | None: ...
    @property
    def object(self) -> str | None: ...
    @property
    def attribute(self) -> str | None: ...
    @property
    def value(self) -> str | None: ...
    @property
    def valid_from(self) -> str | None: ...
    @property
    def valid_to(self) -> str | None: ...
    @property
    def explicit(self) -> bool: ...
    @property
    def change(self) -> bool: ...
    @property
    def related(self) -> Sequence[str]: ...
    @property
    def replaces(self) -> Sequence[str]: ...
    @property
    def unknown(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Found:
    """A fact that may be stored. `ref` names it while it is decided about.

    `valid_from` and `valid_to` are ISO 8601 UTC or None. `doubtful`: what of it no cited record
    holds (C17). `said_at`: when the newest of its records was said. `dated`: the text says since when
    it holds. `ordered`: one of them holds an order to its reader. `relation`, `object`: its triple,
    if it was told. `related`, `replaces`: refs of known memories that it names.
    """

    ref: str
    text: str
    cites: tuple[Cite, ...]
    subject: str = ""
    slot: Slot | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    change: bool = False
    doubtful: tuple[str, ...] = ()
    said_at: str | None = None
    dated: bool = False
    ordered: bool = False
    relation: str | None = None
    object: str | None = None
    related: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()

    @property
    def refs(self) -> tuple[str, ...]:
        """The ids of the records it rests on."""
        return tuple(cite.ref for cite in self.cites)

    def claims_beside(self, memory: Memory) -> tuple[Claim, Claim]:
        """The memory's and its own claim, as the guard takes them.

        A subject or speaker that is not named on one side keeps nothing apart.
        """
        known = replace(claim_of(memory), subject=_named(subject_of(memory)))
        speaker = self.attributes.get("speaker")
        new = Claim(self.text, _named(self.subject), speaker, self.valid_from, self.valid_to)
        if known.subject is None or new.subject is None:
            new = replace(new, subject=known.subject)
        if known.speaker is None or new.speaker is None:
            new = replace(new, speaker=known.speaker)
        return known, new

    def in_slot_of(self, memory: Memory) -> bool:
        """Whether both set the same attribute of the same subject."""
        return self._same_attribute(memory) and not self._of_another(memory)

    def in_slot_of_another(self, memory: Memory) -> bool:
        """Whether both set the same attribute, but of two subjects that are named."""
        return self._same_attribute(memory) and self._of_another(memory)

    def _same_attribute(self, memory: Memory) -> bool:
        if self.slot is None or memory.slot is None:
            return False
        return self.slot.attribute == memory.slot.attribute

    def _of_another(self, memory: Memory) -> bool:
        known, own = _named(subject_of(memory)), _named(self.subject)
        return known is not None and own is not None and known != own


def subject_of(memory: Memory) -> str:
    """Whom a memory is about; "" if it does not say."""
    if memory.slot is not None:
        return memory.slot.subject
    found = memory.attributes.get("subject")
    return found if isinstance(found, str) else ""


def _named(subject: str) -> str | None:
    """A subject for comparing; None if it names nobody."""
    plain = subject.strip().casefold()
    return None if not plain or plain.removeprefix("the ") in _SPEAKER else plain


class _RefusedError(Exception):
    """A fact is refused; the message is the reason's stable word."""


class Vetting:
    """Looks at the facts of one window.

    `roles`: whose words are facts; those of systems and tools never are (mem0ai/mem0#4573).
    `kind`: of the memories that they are to become.
    """

    def __init__(
        self,
        draft: Draft,
        records: Iterable[Record],
        roles: frozenset[str],
        recalled: Recalled,
        *,
        kind: str = KIND,
    ) -> None:
        self._draft = draft
        self._kind = kind
        self._records = {record.id: record for record in records}
        self._roles = roles
        self._recalled = recalled
        self.rejected: list[Rejection] = []

    def all(self, told: Iterable[Told]) -> list[Found]:
        """Those that may be stored, in order; why the others may not is in `rejected`."""
        found = []
        for nth, one in enumerate(told, start=1):
            for handle in one.unknown:
                self.rejected.append(Rejection(f"{handle} in {one.text!r}", "unknown-id"))
            try:
                found.append(self._one(f"fact:{nth}", one))
            except _RefusedError as refused:
                self.rejected.append(Rejection(one.text, str(refused)))
        return found

    def _one(self, ref: str, told: Told) -> Found:
        if not told.text.strip():
            raise _RefusedError("empty-text")
        if is_instruction(told.text) or any(is_instruction(q.text) for q in told.quotes):
            raise _RefusedError("instruction")
        sources, cites = self._sources(told)
        newest = max((r.said_at for r in sources if r.said_at), default=None)
        text = dated(told.text, sources)
        if text is None:
            raise _RefusedError("relative-date")
        if self._draft.tombstoned(self._kind, near_key(text), [cite.ref for cite in cites]):
            raise _RefusedError("tombstoned")
        begun = _moment(told.valid_from, newest)
        start = begun or newest
        end = _moment(told.valid_to, None)
        speakers = {record.speaker for record in sources}
        speaker = speakers.pop() if len(speakers) == 1 else None
        subject = _subject(told.subject, speaker)
        return Found(
            ref=ref,
            text=text,
            cites=cites,
            subject=subject,
            slot=_slot(told, subject),
            valid_from=start,
            valid_to=_end(end, start),
            attributes=_attributes(told, subject, speaker),
            change=told.change,
            doubtful=unsupported(text, sources),
            said_at=newest,
            dated=begun is not None,
            ordered=any(is_instruction(record.text) for record in sources),
            relation=told.relation,
            object=told.object,
            related=tuple(told.related),
            replaces=tuple(told.replaces),
        )

    def _sources(self, told: Told) -> tuple[list[Record], tuple[Cite, ...]]:
        """What the fact rests on, with the quotes that occur (C8, C15, C28)."""
        known = [self._records[ref] for ref in told.sources if ref in self._records]
        if not known:
            raise _RefusedError("no-evidence")
        cites = {record.id: Cite(record.id, spans_of(record, told.quotes)) for record in known}
        if not any(cite.quotes for cite in cites.values()):
            raise _RefusedError("quote-not-in-source" if told.quotes else "no-quote")
        fresh = [one for one in known if not self._repeats(one, told.text, cites[one.id].quotes)]
        if not fresh:
            raise _RefusedError("recalled-text")
        by_others = told.by in ("assistant", "tool") and told.by not in self._roles
        if by_others or not any(record.role in self._roles for record in fresh):
            raise _RefusedError("speaker")
        return fresh, tuple(cites[record.id] for record in fresh)

    def _repeats(self, record: Record, text: str, quotes: Sequence[str]) -> bool:
        if self._recalled.repeats(record, text):
            return True
        return self._recalled.around(record, quotes)


def kept(
    draft: Draft,
    fact: Found,
    *,
    attributes: Mapping[str, Any] | None = None,
    made_by: str | None = None,
    requires: Sequence[str] = (),
) -> str:
    """Add the fact as a memory of its own; gives its draft id. What of it no record holds is told."""
    if fact.doubtful:
        draft.warn(f"unsupported: {', '.join(fact.doubtful)} in {fact.text!r}")
    return draft.add(
        KIND,
        fact.text,
        evidence=fact.cites,
        attributes=fact.attributes if attributes is None else attributes,
        slot=fact.slot,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        made_by=made_by,
        requires=requires,
    )


def redated(found: Found, start: str | None, end: str | None) -> Found:
    """The fact with the dates that were told of it; what was not told stays as it is.

    Of what is over, and nobody says since when, nothing is known but its end.
    """
    begun = _moment(start, found.said_at)
    over = _moment(end, None)
    since = begun or found.valid_from
    if over is not None and begun is None and Begun(over).is_before(Begun(since)):
        since = over
    to = found.valid_to if over is None else _end(over, since)
    told = begun is not None or over is not None
    return replace(found, valid_from=since, valid_to=to, dated=found.dated or told)


def dated(text: str, sources: Sequence[Record]) -> str | None:
    """The text with absolute dates (C16); None if the sources do not give them.

    Words of a record stay as they are, for its date stands beside them.
    """
    if any(_span(record.text, text) for record in sources):
        return text
    times = [record.said_at for record in sources]
    days = frozenset(day_of(time) for time in times if time)
    return absolute(text, days if all(times) else frozenset())


def _span(text: str, quote: str) -> str | None:
    """The words of `text` that `quote` is, runs of white space taken as one blank."""
    found = find_quote(text, quote)
    return None if found is None else text[slice(*found)]


def spans_of(source: Citable, quotes: Iterable[Quoted]) -> tuple[str, ...]:
    """The source's own words that these quotes are, those that occur in it (C15)."""
    own = (_span(source.text, quote.text) for quote in quotes if quote.source == source.id)
    return tuple(dict.fromkeys(span for span in own if span))


def _moment(given: str | None, said_at: str | None) -> str | None:
    """A time as records have it.

    A day, month or year that the record was said in stands for the record's time.
    """
    text = (given or "").strip()
    if not text:
        return None
    if _DAY.fullmatch(text):
        if said_at is not None and day_of(said_at).startswith(text):
            return said_at
        text = (text + "-01-01")[:10]
    try:
        return format_time(parse_time(text))
    except (ValueError, OverflowError):
        return None


def _end(end: str | None, start: str | None) -> str | None:
    """An end that is not before the start; none, where what is told is the other way round."""
    if end is None or start is None:
        return end
    return None if Begun(end).is_before(Begun(start)) else later(end, start)


def _subject(given: str, speaker: str | None) -> str:
    """The speaker's name for all words that mean whoever speaks; "user" where nobody has one."""
    plain = given.strip()
    if _named(plain) is None:
        return speaker or "user"
    if speaker is not None and plain.casefold() == speaker.casefold():
        return speaker
    return plain


def _slot(told: Told, subject: str) -> Slot | None:
    if not (told.attribute and told.attribute.strip() and told.value and told.value.strip()):
        return None
    return Slot(subject, told.attribute.strip(), told.value.strip())


def _attributes(told: Told, subject: str, speaker: str | None) -> dict[str, Any]:
    """What stands beside the text; a slot has its subject in itself."""
    found: dict[str, Any] = {} if _slot(told, subject) else {"subject": subject}
    if speaker is not None:
        found["speaker"] = speaker
    if told.by != "user":
        found["by"] = told.by
    if not told.explicit:
        found["explicit"] = False
    return found
