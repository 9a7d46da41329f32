"""Text as it is stored and hashed."""

import json
import math
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.kit.normalise import clean, name_of, normalise, text_of

ANY = st.text(st.characters(exclude_categories=()), max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("  a b \n", "a b"),
        ("a\x00b", "a\ufffdb"),
        ("a\ud83d", "a\ufffd"),
        ("\U0001f600", "\U0001f600"),
        ("Stra\u00dfe \u212b \ufb01", "Stra\u00dfe \u212b \ufb01"),
        ("a\u2028b\u0085c", "a\u2028b\u0085c"),
        ("", ""),
    ],
)
def test_only_newlines_white_space_and_unstorable_characters_change(text, expected):
    assert normalise(text) == expected


@given(ANY)
def test_normalising_is_idempotent_and_storable(text):
    once = normalise(text)
    assert normalise(once) == once
    store = sqlite3.connect(":memory:")
    assert store.execute("SELECT ?, length(?)", (once, once)).fetchone() == (once, len(once))
    store.close()


def test_clean_makes_valid_json_of_any_value():
    value = {"a\x00": [math.nan, math.inf, 1.5, "\ud83d", (1, True, None)]}
    assert clean(value) == {"a\ufffd": [None, None, 1.5, "\ufffd", [1, True, None]]}
    assert json.dumps(clean(value), allow_nan=False)


def test_text_and_names_come_from_strings_only():
    assert [text_of(value) for value in (" a ", None, 5, ["a"])] == ["a", "", "", ""]
    assert [name_of(value) for value in (" a ", "", None, 5, True, 1.5)] == [
        *("a", None, None, "5", None, None)
    ]
