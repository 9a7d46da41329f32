"""Take back: a pass, a memory, a version and later ones, or all since a point.

The state of a store is the set of rows that are held. An operation opens some and closes some;
its inverse closes and opens the same rows. So a rollback is exact as long as no later operation
in force has anything to do with the rows that are taken back: those are the dependents, refused
or taken along. Whether a row can be opened again is asked of the rows themselves: what it rests
on has to be held, and nobody may have taken its key.
"""

from collections.abc import Callable, Iterable
from itertools import groupby

from memcli.core import ids
from memcli.core.journal import Manner
from memcli.core.reports import RollbackReport
from memcli.core.values import dataclass
from memcli.engine import changes, circles, tombstones
from memcli.engine.points import resolve_point
from memcli.engine.tombstones import Tombstone
from memcli.errors import RefusedError, UsageError
from memcli.store import journal, reverts
from memcli.store.driver import sqlite3
from memcli.store.reverts import Journal, OpRow
from memcli.store.view import StoreView
from memcli.store.write import PassWriter, transaction


@dataclass(slots=True)
class Target:
    """What is to be taken back: operations, and memory versions that were wrong (C23)."""

    name: str
    ops: set[int]
    reverts: tuple[str, ...] = ()
    # Says "this was wrong" of the operations named (a pass), or of one memory's versions.
    rejects: bool = False
    memory: int | None = None


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
        lambda log: _target(log, target, reject),
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
        lambda log: _since(log, point, reject),
        now=now,
        manner="rollback",
        cascade=cascade,
        dry_run=dry_run,
    )


def undo(connection: "sqlite3.Connection", *, now: str) -> RollbackReport:
    """Take back the newest pass in force that no undo, redo or erase made."""
    return _run(connection, _undo_target, now=now, manner="undo")


def redo(connection: "sqlite3.Connection", *, now: str) -> RollbackReport:
    """Take back the newest undo in force, while only undos and redos follow it."""
    return _run(connection, _redo_target, now=now, manner="redo")


# --- what is meant ------------------------------------------------------------------------------


def _target(log: Journal, target: str, reject: bool) -> Target:
    parsed = ids.try_parse(target)
    if parsed is not None and parsed.letter == "m":
        return _memory_target(log, target)
    number = None
    if target.startswith("last") or (parsed is not None and parsed.letter == "p"):
        number = resolve_point(log.connection, target)
    if not number:
        raise UsageError(
            f"{target!r} is neither a memory nor a pass of this store.",
            where="the target",
            hint="give m4, m4@2, p7, last or last~1 (mem log lists passes)",
        )
    return _pass_target(log, number, reject)


def _pass_target(log: Journal, number: int, reject: bool) -> Target:
    taken = journal.passes_not_in_force(log.connection).get(number)
    if taken is not None:
        raise RefusedError(
            f"p{number} is not in force: p{taken} took it back.",
            where=f"p{number}",
            hint=f"mem rollback p{taken} puts it in force again",
        )
    ops = [op for op in log.of_pass(number) if op.type != "run"]
    return Target(f"p{number}", {op.id for op in ops}, (f"p{number}",), reject)


def _memory_target(log: Journal, target: str) -> Target:
    parsed = ids.parse(target, "m")
    versions = reverts.memory_versions(log.connection, parsed.number)
    wanted = [n for n in versions if parsed.version is None or n >= parsed.version]
    if not versions or (parsed.version is not None and parsed.version not in versions):
        raise UsageError(
            f"There is no {target}.", where="the target", hint="mem search or mem log show ids"
        )
    if not reverts.held(log.connection, (versions[n] for n in wanted)):
        raise RefusedError(
            f"{target} is not held: it was taken back or retired before.",
            where=target,
            hint=f"mem history {parsed.memory} tells what happened to it",
        )
    # A memory goes as it was made; later versions of it are dependents. `m4@2` means those too.
    first = [1] if parsed.version is None else wanted
    made = [log.maker(versions[n]) for n in sorted(first) if n in versions]
    ops = {op.id for op in made if op is not None and op.id not in log.reverted}
    for number in list(ops):
        ops |= _beside(log, log.op(number))
    return Target(target, ops, (target,), rejects=True, memory=parsed.number)


