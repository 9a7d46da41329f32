"""What a question finds: as hits, and as a block for a prompt."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from memcli.api.configured import embedder_table
from memcli.api.opened import Opened
from memcli.core.options import LAYERS, SearchOptions, included
from memcli.core.records import Scope
from memcli.core.values import replace
from memcli.engine import finding
from memcli.engine.clock import parse_now
from memcli.engine.points import resolve_point
from memcli.engine.scoping import unmatched
from memcli.errors import StoreError, UsageError
from memcli.retrieval.ranks import RANKS
from memcli.store import file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memcli.core.reports import ContextReport, SearchReport


class Part(Opened):
    """The methods of `Store` that answer a question."""

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        layer: Literal["both", "raw", "derived"] = "both",
        scope: Scope | None = None,
        include: Sequence[str] = (),
        rank: str = "recipe",
        budget: int | None = None,
        valid_at: str | None = None,
        known_at: str | None = None,
        newest: bool = True,
        recency: bool = True,
        vectors: bool = True,
        floor: float = 0.55,
        log_recall: bool = False,
    ) -> SearchReport:
        """The best `k` records and memories for a question, within `budget` tokens.

        `include`: superseded, faded, lapsed. `valid_at`: what was true then (ISO 8601); `known_at`:
        what the store held at a point. `rank`: one of `ranks()`. `newest`: of two that answer
        alike, the newer first where the question asks for that. `recency` False: the rank `mem0-v3`
        does not count age. `vectors` False: by words alone. `floor`: the share of what is asked for
        (0..1) that one result has to say, for the report's match not to be weak.

        Keys of `scope` that are not given do not narrow. Without one all scopes are searched.
        `log_recall` notes what was found as recalled now; nothing else of a search is ever written.
        Raises UsageError, and StoreError if that cannot be noted. An embedder that cannot be used is
        told of and done without.
        """
        _must_ask(query, "mem search")
        options = _options(
            self,
            k=k,
            layer=layer,
            scope=scope or Scope(),
            include=included(include),
            rank=rank,
            budget=budget,
            valid_at=valid_at,
            newest=newest,
            recency=recency,
            vectors=vectors,
            floor=floor,
        )
        with _searched(self, known_at, scope, vectors, log_recall) as (desk, notes):
            report = finding.search(desk, query, options)
            _log_recalls(self, log_recall, (hit.id for hit in report.results))
            return replace(report, warnings=(*report.warnings, *notes))

    def context(
        self,
        query: str,
        *,
        budget: int = 2000,
        format: Literal["markdown", "xml", "json"] = "markdown",
        scope: Scope | None = None,
        valid_at: str | None = None,
        known_at: str | None = None,
        vectors: bool = True,
        floor: float = 0.55,
        log_recall: bool = False,
    ) -> ContextReport:
        """What is known about something as a block for a prompt: `block` of the report, of at most
        `budget` tokens (characters / 4), written as `format`.

        The rest is as for a search. Raises UsageError, also for a budget that holds not even an
        empty block.
        """
        from memcli.engine.recalling import recall
        from memcli.render.context import FORMATS, layout

        if format not in FORMATS:
            raise UsageError(
                f"There is no format {format!r}.", where="format", hint=f"one of {FORMATS}"
            )
        _must_ask(query, "mem context")
        options = _options(
            self, scope=scope or Scope(), valid_at=valid_at, vectors=vectors, floor=floor
        )
        with _searched(self, known_at, scope, vectors, log_recall) as (desk, notes):
            report = recall(desk, query, options, budget, layout(format), notes)
            items = (item.id for section in report.sections for item in section.items)
            _log_recalls(self, log_recall, items)
            return report


def _must_ask(query: str, where: str) -> None:
    if not query.strip():
        raise UsageError("There is no question.", where=where, hint=f'{where} "some words"')


def _options(store: Opened, **given: Any) -> SearchOptions:
    options = SearchOptions(now=store._clock(), **given)
    if options.k < 1:
        raise UsageError(f"-k {options.k} asks for nothing.", where="-k", hint="give 1 or more")
    if options.budget is not None and options.budget < 1:
        raise UsageError(
            f"A budget of {options.budget} tokens holds nothing.",
            where="--budget",
            hint="give 1 or more",
        )
    if options.layer not in LAYERS:
        raise UsageError(
            f"There is no layer {options.layer!r}.",
            where="--layer",
            hint=f"one of {', '.join(LAYERS)}",
        )
    if not isinstance(options.scope, Scope):
        raise UsageError(
            f"A scope is no {type(options.scope).__name__}.",
            where="--scope",
            hint='give Scope(user="ada")',
        )
    if not 0 <= options.floor <= 1:
        raise UsageError(
            f"A floor of {options.floor} is no share.", where="--floor", hint="give 0 to 1"
        )
    if options.rank not in RANKS:
        raise UsageError(
            f"There is no ranking {options.rank!r}.",
            where="--rank",
            hint="one of " + ", ".join(RANKS),
        )
    if options.valid_at is not None:
        moment = parse_now(options.valid_at, where="--valid-at")
        options = replace(options, valid_at=moment)
    return options


@contextmanager
def _searched(
    store: Opened, known_at: str | None, scope: Scope | None, vectors: bool, log_recall: bool
) -> Iterator[tuple[finding.Searched, tuple[str, ...]]]:
    """The state that is searched, and what there is to say about its scopes."""
    with file.errors_of(store.path):
        at = store._head() if known_at is None else resolve_point(store._connection, known_at)
        table = embedder_table if vectors else None
        with finding.searched(store._connection, at, table) as searched:
            notes = unmatched(searched.view, scope)
            if scope is None and (count := len(searched.view.scopes())) > 1:
                notes = (f"this searched all {count} scopes; --scope names one",)
            if log_recall:
                _may_log(store)
            yield searched, notes


def _may_log(store: Opened) -> None:
    """Raise StoreError, before anything is searched, where recalls cannot be noted."""
    try:
        store._recording()
    except StoreError as error:
        raise StoreError(
            f"Recalls cannot be logged. {error.what}",
            where=error.where,
            hint="leave --log-recall out, or copy the store to where it can be written",
        ) from error


def _log_recalls(store: Opened, wanted: bool, found: Iterable[str]) -> None:
    """Note what was found, in a short transaction of its own."""
    refs = dict.fromkeys(found) if wanted else {}
    if refs:
        from memcli.store import uses
        from memcli.store.write import transaction

        connection = store._recording()
        with transaction(connection, relaxed=True):
            uses.log_recalls(connection, list(refs), store._clock())
