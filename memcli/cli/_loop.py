"""The whole loop of `mem demo`, step by step, with what each step proves."""

import contextlib
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from memcli import api
from memcli.core.reports import Change, ConsolidateReport, DigestReport, WhyNode
from memcli.render import audit, consolidate, demo, diff, digest, ingest, output, rollback, why
from memcli.render.output import Document
from memcli.render.page import Page

Report = TypeVar("Report")
_STRATEGY = "reflect"
_FEW = 5  # pieces of evidence that make a tree one can take in


class Loop:
    """Runs each step on a store of its own, shows it, and keeps what it proved.

    `typed` is the source as the user gave it, for the command lines; `source` is where it is.
    """

    def __init__(
        self,
        path: str,
        source: str,
        *,
        typed: str,
        kept: str | None,
        now: str | None,
        silent: bool,
    ) -> None:
        self._path, self._source, self._now, self._silent = path, source, now, silent
        self._read = f"ingest {shlex.quote(typed)}"
        self._suffix = f" --store {shlex.quote(kept)}" if kept else ""
        self.result = demo.Demo(typed, kept)

    def run(self) -> None:
        """Run all steps; raises what they raise."""
        self._ingest()
        before = self._digest()
        done = self._consolidate()
        if done.pass_id is None:
            self._claim(
                "the pass wrote nothing, so there is nothing to take back", True, done.outcome
            )
        else:
            full = self._digest()
            self._inspect(done)
            self._take_back(before)
            self._bring_back(full)
        self._ingest_again()

    def _step(
        self,
        line: str,
        work: Callable[[api.Store], Report],
        document: Callable[[Report], Document],
        page: Callable[[Report], Page],
        mode: api.Mode = "read",
    ) -> Report:
        """Show the command line, run it, show its answer."""
        command = f"mem {line}{self._suffix}"
        self._show(lambda: demo.command_page(command))
        with api.open_store(self._path, mode=mode, now=self._now) as store:
            report = work(store)
        self.result.steps.append((command, document(report)))
        self._show(lambda: page(report))
        return report

    def _show(self, page: Callable[[], Page]) -> None:
        if not self._silent:
            output.show(page(), sys.stdout)
            with contextlib.suppress(BrokenPipeError):  # the end of the command meets it again
                sys.stdout.flush()

    def _claim(self, said: str, ok: bool, detail: str = "") -> None:
        self.result.claims.append((said, ok, detail))

    def _ingest(self) -> None:
        report = self._step(
            self._read,
            lambda store: store.ingest([self._source]),
            ingest.as_json,
            ingest.as_page,
            "create",
        )
        self._claim("records came in", report.records_new > 0, f"{report.records_new:,} new")

    def _digest(self) -> DigestReport:
        return self._step("digest", lambda store: store.digest(), digest.as_json, demo.digest_page)

    def _consolidate(self) -> ConsolidateReport:
        return self._step(
            f"consolidate --strategy {_STRATEGY}",
            lambda store: store.consolidate(_STRATEGY),
            consolidate.as_json,
            demo.outcome_page,
            "write",
        )

    def _inspect(self, done: ConsolidateReport) -> None:
        shown = self._step("diff", lambda store: store.diff(), diff.as_json, diff.as_page)
        self._claim(
            "the diff shows what the pass did",
            len(shown.changes) == len(done.changes),
            f"{len(shown.changes):,} changes",
        )
        chosen = _to_explain(done.changes)
        if chosen is not None:
            self._why(chosen.memory)
        self._every_quote([c.memory for c in done.changes if c.change == "added"])
        checked = self._step(
            "audit --deep",
            lambda store: store.audit(deep=True),
            audit.as_json,
            audit.as_page,
        )
        self._claim(
            "the audit finds no error",
            bool(checked.checked) and not checked.count("error"),
            f"{len(checked.checked):,} checks",
        )

    def _why(self, memory: str) -> None:
        root = self._step(
            f"why {memory}", lambda store: store.why(memory), why.as_json, why.as_page
        )
        self._claim("the memory reaches a record", _reaches_a_record(root), memory)

    def _every_quote(self, memories: Sequence[str]) -> None:
        """What the step before showed of one memory, asked of all that the pass made."""
        with api.open_store(self._path, now=self._now) as store:
            roots = [store.why(memory) for memory in memories]
        quotes = [quote for root in roots for node in why.nodes(root) for quote in node.quotes]
        self._claim(
            "every quote of every memory stands in its record, word for word",
            all(quote.verified for quote in quotes),
            f"{len(quotes):,} quotes of {len(memories):,} memories",
        )

    def _take_back(self, before: DigestReport) -> None:
        self._step(
            "rollback last",
            lambda store: store.rollback("last"),
            rollback.as_json,
            rollback.as_page,
            "write",
        )
        after = self._digest()
        self._claim(
            "after the rollback the store holds what it held before the pass",
            (after.records, after.memories) == (before.records, before.memories),
            after.memories[:12],
        )

    def _bring_back(self, full: DigestReport) -> None:
        self._step("undo", lambda store: store.undo(), rollback.as_json, rollback.as_page, "write")
        after = self._digest()
        self._claim(
            "undoing the rollback brings back exactly what the pass made",
            (after.records, after.memories) == (full.records, full.memories),
            after.memories[:12],
        )

    def _ingest_again(self) -> None:
        report = self._step(
            self._read,
            lambda store: store.ingest([self._source]),
            ingest.as_json,
            ingest.as_page,
            "create",
        )
        self._claim(
            "reading the same again adds nothing",
            report.records_new == 0,
            f"{report.records_known:,} known already",
        )


def _to_explain(changes: tuple[Change, ...]) -> Change | None:
    added = [change for change in changes if change.change == "added"]
    few = [change for change in added if 1 <= len(change.evidence) <= _FEW]
    return next(iter(few or added), None)


def _reaches_a_record(root: WhyNode) -> bool:
    return any(why.is_record(node) for node in why.nodes(root))
