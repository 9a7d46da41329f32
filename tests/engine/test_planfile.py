"""A plan as a document: it comes back as it was, and nothing in a file ends in a traceback."""

import contextlib
import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import memcli
from memcli.core.memories import Slot
from memcli.core.plan import (
    Add,
    Cite,
    Link,
    Plan,
    Rate,
    Revise,
    Supersede,
    Unlink,
)
from memcli.engine import planfile
from memcli.errors import InputError, RefusedError, UsageError
from memcli.render.jsonout import dumps
from tests.engine.world import World

SCHEMA = json.loads((Path(memcli.__file__).parent / "schemas" / "plan-1.json").read_text("utf-8"))
PATH = Path("plan.json")
EXAMPLES = int(os.environ.get("MEM_TEST_EXAMPLES", "300"))
OPS = (
    Add(
        "fact", "Ada sings", (Cite("r4", ("sing",)),), "new:1", {"n": (1, None, {"x": 0.5})},
        slot=Slot("Ada", "sings", "yes"), valid_to="2030-01-01", reason="why \x1b[2J not",
    ),
    Add("fact", "Ada is musical", (Cite("new:1"), Cite("m3")), "new:2", requires=("new:1",)),
    Revise("m3", "Ada likes green tea", evidence=(Cite("r4"),), replace_evidence=True),
    Revise("m2", attributes={"seen": True}),
    Supersede("m1", "2027-01-01", by="new:2", id="x", requires=("nobody", "new:2")),
    Link("m2", "r4", "evidence", quotes=("I sing",)),
    Link("m2", "m3", "related", requires=("x",)),
    Unlink("m2", "r1", "evidence"),
    Rate("r1", "importance", 7),
    Rate("m2", "pinned", True, by="person"),
    Rate("m2", "status", "faded"),
)  # fmt: skip


@pytest.fixture
def document(known: World) -> dict[str, Any]:
    plan = Plan(
        ops=(*OPS, Revise("m99", "x y z")),
        consumed=("r1",),
        selected=("r1", "r2"),
        pending={"needs-model": 2},
        failed=("session s2: no answer",),
        unusable=("r2",),
        warnings=("constant-answers",),
    )
    made = known.propose(plan)
    assert made is not None
    return made


def read(document: Any) -> planfile.Proposal:
    return planfile.read(json.dumps(document).encode(), PATH)


def signed(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "sha256": planfile.fingerprint(document)}


def test_the_document_fits_its_schema(document: dict[str, Any]) -> None:
    errors = Draft202012Validator(SCHEMA).iter_errors(document)
    assert [f"{error.json_path}: {error.message}" for error in errors] == []
    assert list(document) == list(SCHEMA["properties"])


def test_all_of_it_comes_back(document: dict[str, Any]) -> None:
    found = read(document)
    assert found.said.strategy == "scripted"
    assert found.at.number == 2
    (part,) = found.parts
    assert part.switched == frozenset()
    assert [op.id for op in part.plan.ops] == [
        "new:1", "new:2", *(f"op:{nth}" for nth in range(1, 10)),
    ]  # fmt: skip
    assert part.plan.ops[0].attributes == {"n": [1, None, {"x": 0.5}]}  # type: ignore[union-attr]
    assert part.plan.ops[4].requires == ("new:2",)
    assert part.plan.ops[6].requires == ("op:3",)
    assert part.plan.consumed == ("r1",)
    assert part.plan.selected == ("r1", "r2")
    assert part.plan.unusable == ("r2",)
    assert part.plan.failed == ("session s2: no answer",)
    assert [(r.item, r.reason) for r in part.plan.rejected][-1][1] == "unknown-id"


def test_the_reader_sees_what_is_named(document: dict[str, Any]) -> None:
    ops = document["parts"][0]["operations"]
    assert ops[0]["evidence"] == [
        {"ref": "r4", "quotes": ["sing"], "for_reading": "Ada, 2026-05-01: I sing"}
    ]
    assert ops[1]["evidence"][0]["for_reading"] == "Ada sings"
    assert ops[4]["for_reading"] == {"m1": "Ada lives in NYC", "new:2": "Ada is musical"}


