import re

import pytest

from memcli.render.text import HARMFUL, brief, cells, count, lines, listed, safe, when
from tests.render.samples import EVIL


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain é 日本 👩‍👧", "plain é 日本 👩‍👧"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x9b2J", "⟨U+009B⟩2J"),
        ("a\nb\r\x07\x7f", "a␊b␍␇␡"),
        ("a\tb", "a    b"),
        ("\u202egnp", "⟨U+202E⟩gnp"),
        ("\ud83d", "⟨U+D83D⟩"),
        ("x\U000e0041", "x⟨U+E0041⟩"),
        ("a\u2028b\u200b", "a⟨U+2028⟩b⟨U+200B⟩"),
    ],
)
def test_what_acts_on_a_terminal_is_made_visible(given: str, shown: str) -> None:
    assert safe(given) == shown


def test_nothing_harmful_is_left_and_it_encodes() -> None:
    everything = "".join(
        map(chr, [*range(0x3000), *range(0xD7F0, 0xE010), *range(0xE0000, 0xE0080)])
    )
    shown = safe(everything + EVIL)
    assert not HARMFUL.search(shown)
    assert shown.encode("utf-8")


def test_lines_break_at_newlines_only() -> None:
    assert lines("a\r\nb\u2028c\x0bd\n") == ["a", "b\u2028c\x0bd", ""]


def test_brief_cuts_at_a_word_and_says_so() -> None:
    assert brief("one  two\nthree", 40) == "one two three"
    cut = brief("word " * 100, 50)
    assert len(cut) <= 52
    assert cut.endswith("word …")
    assert brief("x" * 10_000, 20) == "x" * 20 + " …"
    assert brief(" " * 10_000, 20) == " …"


def test_small_words() -> None:
    assert count(1, "record") == "1 record"
    assert count(1200, "memory", "memories") == "1,200 memories"
    assert listed(("m1", "m2")) == "m1, m2"
    assert listed([f"m{n}" for n in range(20)], 2) == "m0, m1 and 18 more"
    assert when("2026-03-04T09:12:30.5Z") == "2026-03-04 09:12"
    assert when(None) == "no date"
    assert re.fullmatch("nonsense", when("nonsense"))
    assert cells("日本é") == 5
    assert cells("e\u0301") == 1
