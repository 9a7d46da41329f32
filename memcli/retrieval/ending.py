"""What was said later and may have ended what answers: shown before it, which is marked.

Written nowhere and decided when it is read, as the newer of two is: it goes by English words and is a
guess.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import pairwise

from memcli.core.ids import memory_of, parse
from memcli.core.memories import Memory
from memcli.core.options import SearchOptions
from memcli.core.records import Record
from memcli.core.reports import SearchHit
from memcli.core.values import replace
from memcli.kit import ending
from memcli.kit.asked import Asked
from memcli.kit.moments import known_time, parse_time
from memcli.retrieval.newest import time_of
from memcli.retrieval.pool import Candidate
from memcli.retrieval.presenting import Presenter, ends
from memcli.retrieval.view import SearchView
from memcli.retrieval.weights import Weights
from memcli.store import load, texts, turns
from memcli.store import standing as lasting
from memcli.store.driver import sqlite3
from memcli.store.texts import Among
from memcli.store.view import StoreView

_MOVES = ("moved", "relocated")
ENDED = "stale"


def ended(
    view: SearchView,
    index: "sqlite3.Connection",
    hits: Sequence[SearchHit],
    asked: Asked,
    options: SearchOptions,
    presenter: Presenter,
    weights: Weights,
) -> list[SearchHit]:
    """`hits`; where a record tells of what may have ended the first one, with it before that, which
    is marked as stale and names it, as all do that rest on the same and say what ended.

    Only of a question for what is so now, without a time for which it is asked.
    """
    shown = list(hits)
    if not shown or asked.order != "newer" or options.valid_at or options.layer == "derived":
        return shown
    lead = shown[0]
    if not _is_open(lead) or (lead.layer == "raw" and time_of(lead) is None):
        return shown
    found = _newest(view, index, lead, asked, weights)
    if found is None:
        return shown
    item, record = found
    later = next((hit for hit in shown if hit.id == record.id), None) or _made(
        presenter, item, record, lead
    )
    if later is None or later.status != "current":
        return shown
    over = Over(view, lead, record, asked)
    rest = [
        over.marked(hit) if _is_open(hit) and over.takes(hit.id, hit.text, hit.evidence) else hit
        for hit in shown[1:]
        if hit.id != later.id
    ]
    return [later, over.marked(lead), *rest]


class Over:
    """What else may be over where `lead` may be, by what `later` says."""

    def __init__(self, view: StoreView, lead: SearchHit, later: Record, asked: Asked) -> None:
        self._view, self._later, self._asked = view, later, asked
        self._named = "speaker" in lead.parts
        self.later = later.id
        self._bases = frozenset({lead.id, *map(memory_of, lead.evidence)})

    def marked(self, hit: SearchHit) -> SearchHit:
        """The result as one that may be over."""
        return replace(hit, status=ENDED, disputed_by=(*hit.disputed_by, self.later))

    def takes(self, ident: str, text: str, evidence: Collection[str]) -> bool:
        """Whether it rests on the same as the lead, says what ended, and was not said again since.

        `ident`, `text`, `evidence`: of a result or a memory.
        """
        if self._bases.isdisjoint({ident, *map(memory_of, evidence)}):
            return False
        told, said = ending.spoken_of(text, self._asked), known_time(self._later.said_at)
        if not ending.may_end(told, self._later.text, self._asked, named=self._named):
            return False
        last = _last(sources(self._view, evidence))
        return said is not None and (last is None or last < parse_time(said))


def over_in(view: StoreView, hits: Sequence[SearchHit], asked: Asked) -> "Over | None":
    """What may be over by the first of the results that says so, if one of them does."""
    for later, lead in pairwise(hits[:2]):
        record = view.get(later.id) if ends(later, lead) else None
        if isinstance(record, Record):
            return Over(view, lead, record, asked)
    return None


def sources(view: StoreView, evidence: Collection[str]) -> list[Record]:
    """The records on which something rests in the end, over memories of memories."""
    refs, seen, numbers = list(evidence), set[str](), set[int]()
    while refs:
        ref = refs.pop()
        if ref in seen:
            continue
        seen.add(ref)
        if ref.startswith("r"):
            numbers.add(parse(ref).number)
        elif isinstance(memory := view.get(ref), Memory):
            refs += [one.ref for one in memory.evidence]
    if not numbers:
        return []
    items = lasting.items_of(view.connection, numbers)
    return [record for _, record in load.records(view.connection, view.at, items=items)]


def _last(records: Collection[Record]) -> datetime | None:
    """When the last of them was said, as far as is known."""
    times = [known_time(record.said_at) for record in records]
    return max((parse_time(time) for time in times if time is not None), default=None)


def _is_open(hit: SearchHit) -> bool:
    return hit.status == "current" and hit.superseded_by is None


def _made(presenter: Presenter, item: int, record: Record, lead: SearchHit) -> SearchHit | None:
    made_of = (("ended", lead.score),)
    candidate = Candidate(
        item, record.said_at, record.speaker, record.role, made_of=made_of, score=lead.score
    )
    return next((hit for hit in presenter.hits([candidate]) if hit.id == record.id), None)


def _newest(
    view: SearchView,
    index: "sqlite3.Connection",
    lead: SearchHit,
    asked: Asked,
    weights: Weights,
) -> tuple[int, Record] | None:
    """The newest record that tells of an end, and its item."""
    among = Among("raw", lead.scope)
    told = ending.spoken_of(lead.text, asked)
    items: list[int] = []
    try:
        if spoken := ending.telling(told, asked):
            items += texts.newest(index, ending.CUES, spoken, weights.ends, among)
        if ending.may_move(told, asked):
            items += texts.newest(index, _MOVES, (), weights.ends, among)
    except texts.UnusableIndexError:
        return None
    named = "speaker" in lead.parts
    said = turns.texts_of(view.connection, items)
    telling = [
        item for item, text in said.items() if ending.may_end(told, text, asked, named=named)
    ]
    if not telling:
        return None
    records = load.records(view.connection, view.at, items=telling)
    same = _Same(view, lead)
    later = [(item, one) for item, one in records if same.says(one)]
    return max(later, key=lambda pair: parse_time(pair[1].said_at or ""), default=None)


class _Same:
    """Who said the first result, when last, and of whom."""

    def __init__(self, view: StoreView, lead: SearchHit) -> None:
        records = sources(view, lead.evidence)
        said = time_of(lead)
        times = (None if said is None else parse_time(said), _last(records))
        self._last = max((time for time in times if time is not None), default=None)
        self._scope = lead.scope
        # A memory that tells of somebody has no speaker of its own.
        drawn = {one.speaker for one in records if one.role == "user"}
        self._speakers = drawn if lead.speaker is None and drawn else {lead.speaker}

    def says(self, record: Record) -> bool:
        """Whether the same one says the record later, in the same scope: the words of one user
        end nothing of another's."""
        said = known_time(record.said_at)
        if said is None or self._last is None or parse_time(said) <= self._last:
            return False
        if not record.active or record.role != "user" or record.scope != self._scope:
            return False
        return record.speaker in self._speakers
