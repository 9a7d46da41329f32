"""What rules say of entities, edges and dates."""

from memcli.gateway.extractive import Extractive
from memcli.kit.handles import Item
from memcli.tasks.date_facts import DateFacts, Dates
from memcli.tasks.extract_entities import ExtractEntities
from memcli.tasks.extract_facts import ExtractFacts
from memcli.tasks.match_entities import Match, MatchEntities

HOME = Item("r1", "I live in New York. It rains.", speaker="Ada", role="user", day="2024-05-02")


def names(text: str, **fields: str) -> list[str]:
    item = Item("r1", text, role="user", **fields)
    (found,) = Extractive().answer([ExtractEntities((item,))])
    return [one.name for one in found.entities]


def test_names_titles_and_identifiers() -> None:
    assert names('We saw "The Waves" in New York with Tom, on build v1.2-rc') == [
        "The Waves",
        "New York",
        "Tom",
        "v1.2-rc",
    ]


def test_no_part_of_a_longer_one() -> None:
    assert names('It was "Acme, Inc." and SR-2023-052') == ["Acme, Inc.", "SR-2023-052"]
    assert set(names("We ran the NYC Marathon, NYC is home")) == {"NYC Marathon", "NYC"}


def test_of_a_fact_who_speaks_and_the_object() -> None:
    assert names("I work as a nurse.", speaker="Ada")[:2] == ["Ada", "nurse"]
    assert names("I sing.", speaker="Ada") == []


def test_edges_are_facts_of_the_speaker_word_for_word() -> None:
    entities = (Item("name:1", "Ada"), Item("name:2", "New York"))
    (found,) = Extractive().answer([ExtractFacts((HOME,), entities=entities)])
    (fact,) = found.facts
    assert (fact.text, fact.subject, fact.relation, fact.object) == (
        "I live in New York.",
        "Ada",
        "LIVES_IN",
        "New York",
    )


def test_no_two_names_are_one() -> None:
    task = MatchEntities((Item("name:1", "v1"),), (Item("m1@1", "v2", memory=True),))
    (found,) = Extractive().answer([task])
    assert found.matches == (Match(item="name:1"),)


def test_dates() -> None:
    items = (
        Item("fact:1", "I moved there last month", day="2024-05-02"),
        Item("fact:2", "I lived there from 2022 to 2020", day="2024-05-02"),
    )
    (found,) = Extractive().answer([DateFacts(items, (HOME,))])
    assert found.dates == (Dates(item="fact:1", valid_from="2024-04-01"), Dates(item="fact:2"))


def test_what_is_no_name() -> None:
    text = "Painting is well-known advice/help on Friday the 18th. Pottery too. It was #fun."
    assert names(text) == []
