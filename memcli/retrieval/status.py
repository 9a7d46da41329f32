"""What a result or a node of a tree is: current, superseded, stale, faded, ..."""

from memcli.core.ids import memory_of
from memcli.core.memories import Memory
from memcli.core.records import Record
from memcli.store.view import StoreView

# Verdicts on the item itself, whatever became of its claim.
_PAST = ("faded", "lapsed", "rejected")


def record_status(record: Record) -> str:
    """`current`, or what a rating or mark says of the record."""
    if not record.active and record.status not in _PAST:
        return "superseded"
    return "current" if record.status == "active" else record.status


def memory_status(view: StoreView, memory: Memory) -> str:
    """`current`, `superseded`, `stale` (rests on what is not held), or its rated status.

    What faded, lapsed or was rejected is that first, also where it was superseded.
    """
    if memory.superseded and memory.status not in _PAST:
        return "superseded"
    if memory.status != "active":
        return memory.status
    return "stale" if is_stale(view, memory) else "current"


def is_stale(view: StoreView, memory: Memory) -> bool:
    """Whether it rests on a memory that is superseded, retired or newer-versioned (C24)."""
    for evidence in memory.evidence:
        if not evidence.ref.startswith("m"):
            continue
        found = view.get(evidence.ref)
        # What was merged into another that is held is held in that other.
        if found is None:
            found = view.get(view.merged_into(memory_of(evidence.ref)) or "")
        if found is None or (isinstance(found, Memory) and found.superseded):
            return True
    return False
