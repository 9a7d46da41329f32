from memcli.core.plan import Add, Cite, Plan, Rate, Retire, Revise, Supersede
from tests.checks.support import codes, findings, found
from tests.engine.world import World, said

JUNE = "2026-06-01T00:00:00Z"


def test_retired(told: World) -> None:
    told.apply(Plan((Retire("m1", "no longer"),)))
    (one,) = findings(told, "P106")
    assert (one.subject, one.message) == ("m2", "rests on m1@1, which is not held any more")
    assert one.severity == "warning"
    assert one.hint == "mem consolidate --strategy scripted, or mem rollback m2"
    assert codes(told) == {"P106"}


def test_revised(told: World) -> None:
    told.apply(Plan((Revise("m1", "Ada lives in Lisbon, Portugal"),)))
    assert found(told, "P106") == [("m2", "rests on m1@1, of which m1@2 is held now")]


def test_superseded(told: World) -> None:
    porto = Add("fact", "Ada lives in Porto", (Cite("r4"),), "new:1")
    told.apply(Plan((porto, Supersede("m1", JUNE, by="new:1"))))
    assert found(told, "P106") == [
        ("m2", f"rests on m1@1, which is true only until {JUNE} (superseded by m3)")
    ]


def test_merged_into_one_that_is_held_is_fine(told: World) -> None:
    same = Add("fact", "Ada has a flat in Lisbon", (Cite("r1"),), "new:1")
    told.apply(Plan((same, Retire("m1", "the same", merged_into="new:1"))))
    assert found(told, "P106") == []
    again = Add("fact", "Ada is at home in Lisbon", (Cite("r1"),), "new:1")
    told.apply(Plan((again, Retire("m3", "the same", merged_into="new:1"))))
    assert told.view.merged_into("m1") == "m4"
    assert found(told, "P106") == []
    told.apply(Plan((Supersede("m4", JUNE),)))
    assert found(told, "P106") == [
        ("m2", f"rests on m1@1, merged into m4@1, which is true only until {JUNE}")
    ]


def test_what_is_past_itself_is_fine(told: World) -> None:
    told.apply(Plan((Supersede("m2", JUNE), Retire("m1", "no longer"))))
    assert found(told, "P106") == []
    told.undo()
    told.apply(Plan((Rate("m2", "status", "lapsed"), Retire("m1", "no longer"))))
    assert found(told, "P106") == []


def test_words_that_were_changed_at_their_source(world: World) -> None:
    world.ingest([said("a", "I like tea")])
    world.apply(Plan(ops=(Add("fact", "Ada likes tea", (Cite("r1"),), "new:1"),)))
    assert findings(world, "P106") == []
    world.ingest([said("a", "I like coffee")])
    (one,) = findings(world, "P106")
    assert (one.subject, "r1" in one.message) == ("m1", True)
