"""Whether a sentence states what is asked for: in earnest, and of whom is asked."""

import pytest

from memcli.kit.asked import read
from memcli.kit.stating import nearest, states, tells_change
from memcli.kit.stem import stems


def stated(sentence: str, question: str = "Where do I live?", *, named: bool = False) -> bool:
    asked = read(question)
    return states(sentence, asked, stems(" ".join(asked.words)), named=named)


@pytest.mark.parametrize(
    "sentence",
    [
        "I live in Ghent.",
        "We live above the bakery now",
        "Since March I have lived in Ghent",
        "Where do I live? In Ghent.",
        "Honestly, Ghent is where I live.",
        "I told my boss that I live in Ghent",
        "live: Ghent",
        "Ich wohne in Gent.",
        "我住在根特。",
        "",
        "🏠",
    ],
)
def test_a_claim(sentence: str) -> None:
    assert stated(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "If I live in Ghent one day, I will row.",
        "Sometimes, if I live near water, I row",
        "Imagine I live in Ghent.",
        "Suppose I live in Ghent",
        "What if I live in Ghent",
        "Let's say I live in Ghent",
        "I'd live in Ghent",
        "I would live in Ghent",
        "Last night I dreamt that I live in Ghent",
        "I wish I had a house in Ghent",
        "I almost live in Ghent",
    ],
)
def test_a_supposition_is_none(sentence: str) -> None:
    assert not stated(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I live on the moon, just kidding",
        "haha I live in a shoe",
        "I live on Mars lol",
        "It is a joke that I live there",
        "April Fools: I live in a boat",
    ],
)
def test_a_joke_is_none(sentence: str) -> None:
    assert not stated(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "For example: I live in Ghent",
        "The placeholder says I live in Ghent",
        "The lyrics go I live in a yellow house",
        "They say I live in Ghent",
        "I heard that I live in Ghent",
        "Apparently I live in Ghent",
        "I live at the inn just for tonight",
        "As an exception I live with Bo",
        'The sign reads "I live in Ghent with cats"',
        "Her page says “I live by the sea in Ghent”",
        "Sur la porte: «I live in Ghent now»",
    ],
)
def test_what_is_not_meant_so_is_none(sentence: str) -> None:
    assert not stated(sentence)


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("Do I live in Ghent?", False),
        ("And did I live in Ghent?", False),
        ("Could I live there?”", False),
        ("What about Ghent, do I live there?", False),
        ("Do I live in Ghent.", True),  # no mark
        ("I live in Ghent, right?", True),  # says it all the same
    ],
)
def test_a_question_of_yes_or_no(sentence: str, stands: bool) -> None:
    assert stated(sentence) is stands


class TestQuotations:
    def test_what_is_said_of_one_beside_it_stands(self) -> None:
        assert stated('I live in a house that is called "the lighthouse"')

    def test_short_ones_are_names_of_things(self) -> None:
        assert stated('"Live" is the word')

    def test_of_two_that_hold_the_words_neither_is_alone(self) -> None:
        assert stated('It says "I live in Ghent" here and "I live in Bruges" there')


class TestOthers:
    @pytest.mark.parametrize(
        "sentence",
        [
            "My sister lives in Ghent.",
            "Well, my sister lives in Ghent",
            "Yesterday it rained; our neighbours live in Ghent",
            "The old lady lives in Ghent",
            "It rained all day long on Sunday; our neighbours live in Ghent",
            "One of my friends lives in Ghent",
            "My wife's parents live in Ghent",
            "Some students live in Ghent",
        ],
    )
    def test_their_claims_are_not_of_whom_is_asked(self, sentence: str) -> None:
        assert not stated(sentence)

    def test_unless_they_are_asked_about(self) -> None:
        assert stated("My sister lives in Ghent.", "Where does my sister live?")
        assert stated("My colleagues live in Ghent.", "Where does my colleague live?")
        assert not stated("My sister lives in Ghent.", "Where does my brother live?")

    def test_not_behind_an_i(self) -> None:
        assert stated("I live with my sister in Ghent")

    def test_only_as_the_subject(self) -> None:
        assert stated("The house by the old harbour with my sister: to live")

    def test_what_they_own(self) -> None:
        question = "What is the name of my dog?"
        assert not stated("My sister's dog is called Rex.", question)
        assert not stated("The name of her dog is Rex.", question)
        assert stated("My sister's garden is where Rex, the dog, got its home.", question)

    def test_where_nobody_is_asked_about_all_count(self) -> None:
        assert stated("My sister lives in Ghent.", "Who lives in Ghent?")
        assert not stated("My sister lives in Ghent.", "Who lives in Ghent?", named=True)
        assert stated("Her dog lives in Ghent.", "Who lives in Ghent?")


