"""For tests of plug-ins: a view in memory, a backend that says what it is told, and builders.

view = FakeView(a_record("r1", "I live in Lisbon."), a_memory("m1", "Ada lives in Lisbon", "r1"))
plan = reflect(view, a_context(Scripted({"questions": [...]})), Params())
after = view.after(plan, "reflect")
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import mul
from typing import Any, Literal

from memcli.core import ids
from memcli.core.memories import Evidence, Memory
from memcli.core.plan import Cite, Plan, Revise
from memcli.core.records import Record
from memcli.core.reports import Due, SearchHit, StrategyInfo
from memcli.core.values import dataclass, replace
from memcli.gateway.context import Backend, Embedder, RunContext
from memcli.gateway.hashed import embed
from memcli.kit.nearkey import near_key
from memcli.kit.overlay import Overlay, memory_hit
from memcli.kit.stem import stem
from memcli.kit.words import STOP_WORDS, words
from memcli.ports import Context, Failed, Pending, Task, View
from memcli.registry import Strategy, add_strategy, trigger

NOW = "2026-01-31T12:00:00Z"


def a_record(ident: str, text: str, *, at: str | None = None, **fields: Any) -> Record:
    """A record of a user in session s1, said at `at` (ISO 8601); `fields` overrides the rest."""
    defaults: dict[str, Any] = {
        "uid": f"uid-{ident}",
        "session": "s1",
        "seq": ids.parse(ident, "r").number,
        "kind": "utterance",
        "role": "user",
        "speaker": None,
        "time_source": "none" if at is None else "exact",
    }
    return Record(id=ident, text=text, said_at=at, **(defaults | fields))


def a_memory(ident: str, text: str, *evidence: str | Evidence, **fields: Any) -> Memory:
    """A fact that rests on `evidence` (ids); `fields` overrides the rest."""
    defaults: dict[str, Any] = {
        "version": 1,
        "uid": f"uid-{ident}",
        "kind": "fact",
        "strategy": "scripted",
        "pass_id": "p1",
    }
    cited = tuple(Evidence(one) if isinstance(one, str) else one for one in evidence)
    return Memory(id=ident, text=text, evidence=cited, **(defaults | fields))


class FakeView:
    """Implements ports.View over the records and memories given, which stand in time order.

    `consumed`: strategy -> record ids. `tombstones`: (kind, near key, record ids) of what was
    rejected. `raters`: who rated the importance of an item (`m1`), or something else (`m1 status`).
    `recalls`: the time of an item's recall, or all of them. `passes`: strategy -> (id, time) of its
    last one. `gone`: memories not held any more, which others may still cite. Text search counts the query's words: score 1.0 for an item
    that holds them all.
    """

    def __init__(
        self,
        *items: Record | Memory,
        consumed: Mapping[str, Iterable[str]] | None = None,
        tombstones: Iterable[tuple[str, str, Iterable[str]]] = (),
        raters: Mapping[str, str] | None = None,
        recalls: Mapping[str, str | Sequence[str]] | None = None,
        passes: Mapping[str, tuple[str, str]] | None = None,
        gone: Iterable[Memory] = (),
        failures: Mapping[str, int] | None = None,
        point: str = "p1",
    ) -> None:
        self.point = point
        self._records = [item for item in items if isinstance(item, Record)]
        self._memories = [item for item in items if isinstance(item, Memory)]
        self._consumed = {name: frozenset(refs) for name, refs in (consumed or {}).items()}
        self._tombstones = [(kind, near, frozenset(refs)) for kind, near, refs in tombstones]
        self._raters = dict(raters or {})
        self._recalls = dict(recalls or {})
        self._passes = dict(passes or {})
        self._gone = {memory.id: memory for memory in gone}
        self._failures = dict(failures or {})
        self._by_ref: dict[str, Record | Memory] = {record.id: record for record in self._records}
        for memory in self._memories:
            self._by_ref[memory.id] = self._by_ref[memory.ref] = memory

    def get(self, ref: str) -> Record | Memory | None:
        """The record, memory or version of this id."""
        return self._by_ref.get(ref)

    def records(
        self,
        *,
        kinds: Sequence[str] | None = None,
        session: str | None = None,
        since: str | None = None,
        inactive: bool = False,
    ) -> Sequence[Record]:
        """Records in the order given."""
        return [
            record
            for record in self._records
            if (kinds is None or record.kind in kinds)
            and session in (None, record.session)
            and (since is None or (record.said_at or "") >= since)
            and (inactive or record.active)
        ]

    def unconsumed(self, strategy: str, *, kinds: Sequence[str] | None = None) -> Sequence[Record]:
        """Records of these kinds (by default what C25 selects) that `strategy` has not settled."""
        done = self._consumed.get(strategy, frozenset())
        wanted = ("utterance", "attachment", "fact") if kinds is None else kinds
        return [
            record
            for record in self.records(kinds=wanted)
            if record.id not in done and record.status not in ("faded", "rejected")
        ]

    def memories(
        self, *, kind: str | None = None, strategy: str | None = None, superseded: bool = True
    ) -> Sequence[Memory]:
        """Memories in the order given."""
        return [
            memory
            for memory in self._memories
            if kind in (None, memory.kind)
            and strategy in (None, memory.strategy)
            and (superseded or not memory.superseded)
        ]

    def closure(self, ref: str) -> frozenset[str]:
        """Ids of all records that `ref` rests on."""
        found = self.get(ids.memory_of(ref)) or self._gone.get(ids.memory_of(ref))
        if found is None:
            return frozenset()
        if isinstance(found, Record):
            return frozenset({found.id})
        return frozenset[str]().union(*(self.closure(one.ref) for one in found.evidence))

    def tombstoned(self, kind: str, near: str, evidence: Sequence[str]) -> bool:
        """Whether this was rejected and `evidence` brings no new record."""
        cited = frozenset[str]().union(*(self.closure(ref) for ref in evidence))
        return any(
            (kind, near) == (rejected, key) and cited <= refs
            for rejected, key, refs in self._tombstones
        )

    def rejected(self, kind: str) -> Sequence[frozenset[str]]:
        """Ids of the records that each rejected memory of this kind rested on."""
        return [refs for rejected, _, refs in self._tombstones if rejected == kind]

    def search(self, query: str, k: int) -> Sequence[SearchHit]:
        """The `k` items that hold most of the query's words; of equal ones the first given."""
        asked = _stems(query)
        hits = []
        items: list[Record | Memory] = [*self._records, *self._memories]
        for item in items:
            share = len(asked & _stems(item.text)) / (len(asked) or 1)
            if share:
                hits.append(_hit(item, round(share, 6)))
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def nearest(self, text: str, vector: Sequence[float], k: int) -> Sequence[SearchHit]:
        """The memories nearest by the built-in embedder, best first."""
        live = [m for m in self._memories if not m.superseded and m.status == "active"]
        hits = [memory_hit(m, round(sum(map(mul, vector, embed(m.text))), 6)) for m in live]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def failures(self, strategy: str) -> Mapping[str, int]:
        """As given."""
        return self._failures

    def rated_by(self, ref: str, name: str = "importance") -> str | None:
        """Who rated it; `person` where nobody is named."""
        item = self.get(ref)
        if item is None or getattr(item, name) in (None, "active", False):
            return None
        return self._raters.get(item.id if name == "importance" else f"{item.id} {name}", "person")

    def recalled(self) -> Mapping[str, str]:
        """Last recalls by id."""
        return {ref: max(times) for ref, times in self.recalls().items()}

    def recalls(self) -> Mapping[str, Sequence[str]]:
        """All recalls by id."""
        return {
            ref: (given,) if isinstance(given, str) else tuple(given)
            for ref, given in self._recalls.items()
        }

    def stored(self) -> Mapping[str, str]:
        """Nothing: what is given here was never stored."""
        return {}

    def settled(self) -> Mapping[str, frozenset[str]]:
        """As given."""
        return self._consumed

    def last_pass(self, strategy: str) -> tuple[str, str] | None:
        """As given."""
        return self._passes.get(strategy)

    def after(self, plan: Plan, strategy: str) -> "FakeView":
        """The view as it is once `plan` is applied; nothing is checked.

        Drafts get the next memory numbers, and revised memories their next version.
        """
        laid = Overlay(self, strategy=strategy)
        for op in plan.ops:
            laid.lay(op)
        first = 1 + max((ids.parse(memory.id).number for memory in self._memories), default=0)
        memories = laid.memories()
        drafts = [memory.id for memory in memories if ids.is_draft(memory.id)]
        names = {draft: f"m{first + nth}" for nth, draft in enumerate(drafts)}
        revised = {ids.memory_of(op.target) for op in plan.ops if isinstance(op, Revise)}
        raters = dict(self._raters)
        for ref in (*(record.id for record in self._records), *(one.id for one in memories)):
            for name, end in (("importance", ""), ("status", " status"), ("pinned", " pinned")):
                by = laid.rated_by(ref, name)
                if by is not None:
                    raters[names.get(ref, ref) + end] = by
        consumed = dict(self._consumed)
        consumed[strategy] = consumed.get(strategy, frozenset()) | frozenset(plan.consumed)
        kept = {memory.id for memory in memories}
        return FakeView(
            *laid.records(inactive=True),
            *(_stored(memory, names, memory.id in revised) for memory in memories),
            consumed=consumed,
            tombstones=self._tombstones,
            raters=raters,
            recalls=self._recalls,
            passes=self._passes,
            gone=[*self._gone.values(), *(m for m in self._memories if m.id not in kept)],
            point=f"p{ids.parse(self.point, 'p').number + 1}",
        )

    def rejecting(self, ident: str) -> "FakeView":
        """The view once the memory `ident` was rolled back: gone, with a tombstone (C23)."""
        memory = self._by_ref[ident]
        grave = (getattr(memory, "kind", ""), near_key(memory.text), self.closure(ident))
        return FakeView(
            *self._records,
            *(kept for kept in self._memories if kept.id != memory.id),
            consumed=self._consumed,
            tombstones=[*self._tombstones, grave],
            raters=self._raters,
            recalls=self._recalls,
            passes=self._passes,
            gone=[*self._gone.values(), *(m for m in self._memories if m.id == memory.id)],
            point=self.point,
        )


