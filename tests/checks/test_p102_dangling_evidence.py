from memcli.core.plan import Plan, Retire
from tests.checks.support import cite, codes, found, item, unchecked
from tests.engine.world import World


def test_a_record_that_is_not_held(told: World) -> None:
    with unchecked(told) as writer:
        writer.op("revert", close=[item(told, "r2")])
    assert found(told, "P102") == [("m2", "cites r2, which is not held any more")]
    assert codes(told) == {"P102"}


def test_what_no_table_has(told: World) -> None:
    cite(told, "m1", 999, made=told.head)
    cite(told, "m2", 999, made=told.head, role="related")
    assert found(told, "P102") == [
        ("m1", "cites something that is not in this store"),
        ("m2", "is linked (related) to something that is not in this store"),
    ]
    assert codes(told) == {"P102"}


def test_a_memory_that_is_not_held_is_another_matter(told: World) -> None:
    told.apply(Plan((Retire("m1", "no longer"),)))
    assert found(told, "P102") == []