class TestPassing:
    """What holds for a while is no news of what holds, and says well what was so."""

    @pytest.mark.parametrize(
        "sentence",
        [
            "This week I live above the bakery.",
            "I live above the bakery till Friday",
            "Just this once I live above a bakery",
            "Back in school I live in my sketches of the bakery",
            "In 2009 I had to live above the bakery",
            "One day I will live above a bakery",
            "The post office thinks I live in Bruges",
            "Cousin Bo asks whether I still live in Bruges",
            "We might live above the bakery in autumn",
            "People ask whether I live in Ghent",
            "Was about to live in Ghent, then the flat was gone",
            "Didn't live in Ghent, not for a day",
            "I live in Ghent for a trial, they call it a trial",
        ],
    )
    def test_is_none_of_what_is_so(self, sentence: str) -> None:
        assert not stated(sentence)

    @pytest.mark.parametrize(
        "sentence",
        [
            "From this week on I live above the bakery",
            "I live in Ghent now, and on Friday I paint the hall, back at the desk by tomorrow",
        ],
    )
    def test_is_told_from_what_begins(self, sentence: str) -> None:
        assert stated(sentence)

    def test_counts_where_the_past_is_asked_for(self) -> None:
        assert stated("In 2009 I lived above the bakery", "Where did I live before Ghent?")

    def test_laughter_anywhere_in_the_text(self) -> None:
        asked = read("Where do I live?")
        text = "I live in a shoe. 😂 Anyway."
        assert not states("I live in a shoe. ", asked, stems("live"), named=False, text=text)


class TestNearest:
    def test_the_sentence_with_most_of_the_words(self) -> None:
        text = "It rained. The red boat leaks. A boat is a boat."
        assert nearest(text, stems("red boat")).strip() == "The red boat leaks."

    def test_the_first_of_equals(self) -> None:
        assert nearest("The boat leaks. The boat is old.", {"boat"}).strip() == "The boat leaks."

    def test_rather_what_states_than_what_asks(self) -> None:
        text = "Is the red boat old? The boat is new. Rain."
        assert nearest(text, stems("red boat")).strip() == "The boat is new."
        assert nearest("Is the red boat old? Rain.", stems("red boat")) == "Is the red boat old? "

    @pytest.mark.parametrize("text", ["", "boat", "\n\n", "🦊", "日本語のテキスト。二つ目。"])
    def test_of_any_text(self, text: str) -> None:
        assert nearest(text, {"zebra"}) in (text, "日本語のテキスト。")
        assert nearest(text, ()) in (text, "日本語のテキスト。")


@pytest.mark.parametrize(
    "piece",
    [
        *('"aaaaaaaa boat" ', '"aaaaaaaa bbbbbbb" ', "“", '"', "my friend ", "my friend's "),
        *("my ", "his ", "a-", "if I ", "joke", "would ", "just this ", " ", "a", "the man, "),
        *("do ", "日本", "über ", "I would "),
    ],
)
def test_a_long_line_comes_back(piece: str) -> None:
    """There is no clock here: what is quadratic would not come back for a long time."""
    text = "one two three four five six " + piece * (100_000 // len(piece)) + "boat"
    stated(text, "my boat", named=True)
    stated(text, "the boat of my friends", named=True)
    assert nearest(text, {"boat"})


def test_a_day_from_which_something_holds_is_no_exception() -> None:
    question = "When is the standup?"
    assert stated("Standup at half past nine today and from here on.", question)
    assert not stated("Standup at eleven today because of the drill.", question)


@pytest.mark.parametrize(
    "sentence",
    [
        "Now and then I fantasise that I live on an island",
        "There was talk of us: we live in Ghent soon",
        "We wanted to live in Ghent, but nothing came of it",
        "A quiz told me that I live in Ghent",
        "Some website claims that I live in Ghent",
        "Somebody on the street insists that I live in Ghent",
        "In the film I live in Ghent",
        "In this silly game I live in a castle",
        "He joked that I live in the office",
        "The form says I live in Ghent by mistake",
    ],
)
def test_hearsay_fiction_and_slips_are_none(sentence: str) -> None:
    assert not stated(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I was told twice that we live in a flood zone",
        "I like the film club because I live next to it",
        "The book shop is below the flat where I live",
    ],
)
def test_what_only_sounds_like_it_is_one(sentence: str) -> None:
    assert stated(sentence)


class TestWhatOthersDoToIt:
    question = "What dose of insulin am I on?"

    @pytest.mark.parametrize(
        "sentence",
        [
            "Too high, so the doctor raised my insulin to 20",
            "The nurse called, the insulin dose was lowered to 12",
        ],
    )
    def test_is_news_of_it(self, sentence: str) -> None:
        assert stated(sentence, self.question)

    @pytest.mark.parametrize(
        "sentence",
        [
            "My neighbour is on a dose of 40",
            "My aunt's insulin dose is 12",
            "The nurse said her sister's insulin dose was lowered to 12",
        ],
    )
    def test_what_is_theirs_is_not(self, sentence: str) -> None:
        assert not stated(sentence, self.question)


@pytest.mark.parametrize(
    "text",
    [
        'A word problem: "I live on a hill. I live alone. How far is it to the shop?"',
        "Translate into Dutch, please. I live in Ghent. Thanks!",
        "Let's do a role play, I am the witness. I live in Ghent.",
        'My character says: "Nobody knows it. I live in Ghent. Now go."',
    ],
)
def test_what_is_recited_states_nothing(text: str) -> None:
    asked = read("Where do I live?")
    wanted = stems("live")
    assert not states(nearest(text, wanted), asked, wanted, named=False, text=text)


def test_a_word_in_quotation_marks_recites_nothing() -> None:
    text = 'They call it "Gent", and I live there.'
    asked = read("Where do I live?")
    assert states(text, asked, stems("live"), named=False, text=text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Rotation went from 60 to 180 days", True),
        ("It is 2 bar now", True),
        ("Tea instead of coffee", True),
        ("Now and then I drink tea", False),
        ("I drink tea", False),
    ],
)
def test_a_change_in_so_many_words(text: str, told: bool) -> None:
    assert tells_change(text) is told