class Scripted:
    """A backend that gives the answers it was given, in order, whatever is asked.

    An answer is a typed one, a raw reply (a dict, which the task parses), Pending, Failed, or an
    exception to raise. A raw reply that does not fit is asked for once more, as a real backend
    does (C11): the next answer is the repair, and if that does not fit either, the task failed.
    `asked` keeps the tasks. Raises AssertionError when there is no answer left.
    """

    def __init__(self, *answers: Any, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Task[Any]] = []
        self._answers = list(answers)

    def answer(self, tasks: Sequence[Task[Any]]) -> list[Any | Pending | Failed]:
        """The next answers, one a task."""
        return [self._one(task) for task in tasks]

    @property
    def left(self) -> int:
        """How many answers were not asked for."""
        return len(self._answers)

    def _one(self, task: Task[Any]) -> Any | Pending | Failed:
        self.asked.append(task)
        problem = ""
        for _ in range(2):
            if not self._answers:
                raise AssertionError(f"no answer left for {task.name}")
            answer = self._answers.pop(0)
            if isinstance(answer, BaseException):
                raise answer
            if not isinstance(answer, Mapping):
                return answer
            try:
                return task.parse(answer)
            except ValueError as error:
                problem = str(error)
        return Failed(problem)


def a_context(
    backend: Backend | None = None,
    *,
    now: str = NOW,
    seed: int = 0,
    embedder: Embedder | None = None,
) -> RunContext:
    """A context with this backend (extractive if None) and the built-in embedder."""
    return RunContext(now=now, seed=seed, backend=backend, embedder=embedder)


