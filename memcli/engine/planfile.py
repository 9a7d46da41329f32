"""A plan as a document that people review before it is applied: `mem.plan/1`.

The document holds all that the pass will write, and its own hash: what was reviewed is what is
applied. The switches, `"reject": false`, are all that may be changed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memcli.core import ids
from memcli.core.journal import Usage
from memcli.core.plan import Operation, Plan, Rejection
from memcli.core.records import Scope
from memcli.core.values import dataclass
from memcli.engine import planops
from memcli.engine.parts import Part, Said
from memcli.engine.planjson import MisfitError, Node
from memcli.errors import InputError, RefusedError, UsageError
from memcli.kit.jsonio import BadJsonError, parse
from memcli.store import journal
from memcli.store.canonical import sha256
from memcli.store.driver import sqlite3

SCHEMA = "mem.plan/1"
_SCHEMA = re.compile(r"mem\.plan/([1-9][0-9]{0,8})")
_HASH = re.compile(r"[0-9a-f]{64}")
_ASKED = ("params", "models", "scope", "session", "since", "again")
_USAGE = ("calls", "calls_recorded", "tokens_in", "tokens_out", "cost_usd")
_PART = (
    *("scope", "selected", "consumed", "unusable", "operations"),
    *("pending", "rejected", "failed", "warnings"),
)


@dataclass(frozen=True, slots=True)
class Point:
    """A state of one store: the number of its newest pass and that pass's hash, in hex."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """The plan of one scope: sound operations, each labelled; `switched` are rejected."""

    scope: Scope
    plan: Plan
    switched: frozenset[str]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan as it lies in a file. `made_at` is ISO 8601 UTC, `sha256` the document's hash."""

    said: Said
    at: Point
    made_at: str
    parts: tuple[Proposed, ...]
    sha256: str


def point(connection: "sqlite3.Connection", number: int) -> Point:
    """The point after a pass of this store."""
    return Point(number, journal.pass_hash(connection, number) or journal.GENESIS.hex())


# --- to a document ----------------------------------------------------------------------------------


def document(said: Said, at: Point, made_at: str, parts: Sequence[Part]) -> dict[str, Any]:
    """The document of a pass that was planned and checked, ready to be written as JSON."""
    ops = planops.labelled([part.checked.ops for part in parts])
    usage = {name: getattr(said.usage, name) for name in _USAGE}
    values = {
        "schema": SCHEMA,
        "at": {"pass": f"p{at.number}", "hash": at.hash},
        "made_at": made_at,
        "strategy": said.strategy,
        "model": said.model,
        "backend": said.backend,
        "usage": usage,
        "params": said.asked.get("params", {}),
        "models": said.asked.get("models", {}),
        "scope": said.asked.get("scope"),
        "session": said.asked.get("session"),
        "since": said.asked.get("since"),
        "again": bool(said.asked.get("again")),
        "parts": [_part(part, mine) for part, mine in zip(parts, ops, strict=True)],
    }
    # As the file will have it: tuples are lists, and keys are texts.
    plain: dict[str, Any] = parse(json.dumps(values, ensure_ascii=False))
    return {**plain, "sha256": fingerprint(plain)}


def _part(part: Part, ops: Sequence[Operation]) -> dict[str, Any]:
    writer = planops.Writer(part.view, ops)
    plan = part.plan
    return {
        "scope": part.checked.scope.as_dict(),
        "selected": list(plan.selected),
        "consumed": list(part.checked.consumed),
        "unusable": list(plan.unusable),
        "operations": [writer.write(op) for op in ops],
        "pending": dict(plan.pending),
        "rejected": [
            {"item": found.item, "reason": found.reason}
            for found in (*plan.rejected, *part.checked.rejected)
        ],
        "failed": list(plan.failed),
        "warnings": list(plan.warnings),
    }


def fingerprint(values: Mapping[str, Any]) -> str:
    """The hash, in hex, of a document's canonical JSON without switches and without the hash.

    Raises ValueError for what JSON or UTF-8 cannot hold: infinite numbers, halves of characters.
    """
    parts = [
        {
            **part,
            "operations": [
                {key: value for key, value in op.items() if key != planops.SWITCH}
                for op in part["operations"]
            ],
        }
        for part in values["parts"]
    ]
    rest = {key: value for key, value in values.items() if key != "sha256"}
    text = json.dumps(
        {**rest, "parts": parts},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
    )
    return sha256(text.encode()).hex()


# --- from a document --------------------------------------------------------------------------------


def read(data: bytes, path: Path) -> Proposal:
    """The plan in the bytes of a file.

    Raises InputError for what is no plan, UsageError for one of a newer form, RefusedError for one
    that was changed in more than its switches.
    """
    try:
        root = Node(_parsed(data))
        _refuse_other_schemas(root, path)
        _refuse_edited(root, path)
        return _proposal(root)
    except (BadJsonError, MisfitError) as error:
        raise InputError(
            f"This is no plan that can be read: {error}.",
            where=str(path),
            hint="mem consolidate --strategy NAME --plan FILE makes one",
        ) from error