def test_what_could_act_on_a_terminal_is_escaped(document: dict[str, Any]) -> None:
    text = dumps(document, indent=True)
    assert "\x1b" not in text
    assert planfile.read(text.encode(), PATH) == read(document)


def test_switches_may_be_set_and_the_layout_changed(document: dict[str, Any]) -> None:
    document["parts"][0]["operations"][1]["reject"] = True
    text = json.dumps(document, sort_keys=True, indent=8).replace("\n", "\r\n")
    found = planfile.read(b"\xef\xbb\xbf" + text.encode(), PATH)
    assert found.parts[0].switched == {"new:2"}


EDITS: list[Callable[[dict[str, Any]], object]] = [
    lambda d: d["parts"][0]["operations"][0].update(text="Ada cries"),
    lambda d: d["parts"][0]["operations"].pop(),
    lambda d: d["parts"][0]["operations"][0]["evidence"][0].update(for_reading="else"),
    lambda d: d["parts"][0]["consumed"].clear(),
    lambda d: d["parts"].clear(),
    lambda d: d.update(strategy="other"),
    lambda d: d["usage"].update(calls=0.0),
    lambda d: d.update(sha256="0" * 64),
    lambda d: d.pop("sha256"),
    lambda d: d.update(comment="fine by me"),
]


@pytest.mark.parametrize("edit", EDITS)
def test_any_other_edit_is_refused(
    document: dict[str, Any], edit: Callable[[dict[str, Any]], object]
) -> None:
    edit(document)
    with pytest.raises(RefusedError, match="changed after it was made") as caught:
        read(document)
    assert '"reject": true' in (caught.value.hint or "")


HUGE = 10**400
FORGED: list[tuple[str, Any]] = [
    ("at.pass", "p0"), ("at.pass", "m1"), ("at.pass", 7), ("at.pass", "p" + "9" * 30),
    ("at.hash", "xyz"), ("at", []), ("made_at", None), ("strategy", 3), ("model", []),
    ("usage.calls", -1), ("usage.calls", True), ("usage.calls", 1.5), ("usage.calls", HUGE),
    ("usage.tokens_in", 2**63), ("usage.cost_usd", HUGE), ("usage.cost_usd", -0.5),
    ("usage.cost_usd", "0"), ("usage.more", 1), ("params", []), ("models", {"a": 1}),
    ("scope", {"user": 1}), ("scope", {"planet": "Mars"}), ("scope", "ada"), ("session", 1),
    ("again", 1), ("again", None), ("extra", 1),
    ("parts.0.scope", None), ("parts.0.selected", "r1"), ("parts.0.consumed", [1]),
    ("parts.0.pending", {"x": HUGE}), ("parts.0.rejected", [{"item": "x"}]),
    ("parts.0.failed", {}), ("parts.0.warnings", [[]]), ("parts.0.more", 1),
    ("parts.0.operations.0.label", "new:0"), ("parts.0.operations.0.label", "op:1"),
    ("parts.0.operations.0.label", "m1"), ("parts.0.operations.0.label", "new:2"),
    ("parts.0.operations.2.label", "new:7"), ("parts.0.operations.2.label", "op:٣"),
    ("parts.0.operations.0.type", "drop"), ("parts.0.operations.0.type", ["add"]),
    ("parts.0.operations.0.type", "retire"), ("parts.0.operations.0.reject", "yes"),
    ("parts.0.operations.0.reject", 1), ("parts.0.operations.0.text", None),
    ("parts.0.operations.0.attributes", None), ("parts.0.operations.0.slot", {}),
    ("parts.0.operations.0.slot", {"subject": 1, "attribute": "", "value": ""}),
    ("parts.0.operations.0.evidence", {}), ("parts.0.operations.0.evidence.0", "r4"),
    ("parts.0.operations.0.evidence.0.ref", 4), ("parts.0.operations.0.evidence.0.quotes", "x"),
    ("parts.0.operations.0.evidence.0.for_reading", None),
    ("parts.0.operations.0.for_reading", {"r1": 1}), ("parts.0.operations.0.requires", "x"),
    ("parts.0.operations.0.reason", None), ("parts.0.operations.0.more", 1),
    ("parts.0.operations.5.role", "friend"), ("parts.0.operations.5.quotes", [None]),
    ("parts.0.operations.8.value", None), ("parts.0.operations.8.value", 7.5),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value"), FORGED, ids=[f"{n}-{f[0]}" for n, f in enumerate(FORGED)]
)
def test_a_forged_document_is_no_plan(document: dict[str, Any], place: str, value: Any) -> None:
    *way, last = place.split(".")
    inner: Any = document
    for step in way:
        inner = inner[int(step)] if isinstance(inner, list) else inner[step]
    inner[int(last) if isinstance(inner, list) else last] = value
    with pytest.raises(InputError, match="no plan that can be read"):
        read(signed(document))


