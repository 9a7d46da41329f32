"""The Python interface: `open_store` and `Store`. The command line uses nothing else.

with open_store("memory.db", mode="create") as store:
    store.ingest(["transcripts/"])
    report = store.consolidate("reflect")
    store.rollback(report.pass_id)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from memcli import config
from memcli.core.records import Scope
from memcli.engine.points import resolve_point
from memcli.errors import BusyError, ExistsError, StoreError, UsageError
from memcli.store import file, journal
from memcli.store.view import StoreView

if TYPE_CHECKING:
    from types import TracebackType

    from memcli.core.calls import Which
    from memcli.core.journal import Pass, Usage
    from memcli.core.options import ReadOptions, SearchOptions
    from memcli.core.reports import (
        AuditReport,
        BadUnit,
        CallsReport,
        CompareReport,
        ConsolidateReport,
        ContextReport,
        DiffReport,
        DigestReport,
        DoctorReport,
        Due,
        EstimateReport,
        EvalReport,
        ForgetReport,
        HistoryReport,
        IngestReport,
        InitReport,
        ReindexReport,
        RollbackReport,
        SearchReport,
        ShowReport,
        StrategyInfo,
        WhyNode,
    )
    from memcli.engine import finding
    from memcli.engine.consolidating import Desk, Tables, Wish
    from memcli.engine.embedders import Table
    from memcli.engine.embedding import StoreEmbedder
    from memcli.engine.ingest import Input
    from memcli.gateway.model import Calls
    from memcli.store.calls import StoredCalls
    from memcli.store.driver import sqlite3

# Modules that only some commands need are imported where they are called: a start of `mem show`
# pays for what it shows.

# `read-any` reads a store if there is one: a dry run of an ingest needs none.
Mode = Literal["read", "write", "create", "read-any"]
# Called with the bytes read so far and their total (None if it is not known).
ProgressCallback = Callable[[int, int | None], None]


def _ignored(unit: BadUnit) -> None:
    """What is told of what is passed over, where nobody asks."""


class Store:
    """One open store file. Use as a context manager; see `open_store`."""

    def __init__(self, path: Path, mode: Mode, now: str | None) -> None:
        self.path = path
        self._mode = mode
        self._given_now = now
        self._open: sqlite3.Connection | None = None
        self._recorder: sqlite3.Connection | None = None
        self._log: StoredCalls | None = None  # of the newest pass
        self._stamp: tuple[int, int] | None = None
        self._created = False

    def __enter__(self) -> Store:
        if self._mode == "read" or (self._mode == "read-any" and file.exists(self.path)):
            self._open = file.open_read(self.path)
            if not file.writable(self.path):
                self._stamp = file.stamp(self.path)
        elif self._mode == "read-any":
            pass
        elif self._mode == "write" or file.exists(self.path):
            self._open = file.open_write(self.path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._open is not None:
            file.close(self._open, wrote=self._mode in ("write", "create"))
            self._open = None
        if self._recorder is not None:
            file.close(self._recorder, wrote=True)
            self._recorder = None
        stamp, self._stamp = self._stamp, None
        if error is None and stamp is not None and file.stamp(self.path) != stamp:
            raise BusyError(
                "The store changed while it was being read from where it cannot be locked.",
                where=str(self.path),
                hint="run the command again; nothing was written",
            )

    # --- writing --------------------------------------------------------------------------------

    def ingest(
        self,
        sources: Sequence[str],
        *,
        format: str | None = None,
        scope: Scope = Scope(),
        options: ReadOptions | None = None,
        redact: bool = True,
        dry_run: bool = False,
        stdin: BinaryIO | None = None,
        progress: ProgressCallback | None = None,
        embedded: ProgressCallback | None = None,
    ) -> IngestReport:
        """Read transcripts into records, as one pass. A path `-` reads `stdin`.

        `progress` is called with the bytes read and their number; `embedded` with texts, where an
        embedder takes its time: its vectors are made when the records are stored.
        Raises InputError if a source cannot be read or is no transcript: then nothing is stored.
        """
        from memcli.core.options import ReadOptions
        from memcli.engine.inputs import inputs

        options = ReadOptions() if options is None else options
        # All sources are looked at before the store is: what is no transcript changes nothing.
        found = inputs(sources, format=format, options=options, stdin=stdin, progress=progress)
        return self._ingest(found, scope, redact=redact, dry_run=dry_run, embedded=embedded)

    def _ingest(
        self,
        found: Iterable[Input],
        scope: Scope,
        *,
        redact: bool,
        dry_run: bool,
        embedded: ProgressCallback | None = None,
    ) -> IngestReport:
        from memcli.engine.embedding import embedding, mismatch
        from memcli.engine.ingest import Ingest
        from memcli.store import vectors

        with (
            file.errors_of(self.path),
            self._for_writing(dry_run) as connection,
            self._embedder(connection) as embedder,
        ):
            run = Ingest(
                connection,
                self.path,
                make=self._writable,
                given=scope,
                redact=redact,
                # Those that take their time are made when the records are safe.
                embed=_none
                if embedder.late
                else embedding(connection, embedder, lambda why: run.warnings.append(why)),
            )
            if warning := mismatch(connection, embedder):
                run.warnings.append(warning)
            before = 0 if connection is None else vectors.newest(connection)
            report = run.run(found, now=self._now(), dry_run=dry_run)
            return self._embedded(report, embedder, before, embedded)

    def _embedded(
        self,
        report: IngestReport,
        embedder: StoreEmbedder,
        before: int,
        told: ProgressCallback | None,
    ) -> IngestReport:
        """Embed the items > `before` that an ingest stored, if that is still to be done."""
        from memcli.engine.reindexing import after_ingest

        if not embedder.late or report.pass_id is None:
            return report

        said = after_ingest(self._connection, self.path, embedder, before, told)
        return replace(report, warnings=(*report.warnings, *said))

    def add(
        self,
        text: str,
        *,
        role: str = "user",
        speaker: str | None = None,
        session: str | None = None,
        said_at: str | None = None,
        scope: Scope = Scope(),
        redact: bool = True,
    ) -> IngestReport:
        """Store one record. `said_at` defaults to `now`; `session` to "shell"."""
        from memcli.engine.inputs import typed

        moment = self._clock() if said_at is None else _parse_now(said_at, where="--said-at")
        found = typed(text, role=role, speaker=speaker, session=session, said_at=moment)
        return self._ingest([found], scope, redact=redact, dry_run=False)

    def consolidate(
        self,
        strategy: str,
        *,
        params: Mapping[str, str] | None = None,
        model: str | None = None,
        calls: Calls = "reuse",
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        since: str | None = None,
        session: str | None = None,
        scope: Scope | None = None,
        dry_run: bool = False,
        if_due: bool = False,
        again: bool = False,
        gate: bool = False,
        plan: str | Path | None = None,
        progress: Callable[[Usage], None] | None = None,
    ) -> ConsolidateReport:
        """Run one pass. `gate` refuses it if an audit of the result finds an error.

        `model` answers (else the one of `mem.toml`, else rules). `calls`: `reuse` takes recorded
        answers and asks for the rest, `fresh` asks again, `none` never asks. The budget stops
        before the call that would cross it. `progress` is called as answers arrive.

        With `plan`, a path, nothing is applied: what the pass would do is written there, to be
        reviewed (see apply_plan); `plan` of the report is the path, None if there is nothing to do.

        Without `scope` each scope is consolidated by itself. Raises UsageError, RefusedError,
        MovedError, GatewayError; then nothing was written.
        """
        from memcli.engine import consolidating

        wish = self._wish(
            strategy,
            params=params,
            model=model,
            calls=calls,
            max_calls=max_calls,
            max_tokens=max_tokens,
            max_usd=max_usd,
            since=since,
            session=session,
            scope=scope,
            dry_run=dry_run,
            if_due=if_due,
            again=again,
            gate=gate,
            plan=None if plan is None else _plan_writer(Path(plan), dry_run=dry_run, gate=gate),
        )
        with file.errors_of(self.path, self._written), self._desk(progress) as desk:
            return consolidating.consolidate(desk, wish)

    def forget(
        self,
        *,
        policy: str | None = None,
        params: Mapping[str, str] | None = None,
        scope: Scope | None = None,
        dry_run: bool = False,
        if_due: bool = False,
    ) -> ForgetReport:
        """Fade what is no longer used, and bring back what is, as one pass (strategy `forget`).

        A dry run lists every item with its value. Raises UsageError, and RefusedError where nothing
        is left but records that no pass has settled.
        """
        from memcli.engine import forgetting

        given = dict(params or {}) | ({} if policy is None else {"policy": policy})
        wish = self._wish(
            "forget",
            params=given,
            since=None,
            session=None,
            scope=scope,
            dry_run=dry_run,
            if_due=if_due,
        )
        with file.errors_of(self.path), self._desk() as desk:
            return forgetting.forget(desk, wish)

    def apply_plan(
        self,
        path: str | Path,
        *,
        reject: Sequence[str] = (),
        gate: bool = False,
        dry_run: bool = False,
    ) -> ConsolidateReport:
        """Apply a plan as it was reviewed, as one pass of its strategy.

        `reject` names labels of items that are wrong, beside those switched in the file; they take
        along what needs them. Raises UsageError, InputError for what is no plan, RefusedError for
        one that was edited or is of another store, MovedError; then nothing was written.
        """
        from memcli.engine import applying, audit

        with file.errors_of(self.path):
            request = applying.Request(
                self._now(), tuple(reject), audit.gate if gate else None, dry_run
            )
            with self._embedder(self._connection) as embedder:
                return applying.apply_file(self._connection, Path(path), request, embedder)

    def estimate(
        self,
        strategy: str,
        *,
        params: Mapping[str, str] | None = None,
        model: str | None = None,
        calls: Calls = "reuse",
        since: str | None = None,
        session: str | None = None,
        scope: Scope | None = None,
        again: bool = False,
    ) -> EstimateReport:
        """What a pass would ask of models, as far as that can be told without asking."""
        from memcli.engine import consolidating

        wish = self._wish(
            strategy,
            params=params,
            model=model,
            calls=calls,
            since=since,
            session=session,
            scope=scope,
            again=again,
        )
        with file.errors_of(self.path), self._desk() as desk:
            return consolidating.estimate(desk, wish)

    def rollback(
        self,
        target: str,
        *,
        cascade: bool = False,
        reject: bool = False,
        dry_run: bool = False,
    ) -> RollbackReport:
        """Take back a memory (`m4`), a version and later ones (`m4@2`) or a pass (`p7`, `last`).

        Raises UsageError for an unknown target, RefusedError for dependents without `cascade`.
        """
        from memcli.engine import revert

        with file.errors_of(self.path), self._for_writing(dry_run) as connection:
            return revert.rollback(
                connection or self._connection,
                target,
                now=self._now(),
                cascade=cascade,
                reject=reject,
                dry_run=dry_run,
            )

    def rollback_to(
        self, point: str, *, cascade: bool = False, reject: bool = False, dry_run: bool = False
    ) -> RollbackReport:
        """Take back every pass in force after `point`."""
        from memcli.engine import revert

        with file.errors_of(self.path), self._for_writing(dry_run) as connection:
            return revert.rollback_to(
                connection or self._connection,
                point,
                now=self._now(),
                cascade=cascade,
                reject=reject,
                dry_run=dry_run,
            )

    def undo(self) -> RollbackReport:
        """Take back the newest pass in force that no undo, redo or erase made."""
        from memcli.engine import revert

        with file.errors_of(self.path):
            return revert.undo(self._connection, now=self._now())

    def redo(self) -> RollbackReport:
        """Take back the newest undo in force, while only undos and redos follow it."""
        from memcli.engine import revert

        with file.errors_of(self.path):
            return revert.redo(self._connection, now=self._now())

    def rate(self, ident: str, values: Mapping[str, str], *, by: str = "person") -> DiffReport:
        """A person's verdict: importance=1..10, pinned=true|false, status=...

        Raises UsageError for an unknown id, RefusedError for a value that does not fit.
        """
        from memcli.core import ids
        from memcli.core.plan import Rate
        from memcli.engine import changes, run
        from memcli.engine.verdict import typed_value

        parsed = ids.parse(ident, "r", "m")
        ops = [
            Rate(parsed.memory, name, typed_value(name, text), by=by, reason="a person's verdict")
            for name, text in values.items()
        ]
        if not ops:
            raise UsageError("No value is given.", where="mem rate", hint="mem rate m4 pinned=true")
        with file.errors_of(self.path):
            at = self._head()
            if StoreView(self._connection, at).get(ident) is None:
                raise UsageError(
                    f"{ident} is not held in this store.",
                    where="mem rate",
                    hint="mem search finds ids",
                )
            pass_id = run.rate(self._connection, ops, now=self._now(), refs=[ident])
            return changes.between(self._connection, at, at if pass_id is None else pass_id)

    def reindex(
        self,
        *,
        embedder: str | None = None,
        whole: bool = False,
        progress: ProgressCallback | None = None,
    ) -> ReindexReport:
        """Build the text and vector indexes anew; with `embedder` by that one from now on.

        Vectors that came over the network and are still those of their model are kept, unless
        `whole`. `progress` is called with the texts embedded so far and their number. Raises
        UsageError for an unknown embedder and one that is not installed, GatewayError where it
        gives no vectors: then those that the store had are untouched. Without `embedder` it is the
        store's own; where that is not at hand, the default.
        """
        from memcli.engine.embedders import replaced
        from memcli.engine.reindexing import reindex

        with (
            file.errors_of(self.path),
            self._embedder(self._connection, embedder, examine=True) as made,
        ):
            told = None if embedder is not None else replaced(self._connection, made)
            report = reindex(self._connection, made, whole=whole, progress=progress)
            return replace(report, warnings=(*report.warnings, *([told] if told else [])))

    def import_calls(self, path: str, *, stdin: BinaryIO | None = None) -> CallsReport:
        """Store the recorded answers of a file (`-`: `stdin`) that are not there yet."""
        from memcli.engine import callfiles, recordings

        with file.errors_of(self.path), callfiles.opened(path, stdin) as opened:
            return recordings.imported(self._connection, opened, path)

    def prune_calls(self, which: Which) -> CallsReport:
        """Remove recorded answers; a rerun would have to ask for them again."""
        from memcli.engine import recordings

        with file.errors_of(self.path):
            return recordings.pruned(self._connection, which)

    # --- reading --------------------------------------------------------------------------------

    def compare(
        self,
        strategies: Sequence[str],
        *,
        params: Mapping[str, Mapping[str, str]] | None = None,
        model: str | None = None,
        calls: Calls = "reuse",
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        scope: Scope | None = None,
        suite: str | None = None,
        record: str | Path = "mem-compare.db",
        progress: Callable[[Usage], None] | None = None,
        asking: ProgressCallback | None = None,
    ) -> CompareReport:
        """What each of several strategies would make of this store, on copies of it in memory.

        `reconcile+reflect` is the one after the other. `params`: strategy -> its parameters. The
        budget is that of all passes together. What models answer is kept in the file `record`.
        With `suite` each is also measured by `evaluate`: with `model`, else by rules, and with that
        budget anew; `asking` is called with the questions done. Raises UsageError.
        """
        from memcli.evals import comparing
        from memcli.gateway.settings import Limits

        asked = comparing.Asked(
            tuple(strategies),
            params or {},
            model,
            calls,
            Limits(max_calls, max_tokens, max_usd),
            scope,
            Path(record),
        )

        def scores() -> EvalReport | None:
            if suite is None:
                return None
            return evaluate(
                suite,
                arms=comparing.arms_of(asked.strategies),
                params=asked.params,
                model=model,
                calls=calls,
                record=record,
                max_calls=max_calls,
                max_tokens=max_tokens,
                max_usd=max_usd,
                progress=asking,
            )

        with file.errors_of(self.path), self._desk(progress) as desk:
            return comparing.compare(desk, asked, scores)

    def due(self, strategy: str | None = None) -> tuple[Due, ...]:
        """Which passes are due, and why."""
        from memcli.engine import consolidating

        with file.errors_of(self.path), self._desk() as desk:
            return consolidating.dues(desk, strategy)

    def which_calls(
        self,
        *,
        task: str | None = None,
        model: str | None = None,
        status: str | None = None,
        before: str | None = None,
    ) -> Which:
        """Recorded answers as the methods below take them; what is not given does not narrow."""
        from memcli.core.calls import Which

        moment = None if before is None else _parse_now(before, where="--before")
        return Which(task, model, status, moment)

    def calls(self, which: Which | None = None) -> CallsReport:
        """The recorded answers, oldest first."""
        from memcli.engine import recordings

        with file.errors_of(self.path):
            return recordings.listed(self._connection, which or self.which_calls())

    def recorded_call(self, key: str) -> CallsReport:
        """The recorded answers whose key begins with `key`, with what was asked."""
        from memcli.engine import recordings

        with file.errors_of(self.path):
            return recordings.shown(self._connection, key)

    def exported_calls(
        self, which: Which | None = None, *, passed_over: Callable[[BadUnit], None] = _ignored
    ) -> Iterator[str]:
        """The recorded answers as lines of JSON, as a file of them holds them.

        `passed_over` is told of those that are damaged.
        """
        from memcli.engine import recordings

        with file.errors_of(self.path):
            chosen = which or self.which_calls()
            yield from recordings.exported(self._connection, chosen, passed_over)

    def export_calls(self, path: str, which: Which | None = None) -> CallsReport:
        """Write recorded answers to a file; one of recorded answers is replaced."""
        from memcli.engine import recordings

        with file.errors_of(self.path):
            return recordings.written(self._connection, which or self.which_calls(), path)

    def diff(
        self,
        start: str | None = None,
        end: str | None = None,
        *,
        valid_at: str | None = None,
        known_at: str | None = None,
    ) -> DiffReport:
        """What changed between two points; by default what the last pass changed.

        With `start` alone: from there to now. `valid_at`: only of what was true then. `known_at`:
        what began and ceased to be true between the times `start` and `end` (by default when that
        point was made), as known there. Raises UsageError, also for both.
        """
        from memcli.engine import changes

        with file.errors_of(self.path):
            if known_at is not None:
                return self._in_the_world(start, end, known_at, valid_at)
            last = self._head()
            high = last if end is None else resolve_point(self._connection, end)
            low = max(last - 1, 0) if start is None else resolve_point(self._connection, start)
            if valid_at is None:
                return changes.between(self._connection, low, high)
            from memcli.engine import bitemporal

            moment = _parse_now(valid_at, where="--valid-at")
            return bitemporal.about(self._connection, low, high, moment)

    def _in_the_world(
        self, start: str | None, end: str | None, known_at: str, valid_at: str | None
    ) -> DiffReport:
        from memcli.engine import bitemporal

        if valid_at is not None or start is None:
            raise UsageError(
                "With both times kept still nothing can change."
                if valid_at is not None
                else "The time in the world from which on to compare is not given.",
                where="--known-at",
                hint="mem diff 2025-01-01 2025-06-01 --known-at last",
            )
        at = resolve_point(self._connection, known_at)
        made = journal.passes(self._connection, only=at)
        if end is None and not made:
            raise UsageError("The empty store knows nothing.", where="--known-at", hint="mem log")
        moments = (start, made[0].at if end is None else end)
        low, high = (_parse_now(moment, where="FROM and TO") for moment in moments)
        return bitemporal.in_the_world(StoreView(self._connection, at), low, high)

    def diff_against(self, other: Store) -> DiffReport:
        """What `other` holds that this store does not, and the other way round."""
        from memcli.engine import changes

        views = []
        for store in (self, other):
            with file.errors_of(store.path):
                view = store._view()
                view.load_all()
                views.append(view)
        return changes.against(*views)

    def log(self, limit: int | None = None) -> tuple[Pass, ...]:
        """Passes, newest first."""
        with file.errors_of(self.path):
            return tuple(journal.passes(self._connection, limit=limit))

    def show(
        self, ident: str, *, valid_at: str | None = None, known_at: str | None = None
    ) -> ShowReport:
        """One record, memory, memory version, pass or session, whole; of what is held also how it
        was used up to now, as `forget` sees it.

        `known_at`: as the store held it at a point. `valid_at`: also whether it was true at a time
        (of a record: had been said), and what was instead. Raises UsageError.
        """
        from memcli.engine.show import show

        with file.errors_of(self.path):
            if ident == "last" or ident.startswith("last~"):
                ident = f"p{resolve_point(self._connection, ident)}"
            if valid_at is None and known_at is None:
                return show(self._view(), ident, now=self._clock(), parameters=_parameters)
            return self._show_then(ident, valid_at, known_at)

    def _show_then(self, ident: str, valid_at: str | None, known_at: str | None) -> ShowReport:
        from memcli.engine import bitemporal
        from memcli.engine.show import show

        view = self._view()
        if known_at is not None:
            view = StoreView(self._connection, resolve_point(self._connection, known_at))
            bitemporal.check_known(view, ident)
        report = show(view, ident)
        if known_at is not None:
            report = bitemporal.as_known(view, report)
        if valid_at is None:
            return report
        moment = _parse_now(valid_at, where="--valid-at")
        return bitemporal.with_truth(view, report, moment)

    def history(self, ident: str) -> HistoryReport:
        """The life of one memory."""
        from memcli.engine.show import life_of

        with file.errors_of(self.path):
            return life_of(self._view(), ident)

    def why(self, ident: str, *, derived: bool = False) -> WhyNode:
        """The provenance tree of a memory; with `derived`, what was made of a record."""
        from memcli.engine.why import why

        with file.errors_of(self.path):
            return why(self._view(), ident, derived=derived)

    def audit(
        self, *, select: Sequence[str] = (), ignore: Sequence[str] = (), deep: bool = False
    ) -> AuditReport:
        """Run the checks whose codes begin with one of `select` (all) and none of `ignore`."""
        from memcli.engine.audit import audit

        with file.errors_of(self.path):
            return audit(
                self._view(),
                select=select,
                ignore=ignore,
                deep=deep,
                single_valued=config.load().single_valued,
            )

    def audit_self_test(self) -> AuditReport:
        """Plant each defect in a copy; a finding for each check that does not exactly fire."""
        from memcli.engine.selftest import self_test

        with file.errors_of(self.path):
            return self_test(self._connection)

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
        log_recall: bool = False,
    ) -> SearchReport:
        """The best `k` records and memories for a question, within `budget` tokens.

        `include`: superseded, faded, lapsed. `valid_at`: what was true then (ISO 8601); `known_at`:
        what the store held at a point. `rank`: one of `ranks()`. `newest`: of two that answer
        alike, the newer first where the question asks for that. `recency` False: the rank `mem0-v3`
        does not count age. `vectors` False: by words alone.

        Keys of `scope` that are not given do not narrow. Without one all scopes are searched.
        `log_recall` notes what was found as recalled now; nothing else of a search is ever written.
        Raises UsageError, and StoreError if that cannot be noted. An embedder that cannot be used is
        told of and done without.
        """
        from memcli.engine import finding

        _must_ask(query, "mem search")
        options = self._search_options(
            k=k,
            layer=layer,
            scope=scope or Scope(),
            include=tuple(include),
            rank=rank,
            budget=budget,
            valid_at=valid_at,
            newest=newest,
            recency=recency,
            vectors=vectors,
        )
        with (
            file.errors_of(self.path),
            self._searched(known_at, scope, vectors=vectors) as (desk, notes),
        ):
            self._may_log(log_recall)
            report = finding.search(desk, query, options)
            self._log_recalls(log_recall, (hit.id for hit in report.results))
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
        options = self._search_options(scope=scope or Scope(), valid_at=valid_at, vectors=vectors)
        with (
            file.errors_of(self.path),
            self._searched(known_at, scope, vectors=vectors) as (desk, notes),
        ):
            self._may_log(log_recall)
            report = recall(desk, query, options, budget, layout(format), notes)
            items = (item.id for section in report.sections for item in section.items)
            self._log_recalls(log_recall, items)
            return report

    def _may_log(self, wanted: bool) -> None:
        """Raise StoreError, before anything is searched, where recalls cannot be noted."""
        try:
            if wanted:
                self._recording()
        except StoreError as error:
            raise StoreError(
                f"Recalls cannot be logged. {error.what}",
                where=error.where,
                hint="leave --log-recall out, or copy the store to where it can be written",
            ) from error

    def _log_recalls(self, wanted: bool, found: Iterable[str]) -> None:
        """Note what was found, in a short transaction of its own."""
        from memcli.store import uses
        from memcli.store.write import transaction

        refs = dict.fromkeys(found) if wanted else {}
        if refs:
            connection = self._recording()
            with transaction(connection, relaxed=True):
                uses.log_recalls(connection, list(refs), self._clock())

    @contextmanager
    def _searched(
        self, known_at: str | None, scope: Scope | None, *, vectors: bool
    ) -> Iterator[tuple[finding.Searched, tuple[str, ...]]]:
        """The state that is searched, and what there is to say about its scopes."""
        from memcli.engine import finding
        from memcli.engine.scoping import unmatched

        at = self._head() if known_at is None else resolve_point(self._connection, known_at)
        table = _embedder_table if vectors else None
        with finding.searched(self._connection, at, table) as searched:
            notes = unmatched(searched.view, scope)
            if scope is None and (count := len(searched.view.scopes())) > 1:
                notes = (f"this searched all {count} scopes; --scope names one",)
            yield searched, notes

    def _search_options(self, **given: Any) -> SearchOptions:
        from memcli.core.options import SearchOptions
        from memcli.retrieval.ranks import RANKS

        options = SearchOptions(now=self._clock(), **given)
        if options.k < 1:
            raise UsageError(f"-k {options.k} asks for nothing.", where="-k", hint="give 1 or more")
        if options.budget is not None and options.budget < 1:
            raise UsageError(
                f"A budget of {options.budget} tokens holds nothing.",
                where="--budget",
                hint="give 1 or more",
            )
        if options.rank not in RANKS:
            raise UsageError(
                f"There is no ranking {options.rank!r}.",
                where="--rank",
                hint="one of " + ", ".join(RANKS),
            )
        if options.valid_at is not None:
            moment = _parse_now(options.valid_at, where="--valid-at")
            options = replace(options, valid_at=moment)
        return options

    def digest(self, at: str | None = None) -> DigestReport:
        """Hashes of the logical state at a point (default: now)."""
        from memcli.store.digest import digest

        with file.errors_of(self.path):
            number = self._head() if at is None else resolve_point(self._connection, at)
            return digest(self._connection, number)

    # --- inside ---------------------------------------------------------------------------------

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            file.check_header(self.path)
            raise StoreError("The store is closed.", where=str(self.path), hint="open it again")
        return self._open

    def _writable(self) -> sqlite3.Connection:
        """The open connection; makes the store first if it is to be created."""
        if self._open is None and self._mode == "create":
            if not file.exists(self.path):
                # If another process made it meanwhile, that is the store.
                with suppress(ExistsError):
                    init_store(self.path)
            self._open = file.open_write(self.path)
        return self._connection

    @contextmanager
    def _for_writing(self, dry_run: bool) -> Iterator[sqlite3.Connection | None]:
        """The open connection, if there is a store; for a dry run a copy of it in memory.

        So a dry run needs no right to write, waits for no writer and keeps none waiting.
        """
        if self._open is None or not dry_run:
            yield self._open
            return
        copy = file.copy_in_memory(self._open)
        try:
            yield copy
        finally:
            copy.close()

    def _head(self) -> int:
        return journal.last_pass(self._connection)[0]

    def _view(self) -> StoreView:
        return StoreView(self._connection, self._head())

    def _clock(self) -> str:
        """The time given by the user, or the system's."""
        from memcli.engine.clock import system_now

        return system_now() if self._given_now is None else self._given_now

    def _now(self) -> str:
        """The time of a pass: never before the last one's."""
        from memcli.engine.clock import not_before

        last = "" if self._open is None else journal.last_pass(self._open)[1]
        return not_before(self._clock(), last, explicit=self._given_now is not None)

    @contextmanager
    def _embedder(
        self,
        connection: sqlite3.Connection | None,
        name: str | None = None,
        *,
        examine: bool = False,
    ) -> Iterator[StoreEmbedder]:
        """The store's embedder, or the one of another `name`."""
        from memcli.engine import embedders

        made = embedders.of_store(connection, _embedder_table, examine=examine)
        if name is not None and name != made.name:
            made = embedders.named(name, _embedder_table())
        try:
            yield made
        finally:
            made.close()

    @contextmanager
    def _desk(self, progress: Callable[[Usage], None] | None = None) -> Iterator[Desk]:
        from memcli.engine.consolidating import Desk
        from memcli.store.calls import StoredCalls

        tables = _tables()  # what is wrong with them is said before anything is opened
        self._log = StoredCalls(self._connection, self._clock, self._recording)
        with self._embedder(self._connection) as embedder:
            yield Desk(
                connection=self._connection,
                now=self._now(),
                embedder=embedder,
                tables=tables,
                log=self._log,
                noted=progress,
                may_record=self._may_record,
                writable=self._mode in ("write", "create") or file.writable(self.path),
            )

    def _recording(self) -> sqlite3.Connection:
        """The connection that records answers and recalls: of what only reads, one of its own."""
        if self._mode in ("write", "create"):
            return self._connection
        if self._recorder is None:
            self._recorder = file.open_write(self.path)
        return self._recorder

    def _written(self) -> str:
        """What a pass that failed has left in the store: answers, each recorded as it came."""
        kept = 0 if self._log is None else self._log.kept
        if not kept:
            return "nothing was written"
        answers = (
            "1 answer that was recorded is"
            if kept == 1
            else (f"{kept:,} answers that were recorded are")
        )
        return f"nothing of the pass was written, and {answers} kept"

    def _may_record(self) -> None:
        """Raise StoreError where answers cannot be kept: then none is asked, and paid, for."""
        try:
            self._recording()
        except StoreError as error:
            raise StoreError(
                f"No answer is asked for, since none could be recorded. {error.what}",
                where=error.where,
                hint="copy the store to where it can be written, or leave --model out: rules then"
                " answer",
            ) from error

    def _wish(
        self,
        strategy: str,
        *,
        params: Mapping[str, str] | None,
        since: str | None,
        session: str | None,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        **rest: Any,
    ) -> Wish:
        from memcli.engine.consolidating import Wish
        from memcli.gateway.settings import Limits

        if session is not None:
            self._known_session(session)
        return Wish(
            strategy,
            params or {},
            limits=Limits(max_calls, max_tokens, max_usd),
            since=None if since is None else _since(since),
            session=session,
            **rest,
        )

    def _known_session(self, session: str) -> None:
        if self._view().get_session(session) is None:
            raise UsageError(
                f"There is no session {session}.", where="--session", hint="mem show rN names it"
            )


