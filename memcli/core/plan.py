"""A plan: a strategy's whole proposal, as a tuple of operations.

Operations name what they touch by public ids (`r12`, `m4`, `m4@2`) or by draft ids (`new:1`).
Every field that is given as text is data; nothing here is checked before `engine.validate`.
"""

from collections.abc import Mapping
from typing import Any

from memcli.core.memories import Role, Slot
from memcli.core.records import Scope
from memcli.core.values import dataclass, field


@dataclass(frozen=True)
class Cite:
    """Evidence as a plan gives it: an id, and the words quoted (their spans are found later)."""

    ref: str
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Add:
    """A new memory. `id` is its draft id; dates are ISO 8601 UTC or None."""

    kind: str
    text: str
    evidence: tuple[Cite, ...]
    id: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    scope: Scope = Scope()
    slot: Slot | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    made_by: str = "extractive"
    reason: str = ""
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Revise:
    """A new version of the same claim. `text`, `attributes`, `slot`: None keeps the former one.

    With `replace_evidence` the evidence given is all there is; without, it is added.
    """

    target: str
    text: str | None = None
    attributes: Mapping[str, Any] | None = None
    evidence: tuple[Cite, ...] = ()
    replace_evidence: bool = False
    slot: Slot | None = None
    valid_from: str | None = None
    made_by: str = "extractive"
    reason: str = ""
    id: str = ""
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Supersede:
    """The claim of `target` stops being true at `valid_to`; `by` names what holds instead."""

    target: str
    valid_to: str
    by: str | None = None
    reason: str = ""
    id: str = ""
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Retire:
    """The store stops holding `target`; a merge moves its evidence to `merged_into`."""

    target: str
    reason: str = ""
    merged_into: str | None = None
    id: str = ""
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Link:
    """An edge from the memory `source` to `target` (a record or a memory)."""

    source: str
    target: str
    role: Role
    quotes: tuple[str, ...] = ()
    reason: str = ""
    id: str = ""
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unlink:
    """Take away the edge from the memory `source` to `target` with this role."""

    source: str
    target: str
    role: Role
    reason: str = ""
    id: str = ""
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rate:
    """A value beside a record or memory: importance 1..10, a status, pinned true or false."""

    target: str
    name: str
    value: int | str | bool
    by: str = "extractive"
    reason: str = ""
    id: str = ""
    requires: tuple[str, ...] = ()


Operation = Add | Revise | Supersede | Retire | Link | Unlink | Rate


@dataclass(frozen=True)
class Rejection:
    """An item that was refused, and why (a stable word such as `unknown-id`)."""

    item: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """Operations in the order in which they apply, and what the strategy says beside them.

    `consumed`: records that are settled. `selected`: records the plan was drawn from. `pending`:
    reason -> number of records left for later. `failed`: units that failed, with the reason; `unusable`: records that failed alone,
    which are marked for the next pass (C27). `refused`: why nothing may be done, where all that
    there is to do would be wrong.
    """

    ops: tuple[Operation, ...] = ()
    consumed: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    pending: Mapping[str, int] = field(default_factory=dict)
    rejected: tuple[Rejection, ...] = ()
    failed: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    settled: bool = True
    refused: str = ""
