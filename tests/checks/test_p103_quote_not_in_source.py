import pytest

from memcli.core.plan import Add, Cite, Plan
from memcli.store.rows import row
from tests.checks.support import codes, found, item, unchecked
from tests.engine.world import World, said


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("live in Paris", 2, 15),
        ("live in Lisbon", 3, 17),
        ("sea", -3, 28),
        ("", 3, 3),
        ("live in Lisbon", 2, 400),
        ("live", 2, 400),
    ],
)
def test_words_that_are_not_there(told: World, text: str, start: int, end: int) -> None:
    with unchecked(told) as writer:
        quote = row("quote", item=writer.draw(), edge=6, text=text, start=start, end=end)
        writer.op("link", rows=[quote], named=[item(told, "r1")])
    expected = f"quotes {text!r}, which is not at {start} to {end} of r1"
    assert found(told, "P103") == [("m1", expected)]
    assert codes(told) == {"P103"}


def test_a_long_quote_is_shown_in_part(told: World) -> None:
    with unchecked(told) as writer:
        quote = row("quote", item=writer.draw(), edge=6, text="word " * 50, start=0, end=250)
        writer.op("link", rows=[quote], named=[item(told, "r1")])
    ((_, message),) = found(told, "P103")
    assert len(message) < 120
    assert "…" in message


def test_quotes_from_records_and_memories_to_the_letter(told: World) -> None:
    told.ingest([said("e", "Grüße aus\n  Lissabon 🌊, so long")])
    cites = (Cite("r5", ("aus Lissabon 🌊",)), Cite("m1@1", ("lives in Lisbon",)))
    told.apply(Plan((Add("fact", "Ada writes from Lisbon", cites, "new:1"),)))
    assert found(told, "P103") == []
