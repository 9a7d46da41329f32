"""What a rollback is to take back: words of a person, as operations of the journal."""

from memcli.core import ids
from memcli.core.values import dataclass
from memcli.engine.points import resolve_point
from memcli.errors import RefusedError, UsageError
from memcli.store import journal, reverts
from memcli.store.reverts import Journal, OpRow


@dataclass(slots=True)
class Target:
    """What is to be taken back: operations, and memory versions that were wrong (C23)."""

    name: str
    ops: set[int]
    reverts: tuple[str, ...] = ()
    # Says "this was wrong" of the operations named (a pass), or of one memory's versions.
    rejects: bool = False
    memory: int | None = None


def target_of(log: Journal, target: str, reject: bool) -> Target:
    """A memory (`m4`), a version and later ones (`m4@2`) or a pass (`p7`, `last`).

    Raises UsageError for what is none of them, RefusedError for what is not in force or not held.
    """
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


def since(log: Journal, point: str, reject: bool) -> Target:
    """All that is in force since `point`; raises RefusedError where nothing is."""
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


def newest_pass(log: Journal) -> Target:
    """The newest pass in force that no undo, redo or erase made; raises RefusedError for none."""
    gone = journal.passes_not_in_force(log.connection)
    for entry in journal.passes(log.connection):
        number = ids.parse(entry.id).number
        if entry.manner not in ("undo", "redo") and entry.kind != "erase" and number not in gone:
            return _pass_target(log, number, reject=False)
    raise RefusedError("There is nothing to undo.", where="mem undo", hint="mem log shows passes")


def newest_undo(log: Journal) -> Target:
    """The newest undo in force, while only undos and redos follow it; raises RefusedError."""
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
