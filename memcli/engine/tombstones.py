"""Tombstones: what says "this was wrong", so that no later pass makes it again (rule C23).

Two ask for them: a rollback that rejects, and a reviewer who rejects items of a plan.
"""

from collections.abc import Iterable

from memcli.core.memories import Memory, Slot
from memcli.core.plan import Add, Operation, Retire, Revise
from memcli.core.records import Scope
from memcli.core.values import dataclass
from memcli.engine import plans
from memcli.engine.checked import Checked
from memcli.engine.targets import Target
from memcli.kit.nearkey import merge_key, near_key
from memcli.store import reverts
from memcli.store.reverts import Journal
from memcli.store.rows import Row, row
from memcli.store.view import StoreView
from memcli.store.write import PassWriter

# What stands for the kind in the tombstone of a merge; its near key is the pair.
MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """`columns` from strategy to value; `records`: items of the records that it rested on."""

    columns: tuple[object, ...]
    records: frozenset[int]


def columns_of(
    strategy: str, kind: str, near: str, scope: Scope, slot: Slot | None
) -> tuple[object, ...]:
    """The columns of a tombstone, in the order of the table."""
    value = (None, None, None) if slot is None else (slot.subject, slot.attribute, slot.value)
    return (strategy, kind, near, scope.user, scope.agent, scope.project, *value)


def columns_of_merge(strategy: str, uid: str, survivor: str, scope: Scope) -> tuple[object, ...]:
    """The columns of a tombstone for the merge of one memory into another, by their uids."""
    return columns_of(strategy, MERGE, merge_key(uid, survivor), scope, None)


def resting_on(view: StoreView, columns: tuple[object, ...], refs: Iterable[str]) -> Tombstone:
    """The tombstone of what rests on `refs`: on all records that those end in."""
    records = sorted({record for ref in refs for record in view.closure(ref)})
    nodes = (view.node(record) for record in records)
    return Tombstone(columns, frozenset(node for node in nodes if node is not None))


def of_operation(
    view: StoreView, strategy: str, checked: Checked, op: Operation
) -> Tombstone | None:
    """What keeps a checked operation from being proposed again from the same evidence.

    None for those that have no wording of their own: supersede, a retire that merges nothing,
    link, unlink, rate.
    """
    drafts = {one.id: one for one in checked.ops if isinstance(one, Add)}
    if isinstance(op, Add):
        columns = columns_of(strategy, op.kind, near_key(op.text), checked.scope, op.slot)
        refs = plans.roots((cite.ref for cite in op.evidence), drafts)
        return resting_on(view, columns, refs)
    target = view.get(plans.target_of(op) or "")
    if not isinstance(target, Memory):
        return None
    if isinstance(op, Revise):
        near = near_key(target.text if op.text is None else op.text)
        # A slot that the memory has already is not what was proposed.
        slot = None if op.slot == target.slot else op.slot
        columns = columns_of(target.strategy, target.kind, near, target.scope, slot)
        # The new version would have rested on what the memory rests on, too.
        former = () if op.replace_evidence else (target.id,)
        refs = plans.roots((*former, *(cite.ref for cite in op.evidence)), drafts)
        return resting_on(view, columns, refs)
    if isinstance(op, Retire) and op.merged_into is not None:
        survivor = view.get(op.merged_into)
        uid = survivor.uid if isinstance(survivor, Memory) else checked.uids[op.merged_into]
        columns = columns_of_merge(target.strategy, target.uid, uid, target.scope)
        return resting_on(view, columns, [target.id])
    return None


def of_rollback(log: Journal, target: Target, ops: Iterable[int], at: int) -> list[Tombstone]:
    """One for each version and merge that a rollback of `ops` rejects, as of pass `at`.

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
    return resting_on(view, columns, [rests])


def bury(writer: PassWriter, found: Iterable[Tombstone]) -> None:
    """Write tombstones, an operation each: a rollback may take one of them back."""
    for one in found:
        item = writer.draw()
        rows = [Row("tombstone", (item, *one.columns))]
        rows += [
            row("tombstone_record", tombstone=item, record=record) for record in sorted(one.records)
        ]
        writer.op("tombstone", rows=rows)
