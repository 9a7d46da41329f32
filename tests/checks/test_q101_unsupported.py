from memcli.core.plan import Add, Cite, Plan, Supersede
from tests.checks.support import codes, findings, found
from tests.engine.world import World


def stored(world: World, text: str, *, made_by: str = "model-x", ref: str = "r1") -> None:
    world.apply(Plan((Add("fact", text, (Cite(ref),), "new:1", made_by=made_by),)))


def test_what_no_record_holds(told: World) -> None:
    stored(told, "Ada lives in Lisbon with her brother Tom and 2 cats")
    (one,) = findings(told, "Q101")
    assert (one.subject, one.severity) == ("m3", "warning")
    assert one.message == "names 2, Tom, which none of the records it rests on does"
    assert one.hint == "mem why m3 shows them; mem rollback m3"
    assert codes(told) == {"Q101"}


def test_what_a_record_holds_if_only_over_another_memory(told: World) -> None:
    stored(told, "Ada has been living in Lisbon since 2026-01-05", ref="m1")
    assert found(told, "Q101") == []


def test_rules_only_repeat(told: World) -> None:
    stored(told, "Ada lives in Lisbon with her brother Tom", made_by="extractive")
    assert found(told, "Q101") == []


def test_history_is_not_reported(told: World) -> None:
    stored(told, "Ada lives in Lisbon with her brother Tom")
    told.apply(Plan((Supersede("m3", "2026-02-01T00:00:00Z"),)))
    assert found(told, "Q101") == []
