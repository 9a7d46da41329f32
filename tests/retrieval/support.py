"""Small real stores for tests of the search: turns are told, plans are applied, questions asked."""

from collections.abc import Sequence
from typing import Any

from memcli.core.found import Found
from memcli.core.options import SearchOptions
from memcli.core.plan import Add, Cite, Operation, Plan
from memcli.core.records import RecordKind, Role, Scope
from memcli.core.reports import SearchHit, SearchReport
from memcli.engine.embedding import embedding
from memcli.engine.ingest import Ingest, Input
from memcli.render.jsonout import dumps
from memcli.retrieval.searching import QueryEmbedder, search
from memcli.retrieval.view import SearchView
from tests.engine.world import NOW, World


class HashQuestions:
    """Implements QueryEmbedder with the vectors that World stores."""

    def __init__(self, world: World, fusion: float = 1.0) -> None:
        self._embedder = world.embedder
        self.fusion = fusion
        self.related = world.embedder.related

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of the hash embedder."""
        return self._embedder.embed_query(texts)


def turn(
    text: str,
    *,
    by: str | None = None,
    role: Role = "user",
    at: str | None = None,
    session: str = "one",
    kind: RecordKind = "utterance",
    **fields: Any,
) -> Found:
    """A unit as a reader finds it; its words and place name it for ever."""
    return Found(
        fields.pop("identity", f"{session}|{by}|{role}|{at}|{kind}|{text}"),
        session,
        kind,
        role,
        text,
        speaker=by,
        said_at=at,
        time_source="exact" if at else "none",
        **fields,
    )


def tell(world: World, *units: Found, scope: Scope = Scope()) -> None:
    """One ingest of these units."""
    embed = embedding(world.connection, world.embedder)
    ingest = Ingest(world.connection, world.path, given=scope, redact=True, embed=embed)
    ingest.run([Input("told.jsonl", "test", units)], now=NOW, dry_run=False)


def plan(*ops: Operation) -> Plan:
    return Plan(ops=ops)


def fact(text: str, *refs: str, nth: int = 1, quotes: Sequence[str] = (), **fields: Any) -> Add:
    """A new fact that rests on records; the first of them is quoted."""
    cites = tuple(Cite(ref, tuple(quotes) if not at else ()) for at, ref in enumerate(refs))
    return Add("fact", text, cites, f"new:{nth}", **fields)


def view(world: World, at: int | None = None) -> SearchView:
    return SearchView(world.connection, world.head if at is None else at)


def find(
    world: World,
    query: str,
    *,
    at: int | None = None,
    embedder: QueryEmbedder | None = None,
    scope_of_view: Scope | None = None,
    **options: Any,
) -> SearchReport:
    """A search by words alone, or with `embedder`; `at`: as of that pass."""
    seen = view(world, at)
    if scope_of_view is not None:
        seen = seen.narrowed(scope_of_view)
    return search(seen, query, SearchOptions(**options), embedder)


def ids(report: SearchReport) -> list[str]:
    return [hit.id for hit in report.results]


def texts(report: SearchReport) -> list[str]:
    return [hit.text for hit in report.results]


def hit(report: SearchReport, ident: str) -> SearchHit:
    """The result with this id."""
    return next(one for one in report.results if one.id == ident)


def left_out(report: SearchReport) -> dict[str, str]:
    """id -> the reason why it is no result."""
    return {one.id: one.reason for one in report.left_out}


def as_bytes(report: SearchReport) -> bytes:
    """All of a report, as --json prints it."""
    return dumps(report).encode()
