"""Take back: a pass, a memory, a version and later ones, or all since a point.

The state of a store is the set of rows that are held. An operation opens some and closes some;
its inverse closes and opens the same rows. So a rollback is exact as long as no later operation
in force has anything to do with the rows that are taken back: those are the dependents, refused
or taken along. Whether a row can be opened again is asked of the rows themselves: what it rests
on has to be held, and nobody may have taken its key.
"""

from collections.abc import Callable, Iterable

from memcli.core.journal import Manner
from memcli.core.reports import RollbackReport
from memcli.engine import changes, targets, tombstones
from memcli.engine.inverse import Inverse
from memcli.engine.targets import Target
from memcli.errors import RefusedError
from memcli.store import history, journal, reverts
from memcli.store.driver import sqlite3
from memcli.store.reverts import Journal, OpRow
from memcli.store.write import PassWriter, transaction

# Operations that may bring evidence: what they cite is settled by their pass.
_CITING = ("add", "revise", "link", "retire")

Choose = Callable[[Journal], Target]


class _DryRunError(Exception):
    """Leaves the transaction of a dry run."""


def rollback(
    connection: "sqlite3.Connection",
    target: str,
    *,
    now: str,
    cascade: bool = False,
    reject: bool = False,
    dry_run: bool = False,
) -> RollbackReport:
    """Take back a memory, a version and later ones, or a pass.

    Raises UsageError for an unknown target, RefusedError for dependents and for rows that cannot
    be opened again.
    """
    return _run(
        connection,
        lambda log: targets.target_of(log, target, reject),
        now=now,
        manner="rollback",
        cascade=cascade,
        dry_run=dry_run,
    )


def rollback_to(
    connection: "sqlite3.Connection",
    point: str,
    *,
    now: str,
    cascade: bool = False,
    reject: bool = False,
    dry_run: bool = False,
) -> RollbackReport:
    """Take back all that is in force since `point`."""
    return _run(
        connection,
        lambda log: targets.since(log, point, reject),
        now=now,
        manner="rollback",
        cascade=cascade,
        dry_run=dry_run,
    )


def undo(connection: "sqlite3.Connection", *, now: str) -> RollbackReport:
    """Take back the newest pass in force that no undo, redo or erase made."""
    return _run(connection, targets.newest_pass, now=now, manner="undo")


def redo(connection: "sqlite3.Connection", *, now: str) -> RollbackReport:
    """Take back the newest undo in force, while only undos and redos follow it."""
    return _run(connection, targets.newest_undo, now=now, manner="redo")


def _run(
    connection: "sqlite3.Connection",
    choose: Choose,
    *,
    now: str,
    manner: Manner,
    cascade: bool = False,
    dry_run: bool = False,
) -> RollbackReport:
    report: RollbackReport | None = None
    try:
        with transaction(connection):
            log = Journal(connection)
            target = choose(log)
            dependents = _dependents(log, target.ops)
            if dependents and not cascade:
                raise _refuse_dependents(log, target, dependents)
            report = _write(log, target, dependents, now=now, manner=manner, dry_run=dry_run)
            if dry_run:
                raise _DryRunError
    except _DryRunError:
        pass
    assert report is not None
    return report


def _dependents(log: Journal, targets: set[int]) -> set[int]:
    """Every later operation in force that rests on what `targets` opened, and so on."""
    found: set[int] = set()
    fresh = targets
    while fresh:
        fresh = log.touching(log.op(number) for number in fresh) - targets - found
        found |= fresh
    return found


def _label(log: Journal, op: OpRow) -> str:
    made = reverts.versions_among(log.connection, op.opened)
    if op.type not in ("add", "revise") or not made:
        return f"p{op.pass_id}"
    memory, number = made[0]
    return f"m{memory}" if op.type == "add" else f"m{memory}@{number}"


def _labels(log: Journal, ops: Iterable[int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_label(log, log.op(number)) for number in sorted(ops)))


def _refuse_dependents(log: Journal, target: Target, dependents: set[int]) -> RefusedError:
    labels = _labels(log, dependents)
    shown = ", ".join(labels[:8]) + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")
    verb = "depends" if len(labels) == 1 else "depend"
    return RefusedError(
        f"{target.name} cannot be taken back alone: {shown} {verb} on it.",
        where=target.name,
        hint="add --cascade to take them along, or roll them back first (mem why, mem show)",
        details={"target": target.name, "dependents": list(labels)},
    )


def _write(
    log: Journal,
    target: Target,
    dependents: set[int],
    *,
    now: str,
    manner: Manner,
    dry_run: bool,
) -> RollbackReport:
    connection = log.connection
    before = journal.last_pass(connection)[0]
    ops = target.ops | dependents
    rejected = tombstones.of_rollback(log, target, ops, before)
    ops |= _freed(log, ops)
    released = reverts.consumed_by(
        connection, (item for number in ops for item in log.op(number).opened)
    )
    writer = PassWriter(connection, "rollback", now)
    Inverse(log, writer, target.name).apply(ops)
    tombstones.bury(writer, rejected)
    whole = [f"p{number}" for number in _whole_passes(log, ops)]
    writer.finish(manner=manner, reverts=tuple(dict.fromkeys((*target.reverts, *whole))))
    retired, restored = changes.moved(connection, before, writer.id)
    added, removed = history.records_between(connection, before, writer.id)
    return RollbackReport(
        pass_id=None if dry_run else f"p{writer.id}",
        target=target.name,
        retired=tuple(retired),
        restored=tuple(restored),
        dependents=_labels(log, dependents),
        released_records=len(released),
        records_closed=removed,
        records_restored=added,
    )


def _freed(log: Journal, ops: set[int]) -> set[int]:
    """Consumed marks of the same passes on records that only memories taken back cite."""
    out: set[int] = set()
    for pass_id in sorted({log.op(number).pass_id for number in ops}):
        everything = log.of_pass(pass_id)
        gone = [op for op in everything if op.id in ops]
        stay = [op for op in everything if op.id not in ops and op.type in _CITING]
        cited = reverts.cited_records(log.connection, (i for op in gone for i in op.opened))
        cited -= reverts.cited_records(
            log.connection, (i for op in stay for i in op.opened), live=True
        )
        for op in everything if cited else ():
            if op.type == "consume":
                marks = reverts.consumed_by(log.connection, op.opened)
                if cited.intersection(marks.values()):
                    out.add(op.id)
    return out


def _whole_passes(log: Journal, ops: set[int]) -> list[int]:
    """Passes of which nothing stays in force."""
    return [
        number
        for number in sorted({log.op(op).pass_id for op in ops})
        if all(op.id in ops or op.type == "run" for op in log.of_pass(number))
    ]
