"""Texts as they come out of tools: a run of one character, and no word for miles.

There is no clock here. What is slow on such a text would not come back for hours.
"""

import pytest

from memcli.gateway.hashed import embed
from memcli.kit import signs
from memcli.kit.courtesy import is_courtesy
from memcli.kit.dates import absolute
from memcli.kit.keywords import corpus_of, keywords
from memcli.kit.nearkey import near_key
from memcli.kit.rating import rate
from memcli.kit.sentences import sentences, statements
from memcli.kit.stem import stem

SIZE = 100_000
PIECES = [
    *("a", "y", "A", "1", ".", "?", "!", "…", "。", " ", "\n", "`", "~", "-", "_", "'", '"', "("),
    *(
        "a.",
        "a-",
        "a_b.",
        "1a",
        "A1",
        "Oh, ",
        "Wow. ",
        "Ada ",
        "Ada. ",
        "a day ",
        "/a",
        "@",
        "http://",
    ),
    *("one ", "1,", "in 1 ", "thank you ", "é", "日", "have a ", "'s ", "a b c. "),
]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("end", ["", "x", " x?"])
def test_comes_back(piece, end):
    text = piece * (SIZE // len(piece)) + end
    assert "".join(one.text for one in sentences(text)) == text
    statements(text)
    is_courtesy(text)
    near_key(text)
    assert 1 <= rate(text) <= 8
    absolute(text, frozenset({"2024-01-01"}))
    signs.names(text)
    signs.numbers(text)
    signs.identifiers(text)
    signs.quoted(text)
    signs.modals(text)
    keywords([text], corpus_of([text]))
    stem(text)
    embed(text)