def _must_ask(query: str, where: str) -> None:
    if not query.strip():
        raise UsageError("There is no question.", where=where, hint=f'{where} "some words"')


def _parse_now(text: str, *, where: str = "--now") -> str:
    from memcli.engine.clock import parse_now

    return parse_now(text, where=where)


def _plan_writer(path: Path, *, dry_run: bool, gate: bool) -> Callable[[Mapping[str, Any]], str]:
    """Writes the document of a plan and gives its path; raises before anything is asked."""
    from memcli.engine import planpaths
    from memcli.render.readable import readable

    if dry_run:
        raise UsageError(
            "A plan is a dry run that is kept: give one of them.",
            where="--plan and --dry-run",
            hint="leave --dry-run out",
        )
    if gate:
        raise UsageError(
            "The gate is for what is written, and a plan writes nothing yet.",
            where="--plan and --gate",
            hint=f"mem apply {path} --gate",
        )
    planpaths.refuse_taken(path)

    def write(document: Mapping[str, Any]) -> str:
        planpaths.write(path, readable(document) + "\n")
        return str(path)

    return write


def _since(text: str) -> str:
    return _parse_now(text, where="--since").replace(".000Z", "Z")


def open_store(
    path: str | Path | None = None, *, mode: Mode = "read", now: str | None = None
) -> Store:
    """Open the store at `path` (else MEM_STORE, mem.toml, ./memory.db).

    `mode`: read, write (must exist), create (made if missing, by the first write), read-any
    (read if it exists: for dry runs of an ingest). `now` is the one clock, ISO 8601; the system's if None. Raises StoreError, BusyError, UsageError.
    """
    moment = None if now is None else _parse_now(now)
    return Store(config.store_path(path), mode, moment)