def cite(ref: str, *quotes: str) -> Cite:
    """Evidence with quotes."""
    return Cite(ref, quotes)


def scripted_strategy(
    plan: Callable[[View, Context], Plan],
    *,
    name: str = "scripted",
    kinds: tuple[str, ...] = ("fact",),
    conflicts: Literal["overwrite", "keep-both", "invalidate", "none"] = "none",
) -> Strategy:
    """Register a strategy that plans whatever `plan` gives; its trigger is always due."""

    def run(view: View, ctx: Context, params: Any) -> Plan:
        return plan(view, ctx)

    def always(view: View, ctx: Context, params: Any, has_model: bool, strategy: str) -> Due:
        return Due(strategy=strategy, due=True, why="always", value=1.0, threshold=1.0)

    trigger(name)(always)
    info = StrategyInfo(
        name=name,
        aliases=(),
        source="tests",
        kinds=kinds,
        due="always",
        calls="0",
        without_model="all",
        conflicts=conflicts,
        parameters={},
        doc="Plans what a test tells it to.",
    )
    found = Strategy(info, run, _NoParams, name)
    add_strategy(found)
    return found


@dataclass(frozen=True)
class _NoParams:
    """A scripted strategy has no parameters."""


def _stored(memory: Memory, names: Mapping[str, str], revised: bool) -> Memory:
    evidence = tuple(
        replace(one, ref=f"{names[one.ref]}@1" if one.ref in names else one.ref)
        for one in memory.evidence
    )
    links = tuple(replace(link, ref=names.get(link.ref, link.ref)) for link in memory.links)
    return replace(
        memory,
        id=names.get(memory.id, memory.id),
        uid=f"uid-{names.get(memory.id, memory.id)}",
        version=memory.version + revised,
        superseded_by=names.get(memory.superseded_by or "", memory.superseded_by),
        evidence=evidence,
        links=links,
    )


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in STOP_WORDS}


def _hit(item: Record | Memory, score: float) -> SearchHit:
    if isinstance(item, Record):
        return SearchHit(
            id=item.id,
            layer="raw",
            kind=item.kind,
            text=item.text,
            score=score,
            status=item.status,
            said_at=item.said_at,
            speaker=item.speaker,
        )
    return memory_hit(item, score)
