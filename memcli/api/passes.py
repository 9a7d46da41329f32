"""Passes that a strategy plans: run, planned for review, estimated, due."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memcli.api.desks import desk_of, wish_of
from memcli.api.opened import Opened
from memcli.engine import consolidating
from memcli.errors import UsageError
from memcli.store import file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memcli.core.journal import Usage
    from memcli.core.records import Scope
    from memcli.core.reports import ConsolidateReport, Due, EstimateReport, ForgetReport
    from memcli.gateway.model import Calls


class Part(Opened):
    """The methods of `Store` about passes of strategies."""

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
        went: Callable[[int, int], None] | None = None,
    ) -> ConsolidateReport:
        """Run one pass. `gate` refuses it if an audit of the result finds an error.

        `model` answers (else the one of `mem.toml`, else rules). `calls`: `reuse` takes recorded
        answers and asks for the rest, `fresh` asks again, `none` never asks. The budget stops
        before the call that would cross it. `progress` is called as answers arrive; `went`, where
        rules answer, with how many of how many records were looked at.

        With `plan`, a path, nothing is applied: what the pass would do is written there, to be
        reviewed (see apply_plan); `plan` of the report is the path, None if there is nothing to do.

        Without `scope` each scope is consolidated by itself. Raises UsageError, RefusedError,
        MovedError, GatewayError; then nothing was written.
        """
        wish = wish_of(
            self,
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
        with desk_of(self, progress, went) as desk:
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
        wish = wish_of(self, "forget", params=given, scope=scope, dry_run=dry_run, if_due=if_due)
        with desk_of(self) as desk:
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
        wish = wish_of(
            self,
            strategy,
            params=params,
            model=model,
            calls=calls,
            since=since,
            session=session,
            scope=scope,
            again=again,
        )
        with desk_of(self) as desk:
            return consolidating.estimate(desk, wish)

    def due(
        self, strategy: str | None = None, *, went: Callable[[int, int], None] | None = None
    ) -> tuple[Due, ...]:
        """Which passes are due, and why. `went` is told how many of how many methods are through."""
        with desk_of(self, went=went) as desk:
            return consolidating.dues(desk, strategy)


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
