"""The search: what words and vectors find over both layers, scored, and shown as results."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from operator import mul
from typing import Literal, Protocol

from memcli.core.options import SearchOptions
from memcli.core.reports import LeftOut, SearchHit, SearchReport, Understood
from memcli.core.values import dataclass
from memcli.kit import asked as asking
from memcli.kit.asked import Asked
from memcli.kit.periods import Period, periods
from memcli.retrieval import answering
from memcli.retrieval import pool as pooling
from memcli.retrieval.anchors import Anchor, anchor
from memcli.retrieval.ending import ended
from memcli.retrieval.nearwords import scores_with_akin
from memcli.retrieval.newest import Cosine, Why, brought_first, lead_of
from memcli.retrieval.pool import Candidate, Pool
from memcli.retrieval.presenting import Presenter
from memcli.retrieval.ranks import Setting, ranked
from memcli.retrieval.scoring import Scale, score_all
from memcli.retrieval.view import SearchView
from memcli.retrieval.weights import RECIPE, Weights
from memcli.store import texts, turns
from memcli.store.driver import sqlite3
from memcli.store.texts import Among

_GONE = (("faded", "has faded", "have faded"), ("lapsed", "has lapsed", "have lapsed"))


class QueryEmbedder(Protocol):
    """What turns a question into a vector that may be compared with the store's.

    `fusion`: how much its cosine counts beside words (0..2), as measured for this embedder.
    """

    @property
    def fusion(self) -> float:
        """See above."""
        ...

    @property
    def related(self) -> float:
        """The cosine from which on two texts may be about one topic."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of unit length, one a text; zero for an empty one."""
        ...


@dataclass(frozen=True, slots=True)
class _Found:
    """item -> -bm25, item -> cosine, the speakers and times named, what there is to say."""

    words: Mapping[int, float]
    near: Mapping[int, float]
    named: frozenset[str]
    times: tuple[Period, ...]
    anchor: Anchor | None
    warnings: tuple[str, ...]


def search(
    view: SearchView,
    query: str,
    options: SearchOptions = SearchOptions(),
    embedder: QueryEmbedder | None = None,
    *,
    weights: Weights = RECIPE,
) -> SearchReport:
    """The best `options.k` for `query`. Keys of the scope that are not given do not narrow; a view
    of one scope sees that scope alone.

    Without `embedder` words alone decide. A text index that cannot be used is done without, and the
    report says so.
    """
    if not options.vectors:
        embedder = None
    with _index(view) as index:
        return _search(view, index, query, options, embedder, weights)


def _search(
    view: SearchView,
    index: "sqlite3.Connection",
    query: str,
    options: SearchOptions,
    embedder: QueryEmbedder | None,
    weights: Weights,
) -> SearchReport:
    read = asking.read(query)
    found, asked = _find(view, index, read, options, embedder, weights)
    pool = pooling.gather(
        view,
        found.words,
        found.near,
        derived=options.layer != "raw",
        neighbours=weights.neighbours,
    )
    ranked = _ranked(view, pool, asked, found, options, embedder, weights)
    presenter = Presenter(view, asked, options)
    hits = presenter.hits(ranked)
    first: Why = "score"
    placed = hits
    if options.newest and options.rank == "recipe":
        near = None if embedder is None else _cosine(embedder)
        place, first = lead_of(hits, asked, found.times, near, found.anchor, weights)
        hits = brought_first(hits, place)
        placed = ended(view, index, hits, asked, options, presenter, weights)
    shown, left_out = presenter.packed(placed)
    match = answering.match_of(
        asked,
        [word for word in read.words if word not in asked.words],
        # Whether there is an answer does not hang on for how much of it there is room.
        placed[: max(options.k, answering.LOOKED_AT)],
        options.floor,
        lambda words: _absent(view, index, words, options),
    )
    return SearchReport(
        query,
        tuple(shown),
        warnings=(*found.warnings, *_better_ones(shown, left_out)),
        left_out=left_out,
        understood=_understood(asked, found, _why_first(shown, placed, hits, first)),
        match=match,
    )


def _why_first(
    shown: Sequence[SearchHit], placed: Sequence[SearchHit], hits: Sequence[SearchHit], why: Why
) -> Why | Literal["ends"]:
    """Why the first result shown stands there: `why` is of the first of `hits`, and of `placed`
    it is what may have ended that."""
    if not shown or shown[0].id == hits[0].id:
        return why if shown else "score"
    return "ends" if shown[0].id == placed[0].id else "score"


