"""Circles of evidence (C14): what leads back to itself can be neither checked nor taken back."""

from collections.abc import Iterable

from memcli.core import ids
from memcli.core.plan import Add, Link, Operation, Retire, Revise
from memcli.kit.graph import cycles
from memcli.store.view import StoreView

Graph = dict[str, set[str]]


def graph(view: StoreView, ops: Iterable[Operation] = ()) -> Graph:
    """Memory -> what it rests on (memories and records), with `ops` laid over the view."""
    rests: Graph = {
        memory.id: {ids.memory_of(found.ref) for found in memory.evidence}
        for memory in view.memories()
    }
    for op in ops:
        if isinstance(op, Add):
            rests[op.id] = {ids.memory_of(cite.ref) for cite in op.evidence}
        elif isinstance(op, Revise):
            more = {ids.memory_of(cite.ref) for cite in op.evidence}
            rests.setdefault(ids.memory_of(op.target), set()).update(more)
        elif isinstance(op, Link) and op.role == "evidence":
            rests.setdefault(ids.memory_of(op.source), set()).add(ids.memory_of(op.target))
        elif isinstance(op, Retire) and op.merged_into is not None:
            survivor = ids.memory_of(op.merged_into)
            moved = rests.get(ids.memory_of(op.target), set()) - {survivor}
            rests.setdefault(survivor, set()).update(moved)
    return rests


def find(view: StoreView, ops: Iterable[Operation] = ()) -> str | None:
    """A memory that would rest on itself, or None."""
    for circle in cycles(graph(view, ops)):
        return circle[0]
    return None
