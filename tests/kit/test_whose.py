"""Of whom a sentence speaks: of who says it, of somebody else, of neither."""

import pytest

from memcli.kit import whose
from memcli.kit.asked import read
from memcli.kit.stem import stem

DRIVE = "What car do I drive?"


def about(question: str, *, named: bool = False) -> whose.About:
    return whose.about(question, frozenset(map(stem, read(question).words)), named=named)


def of_whom(sentence: str, question: str = DRIVE) -> str:
    return whose.of_whom(sentence, about(question))


@pytest.mark.parametrize(
    "sentence",
    [
        "I drive a Kia",
        "My car is a Kia, says Flo",
        "My wife laughed, but I drive a Kia",
        "A Kia is the car we drive",
        "The doctor talked me round: I drive a small car",
        "Mubi is the car that we drive",
    ],
)
def test_of_who_says_it(sentence: str) -> None:
    assert of_whom(sentence) == "own"


@pytest.mark.parametrize(
    "sentence",
    [
        "Flo drives a Kia",
        "Flo's car is a Kia, I like it",
        "My brother's car is a Kia",
        "My mate Deniz drives a Kia",
        "Lisa in accounts has a car called Bert",
        "The woman upstairs drives a Kia, and I walk",
        "The postman drives a Kia",
        "She drives a Kia",
        "His car is a Kia",
        "Auntie told the family that I drive a car",
        "Half my office drives a Kia",
        "My husband has it easy, a Fiat is not much",
    ],
)
def test_of_somebody_else(sentence: str) -> None:
    assert of_whom(sentence) == "other"


@pytest.mark.parametrize(
    "sentence",
    ["A Kia is a good car", "The car leaks again", "It rained on Flo", "", "Das Auto ist ein Kia"],
)
def test_of_neither(sentence: str) -> None:
    assert of_whom(sentence) == "none"


def test_a_person_who_is_asked_about_is_no_other() -> None:
    assert of_whom("My son Mattis plays chess", "What does Mattis play?") != "other"
    assert of_whom("She plays chess at the club", "What does Mattis play?") != "other"
    assert (
        of_whom("A word with her sister who lives in Ghent", "Where does my sister live?")
        == "other"
    )
    assert of_whom("Mattis's brother has his game", "What game does Mattis play?") == "other"


def test_people_whom_one_has_are_not_who_is_asked_about() -> None:
    asked = "How many children do I have?"
    assert of_whom("It turns out he has no children at all", asked) == "other"
    assert of_whom("We have two children", asked) == "own"


def test_where_a_person_is_asked_for_one_is_the_answer() -> None:
    who = "Who walks the dog?"
    assert of_whom("Grandpa walks the dog", who) == "none"
    assert of_whom("Grandpa walks their dog", who) == "other"
    assert whose.of_whom("Grandpa walks the dog", about(who, named=True)) == "other"


def test_what_i_did_with_theirs_is_mine() -> None:
    asked = "Which weddings did I attend?"
    assert of_whom("I attended Flo's wedding", asked) == "own"
    assert of_whom("We like Flo's wedding", asked) == "other"


def test_what_somebody_did_to_it_is_news_of_it() -> None:
    asked = "What dose of insulin am I on?"
    assert of_whom("The doctor lowered the insulin dose", asked) == "none"
    assert of_whom("The neighbour takes the insulin dose", asked) == "other"


class TestVague:
    asked = "How often does my podcast come out?"

    @pytest.mark.parametrize(
        ("sentence", "vague"),
        [
            ("There is a podcast on lighthouses", True),
            ("Any good podcast comes out often", True),
            ("The podcast comes out on Mondays", False),
            ("Podcast day is Monday", False),
            ("A podcast is work, and my podcast is no exception", False),
            ("It comes out on Mondays", False),
        ],
    )
    def test_any_such_thing(self, sentence: str, vague: bool) -> None:
        assert whose.is_vague(sentence, about(self.asked)) is vague

    def test_where_no_thing_is_meant_nothing_is(self) -> None:
        assert not whose.is_vague("I drive a car", about(DRIVE))


@pytest.mark.parametrize(
    ("sentence", "elsewhere"),
    [
        ("At the office the password is long", True),
        ("At my mum's the password is long", True),
        ("At the cabin the password is otter", False),
        ("The password at the office is long", False),
    ],
)
def test_a_place_that_is_not_asked_about(sentence: str, elsewhere: bool) -> None:
    asked = about("What is the password at the cabin?")
    assert whose.is_elsewhere(sentence, asked) is elsewhere


@pytest.mark.parametrize(
    ("sentence", "general"),
    [
        ("What does a car cost?", True),
        ("How do people drive?", True),
        ("Should I drive a car?", True),
        ("How long can I drive on snow?", True),
        ("What does a car cost, for the guests?", True),
        ("Which oil does my car need?", False),
        ("Which oil does the car need?", False),
        ("I drive a Kia, is that bad?", False),
        ("A Kia as a car?", False),
        ("What a car.", False),
    ],
)
def test_a_question_that_tells_of_nothing(sentence: str, general: bool) -> None:
    assert whose.is_general(sentence, about(DRIVE)) is general


@pytest.mark.parametrize("piece", ["Flo's ", "my ", "a-", "Flo drives ", "his ", "so ", ", ", "A"])
def test_a_long_line_comes_back(piece: str) -> None:
    """There is no clock here: what is quadratic would not come back for a long time."""
    text = piece * (100_000 // len(piece)) + "car?"
    asked = about("What is my car?")
    whose.of_whom(text, asked)
    assert whose.is_vague(text, asked) in (True, False)
    assert whose.is_general(text, asked) in (True, False)