def is_plan(data: bytes) -> bool:
    """Whether this is a plan of any version, edited or not. Raises BadJsonError for no JSON."""
    found = _parsed(data)
    schema = found.get("schema") if isinstance(found, dict) else None
    return isinstance(schema, str) and _SCHEMA.fullmatch(schema) is not None


def _parsed(data: bytes) -> Any:
    try:
        text = data.decode("utf-8-sig")  # editors may put a byte order mark before it
    except UnicodeDecodeError as error:
        raise BadJsonError("not UTF-8") from error
    parse(text)  # the guard against what the parser itself does not take well
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    # Of two values for a key a person may read the one and the program take the other.
    if len(found) != len(pairs):
        raise BadJsonError("a key is there twice in one object")
    return found


def _no_number(word: str) -> Any:
    raise BadJsonError(f"{word} is no number of JSON")


def _refuse_other_schemas(root: Node, path: Path) -> None:
    schema = root.field("schema").text()
    found = _SCHEMA.fullmatch(schema)
    if found is None:
        raise root.field("schema").misfit(SCHEMA)
    if schema != SCHEMA:
        raise UsageError(
            f"The plan has the form {schema}; this program knows up to {SCHEMA}.",
            where=str(path),
            hint="use a newer mem; nothing was written",
        )


def _refuse_edited(root: Node, path: Path) -> None:
    for part in root.field("parts").items():
        for op in part.field("operations").items():
            op.object()
    try:
        found = fingerprint(root.object())
    except ValueError as error:
        raise MisfitError("it holds what JSON in UTF-8 cannot hold") from error
    if root.object().get("sha256") != found:
        raise RefusedError(
            "The plan was changed after it was made: it is not what its hash says.",
            where=str(path),
            hint='set "reject": true beside what you do not want, or make a new plan',
        )


def _proposal(root: Node) -> Proposal:
    names = ("schema", "at", "made_at", "strategy", "model", "backend", "usage")
    found = root.named(*names, *_ASKED, "parts", "sha256")
    parts = tuple(_proposed(part) for part in found["parts"].items())
    planops.unique(op.id for part in parts for op in part.plan.ops)
    if len({part.scope for part in parts}) != len(parts):
        raise MisfitError("a scope is there twice")
    said = Said(
        found["strategy"].text(),
        found["model"].maybe_text(),
        found["backend"].text(),
        _usage(found["usage"]),
        _asked(found),
    )
    made_at, name = found["made_at"].text(), found["sha256"].text()
    return Proposal(said, _point(found["at"]), made_at, parts, name)


def _asked(found: Mapping[str, Node]) -> dict[str, Any]:
    scope = found["scope"]
    return {
        "params": found["params"].object(),
        "models": {setting: name.text() for setting, name in found["models"].pairs()},
        "scope": None if scope.value is None else _scope(scope).as_dict(),
        "session": found["session"].maybe_text(),
        "since": found["since"].maybe_text(),
        "again": found["again"].truth() or None,
    }


def _usage(node: Node) -> Usage:
    calls, recorded, tokens_in, tokens_out, cost = node.fields(*_USAGE)
    return Usage(
        calls.count(),
        recorded.count(),
        tokens_in.count(),
        tokens_out.count(),
        cost.maybe_amount(),
    )


def _point(node: Node) -> Point:
    number, name = node.fields("pass", "hash")
    parsed = ids.try_parse(number.text())
    if parsed is None or parsed.letter != "p":
        raise number.misfit("a pass such as p7")
    if not _HASH.fullmatch(name.text()):
        raise name.misfit("a hash of 64 digits")
    return Point(parsed.number, name.text())


def _scope(node: Node) -> Scope:
    known = {key: value.text() for key, value in node.pairs()}
    if not known.keys() <= {"user", "agent", "project"}:
        raise node.misfit("a scope of user, agent and project")
    return Scope(**known)


def _proposed(node: Node) -> Proposed:
    found = node.named(*_PART)
    scope = _scope(found["scope"])
    ops = [planops.read(op, scope) for op in found["operations"].items()]
    rejected = [one.fields("item", "reason") for one in found["rejected"].items()]
    plan = Plan(
        ops=tuple(op for op, _ in ops),
        consumed=found["consumed"].texts(),
        selected=found["selected"].texts(),
        pending={reason: number.count() for reason, number in found["pending"].pairs()},
        rejected=tuple(Rejection(item.text(), reason.text()) for item, reason in rejected),
        failed=found["failed"].texts(),
        unusable=found["unusable"].texts(),
        warnings=found["warnings"].texts(),
    )
    return Proposed(scope, plan, frozenset(op.id for op, off in ops if off))