def _beside(log: Journal, op: OpRow) -> set[int]:
    """Links, ratings and supersedings of the same pass that name what `op` made (C35)."""
    return {
        number
        for number in log.touching([op])
        if log.op(number).pass_id == op.pass_id
        and log.op(number).type in ("link", "unlink", "rate", "supersede")
    }


def _since(log: Journal, point: str, reject: bool) -> Target:
    number = resolve_point(log.connection, point)
    ops = []
    for op in log.after(number):
        # A revert of something younger than the point leaves things as at the point. What one
        # revert takes back is all of one pass.
        neutral = bool(op.reverts) and log.op(op.reverts[0]).pass_id > number
        if op.type != "run" and not neutral:
            ops.append(op)
    if not ops:
        raise RefusedError(
            f"Nothing is in force since p{number}.", where=point, hint="mem log shows what is"
        )
    return Target(f"all since p{number}", {op.id for op in ops}, (), reject)


def _undo_target(log: Journal) -> Target:
    gone = journal.passes_not_in_force(log.connection)
    for entry in journal.passes(log.connection):
        number = ids.parse(entry.id).number
        if entry.manner not in ("undo", "redo") and entry.kind != "erase" and number not in gone:
            return _pass_target(log, number, reject=False)
    raise RefusedError("There is nothing to undo.", where="mem undo", hint="mem log shows passes")


def _redo_target(log: Journal) -> Target:
    gone = journal.passes_not_in_force(log.connection)
    for entry in journal.passes(log.connection):
        number = ids.parse(entry.id).number
        if entry.manner == "undo" and number not in gone:
            return _pass_target(log, number, reject=False)
        if entry.manner not in ("undo", "redo"):
            break
    raise RefusedError(
        "There is nothing to redo: no undo is newer than the last pass.",
        where="mem redo",
        hint="mem log shows what was undone; mem rollback pN takes an older undo back",
    )


