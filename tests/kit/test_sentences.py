import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.kit.sentences import is_question, is_statement, sentences, statements


def cut(text):
    return [sentence.text.strip() for sentence in sentences(text)]


@settings(deadline=None)
@given(st.text())
def test_joined_sentences_are_the_text(text):
    found = sentences(text)
    assert "".join(sentence.text for sentence in found) == text
    assert all(text[one.start : one.end] == one.text for one in found)


@settings(deadline=None)
@given(st.text(alphabet="aB1.!?…\n\r\t '\"()`#-*。😀", max_size=80))
def test_joined_sentences_are_the_text_where_marks_are_many(text):
    assert "".join(sentence.text for sentence in sentences(text)) == text


@settings(deadline=None)
@given(st.text(alphabet="aB1.!?…\n '\"()`#-*:I", max_size=80))
def test_statements_are_spans(text):
    for one in statements(text):
        assert text[one.start : one.end] == one.text == one.text.strip() != ""


@pytest.mark.parametrize(
    "whole",
    [
        "Pi is 3.14 and a bit.",
        "It costs $2.50 a cup.",
        "See https://example.org/a.html?x=1.2 for more.",
        "I edited main.py and README.md today.",
        "Dr. Ada B. Lovelace met Mr. Hyde.",
        "We use e.g. tea, i.e. leaves, vs. coffee.",
        "At 5 p.m. we left.",
        "He said “Really?” and left.",
        "Wait... what I mean is tea.",
        "Version v1.2.3 runs on 127.0.0.1 now.",
    ],
)
def test_stays_whole(whole):
    assert cut(whole) == [whole]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I run. You swim! Why?", ["I run.", "You swim!", "Why?"]),
        ("i went home. then i slept.", ["i went home.", "then i slept."]),
        ("We met in the U.S. Then we left.", ["We met in the U.S.", "Then we left."]),
        ("So do I. We agree.", ["So do I.", "We agree."]),
        ("One thing\nAnother thing", ["One thing", "Another thing"]),
        (
            "a line that is wrapped\nin the middle. Next.",
            ["a line that is wrapped\nin the middle.", "Next."],
        ),
        ("- first\n- second", ["- first", "- second"]),
        ("1. Wash.\n2. Dry.", ["1. Wash.", "2. Dry."]),
        ("これは本です。それはペンです。", ["これは本です。", "それはペンです。"]),
        ("Look:\n```\nx = 1. y\n\nz\n```\nDone.", ["Look:", "```\nx = 1. y\n\nz\n```", "Done."]),
        ('He said "Go." Then he went.', ['He said "Go."', "Then he went."]),
    ],
)
def test_is_cut(text, parts):
    assert cut(text) == parts


@pytest.mark.parametrize(
    "said",
    [
        "I moved to Lisbon.",
        "When I was young, I lived in Rome.",
        "Hey Ada, since we last spoke I have moved to Lisbon.",
        "Thanks to my coach I ran faster.",
        "Always run the tests first.",
        "My name is Bo.",
    ],
)
def test_says_something(said):
    assert is_statement(said)


@pytest.mark.parametrize(
    "said",
    [
        "Where do you live?",
        "what do you think",
        "Can you add a test",
        "Hi!",
        "Hey Ada!",
        "Good morning everyone.",
        "Thanks, Ada!",
        "Thank you so much for your help!",
        "Wow, Bo, that's great!",
        "Have a nice day!",
        "Congrats on the new job!",
        "Yes.",
        "OK, sure.",
        "!!!",
        "",
        "```\nprint(1)\n```",
        "123.",
    ],
)
def test_says_nothing_to_keep(said):
    assert not is_statement(said)


def test_questions():
    assert is_question('Did he say "why?"')
    assert is_question("And how are you doing")
    assert not is_question("I asked why he left.")


def test_statements_leave_list_marks_and_blanks_out():
    text = "Hi Bo!\n- I like tea.  \n- Do you?\n2) My cat sleeps."
    assert [one.text for one in statements(text)] == ["I like tea.", "My cat sleeps."]
