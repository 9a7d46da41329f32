"""Tombstones: what says "this was wrong", so that no later pass makes it again (rule C23).

Two ask for them: a rollback that rejects, and a reviewer who rejects items of a plan.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memcli.core.memories import Slot
from memcli.core.records import Scope
from memcli.store.reverts import merge_key
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


def bury(writer: PassWriter, found: Iterable[Tombstone]) -> None:
    """Write tombstones, an operation each: a rollback may take one of them back."""
    for one in found:
        item = writer.draw()
        rows = [Row("tombstone", (item, *one.columns))]
        rows += [
            row("tombstone_record", tombstone=item, record=record) for record in sorted(one.records)
        ]
        writer.op("tombstone", rows=rows)
