"""The tasks about entities, the edges between them, and dates: what a reply may say."""

from typing import Any

import pytest

from memcli.kit.handles import Item
from memcli.tasks.date_facts import DateFacts, Dates
from memcli.tasks.extract_entities import Entity, ExtractEntities
from memcli.tasks.extract_facts import ExtractFacts
from memcli.tasks.match_entities import Match, MatchEntities

SAID = (Item("r1", "I live in Lisbon.", day="2024-05-02"), Item("r2", "With Tom."))
FACTS = (Item("fact:1", "Ada lives in Lisbon", roots=("r1",)), Item("fact:2", "Ada sings"))
NAMES = (Item("name:1", "Ada", roots=("r1",)), Item("name:2", "Lisbon", roots=("r1",)))
KNOWN = (Item("m4@1", "Lisboa", memory=True),)


class TestExtractEntities:
    task = ExtractEntities(SAID)

    def test_names_with_their_records(self) -> None:
        reply = {"entities": [{"name": " Lisbon ", "type": "place", "sources": ["R1", "R9", "R1"]}]}
        (found,) = self.task.parse(reply).entities
        assert found == Entity(name="Lisbon", type="place", sources=("r1",), unknown=("R9",))

    def test_nothing_is_an_answer(self) -> None:
        assert self.task.parse({"entities": []}).entities == ()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"name": "Lisbon", "type": "city", "sources": []},
            {"name": "Lisbon", "sources": []},
            {"name": "L" * 300, "type": "place", "sources": []},
        ],
    )
    def test_wrong_forms(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"entities\.0"):
            self.task.parse({"entities": [wrong]})

    def test_it_shows_its_records(self) -> None:
        assert ExtractEntities(SAID[:1], context=SAID[1:]).sources() == ("r1", "r2")


class TestMatchEntities:
    task = MatchEntities(NAMES, KNOWN, said=SAID)

    def test_one_answer_a_name(self) -> None:
        given = [{"item": "N2", "same_as": "E1"}, {"item": "N1", "same_as": None}]
        assert self.task.parse({"matches": given}).matches == (
            Match(item="name:1"),
            Match(item="name:2", same_as="m4@1"),
        )

    def test_a_handle_that_names_nothing_matches_nothing(self) -> None:
        given = [{"item": "N1", "same_as": "E9"}, {"item": "N2"}]
        first, second = self.task.parse({"matches": given}).matches
        assert (first.same_as, first.unknown) == (None, ("E9",))
        assert second == Match(item="name:2")

    @pytest.mark.parametrize(
        ("items", "problem"),
        [(["N1"], "no match for N2"), (["N1", "N1"], "two matches"), (["E1", "N2"], "no N line")],
    )
    def test_each_once(self, items: list[str], problem: str) -> None:
        with pytest.raises(ValueError, match=problem):
            self.task.parse({"matches": [{"item": one, "same_as": None} for one in items]})

    def test_it_shows_its_records_and_memories(self) -> None:
        assert self.task.sources() == ("r1", "m4@1", "r2")


class TestDateFacts:
    task = DateFacts(FACTS, SAID)

    def test_dates_by_fact(self) -> None:
        given = [
            {"item": "F2", "valid_from": None, "valid_to": ""},
            {"item": "F1", "valid_from": "2024-05", "valid_to": "2025"},
        ]
        assert self.task.parse({"dates": given}).dates == (
            Dates(item="fact:1", valid_from="2024-05-01", valid_to="2025-01-01"),
            Dates(item="fact:2"),
        )

    @pytest.mark.parametrize(
        ("first", "problem"),
        [
            ({"item": "F1", "valid_from": "last May"}, "no date"),
            ({"item": "F1", "valid_from": "2024-05", "valid_to": "2023"}, "before"),
            ({"item": "F2"}, "dated twice"),
            ({"item": "R1"}, "no F line"),
        ],
    )
    def test_wrong_ones(self, first: dict[str, Any], problem: str) -> None:
        with pytest.raises(ValueError, match=problem):
            self.task.parse({"dates": [first, {"item": "F2"}]})

    def test_none_is_left_out(self) -> None:
        with pytest.raises(ValueError, match="no dates for F1"):
            self.task.parse({"dates": [{"item": "F2"}]})


def stated(**fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("relation", "object", "attribute", "value", "valid_from", "valid_to"))
    return {
        "text": "Ada lives in Lisbon",
        "sources": ["R1"],
        "quotes": [{"source": "R1", "text": "live in Lisbon"}],
        "by": "user",
        "subject": "E1",
        "explicit": True,
        "change": False,
        "related": [],
        "replaces": [],
        **empty,
        **fields,
    }


class TestEdges:
    task = ExtractFacts(SAID, entities=NAMES, repeats=True)

    def test_ends_by_handle_or_by_name(self) -> None:
        for subject, thing in (("E1", "E2"), ("Ada", "Lisbon")):
            reply = {"facts": [stated(subject=subject, object=thing, relation="LIVES_IN")]}
            (found,) = self.task.parse(reply).facts
            assert (found.subject, found.relation, found.object) == ("Ada", "LIVES_IN", "Lisbon")

    def test_a_handle_that_names_nothing_stays_what_it_is(self) -> None:
        (found,) = self.task.parse({"facts": [stated(object="E9")]}).facts
        assert found.object == "E9"

    def test_two_may_be_alike(self) -> None:
        twice = {"facts": [stated(), stated()]}
        assert len(self.task.parse(twice).facts) == 2
        with pytest.raises(ValueError, match="alike"):
            ExtractFacts(SAID).parse(twice)
        with pytest.raises(ValueError, match="empty"):
            self.task.parse({"facts": [stated(text=" ")]})