def _embedder_table() -> Table:
    from memcli.engine.embedders import Table

    configured = config.load()
    return Table(configured.embedder, str(configured.path or config.FILE))


def _tables() -> Tables:
    from memcli.engine.consolidating import Tables

    configured = config.load()
    return Tables(
        model=configured.model,
        budget=configured.budget,
        prices=configured.prices,
        parameters=configured.parameters,
        single_valued=configured.single_valued,
        where=str(configured.path or config.FILE),
    )


def _parameters() -> Mapping[str, Mapping[str, Any]]:
    """[parameters.NAME] of `mem.toml`; raises UsageError where that is no good."""
    return config.load().parameters


def _none(texts: Sequence[str]) -> Mapping[str, bytes]:
    return {}


def init_store(path: str | Path | None = None, *, embedder: str | None = None) -> InitReport:
    """Make an empty store; raises ExistsError if there is a file already.

    Without `embedder`: wordllama-256 where it is installed, else hash-1024. A remote one is asked
    what its vectors are like: raises GatewayError if it does not answer, and then there is no
    store; UsageError for one that is unknown or not installed.
    """
    from memcli.core.reports import InitReport
    from memcli.engine import embedders
    from memcli.engine.embedding import install

    place = config.store_path(path)
    made = embedders.named(embedder, _embedder_table())
    try:
        if made.remote:
            file.refuse_taken(place)
        requests, tokens = embedders.learned(made)
        file.create(place, lambda connection: install(connection, made))
    finally:
        made.close()
    return InitReport(str(place), made.name, requests=requests, tokens=tokens)


