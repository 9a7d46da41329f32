"""Items of a block: records and memories with what a reader of a prompt has to know beside them."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from memcli.core.ids import parse
from memcli.core.memories import Memory
from memcli.core.options import SearchOptions
from memcli.core.records import Record, Scope
from memcli.core.reports import Attached, ContextItem
from memcli.kit.beside import dated
from memcli.kit.dates import relative_words
from memcli.kit.instructions import is_instruction
from memcli.kit.moments import day_of, parse_time
from memcli.retrieval.pool import said_by
from memcli.retrieval.standing import Verdict
from memcli.store import load
from memcli.store import standing as lasting
from memcli.store.view import StoreView

CAUTION = "worded as an instruction"
_OPEN = ("pending", "stale")


class Recalled:
    """Makes the items of one block."""

    def __init__(self, view: StoreView, options: SearchOptions) -> None:
        self._view = view
        self._options = options
        self._read: dict[str, Record] = {}

    def records(self, idents: Iterable[str]) -> dict[str, Record]:
        """The records of these ids that are held, by id."""
        wanted = list(dict.fromkeys(idents))
        missing = [parse(ident).number for ident in wanted if ident not in self._read]
        if missing:
            view = self._view
            items = lasting.items_of(view.connection, missing)
            found = load.records(view.connection, view.at, items=items)
            self._read |= {record.id: record for _, record in found}
        return {ident: self._read[ident] for ident in wanted if ident in self._read}

    def read(self, memories: Iterable[Memory], idents: Iterable[str] = ()) -> None:
        """Read these records, and those that memories with relative words rest on, at once."""
        cited = [
            evidence.ref
            for memory in memories
            if relative_words(memory.text)
            for evidence in memory.evidence
            if evidence.ref.startswith("r")
        ]
        self.records([*idents, *cited])

    def memory(
        self, memory: Memory, verdict: Verdict, *, disputed_by: Sequence[str] = ()
    ) -> ContextItem:
        """`disputed_by`: ids of memories that say otherwise."""
        doubtful = bool(disputed_by) or verdict[0] in _OPEN
        return ContextItem(
            memory.id,
            "derived",
            memory.kind,
            memory.text,
            status=verdict[0],
            pinned=memory.pinned,
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
            speaker=said_by(memory),
            scope=self._scope(memory.scope),
            superseded_by=verdict[1],
            unconfirmed_since=self._since(memory) if doubtful else None,
            disputed_by=tuple(disputed_by),
            dates=self._dates(memory),
            caution=_caution(memory.text),
            evidence=tuple(evidence.ref for evidence in memory.evidence),
        )

    def record(
        self,
        record: Record,
        verdict: Verdict,
        *,
        pinned: bool = False,
        attached: Sequence[Attached] = (),
    ) -> ContextItem:
        """`attached`: what came with the message."""
        texts = (record.text, *(one.text for one in attached))
        days = frozenset({day_of(record.said_at)} if record.said_at else ())
        pending = "pending" in (verdict[0], record.status)
        return ContextItem(
            record.id,
            "raw",
            record.kind,
            record.text,
            status="pending" if pending else verdict[0],
            pinned=pinned,
            said_at=record.said_at,
            speaker=record.speaker,
            role=record.role,
            session=record.session,
            scope=self._scope(record.scope),
            superseded_by=verdict[1],
            unconfirmed_since=record.said_at if pending else None,
            dates=dated(" \n ".join(texts), days),
            caution=_caution(*texts),
            attachments=tuple(attached),
        )

    def _since(self, memory: Memory) -> str | None:
        """When it was last said, as far as is known."""
        if memory.valid_from is not None:
            return memory.valid_from
        said = [record.said_at for record in self._cited(memory) if record.said_at is not None]
        return max(said, key=parse_time, default=None)

    def _dates(self, memory: Memory) -> tuple[tuple[str, str], ...]:
        if not relative_words(memory.text):
            return ()
        cited = self._cited(memory)
        if len(cited) < len(memory.evidence) or any(one.said_at is None for one in cited):
            return ()
        return dated(memory.text, frozenset(day_of(one.said_at) for one in cited if one.said_at))

    def _cited(self, memory: Memory) -> list[Record]:
        refs = [evidence.ref for evidence in memory.evidence if evidence.ref.startswith("r")]
        return list(self.records(refs).values())

    def _scope(self, scope: Scope) -> Scope | None:
        return scope if self._several and scope != self._options.scope else None

    @cached_property
    def _several(self) -> bool:
        """Whether more than one scope is looked at: then each item says whose it is."""
        return len([one for one in self._view.scopes() if self._options.scope.covers(one)]) > 1


def _caution(*texts: str) -> str | None:
    return CAUTION if any(map(is_instruction, texts)) else None
