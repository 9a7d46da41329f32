"""What was said later and may have ended what answers: shown before it, which is marked.

Written nowhere and decided when it is read, as the newer of two is: it goes by English words and is a
guess.
"""

from collections.abc import Sequence

from memcli.core.options import SearchOptions
from memcli.core.records import Record
from memcli.core.reports import SearchHit
from memcli.core.values import replace
from memcli.kit import ending
from memcli.kit.asked import Asked
from memcli.kit.moments import known_time, parse_time
from memcli.retrieval.newest import time_of
from memcli.retrieval.pool import Candidate
from memcli.retrieval.presenting import Presenter
from memcli.retrieval.view import SearchView
from memcli.retrieval.weights import Weights
from memcli.store import load, texts, turns
from memcli.store.driver import sqlite3
from memcli.store.texts import Among

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
    is marked as stale and names it.

    Only of a question for what is so now, without a time for which it is asked.
    """
    shown = list(hits)
    if not shown or asked.order != "newer" or options.valid_at or options.layer == "derived":
        return shown
    lead = shown[0]
    if lead.status != "current" or lead.superseded_by is not None or time_of(lead) is None:
        return shown
    found = _newest(view, index, lead, asked, options, weights)
    if found is None:
        return shown
    item, record = found
    later = next((hit for hit in shown if hit.id == record.id), None) or _made(
        presenter, item, record, lead
    )
    if later is None or later.status != "current":
        return shown
    marked = replace(lead, status=ENDED, disputed_by=(*lead.disputed_by, later.id))
    return [later, marked, *(hit for hit in shown[1:] if hit.id != later.id)]


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
    options: SearchOptions,
    weights: Weights,
) -> tuple[int, Record] | None:
    """The newest record that tells of an end, and its item."""
    among = Among("raw", view.scope or options.scope)
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
    later = [(item, one) for item, one in records if _is_of_the_same(one, lead)]
    return max(later, key=lambda pair: parse_time(pair[1].said_at or ""), default=None)


def _is_of_the_same(record: Record, lead: SearchHit) -> bool:
    """Whether who says the first result says the record, later."""
    said, then = known_time(record.said_at), time_of(lead)
    if said is None or then is None or parse_time(said) <= parse_time(then):
        return False
    return record.active and record.role == "user" and record.speaker == lead.speaker
