"""Summaries by rule that are made of points: of the parts of a day, and of the days."""

from memcli.gateway.summaries import summarised
from memcli.kit.handles import Item
from memcli.tasks.summarise import Point, PointQuote, Summarise

TEA = "I drink green tea every morning"


def test_an_overview_has_the_middlemost_point_of_each_day():
    days = (
        Item("m1@1", TEA, memory=True),
        Item("m1@1", "The printer was broken", memory=True),
        Item("m2@1", "Green tea with Tom every morning", memory=True),
        Item("new:3", "We drink tea", memory=True),
    )
    found = summarised(Summarise("overview", days, most=20, verbatim=20)).points
    assert [point.sources for point in found] == [("m1@1",), ("m2@1",), ("new:3",)]
    quote = PointQuote(source="m1@1", text=TEA)
    assert found[0] == Point(text=TEA, sources=("m1@1",), quotes=(quote,))


def test_an_overview_has_as_many_as_it_may():
    days = tuple(Item(f"m{n}@1", f"On day {n} they drank tea", memory=True) for n in range(30))
    assert len(summarised(Summarise("overview", days, most=20, verbatim=20)).points) == 20
    assert len(summarised(Summarise("overview", days, most=20)).points) == 6


def test_points_of_parts_are_taken_as_they_are_however_short():
    parts = (Item("point:1", "Tea."), Item("point:2", "Is it? Perhaps. Perhaps not."))
    found = summarised(Summarise("merge", parts)).points
    assert [point.text for point in found] == ["Tea.", "Is it? Perhaps. Perhaps not."]


def test_nothing_is_nothing():
    assert summarised(Summarise("overview", ())).points == ()
