"""Words akin to a word."""

import pytest

from memcli.kit import akin as tables
from memcli.kit.akin import akin
from memcli.kit.stem import stem


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("buy", "bought"),
        ("went", "go"),
        ("goes", "went"),  # a form that the stemmer joins with none of the row but by the table
        ("movies", "film"),  # by its stem
        ("mum", "mother"),
        ("pets", "cat"),
        ("two", "2"),
        ("colour", "color"),
    ],
)
def test_what_is_akin(word: str, other: str) -> None:
    assert other in akin([word])


def test_kinds_go_one_way() -> None:
    assert "hamster" in akin(["pet"])
    assert "pet" not in akin(["hamster"])


def test_none_twice_and_none_of_the_words_themselves() -> None:
    found = akin(["pet", "cats", "dog", "animal"])
    stems = [stem(word) for word in found]
    assert len(stems) == len(set(stems))
    assert not {"cat", "dog", "pet"} & set(stems)


@pytest.mark.parametrize("words", [[], [""], ["kiln"], ["x"], ["Pet"], ["ein", "haus"], ["'"]])
def test_what_is_in_no_table_has_none(words: list[str]) -> None:
    assert akin(words) == ()


def test_forms_share_no_stem() -> None:
    """What the stemmer joins anyway costs a look into the index and finds nothing new."""
    rows = list(tables._rows(tables._FORMS))
    assert len(rows) > 100
    for row in rows:
        assert len({stem(word) for word in row}) > 1, row


def test_rows_are_words_in_lower_case() -> None:
    for text in (tables._FORMS, tables._SAME, tables._KINDS):
        for row in tables._rows(text):
            assert len(row) > 1
            assert all(word.isalnum() and word == word.lower() for word in row)
