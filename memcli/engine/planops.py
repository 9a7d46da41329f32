"""The operations of a plan as JSON that people review, and back."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from memcli.core import ids
from memcli.core.memories import ROLES, Role, Slot
from memcli.core.plan import (
    Add,
    Cite,
    Operation,
)
from memcli.core.records import Record, Scope
from memcli.core.values import replace
from memcli.engine import plans
from memcli.engine.planjson import MisfitError, Node
from memcli.store.view import StoreView

READING = "for_reading"
SWITCH = "reject"
_SHORT = 200  # characters of a cited text: enough to know what is meant


def labelled(parts: Sequence[Sequence[Operation]]) -> list[tuple[Operation, ...]]:
    """The operations with labels that are unique over all parts: `new:1`, else `op:n`.

    What they require is named by the new labels; requirements of what is not there are dropped.
    """
    out: list[tuple[Operation, ...]] = []
    number = 0
    for ops in parts:
        named: list[tuple[str, Operation]] = []
        for op in ops:
            number += not isinstance(op, Add)
            named.append((op.id if isinstance(op, Add) else f"op:{number}", op))
        out.append(tuple(_relabelled(label, op, named) for label, op in named))
    return out


def _relabelled(label: str, op: Operation, named: Sequence[tuple[str, Operation]]) -> Operation:
    if not op.requires:
        return replace(op, id=label)
    needed = tuple(new for new, other in named if other.id and other.id in op.requires)
    return replace(op, id=label, requires=needed)


# --- to JSON ----------------------------------------------------------------------------------------


class Writer:
    """Writes the operations of one scope, with the texts of what they name for the reader."""

    def __init__(self, view: StoreView, ops: Iterable[Operation]) -> None:
        self.view = view
        self.drafts = {op.id: op for op in ops if isinstance(op, Add)}

    def write(self, op: Operation) -> dict[str, Any]:
        """One operation: label, switch, type, its fields, and at the end what is for reading."""
        kind = plans.type_of(op)
        out: dict[str, Any] = {"label": op.id, SWITCH: False, "type": kind}
        for name in (*_FIELDS[kind], "reason", "requires"):
            out[name] = self._value(getattr(op, name))
        cited = {cite.ref for cite in plans.cites_of(op)}
        others = dict.fromkeys(ref for ref in plans.refs_of(op) if ref not in cited)
        return {**out, READING: {ref: self._reading(ref) for ref in others}}

    def _value(self, value: Any) -> Any:
        if isinstance(value, Cite):
            reading = self._reading(value.ref)
            return {"ref": value.ref, "quotes": list(value.quotes), READING: reading}
        if isinstance(value, Slot):
            return {
                "subject": value.subject,
                "attribute": value.attribute,
                "value": value.value,
            }
        if isinstance(value, tuple):
            return [self._value(item) for item in value]
        return value

    def _reading(self, ref: str) -> str:
        """The text behind an id, shortened; of a record with who said it and when."""
        found = self.drafts.get(ref) or self.view.get(ref)
        if found is None:
            return ""
        text = " ".join(found.text[: _SHORT * 8].split())
        short = text if len(text) <= _SHORT else f"{text[:_SHORT].rstrip()} …"
        if not isinstance(found, Record):
            return short
        said = (found.speaker or found.role, found.said_at and found.said_at[:10])
        return f"{', '.join(part for part in said if part)}: {short}"


# --- from JSON --------------------------------------------------------------------------------------

Read = Callable[[Node], Any]


def _slot(node: Node) -> Slot | None:
    if node.value is None:
        return None
    return Slot(*(part.text() for part in node.fields("subject", "attribute", "value")))


def _cites(node: Node) -> tuple[Cite, ...]:
    found = []
    for item in node.items():
        ref, quotes, reading = item.fields("ref", "quotes", READING)
        reading.text()
        found.append(Cite(ref.text(), quotes.texts()))
    return tuple(found)


def _role(node: Node) -> Role:
    if node.text() not in ROLES:
        raise node.misfit("one of " + ", ".join(ROLES))
    return cast(Role, node.value)


def _maybe_object(node: Node) -> Mapping[str, Any] | None:
    return None if node.value is None else node.object()


_TEXT, _MAYBE, _TRUTH = Node.text, Node.maybe_text, Node.truth
# Type -> what it has besides label, switch, reason and requires: name -> how it is read.
_FIELDS: dict[str, dict[str, Read]] = {
    "add": {
        "kind": _TEXT,
        "text": _TEXT,
        "evidence": _cites,
        "attributes": Node.object,
        "slot": _slot,
        "valid_from": _MAYBE,
        "valid_to": _MAYBE,
        "made_by": _TEXT,
    },
    "revise": {
        "target": _TEXT,
        "text": _MAYBE,
        "evidence": _cites,
        "replace_evidence": _TRUTH,
        "attributes": _maybe_object,
        "slot": _slot,
        "valid_from": _MAYBE,
        "made_by": _TEXT,
    },
    "supersede": {"target": _TEXT, "valid_to": _TEXT, "by": _MAYBE},
    "retire": {"target": _TEXT, "merged_into": _MAYBE},
    "link": {"source": _TEXT, "role": _role, "target": _TEXT, "quotes": Node.texts},
    "unlink": {"source": _TEXT, "role": _role, "target": _TEXT},
    "rate": {"target": _TEXT, "name": _TEXT, "value": Node.scalar, "by": _TEXT},
}
_MAKE: dict[str, Callable[..., Operation]] = {name: kind for kind, name in plans.TYPES.items()}


def read(node: Node, scope: Scope) -> tuple[Operation, bool]:
    """An operation of a plan file, and whether its switch says that it is rejected.

    Raises MisfitError. Whether the operation is sound is for `engine.validate` to say.
    """
    kind = node.field("type").text()
    if kind not in _FIELDS:
        raise node.field("type").misfit("one of " + ", ".join(_FIELDS))
    fields = _FIELDS[kind]
    names = ("label", SWITCH, "type", *fields, "reason", "requires", READING)
    found = node.named(*names)
    for _, text in found[READING].pairs():
        text.text()
    values = {name: take(found[name]) for name, take in fields.items()}
    values |= {"id": _label(found["label"], kind), "reason": found["reason"].text()}
    values["requires"] = found["requires"].texts()
    if kind == "add":
        values["scope"] = scope
    return _MAKE[kind](**values), found[SWITCH].truth()


def _label(node: Node, kind: str) -> str:
    label = node.text()
    number = label.removeprefix("op:")
    fits = number != label and number.isascii() and number.isdigit()
    if not (ids.is_draft(label) if kind == "add" else fits):
        raise node.misfit("a label such as " + ("new:1" if kind == "add" else "op:1"))
    return label


def unique(labels: Iterable[str]) -> frozenset[str]:
    """The labels; raises MisfitError if one is there twice."""
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            raise MisfitError(f"the label {label} is there twice")
        seen.add(label)
    return frozenset(seen)