def doctor(path: str | Path | None = None) -> DoctorReport:
    """Health of the installation and, if there is one, of the store."""
    from memcli.engine.doctor import examine

    return examine(config.store_path(path), _embedder_table)


def strategies(name: str | None = None) -> tuple[StrategyInfo, ...]:
    """What consolidation methods there are; raises UsageError for an unknown name."""
    from memcli import registry

    if name is not None:
        return (registry.get_strategy(name).info,)
    return tuple(found.info for found in registry.strategies().values())


def formats() -> tuple[tuple[str, str, str, str], ...]:
    """(name, title, how it is recognised, default scope) of each transcript format."""
    from memcli import registry

    return tuple(
        (found.name, found.title, found.recognised, found.scope)
        for found in registry.readers().values()
    )


def format_warnings() -> tuple[str, ...]:
    """What is wrong with readers that other packages bring."""
    from memcli import registry

    registry.readers()
    return registry.reader_warnings()


def evaluate(
    suite: str = "probes",
    *,
    arms: Sequence[str] = (),
    forms: Sequence[str] = (),
    kinds: Sequence[str] = (),
    categories: Sequence[str] = (),
    roles: Sequence[str] = (),
    metrics: Sequence[str] = (),
    unit: Literal["turn", "session"] = "turn",
    pool: bool = False,
    k: int = 20,
    limit: int | None = None,
    budget: int | None = None,
    embedder: str | None = None,
    level: Literal[1, 2] = 1,
    model: str | None = None,
    params: Mapping[str, Mapping[str, str]] | None = None,
    calls: Calls = "reuse",
    record: str | Path = "mem-eval.db",
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_usd: float | None = None,
    strict: bool = False,
    export: str | None = None,
    fail_under: Sequence[str] = (),
    baseline: str | None = None,
    seed: int = 1,
    progress: ProgressCallback | None = None,
    noted: Callable[[Usage], None] | None = None,
) -> EvalReport:
    """Measure on questions with known evidence what a memory finds (docs/evaluation.md).

    `suite`: a file of probes, or of LoCoMo, LongMemEval, BEAM, HaluMem or FactConsolidation;
    `probes` for those that come with the program. `embedder` none: by words alone. `progress` is
    called with questions done and their number.

    At `level` 2 a reader answers from what was found and a judge says what is right: `model`, or
    [model.answer] and [model.judge] of mem.toml; without any a stand-in by rules. What models say
    is kept in the file `record`. `params`: strategy -> its parameters. `strict`: an answer that offers old and new is wrong. `export`:
    `longmemeval=FILE`. Raises UsageError, InputError, GatewayError.
    """
    from memcli.engine import embedders
    from memcli.evals import comparing, evaluating
    from memcli.evals.recorded import kept_for
    from memcli.gateway.settings import Limits

    wish = evaluating.Wish(
        suite=suite,
        arms=tuple(arms),
        forms=tuple(forms),
        kinds=tuple(kinds),
        categories=tuple(categories),
        roles=tuple(roles),
        metrics=tuple(metrics),
        unit=unit,
        pool=pool,
        k=k,
        limit=limit,
        budget=budget,
        fail_under=tuple(fail_under),
        baseline=baseline,
        level=level,
        strict=strict,
        export=export,
        limits=Limits(max_calls, max_tokens, max_usd),
        seed=seed,
        told=progress or (lambda done, total: None),
    )
    tables = comparing.with_params(_tables(), params or {})
    if model is None and level == 1:
        tables = replace(tables, model={})  # what is measured there is what rules make of it
    vectors = embedder != "none"
    made = embedders.named(embedder if vectors else "hash-1024", _embedder_table())
    try:
        embedders.learned(made)
        with kept_for(tables, model, Path(record)) as log:
            means = evaluating.Means(made, vectors, tables, model, calls, log, noted)
            return evaluating.evaluate(wish, means)
    finally:
        made.close()
