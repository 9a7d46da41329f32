import pytest

from memcli.kit.handles import Item
from memcli.tasks.compare_claims import CompareClaims, Compared, Verdict, Verdicts

LISBON = Compared(Item("new:1", "Ada lives in Lisbon", roots=("r7",)), valid_from="2024-05-02")
DOG = Compared(Item("m9@1", "Ada has a dog", memory=True))
KNOWN = (
    Compared(Item("m4@2", "Ada lives in Rome", memory=True)),
    Compared(Item("m5@1", "Ada has one dog", memory=True)),
    Compared(Item("m6@1", "Ada's home is Lisbon", memory=True)),
)
TASK = CompareClaims((LISBON, DOG), KNOWN, against=(("m9@1", ("m5@1",)),))


def verdict(item, same_as=(), contradicts=(), reason=""):
    lists = {"same_as": list(same_as), "contradicts": list(contradicts)}
    return {"item": item, **lists, "reason": reason}


def reply(*verdicts):
    return {"verdicts": list(verdicts)}


def test_answers_by_ref_in_the_order_of_the_items():
    given = reply(verdict("F2", ["M2"]), verdict("F1", ["M3"], ["M1"], "moved"))
    assert TASK.parse(given) == Verdicts(
        verdicts=[
            Verdict(item="new:1", same_as=["m6@1"], contradicts=["m4@2"], reason="moved"),
            Verdict(item="m9@1", same_as=["m5@1"]),
        ]
    )


def test_handles_that_name_nothing_do_not_act():
    given = reply(
        verdict("F1", ["M7", "m6"], ["-1", "M1", "99", "F2"]), verdict("F2"), verdict("F9", ["M1"])
    )
    found = TASK.parse(given)
    first = found.verdicts[0]
    assert (first.same_as, first.contradicts) == ((), ("m4@2",))
    assert first.unknown == ("M7", "m6", "-1", "99", "F2")
    assert found.unknown == ("F9",)


def test_an_item_is_compared_with_its_own_lines_only():
    found = TASK.parse(reply(verdict("F1"), verdict("F2", ["M2"], ["M1"]))).verdicts[1]
    assert (found.same_as, found.contradicts, found.unknown) == (("m5@1",), (), ("M1",))
    assert [one.item.ref for one in TASK.compared("new:1")] == ["m4@2", "m5@1", "m6@1"]
    assert TASK.compared("m9@1") == KNOWN[1:2]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({}, "verdicts"),
        (reply(verdict("F1")), "no verdict for F2"),
        (reply(verdict("F1"), verdict("F2"), verdict("F1")), "F1 has two verdicts"),
        (reply(verdict("F1", ["M1"], ["M1"]), verdict("F2")), "same as M1 and contradicts it"),
        (reply({"item": "F1", "same_as": [], "reason": ""}), "contradicts"),
        (reply(verdict("F1", reason="x" * 2000), verdict("F2")), "reason"),
        (reply(*[verdict("F1")] * 201), "verdicts"),
    ],
)
def test_refuses_what_does_not_fit(bad, why):
    with pytest.raises(ValueError, match=why) as caught:
        TASK.parse(bad)
    assert "\n" not in str(caught.value)


def test_prompt_and_schema():
    user = TASK.messages()[1]["content"]
    assert '{"id": "F1", "date": "2024-05-02", "text": "Ada lives in Lisbon"}' in user
    assert '{"id": "M2", "text": "Ada has one dog"}' in user
    assert "Compare each F line with the M lines, but F2 only with M2." in user
    assert not any(ref in user for ref in ("new:1", "m4", "m9", "r7"))
    assert (
        "Compare each F line with the M lines."
        in CompareClaims((DOG,), KNOWN).messages()[1]["content"]
    )
    schema = TASK.schema()
    assert {schema["properties"]["verdicts"][most] for most in ("minItems", "maxItems")} == {2}
    given = schema["$defs"]["_Given"]["properties"]
    assert given["item"]["enum"] == ["F1", "F2"]
    assert given["contradicts"]["items"]["enum"] == ["M1", "M2", "M3"]


def test_guess_and_sources():
    assert [one.item for one in TASK.guess().verdicts] == ["new:1", "m9@1"]
    assert TASK.sources() == ("r7", "m9@1", "m4@2", "m5@1", "m6@1")
