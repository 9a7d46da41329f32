from memcli.core.plan import Add, Cite, Plan, Retire
from tests.checks.support import codes, findings, found
from tests.engine.world import World


def test_the_fourth_step(told: World) -> None:
    third = Add("insight", "Ada would like Faro", (Cite("m2"), Cite("r1")), "new:1")
    fourth = Add("insight", "Ada would like Tavira", (Cite("new:1"),), "new:2")
    told.apply(Plan((third, fourth)))
    (one,) = findings(told, "P107")
    assert (one.subject, one.severity) == ("m4", "info")
    assert one.message == "is 4 steps away from the records (more than 3)"
    assert codes(told) == {"P107"}


def test_the_third_is_fine_and_so_are_many_on_records(told: World) -> None:
    third = Add("insight", "Ada would like Faro", (Cite("m2"),), "new:1")
    told.apply(Plan((third,)))
    assert found(told, "P107") == []


def test_a_step_that_is_not_held_counts(told: World) -> None:
    third = Add("insight", "Ada would like Faro", (Cite("m2"),), "new:1")
    fourth = Add("insight", "Ada would like Tavira", (Cite("new:1"),), "new:2")
    fifth = Add("insight", "Ada would like Olhao", (Cite("new:2"),), "new:3")
    told.apply(Plan((third, fourth, fifth)))
    told.apply(Plan((Retire("m1", "no longer"),)))
    assert [subject for subject, _ in found(told, "P107")] == ["m4", "m5"]
