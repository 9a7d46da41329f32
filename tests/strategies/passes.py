"""Passes of one strategy on a real store, with scripted answers or with the built-in rules."""

from dataclasses import dataclass, field
from typing import Any

from memcli.core.found import Found
from memcli.core.memories import Memory, Role
from memcli.core.records import Role as Speaker
from memcli.core.reports import ConsolidateReport, Due, SearchReport
from memcli.engine import due, run
from memcli.engine.embedding import embedding
from memcli.registry import get_strategy
from memcli.retrieval.view import SearchView
from memcli.tasks.extract_facts import Fact, FactQuote, Facts
from memcli.testing import Scripted, a_context
from tests.engine.world import World
from tests.retrieval.support import HashQuestions, find

NOW = "2030-01-01T12:00:00.000Z"


def told(text: str, source: str, quote: str, **fields: Any) -> Fact:
    """A fact of an answer, about Ada."""
    quotes = (FactQuote(source=source, text=quote),)
    return Fact(text=text, sources=(source,), quotes=quotes, **{"subject": "Ada", **fields})


def facts(*found: Fact) -> Facts:
    return Facts(facts=found)


def line(
    identity: str,
    text: str,
    at: str | None = None,
    *,
    role: Speaker = "user",
    session: str = "one",
    by: str | None = "Ada",
) -> Found:
    """Something said; an assistant has no name."""
    return Found(
        identity,
        session,
        "utterance",
        role,
        text,
        speaker=by if role == "user" else None,
        said_at=at,
        time_source="exact" if at else "none",
    )


@dataclass
class Passes:
    """`name`: the strategy. `asked`: the tasks of the last pass that was scripted."""

    world: World
    name: str
    params: Any
    asked: list[Any] = field(default_factory=list)

    def tell(self, *lines: Found) -> None:
        self.world.ingest(list(lines))

    def run(self, *answers: Any, again: bool = False) -> ConsolidateReport:
        """A pass in which a model gives exactly these answers."""
        backend = Scripted(*answers, name="model-x")
        self.asked = backend.asked
        report = self._run(a_context(backend, now=NOW), "model-x", again)
        assert backend.left == 0
        return report

    def offline(self) -> ConsolidateReport:
        """A pass by rule."""
        return self._run(a_context(now=NOW), None, False)

    def _run(self, context: Any, model: str | None, again: bool) -> ConsolidateReport:
        request = run.Request(
            get_strategy(self.name), self.params, now=NOW, model=model, again=again
        )
        embed = embedding(self.world.connection, self.world.embedder)
        return run.run_pass(self.world.connection, request, context, embed)

    def due(self, *, model: bool) -> Due:
        view = SearchView(self.world.connection, self.world.head)
        return due.due(view, get_strategy(self.name), a_context(now=NOW), self.params, model=model)

    # --- looking --------------------------------------------------------------------------------

    def live(self, kind: str = "fact") -> list[str]:
        return [one.text for one in self.world.view.memories(kind=kind, superseded=False)]

    def held(self, text: str, kind: str = "fact") -> Memory:
        """The memory with this text; the newest of several."""
        return [one for one in self.world.view.memories(kind=kind) if one.text == text][-1]

    def links(self, role: Role) -> list[tuple[str, str]]:
        """(id, id) of the memories that are linked so."""
        return [
            (memory.id, end.ref.split("@")[0])
            for memory in self.world.view.memories()
            for end in memory.links
            if end.role == role
        ]

    def waiting(self) -> list[str]:
        return [record.id for record in self.world.view.unconsumed(self.name)]

    def find(self, query: str, **options: Any) -> SearchReport:
        """What a search finds among memories."""
        options = {"layer": "derived", "now": NOW, **options}
        return find(self.world, query, embedder=HashQuestions(self.world), **options)


def reasons(report: ConsolidateReport) -> list[str]:
    return [item.reason for item in report.rejected]


def cited(memory: Memory) -> list[str]:
    return [evidence.ref for evidence in memory.evidence]