# --- taking back --------------------------------------------------------------------------------


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
    rejected = _tombstones(log, target, ops, before)
    ops |= _freed(log, ops)
    released = reverts.consumed_by(
        connection, (item for number in ops for item in log.op(number).opened)
    )
    writer = PassWriter(connection, "rollback", now)
    _Inverse(log, writer, target.name).apply(ops)
    tombstones.bury(writer, rejected)
    whole = [f"p{number}" for number in _whole_passes(log, ops)]
    writer.finish(manner=manner, reverts=tuple(dict.fromkeys((*target.reverts, *whole))))
    diff = changes.between(connection, before, writer.id)
    return RollbackReport(
        pass_id=None if dry_run else f"p{writer.id}",
        target=target.name,
        retired=tuple(c.memory for c in diff.changes if c.change == "retired"),
        restored=tuple(
            dict.fromkeys(c.memory for c in diff.changes if c.change in ("restored", "revised"))
        ),
        dependents=_labels(log, dependents),
        released_records=len(released),
        records_closed=diff.records_removed,
        records_restored=diff.records_added,
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
        for op in everything:
            marks = reverts.consumed_by(log.connection, op.opened)
            if op.type == "consume" and cited.intersection(marks.values()):
                out.add(op.id)
    return out


_CITING = ("add", "revise", "link", "retire")


def _whole_passes(log: Journal, ops: set[int]) -> list[int]:
    """Passes of which nothing stays in force."""
    return [
        number
        for number in sorted({log.op(op).pass_id for op in ops})
        if all(op.id in ops or op.type == "run" for op in log.of_pass(number))
    ]


class _Inverse:
    """Applies inverses of operations, newest first, and checks each row on the way."""

    def __init__(self, log: Journal, writer: PassWriter, name: str) -> None:
        self.log = log
        self.writer = writer
        self.name = name
        self.opened: dict[int, OpRow] = {}

    def apply(self, ops: Iterable[int]) -> None:
        """One revert for each pass that operations are taken back of."""
        listed = [self.log.op(number) for number in sorted(ops, reverse=True)]
        for pass_id, part in groupby(listed, key=lambda op: op.pass_id):
            self._one(pass_id, list(part))
        for item, op in self.opened.items():
            self._may_stand(item, op)
        self._refuse_circle()

    def _one(self, pass_id: int, ops: list[OpRow]) -> None:
        close: dict[int, OpRow] = {}
        reopen: dict[int, OpRow] = {}
        for op in ops:
            # What one operation opened and a later one closed comes and goes within the inverse.
            for item in op.opened:
                if reopen.pop(item, None) is None:
                    close[item] = op
            for item in op.closed:
                if close.pop(item, None) is None:
                    reopen[item] = op
        self._rows_are(close, held=True, pass_id=pass_id)
        self._rows_are(reopen, held=False, pass_id=pass_id)
        self.writer.op("revert", reopen=reopen, close=close, reverts=[op.id for op in ops])
        for item in close:
            self.opened.pop(item, None)
        self.opened.update(reopen)

    def _rows_are(self, items: Iterable[int], *, held: bool, pass_id: int) -> None:
        wanted = set(items)
        now = reverts.held(self.log.connection, wanted)
        wrong = (wanted - now) if held else now
        if wrong:
            what = reverts.describe(self.log.connection, min(wrong))
            state = "is not held any more" if held else "is held again already"
            raise self._refuse(f"{what} {state}", pass_id)

    def _refuse_circle(self) -> None:
        """Evidence that comes back must not close a circle with what was linked since."""
        if not reverts.evidence_among(self.log.connection, self.opened):
            return
        found = circles.find(StoreView(self.log.connection, self.writer.id))
        if found is not None:
            raise self._refuse(f"{found} would rest on itself", self.writer.id)

    def _may_stand(self, item: int, op: OpRow) -> None:
        """Refuse a row that would rest on one that is not held now and was when it closed."""
        connection = self.log.connection
        other = reverts.rival(connection, item)
        if other is not None:
            what = reverts.describe(connection, item)
            raise self._refuse(
                f"{what} would be there twice, beside {reverts.describe(connection, other)}",
                op.pass_id,
            )
        for base in reverts.bases(connection, item):
            if reverts.held(connection, base):
                continue
            if any(reverts.was_held(connection, one, op.pass_id) for one in base):
                what = reverts.describe(connection, item)
                under = ", ".join(reverts.describe(connection, one) for one in sorted(base)[:3])
                raise self._refuse(f"{what} rests on {under}, not held any more", op.pass_id)

    def _refuse(self, why: str, pass_id: int) -> RefusedError:
        return RefusedError(
            f"{self.name} cannot be taken back now: {why}.",
            where=f"what p{pass_id} did",
            hint="mem log and mem history show what happened since; take that back first",
        )


# --- tombstones ---------------------------------------------------------------------------------


def _tombstones(log: Journal, target: Target, ops: Iterable[int], at: int) -> list[Tombstone]:
    """What says "this was wrong", with the records that the rejected text rested on.

    Asked before anything is taken back, while the evidence is still there. Of a memory every
    version that goes is rejected; what merely rests on it is not.
    """
    if not target.rejects:
        return []
    view = StoreView(log.connection, at)
    chosen = [log.op(number) for number in sorted(ops)]
    if target.memory is None:
        chosen = [op for op in chosen if op.id in target.ops]
    made = [item for op in chosen if op.type in ("add", "revise") for item in op.opened]
    out = []
    for memory, number in reverts.versions_among(log.connection, made):
        if target.memory in (None, memory):
            columns = reverts.rejected_version(log.connection, memory, number)
            out.append(_rejection(view, columns, f"m{memory}"))
    merges = [item for op in chosen if op.type == "retire" for item in op.opened]
    if target.memory is None:
        for memory, columns in reverts.rejected_merges(log.connection, merges):
            out.append(_rejection(view, columns, f"m{memory}"))
    return out


def _rejection(view: StoreView, columns: tuple[object, ...], memory: str) -> Tombstone:
    # A memory that a merge retired has its evidence in the survivor.
    rests = memory if view.closure(memory) else view.merged_into(memory) or memory
    return tombstones.resting_on(view, columns, [rests])
