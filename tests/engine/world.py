"""A real store on disk that tests drive below the command line, and the truths that must hold."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memcli.core.found import Found
from memcli.core.plan import Plan
from memcli.core.records import Scope
from memcli.core.reports import ConsolidateReport, IngestReport, RollbackReport, StrategyInfo
from memcli.engine import applying, circles, planfile, revert, run
from memcli.engine.audit import audit
from memcli.engine.embedding import embedding, install
from memcli.engine.ingest import Ingest, Input
from memcli.engine.parts import Gate
from memcli.gateway.context import RunContext
from memcli.gateway.hashed import HashEmbedder
from memcli.ports import Context, View
from memcli.registry import Strategy
from memcli.render.jsonout import dumps
from memcli.retrieval.status import is_stale
from memcli.store import file
from memcli.store.digest import canonical_dump, digest
from memcli.store.fold import fold_errors
from memcli.store.inspect import InspectView
from memcli.store.journal import last_pass
from memcli.store.view import StoreView

NOW = "2026-03-01T12:00:00.000Z"


@dataclass(frozen=True)
class NoParams:
    """A scripted strategy has none."""


def scripted(
    plan: Plan, name: str = "scripted", meanwhile: Callable[[], None] | None = None
) -> Strategy:
    """A strategy that looks, lets something happen, and proposes exactly `plan`."""

    def propose(view: View, context: Context, params: object) -> Plan:
        view.memories()
        view.records()
        if meanwhile is not None:
            meanwhile()
        return plan

    info = StrategyInfo(name, (), "test", (), "", "", "", "none", {})
    return Strategy(info, propose, NoParams, "none")


def said(identity: str, text: str, *, at: str | None = None, session: str = "one") -> Found:
    """A unit as a reader finds it."""
    return Found(
        identity,
        session,
        "utterance",
        "user",
        text,
        speaker="Ada",
        said_at=at,
        time_source="exact" if at else "none",
    )


class World:
    """A store file, opened for writing."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "memory.db"
        self.embedder = HashEmbedder()
        file.create(self.path, lambda connection: install(connection, self.embedder))
        self.connection = file.open_write(self.path)

    def close(self) -> None:
        """Close; a second call does nothing."""
        file.close(self.connection, wrote=True)

    # --- doing ----------------------------------------------------------------------------------

    def ingest(self, units: Sequence[Found], path: str = "a.jsonl") -> IngestReport:
        """Store units as an ingest does."""
        embed = embedding(self.connection, self.embedder)
        ingest = Ingest(self.connection, self.path, given=Scope(), redact=True, embed=embed)
        return ingest.run([Input(path, "test", units)], now=NOW, dry_run=False)

    def apply(
        self,
        plan: Plan,
        name: str = "scripted",
        *,
        dry_run: bool = False,
        again: bool = False,
        gate: Gate | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> ConsolidateReport:
        """One pass of a strategy that proposes `plan`."""
        request = run.Request(
            scripted(plan, name, meanwhile),
            NoParams(),
            now=NOW,
            dry_run=dry_run,
            again=again,
            gate=gate,
        )
        context = RunContext(now=NOW)
        embed = embedding(self.connection, self.embedder)
        return run.run_pass(self.connection, request, context, embed)

    def propose(
        self, plan: Plan, name: str = "scripted", *, again: bool = False
    ) -> dict[str, Any] | None:
        """The document of a plan to be reviewed, as a file has it; None if there is nothing."""
        written: list[dict[str, Any]] = []

        def take(document: dict[str, Any]) -> str:
            written.append(json.loads(dumps(document, indent=True)))
            return "plan.json"

        request = run.Request(
            scripted(plan, name), NoParams(), now=NOW, again=again, write_plan=take
        )
        embed = embedding(self.connection, self.embedder)
        run.run_pass(self.connection, request, RunContext(now=NOW), embed)
        return written[0] if written else None

    def apply_file(
        self,
        document: dict[str, Any],
        *reject: str,
        dry_run: bool = False,
        gate: run.Gate | None = None,
    ) -> ConsolidateReport:
        """A reviewed plan, read from its bytes and applied."""
        data = dumps(document).encode()
        return self.apply_bytes(data, *reject, dry_run=dry_run, gate=gate)

    def apply_bytes(
        self, data: bytes, *reject: str, dry_run: bool = False, gate: run.Gate | None = None
    ) -> ConsolidateReport:
        """The same with what may be no plan at all."""
        proposal = planfile.read(data, Path("plan.json"))
        request = applying.Request(NOW, reject, gate, dry_run)
        embed = embedding(self.connection, self.embedder)
        return applying.apply_plan(self.connection, proposal, request, embed)

    def rollback(
        self, target: str, *, cascade: bool = False, reject: bool = False
    ) -> RollbackReport:
        """Take back a memory, version or pass."""
        return revert.rollback(self.connection, target, now=NOW, cascade=cascade, reject=reject)

    def rollback_to(self, point: str, *, cascade: bool = False) -> RollbackReport:
        """Take back all since a point."""
        return revert.rollback_to(self.connection, point, now=NOW, cascade=cascade)

    def undo(self) -> RollbackReport:
        """As `mem undo`."""
        return revert.undo(self.connection, now=NOW)

    def redo(self) -> RollbackReport:
        """As `mem redo`."""
        return revert.redo(self.connection, now=NOW)

    # --- looking --------------------------------------------------------------------------------

    @property
    def head(self) -> int:
        """The number of the newest pass."""
        return last_pass(self.connection)[0]

    @property
    def view(self) -> StoreView:
        """The state now."""
        return StoreView(self.connection, self.head)

    def digest(self, at: int | None = None) -> str:
        """The `memories` digest."""
        return digest(self.connection, self.head if at is None else at).memories

    def records_digest(self, at: int | None = None) -> str:
        """The `records` digest."""
        return digest(self.connection, self.head if at is None else at).records

    def dump(self, at: int | None = None) -> str:
        """All that the `memories` digest covers, in words: a failing test shows the difference."""
        return canonical_dump(StoreView(self.connection, self.head if at is None else at))

    def record_rows(self) -> dict[int, tuple[object, ...]]:
        """The records as they lie in the file."""
        rows = self.connection.execute("SELECT * FROM record ORDER BY id").fetchall()
        return {row[0]: tuple(row) for row in rows}

    def check(self) -> None:
        """What must hold after anything that happened."""
        inspected = InspectView(self.connection, self.head)
        assert list(fold_errors(self.connection)) == []
        assert list(inspected.chain_errors()) == []
        assert list(inspected.record_hash_errors()) == []
        assert list(inspected.index_errors()) == []
        assert list(inspected.foreign_key_errors()) == []
        self.check_memories()
        self.check_graph()

    def check_graph(self) -> None:
        """No circle of evidence; a successor is held or reported; one mark a (strategy, record)."""
        view = self.view
        assert circles.find(view) is None
        reported = {f.subject for f in audit(view, select=["P106"]).findings}
        for memory in view.memories():
            by = memory.superseded_by
            if by is not None and view.get(by) is None:
                assert view.merged_into(by) is not None or memory.id in reported
        marks = self.connection.execute(
            "SELECT c.strategy, c.record FROM consumed c"
            " CROSS JOIN life l ON l.item = c.item AND l.to_pass IS NULL"
        ).fetchall()
        assert len(marks) == len(set(marks))

    def check_memories(self) -> None:
        """Every live memory reaches a record; none rests on a closed row unless it is stale."""
        view = self.view
        uids = [memory.uid for memory in view.memories()]
        assert len(uids) == len(set(uids))
        for memory in view.memories():
            assert view.closure(memory.id), f"{memory.id} reaches no record"
            for evidence in memory.evidence:
                found = view.get(evidence.ref)
                if found is None:
                    merged = view.merged_into(evidence.ref.split("@")[0])
                    assert is_stale(view, memory) or merged is not None
                    assert evidence.ref.startswith("m"), f"{memory.id} cites {evidence.ref}: gone"
                    continue
                for quote in evidence.quotes:
                    assert found.text[quote.start : quote.end] == quote.text

    def plain_text_hits(self, word: str) -> int:
        """How many rows the text index itself finds: it is held in step."""
        # By this connection: two SQLite libraries in one process undo each other's file locks.
        row = self.connection.execute(
            "SELECT count(*) FROM fts WHERE fts MATCH ?", (word,)
        ).fetchone()
        return int(row[0])
