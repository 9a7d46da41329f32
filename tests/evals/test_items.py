"""Values in texts, and what a result stands for."""

import pytest

from memcli.evals.items import carried, holds, normalised, tokens_of, unmarked


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I live in Porto now.", "porto"),
        ("There are twenty hives", "20"),
        ("It cost 1,250 euros", "1250"),
        ("on 7 May 2023 we left", "2023-05-07"),
        ("on May 7th, 2023", "7 May 2023"),
        ("a blue teapot", "the blue teapot"),
    ],
)
def test_values_in_any_form(text: str, value: str) -> None:
    assert holds(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("I live in Portola.", "Porto"), ("120 hives", "20"), ("8 May 2023", "2023-05-07"), ("x", "")],
)
def test_other_values(text: str, value: str) -> None:
    assert not holds(text, value)


def test_an_old_value_may_be_named_as_such() -> None:
    assert unmarked("You live in Ghent.", "Ghent")
    assert not unmarked("You live in Porto; before, it was Ghent.", "Ghent")
    assert not unmarked("You live in Porto.", "Ghent")
    assert not unmarked("anything", "")


def test_what_carries_a_record_holds_its_words() -> None:
    source = "I moved the two hives from the roof to the orchard behind the mill."
    assert carried(source, "The hives moved to the orchard behind the mill")
    assert carried(
        source + " And more, and a long tale of it.", "I moved the two hives from the roof"
    )
    assert not carried(source, "Ada keeps bees.")
    assert not carried("", "anything")


def test_tokens_are_rounded_up() -> None:
    assert [tokens_of("a" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert normalised("  ") == "  "
