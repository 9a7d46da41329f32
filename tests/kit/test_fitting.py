"""How far a text says what a question asks for."""

import pytest

from memcli.kit.asked import read
from memcli.kit.fitting import Wanted, fit, named, wanted

WHERE = "Which harbour does the yellow kayak wait in?"


def of(question: str, *speakers: str) -> Wanted:
    found = wanted(read(question).without(speakers), speakers)
    assert found is not None
    return found


def share(question: str, text: str, *speakers: str, by: str | None = None) -> float:
    return fit(of(question, *speakers), text, by, named=bool(speakers))


def test_one_text_has_to_hold_it_all() -> None:
    right = share(WHERE, "The yellow kayak waits in Skagen harbour.")
    assert right == 1.0
    kayak = share(WHERE, "I painted the kayak, it is yellow all over.")
    harbour = share(WHERE, "Skagen harbour is closed today.")
    assert max(kayak, harbour) < 0.7
    assert share(WHERE, "Nothing but rain.") == 0.0


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("Which harbour does the yellow kayak wait in?", "The yellow kayak waits in the harbour."),
        (
            "A yellow kayak! How lovely. And the harbour, they say, will wait dry.",
            "How lovely. The yellow kayak will wait in the harbour.",
        ),
        (
            "My neighbour's yellow kayak waits in the harbour.",
            "The yellow kayak waits in the harbour.",
        ),
    ],
)
def test_what_asks_itself_is_torn_apart_or_of_another_says_less(worse: str, better: str) -> None:
    question = "Which harbour does my yellow kayak wait in?"
    assert share(question, worse) < share(question, better)


def test_my_own_is_not_anybodys() -> None:
    question = "What did my kayak cost?"
    assert share(question, "Sven's kayak cost 900.") < share(question, "My kayak cost 900.")


def test_who_is_asked_about_weighs_most() -> None:
    question, text = "What instrument does Ada play?", "I play a brass instrument."
    ada = share(question, text, "ada", by="Ada Berg")
    bo = share(question, text, "ada", by="Bo")
    assert ada == 1.0
    assert bo < 0.55
    assert share(question, "Ada plays an instrument of brass.", "ada", by="Bo") > bo


def test_who_says_it_need_not_be_named_in_it() -> None:
    assert share("Where does Ada live?", "I live in Bergen.", by="Ada") == 1.0
    assert share("Where does the user live?", "I live in Bergen.") == 1.0


def test_words_of_how_and_when_are_not_looked_for() -> None:
    told = "The kayak weighs 19 kilos."
    assert share("How much did the kayak weigh on 3 May 2025, originally?", told) == 1.0


@pytest.mark.parametrize(
    "question",
    [
        "How many kayaks did we rent in total?",
        "Which kayak would you recommend?",
        "Would Ada like a kayak?",
        "What did you tell me about kayaks?",
        "Remind me of the kayaks",
        "when was that?",
        "",
        "…",
    ],
)
def test_where_no_single_text_answers_nothing_is_said(question: str) -> None:
    assert wanted(read(question), ()) is None


def test_what_is_lacking_comes_in_the_words_of_the_question() -> None:
    assert of(WHERE).lacks(frozenset({"kayak"})) == ("harbour", "yellow")


def test_names() -> None:
    assert named(read("Did we paint the boat in Skagen with Ada's brother?")) == ("skagen", "ada")
    assert named(read("Welche Farbe hat das Boot?")) == ("farbe", "boot")
    assert named(read("When is Easter in March?")) == ("easter",)
