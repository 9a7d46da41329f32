import re

from hypothesis import example, given
from hypothesis import strategies as st

from memcli.kit.quoting import find_quote

PARTS = st.sampled_from(
    ["tea", "a", "é", ".", " ", "  ", "\n", "\u00a0", "\t", "\x1f", "\x85", "\u200b"]
)
TEXTS = st.lists(PARTS, max_size=12).map("".join)


def by_pattern(text, quote):
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return found.span() if found else None


@example("a\u00a0tea a tea", "a tea")
@example("a  tea", "a tea")
@example("tea. a", "a\ntea")
@given(TEXTS, TEXTS)
def test_words_stand_where_their_pattern_first_fits(text, quote):
    assert find_quote(text, quote) == by_pattern(text, quote)


def test_what_stands_nowhere_or_says_nothing_is_not_found():
    assert find_quote("I like tea", "coffee") is None
    assert find_quote("I like tea", " \n") is None
    assert find_quote("I like tea", "like tea") == (2, 10)
