from pathlib import Path

import pytest

from memcli import api
from memcli.core.memories import Slot
from memcli.core.plan import Add, Cite, Link, Plan, Rate, Supersede
from memcli.engine.audit import audit
from tests.checks.support import codes, findings, found
from tests.engine.world import World

JUNE = "2026-06-05T00:00:00Z"


def add(number: int, value: str, attribute: str = "lives_in", subject: str = "Ada") -> Add:
    return Add(
        "claim",
        f"{subject} {attribute} {value}",
        (Cite("r1"),),
        f"new:{number}",
        slot=Slot(subject, attribute, value),
        valid_from=JUNE,
    )


def waiting(told: World, first: Add, second: Add, *more: Link | Supersede | Rate) -> None:
    told.apply(Plan((first, second, Rate("new:2", "status", "pending"), *more)), "profile")


def test_a_claim_that_waits(told: World) -> None:
    waiting(told, add(1, "NYC"), add(2, "SF"))
    (one,) = findings(told, "Q102")
    assert (one.subject, one.severity) == ("m4", "warning")
    assert (
        one.message
        == "Ada lives_in 'SF' waits since 2026-06-05 and disputes m3, Ada lives_in 'NYC'"
    )
    assert one.hint == "mem show m4; mem rate m4 status=rejected if m3 is right"
    assert codes(told) == {"Q102"}


def test_two_that_wait(told: World) -> None:
    """Neither is stable, so time settles neither."""
    waiting(told, add(1, "NYC"), add(2, "SF"), Rate("new:1", "status", "pending"))
    (one,) = findings(told, "Q102")
    assert one.subject == "m4"
    assert (
        one.message
        == "Ada lives_in 'SF' waits since 2026-06-05 and disputes m3, Ada lives_in 'NYC'"
    )


def test_attributes_that_hold_one_value_can_be_configured(told: World) -> None:
    diets = add(1, "vegetarian", "diet"), add(2, "carnivore", "diet")
    waiting(told, *diets)
    assert findings(told, "Q102") == []
    report = audit(told.view, select=["Q102"], single_valued=frozenset({"diet"}))
    assert [one.subject for one in report.findings] == ["m4"]
    waiting(told, add(1, "NYC"), add(2, "SF"))
    report = audit(told.view, select=["Q102"], single_valued=frozenset({"diet"}))
    assert [one.subject for one in report.findings] == ["m4"]


def test_a_conflict_that_is_linked_where_no_slot_tells(told: World) -> None:
    link = Link("new:2", "new:1", "conflict")
    waiting(told, add(1, "vegetarian", "diet"), add(2, "carnivore", "diet"), link)
    assert [one.subject for one in findings(told, "Q102")] == ["m4"]


def test_two_methods(told: World) -> None:
    told.apply(Plan((add(1, "NYC"),)), "reconcile")
    told.apply(Plan((add(1, "SF"),)), "invalidate")
    (one,) = findings(told, "Q102")
    assert (one.subject, one.message) == (
        "m4",
        "Ada lives_in 'SF' of invalidate stands beside that of reconcile: m3, Ada lives_in 'NYC'",
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (add(1, "NYC"), add(2, "nyc ")),
        (add(1, "NYC"), add(2, "SF", subject="Bob")),
        (add(1, "Rex", "pet"), add(2, "Tom", "pet")),
        (add(1, "NYC"), add(2, "Acme", "works_at")),
    ],
)
def test_what_can_stand_side_by_side(told: World, first: Add, second: Add) -> None:
    waiting(told, first, second)
    assert found(told, "Q102") == []


def test_what_is_settled(told: World) -> None:
    waiting(told, add(1, "NYC"), add(2, "SF"), Supersede("new:1", JUNE, by="new:2"))
    assert found(told, "Q102") == []
    told.apply(Plan((add(1, "Rome"), add(2, "Oslo"), Rate("new:2", "status", "lapsed"))), "profile")
    assert [one.subject for one in findings(told, "Q102")] == ["m4"]


def test_mem_toml_says_what_holds_one_value(
    told: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(told, add(1, "vegetarian", "diet"), add(2, "carnivore", "diet"))
    told.close()
    monkeypatch.chdir(tmp_path)
    with api.open_store(told.path) as store:
        assert store.audit(select=["Q102"]).findings == ()
    Path("mem.toml").write_text('single_valued = ["diet"]\n', "utf-8")
    with api.open_store(told.path) as store:
        assert [one.subject for one in store.audit(select=["Q102"]).findings] == ["m4"]
