"""The parts of a pass, one a scope: how they are written, and what is said of them.

A pass that was just planned and a plan that comes from a file end here, in the same way.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memcli.core.journal import Usage
from memcli.core.plan import Operation, Plan, Rejection
from memcli.core.reports import OPERATIONS, Change, ConsolidateReport, Outcome
from memcli.core.values import dataclass, field
from memcli.engine import plans, tombstones
from memcli.engine.apply import Applier, run_content, texts_to_embed
from memcli.engine.checked import Checked
from memcli.engine.moved import check_unmoved
from memcli.engine.planned import planned
from memcli.engine.tombstones import Tombstone
from memcli.retrieval.view import SearchView
from memcli.store import file, journal
from memcli.store.driver import sqlite3
from memcli.store.view import StoreView
from memcli.store.write import PassWriter, transaction

# Given the state that would be; raises RefusedError if it must not come about.
Gate = Callable[[StoreView], None]


@dataclass(slots=True)
class Part:
    """The plan of one scope, what is sound of it, and what a reviewer rejected for good."""

    view: SearchView
    plan: Plan
    checked: Checked
    tombstones: Sequence[Tombstone] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What a pass says of itself. `asked` is kept with it: parameters, scope, session, ..."""

    strategy: str
    model: str | None
    backend: str
    usage: Usage = Usage()
    asked: Mapping[str, Any] = field(default_factory=dict)


# --- writing --------------------------------------------------------------------------------------


def to_write(parts: Sequence[Part]) -> bool:
    """Whether there is anything to write: operations, marks or tombstones.

    That records failed alone (C27) is worth a pass only beside something that was settled: a pass
    that settled nothing has failed, and writes nothing (C4).
    """
    if any(part.checked.ops or part.checked.consumed or part.tombstones for part in parts):
        return True
    return settled(parts) and any(part.plan.unusable for part in parts)


def settled(parts: Sequence[Part]) -> bool:
    """Whether a unit was settled, perhaps with nothing to store; a scope where there was nothing
    to look at has settled nothing."""
    return any(part.plan.settled and (_looked(part) or part.plan.failed) for part in parts)


def texts(parts: Sequence[Part]) -> list[str]:
    """The texts that need vectors, before the transaction opens."""
    return [text for part in parts for text in texts_to_embed(part.view, part.checked)]


def commit(
    connection: "sqlite3.Connection",
    said: Said,
    parts: Sequence[Part],
    vectors: Mapping[str, bytes],
    *,
    now: str,
    gate: Gate | None = None,
    refuse: Callable[[], None] | None = None,
) -> int:
    """Write all parts as one pass and give its number.

    `refuse` is asked instead of `refuse_moved`, while nobody else can write. Raises MovedError if
    the store moved under them (C2), RefusedError if the gate refuses; then nothing was written.
    """
    with transaction(connection):
        if refuse is None:
            refuse_moved(connection, parts, said.strategy)
        else:
            refuse()
        writer = PassWriter(connection, "consolidate", now)
        writer.op("run", content=_content(said, parts))
        for part in parts:
            applier = Applier(writer, part.view, said.strategy, part.checked, vectors)
            applier.apply()
            applier.consume(part.checked.consumed, said.backend)
            applier.mark_failed(part.plan.unusable)
            tombstones.bury(writer, part.tombstones)
        pass_id = writer.finish(strategy=said.strategy, model=said.model, usage=said.usage)
        if gate is not None:
            gate(StoreView(connection, pass_id))
    return pass_id


def try_out(
    connection: "sqlite3.Connection",
    said: Said,
    parts: Sequence[Part],
    embed: Callable[[Sequence[str]], Mapping[str, bytes]],
    *,
    now: str,
    gate: Gate,
) -> None:
    """Put the gate to the state that would be, on a copy of the store in memory.

    Raises RefusedError if it refuses.
    """
    copy = file.copy_in_memory(connection)
    try:
        commit(copy, said, parts, embed(texts(parts)), now=now, gate=gate)
    finally:
        copy.close()


def refuse_moved(connection: "sqlite3.Connection", parts: Sequence[Part], strategy: str) -> None:
    """Raise MovedError if what the parts rest on has changed since they were planned."""
    at = journal.last_pass(connection)[0]
    for part in parts:
        head = StoreView(connection, at, again=part.view.again)
        check_unmoved(part.view, head, part.checked, part.plan, strategy)


def _content(said: Said, parts: Sequence[Part]) -> dict[str, Any]:
    """What was asked and what was left: kept with the pass, shown by `mem show pN`."""
    return run_content(
        {
            **said.asked,
            "backend": said.backend,
            "pending": pending(parts),
            "rejected": [[r.item, r.reason] for r in rejected(parts)],
            "failed": failed(parts),
            "warnings": [text for part in parts for text in part.plan.warnings],
        }
    )


# --- saying ---------------------------------------------------------------------------------------


def pending(parts: Sequence[Part]) -> dict[str, int]:
    """Reason -> number of records left for later."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part.plan.pending)
    return dict(sorted(total.items()))


def rejected(parts: Sequence[Part]) -> tuple[Rejection, ...]:
    """What the strategy, the engine and a reviewer rejected."""
    return tuple(item for part in parts for item in (*part.plan.rejected, *part.checked.rejected))


def failed(parts: Sequence[Part]) -> list[str]:
    """The units that failed."""
    return [unit for part in parts for unit in part.plan.failed]


def outcome(parts: Sequence[Part]) -> Outcome:
    """How a pass that was written ended (C4)."""
    if failed(parts):
        return "partial"
    return "applied" if any(part.checked.ops for part in parts) else "no-changes"


def idle(parts: Sequence[Part]) -> Outcome:
    """Nothing to write: nothing was there to look at, or all of it is settled already."""
    if failed(parts):
        return "partial"
    return "no-changes" if any(map(_looked, parts)) else "nothing-due"


def _looked(part: Part) -> bool:
    plan = part.plan
    return bool(plan.ops or plan.selected or plan.pending or plan.rejected or part.checked.rejected)


def would(parts: Sequence[Part], strategy: str) -> tuple[Change, ...]:
    """The changes that the parts would make, with draft ids."""
    return tuple(
        change for part in parts for change in planned(part.view, part.checked.ops, strategy)
    )


def report(
    pass_id: int | None,
    said: Said,
    parts: Sequence[Part],
    ended: Outcome,
    changes: Sequence[Change],
) -> ConsolidateReport:
    """What a consolidation answers."""
    ops: list[Operation] = [op for part in parts for op in part.checked.ops]
    return ConsolidateReport(
        pass_id=None if pass_id is None else f"p{pass_id}",
        strategy=said.strategy,
        model=said.model,
        outcome=ended,
        operations=plans.counts(ops, OPERATIONS),
        changes=tuple(changes),
        rejected=rejected(parts),
        pending=pending(parts),
        failed=tuple(failed(parts)),
        warnings=tuple(text for part in parts for text in part.plan.warnings),
        usage=said.usage,
        settled=sum(len(part.plan.consumed) for part in parts),
    )
