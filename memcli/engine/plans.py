"""Small questions about plans: what an operation makes, targets and cites."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from memcli.core import ids
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Operation,
    Plan,
    Rate,
    Retire,
    Revise,
    Supersede,
    Unlink,
)
from memcli.core.values import replace

TYPES: dict[type[Any], str] = {
    Add: "add",
    Revise: "revise",
    Supersede: "supersede",
    Retire: "retire",
    Link: "link",
    Unlink: "unlink",
    Rate: "rate",
}


def type_of(op: Operation) -> str:
    """`add`, `revise`, ..."""
    return TYPES[type(op)]


def target_of(op: Operation) -> str | None:
    """The memory or record that an operation changes; None for an add."""
    if isinstance(op, Add):
        return None
    return op.source if isinstance(op, Link | Unlink) else op.target


def label_of(op: Operation, nth: int) -> str:
    """How a rejected operation is named: its draft id, or its place and type."""
    if op.id:
        return op.id
    target = target_of(op)
    return f"operation {nth + 1} ({type_of(op)}{' ' + target if target else ''})"


def cites_of(op: Operation) -> tuple[Cite, ...]:
    """Evidence that an operation brings."""
    return op.evidence if isinstance(op, Add | Revise) else ()


def refs_of(op: Operation) -> Iterator[str]:
    """Every id that an operation names."""
    target = target_of(op)
    if target is not None:
        yield target
    yield from (cite.ref for cite in cites_of(op))
    if isinstance(op, Link | Unlink):
        yield op.target
    if isinstance(op, Supersede) and op.by is not None:
        yield op.by
    if isinstance(op, Retire) and op.merged_into is not None:
        yield op.merged_into


def roots(refs: Iterable[str], drafts: Mapping[str, Add]) -> list[str]:
    """`refs`, and for those that are drafts what they rest on in the store."""
    seen = dict.fromkeys(refs)
    todo = list(seen)
    while todo:  # no recursion: chains of drafts can be long
        draft = drafts.get(todo.pop())
        if draft is not None:
            fresh = [cite.ref for cite in draft.evidence if cite.ref not in seen]
            seen.update(dict.fromkeys(fresh))
            todo += fresh
    return [ref for ref in seen if ref not in drafts]


def renumbered(plan: Plan, first: int) -> tuple[Plan, int]:
    """The plan with its draft ids counted from `first`, and the next free number.

    Plans of several scopes become one: each counts its drafts from 1.
    """
    drafts = [op.id for op in plan.ops if isinstance(op, Add) and ids.is_draft(op.id)]
    names = {draft: f"new:{first + nth}" for nth, draft in enumerate(dict.fromkeys(drafts))}

    def rename(ref: str) -> str:
        return names.get(ref, ref)

    ops = tuple(_renamed(op, rename) for op in plan.ops)
    return replace(plan, ops=ops), first + len(names)


def _renamed(op: Operation, rename: Callable[[str], str]) -> Operation:
    changes: dict[str, Any] = {
        "id": rename(op.id),
        "requires": tuple(map(rename, op.requires)),
    }
    for name in ("target", "source", "by", "merged_into"):
        value = getattr(op, name, None)
        if isinstance(value, str):
            changes[name] = rename(value)
    if isinstance(op, Rate):
        changes.pop("by", None)
    if isinstance(op, Add | Revise):
        changes["evidence"] = tuple(replace(cite, ref=rename(cite.ref)) for cite in op.evidence)
    return replace(op, **changes)


def counts(ops: Iterable[Operation], names: Iterable[str]) -> dict[str, int]:
    """How many operations there are of each type, zeros included."""
    out = dict.fromkeys(names, 0)
    for op in ops:
        out[type_of(op)] += 1
    return out


def same_memory(left: str, right: str) -> bool:
    """Whether two ids name the same memory, whatever the version."""
    return ids.memory_of(left) == ids.memory_of(right)