@pytest.mark.parametrize(
    "place", ["at", "usage", "parts.0.scope", "parts.0.operations.0.evidence", "again"]
)
def test_a_missing_key_is_named(document: dict[str, Any], place: str) -> None:
    *way, last = place.split(".")
    inner: Any = document
    for step in way:
        inner = inner[int(step)] if isinstance(inner, list) else inner[step]
    del inner[last]
    with pytest.raises(InputError, match=f"{last} is missing"):
        read(signed(document))


def test_a_label_or_a_scope_is_there_once(document: dict[str, Any]) -> None:
    document["parts"].append(copy.deepcopy(document["parts"][0]))
    with pytest.raises(InputError, match="there twice"):
        read(signed(document))
    document["parts"][1]["operations"] = []
    with pytest.raises(InputError, match="a scope is there twice"):
        read(signed(document))


BYTES: list[bytes] = [
    b"", b"{", b"[]", b"null", b"7", b'"mem.plan/1"', b"\xff\xfe", b"\x00", b"{}",
    b'{"schema": null}', b'{"schema": "mem.diff/1"}', b'{"schema": "mem.plan/01"}',
    b'{"schema": "mem.plan/1"}', b'{"schema": "mem.plan/1", "parts": 1}',
    b'{"schema": "mem.plan/1", "parts": [1]}',
    b'{"schema": "mem.plan/1", "parts": [{"operations": [[]]}]}',
    b'{"schema": "mem.plan/1", "parts": [], "x": NaN}',
    b'{"schema": "mem.plan/1", "parts": [], "x": -Infinity}',
    b'{"schema": "mem.plan/1", "parts": [], "x": 1e999}',
    b'{"schema": "mem.plan/1", "parts": [], "x": "\\ud800"}',
    b'{"schema": "mem.plan/1", "parts": [], "\\udfff": 1}',
    b'{"schema": "mem.plan/1", "parts": [], "parts": []}',
    b'{"schema": "mem.plan/1", "parts": [], "x": ' + b"9" * 5000 + b"}",
    b'{"schema": "mem.plan/1", "parts": ' + b"[" * 100_000,
    b'{"schema": "mem.plan/1", "parts": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    b'{"schema": "mem.plan/1", "parts": []} more',
]  # fmt: skip


@pytest.mark.parametrize("data", BYTES, ids=range(len(BYTES)))
def test_what_is_no_plan_is_told(data: bytes) -> None:
    with pytest.raises(InputError, match="no plan that can be read") as caught:
        planfile.read(data, PATH)
    assert caught.value.where == "plan.json"


def test_a_newer_form_is_named(document: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"mem\.plan/2; this program knows up to mem\.plan/1"):
        read({**document, "schema": "mem.plan/2"})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["r1", "m1", "m1@1", "new:1", "op:1", "p1", "evidence", "add", "rate"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each value within."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [way, *(place for key, one in inner for place in places(one, (*way, key)))]


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_no_forged_value_ends_in_a_traceback(
    known: World, document: dict[str, Any], data: st.DataObject
) -> None:
    """Whatever stands anywhere, and rightly signed: it is applied, or refused with a reason."""
    made, head = copy.deepcopy(document), known.head
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(places(made)[1:]))
        inner: Any = made
        for step in way:
            inner = inner[step]
        inner[last] = data.draw(JSON)
    with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
        made = signed(made)
    dry_run = data.draw(st.booleans())
    try:
        found = known.apply_bytes(json.dumps(made).encode(), dry_run=dry_run)
    except (UsageError, RefusedError):
        assert known.head == head
        return
    if found.pass_id is not None:
        known.rollback("last")
        assert known.head == head + 2
