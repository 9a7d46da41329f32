"""What a later text ends that an earlier one speaks of."""

import pytest

from memcli.kit.asked import read
from memcli.kit.ending import may_end, spoken_of, telling

ASKED = "Where do I keep the tandem?"
TOLD = "I keep the tandem in Oskar's barn in Ystad."


def ends(later: str, *, told: str = TOLD, asked: str = ASKED, named: bool = False) -> bool:
    return may_end(told, later, read(asked), named=named)


@pytest.mark.parametrize(
    "later",
    [
        "Somebody stole the tandem last night.",
        "I've sold the tandem today.",
        "The tandem is history, the frame broke in two.",
        "The barn burnt down.",
        "Oskar has moved away, we waved for a long time.",
        "Drove Oskar to the airport. His niece took over the farm.",
        "We've moved to Turku, with both cats.",
        "The tandem? Thrown out: I threw it on the heap.",
    ],
)
def test_an_end(later: str) -> None:
    assert ends(later)


# Each of the ways in which the tandem may end.
WAYS = (
    "died", "passed away", "was recently stolen", "is history", "was scrapped", "was binned",
    "got ditched", "was donated", "was given away", "was thrown out", "burnt out", "closed down",
    "shut down", "went bust", "is closed", "is demolished", "was canceled", "is discontinued",
    "was dissolved", "is disbanded", "was decommissioned", "is torn down", "is over", "is gone",
    "was switched off for good", "quit", "resigned", "was handed in", "was laid off", "was fired",
    "got let go", "was made redundant", "retires", "moved out", "is broken up", "divorced",
    "was given up", "is no longer here", "is not here anymore", "isn't here anymore",
    "got its farewell", "said goodbye", "was taken over", "started school", "graduated",
    "expired", "is a non-smoker", "was cancelled", "unsubscribed",
)  # fmt: skip


@pytest.mark.parametrize("words", WAYS)
def test_each_word_of_an_end_is_looked_for(words: str) -> None:
    assert ends(f"The tandem {words}.")


@pytest.mark.parametrize(
    "later",
    [
        "I've sold the piano today.",
        "The tandem got new tyres.",
        "I never sold the tandem.",
        "If I sold the tandem, who would mind?",
        "Did somebody sell the tandem?",
        "My neighbour sold her tandem.",
        "We sold 20 bells for a tandem at the market.",
        "My brother moved to Turku.",
        "We moved to a hotel in Ystad.",
        "Imagine we moved to Turku.",
        "Haha, I sold the tandem, just kidding.",
        "",
        "The tandem.",
    ],
)
def test_no_end(later: str) -> None:
    assert not ends(later)


def test_a_move_ends_what_who_asks_does_at_a_place() -> None:
    moved = "We moved to Turku in May."
    swim = "I swim in Ystad on Mondays."
    assert ends(moved, told=swim, asked="Where do I swim?")
    assert not ends(moved, told=swim, asked="Where does Oskar swim?")
    assert not ends(moved, told="I swim on Mondays.", asked="Where do I swim?")


def test_who_is_named_may_end_it_whoever_is_asked_about() -> None:
    asked = "Who waters our plants?"
    told = "When we are away Livia waters our plants."
    assert ends("My cousin Livia moved away.", told=told, asked=asked)
    assert not ends("My cousin moved away from his plants.", told=told, asked=asked)


def test_only_the_sentence_that_answers_may_end() -> None:
    text = "The piano is out of tune. I keep the tandem in the barn."
    assert spoken_of(text, read(ASKED)) == "I keep the tandem in the barn."


def test_a_time_of_day_ties_nothing() -> None:
    told, asked = "I jog at six on Saturday mornings.", "When do I jog?"
    assert not ends("My morning is saved: I sold the old mixer.", told=told, asked=asked)


def test_the_words_to_look_for() -> None:
    told = (
        "On Monday the old tandem with the bell goes to Oskar, at 14 for 300, by ferry and by cart."
    )
    assert telling(told, read("Who gets the bell?")) == ("oskar", "bell", "tandem", "ferry")


@pytest.mark.parametrize("text", ["", " ", "…", "?" * 3000, "lent " * 3000, "A" * 100_000])
def test_any_text_may_come(text: str) -> None:
    assert not ends(text)
    assert not ends("I sold it.", told=text)
    assert isinstance(telling(text, read(ASKED)), tuple)
