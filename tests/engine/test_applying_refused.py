"""When a reviewed plan is refused, and nothing is written."""

from typing import Any

import pytest

from memcli.core.plan import Link, Operation, Plan, Rate, Retire, Revise
from memcli.engine import planfile
from memcli.engine.audit import gate
from memcli.errors import MovedError, RefusedError
from memcli.store.view import StoreView
from tests.engine.test_applying import add, planned
from tests.engine.world import World, said


@pytest.mark.parametrize(
    ("ops", "consumed"),
    [
        ((add("Ada sings", "r4"),), ()),
        ((), ("r4",)),
        ((Link("m2", "m3", "related"),), ()),
        ((Rate("m3", "pinned", True),), ()),
    ],
)
def test_a_plan_is_applied_once(
    known: World, ops: tuple[Operation, ...], consumed: tuple[str, ...]
) -> None:
    document = planned(known, *ops, consumed=consumed)
    known.apply_file(document)
    head, dump = known.head, known.dump()
    for dry_run in (True, False):
        with pytest.raises(MovedError, match=f"applied already, as p{head}"):
            known.apply_file(document, dry_run=dry_run)
    assert (known.head, known.dump()) == (head, dump)
    known.rollback("last")
    known.apply_file(document)
    assert known.dump() == dump


def test_a_plan_is_applied_once_though_it_was_only_rejected(known: World) -> None:
    document = planned(known, add("Ada sings", "r4"))
    known.apply_file(document, "new:1")
    with pytest.raises(MovedError):
        known.apply_file(document, "new:1")


def test_the_store_moved(known: World) -> None:
    document = planned(known, Revise("m3", "Ada likes green tea"))
    known.apply(Plan(ops=(Retire("m3"),)))
    head = known.head
    for dry_run in (True, False):
        with pytest.raises(MovedError, match="m3 is not held any more") as caught:
            known.apply_file(document, dry_run=dry_run)
        assert "new plan" in (caught.value.hint or "")
    assert known.head == head


def test_what_has_nothing_to_do_with_the_plan_may_happen(known: World) -> None:
    document = planned(known, Revise("m3", "Ada likes green tea"))
    known.apply(Plan(ops=(Retire("m1"),)))
    known.ingest([said("9", "I sleep")], "b.jsonl")
    report = known.apply_file(document)
    assert [c.change for c in report.changes] == ["revised"]


def test_what_was_rejected_does_not_have_to_stand_still(known: World) -> None:
    document = planned(known, Revise("m3", "Ada likes green tea"), add("Ada sings", "r4"))
    known.apply(Plan(ops=(Retire("m3"),)))
    assert known.apply_file(document, "op:1").operations["add"] == 1


def test_a_plan_made_with_again_ignores_old_tombstones(known: World) -> None:
    known.apply_file(planned(known, add("Ada sings", "r4")), "new:1")
    document = known.propose(Plan(ops=(add("Ada sings", "r4"),)), again=True)
    assert document is not None
    known.ingest([said("9", "I sleep")], "b.jsonl")
    assert known.apply_file(document).operations["add"] == 1


def test_another_store_is_refused(known: World, tmp_path: Any) -> None:
    document = planned(known, add("Ada sings", "r4"))
    for at in ({"pass": "p99"}, {"hash": "0" * 64}):
        other = {**document, "at": {**document["at"], **at}}
        other["sha256"] = planfile.fingerprint(other)
        with pytest.raises(RefusedError, match="made for another store"):
            known.apply_file(other)


def test_the_gate_is_asked(known: World) -> None:
    def closed(view: StoreView) -> None:
        raise RefusedError("closed")

    document, head = planned(known, add("Ada sings", "r4")), known.head
    with pytest.raises(RefusedError, match="closed"):
        known.apply_file(document, gate=closed)
    assert known.head == head
    known.apply_file(document, gate=gate)


FORGED: list[tuple[str, dict[str, Any]]] = [
    ("unknown-id", {"evidence": [{"ref": "r99", "quotes": [], "for_reading": ""}]}),
    ("unknown-id", {"evidence": [{"ref": "p1", "quotes": [], "for_reading": ""}]}),
    ("no-evidence", {"evidence": []}),
    ("quote-not", {"evidence": [{"ref": "r4", "quotes": ["I cry"], "for_reading": ""}]}),
    ("empty-text", {"text": " "}),
    ("text-too-long", {"text": "x" * 1_000_001}),
    ("bad-time", {"valid_from": "soon"}),
    ("not as checked", {"text": "Ada sings, key ghp_" + "a" * 36}),
    ("not as checked", {"valid_from": "2026"}),
    ("duplicate", {"text": "Ada sings, too", "label": "new:2"}),
]


@pytest.mark.parametrize(
    ("why", "change"), FORGED, ids=[f"{n}-{f[0]}" for n, f in enumerate(FORGED)]
)
def test_a_forged_plan_is_checked_like_any_other(
    known: World, why: str, change: dict[str, Any]
) -> None:
    head = known.head
    document = planned(
        known, add("Ada sings", "r4", draft="new:1"), add("Ada sings, too", "r4", draft="new:2")
    )
    ops = document["parts"][0]["operations"]
    ops[0] |= change
    if why == "duplicate":
        ops[1]["label"] = "new:3"
    document["sha256"] = planfile.fingerprint(document)
    with pytest.raises(RefusedError, match=why):
        known.apply_file(document)
    assert known.head == head


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("consumed", ["r99"]), ("consumed", ["m1"]), ("consumed", ["r4", "r4"]),
        ("unusable", ["m1"]), ("unusable", ["r99"]),
    ],
)  # fmt: skip
def test_forged_marks_are_checked(known: World, key: str, value: list[str]) -> None:
    document = planned(known, add("Ada sings", "r4"))
    document["parts"][0][key] = value
    document["sha256"] = planfile.fingerprint(document)
    with pytest.raises(RefusedError, match="not sound"):
        known.apply_file(document)
