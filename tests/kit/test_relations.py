"""Relations by pattern: who has what to do with which named thing."""

import pytest

from memcli.kit.facts import facts
from memcli.kit.relations import Triple, triple


def of(text: str) -> Triple | None:
    found = facts(text)
    return triple(found[0]) if found else None


@pytest.mark.parametrize(
    ("text", "relation", "thing"),
    [
        ("I live in Lisbon.", "LIVES_IN", "Lisbon"),
        ("I work at Acme.", "WORKS_AT", "Acme"),
        ("I visited Mount Fuji last year.", "VISITED", "Mount Fuji"),
        ('I\'ve just read "The Waves" again.', "READ", "The Waves"),
        ("I joined the Tidal Choir.", "JOINED", "Tidal Choir"),
        ("We adopted a dog named Rex.", "OWNS", "Rex"),
    ],
)
def test_told(text: str, relation: str, thing: str) -> None:
    found = of(text)
    assert found is not None
    assert (found.relation, found.object) == (relation, thing)


@pytest.mark.parametrize(
    "text",
    [
        "I like it when green tea is hot.",  # no thing
        "I never visited Rome.",
        "If I visited Rome, I'd stay.",
        "I am 30 years old.",  # a value that is no thing
        "My email is ada@example.org.",
    ],
)
def test_not_told(text: str) -> None:
    assert of(text) is None


@pytest.mark.parametrize(
    ("text", "relation", "thing"),
    [
        ("I play the violin.", "PLAYS", "violin"),
        ("I love hiking in the mountains.", "LIKES", "hiking"),
        ("I'm allergic to hazelnuts.", "ALLERGIC_TO", "hazelnuts"),
    ],
)
def test_kinds_of_things(text: str, relation: str, thing: str) -> None:
    assert of(text) == Triple(relation, thing)


def test_a_name_that_goes_with_a_noun_is_no_object() -> None:
    assert of("I went to a LGBTQ support group yesterday.") is None