def _absent(
    view: SearchView, index: "sqlite3.Connection", words: Sequence[str], options: SearchOptions
) -> list[str]:
    """Those of the words that no text holds; none, where the text index cannot be used."""
    try:
        return texts.absent(index, words, Among(options.layer, view.scope or options.scope))
    except texts.UnusableIndexError:
        return []


def _better_ones(hits: Sequence[SearchHit], left_out: Sequence[LeftOut]) -> Iterator[str]:
    """What to say where something ranked above all that is shown, and has faded or lapsed: who
    does not know that it is there would take the rest for all there is."""
    best = max((hit.score for hit in hits), default=0.0)
    for status, one, many in _GONE:
        count = sum(out.reason == status and out.score > best for out in left_out)
        if count:
            some = f"1 better result {one}" if count == 1 else f"{count} better results {many}"
            it = "it" if count == 1 else "them"
            yield f"{some}; --include {status} shows {it}"


def _find(
    view: SearchView,
    index: "sqlite3.Connection",
    asked: Asked,
    options: SearchOptions,
    embedder: QueryEmbedder | None,
    weights: Weights,
) -> tuple[_Found, Asked]:
    among = Among(options.layer, view.scope or options.scope)
    times = periods(asked.text, options.now)
    told: Anchor | None = None
    try:
        spoken = turns.speakers(index, asked.words, among)
        asked = asked.without(spoken)
        # What is asked of the past may lie far back.
        whole = asked.order != "newer" or bool(times) or options.valid_at is not None
        scores = scores_with_akin(index, asked.words, among, weights, whole=whole)
        if not times:
            told = anchor(view.connection, index, asked, among, weights)
        warnings: tuple[str, ...] = ()
    except texts.UnusableIndexError as error:
        spoken, scores = {}, dict(texts.scan(view.connection, asked.words, among))
        warnings = (
            f"the text index cannot be used ({error}), so the texts were read: mem reindex",
        )
    near: Mapping[int, float] = {}
    if embedder is not None and asked.words:
        near = view.near(embedder.embed([" ".join(asked.words)])[0], weights.candidates, among)
    named = frozenset[str]().union(*spoken.values())
    return _Found(scores, near, named, times, told, warnings), asked


@contextlib.contextmanager
def _index(view: SearchView) -> "Iterator[sqlite3.Connection]":
    """The text index as of the view."""
    if view.newest:
        yield view.connection
        return
    made = texts.as_of(view.connection, view.at)
    try:
        yield made
    finally:
        made.close()


def _ranked(
    view: SearchView,
    pool: Pool,
    asked: Asked,
    found: _Found,
    options: SearchOptions,
    embedder: QueryEmbedder | None,
    weights: Weights,
) -> list[Candidate]:
    since = () if found.anchor is None or found.anchor.before else (found.anchor.period,)
    dated = found.times or since
    scored = score_all(
        pool,
        asked,
        named=found.named,
        periods=dated,
        texts=lambda candidates: _texts(view, candidates),
        cosine=Scale()
        if embedder is None
        else Scale(embedder.fusion, _unrelated(embedder, weights)),
        weights=weights,
    )
    if options.rank == "recipe":
        return scored
    now = options.now or max((c.said_at for c in scored if c.said_at), default="")
    vectors = any(candidate.cosine is not None for candidate in scored)
    setting = Setting(view, asked, dated, now, _texts(view, scored), vectors, options.recency)
    return ranked(options.rank, scored, setting)


def _unrelated(embedder: QueryEmbedder, weights: Weights) -> float:
    """About the cosine of two texts that have nothing to do with each other: as far below what
    counts as related as models were found to put it, those too whose cosines are all high."""
    return 1 - weights.spread * (1 - embedder.related)


def _texts(view: SearchView, found: Sequence[Candidate]) -> dict[int, str]:
    """item -> text of each candidate."""
    said = turns.texts_of(view.connection, [c.item for c in found if c.memory is None])
    return said | {c.item: c.memory.text for c in found if c.memory is not None}


def _cosine(embedder: QueryEmbedder) -> Cosine:
    def cosine(one: str, two: str) -> float:
        left, right = embedder.embed([" ".join(asking.read(text).words) for text in (one, two)])
        return float(sum(map(mul, left, right)))

    return cosine


def _understood(asked: Asked, found: _Found, first: str) -> Understood:
    told = () if found.anchor is None else (str(found.anchor),)
    times = (*map(str, found.times), *told)
    return Understood(asked.words, tuple(sorted(found.named)), times, asked.order, first)
