"""What is read out of a question: its words, and which of two answers comes first."""

import pytest

from memcli.kit.asked import about, holds_time, order, read


class TestWords:
    @pytest.mark.parametrize(
        ("question", "left"),
        [
            ("What is the name of the boat?", ("name", "boat")),
            ("Where does Ines keep her spare keys?", ("ines", "keep", "spare", "keys")),
            ("Who's got Tom's ladder?", ("got", "tom", "ladder")),
            ("what did the twins' teacher say", ("twins", "teacher", "say")),
            ("I don't know if they've been there, have you?", ("know",)),
            ("Tea, tea and TEA!", ("tea",)),
            ("the café in the Straße", ("café", "straße")),
            ("who’s Ada’s vet", ("ada", "vet")),
            ("more before own same", ("more", "before", "own", "same")),
        ],
    )
    def test_what_says_nothing_is_dropped(self, question: str, left: tuple[str, ...]) -> None:
        assert read(question).words == left

    @pytest.mark.parametrize("question", ["Who is she?", "what", "to be or not to be"])
    def test_of_stop_words_alone_all_are_kept(self, question: str) -> None:
        assert read(question).words == about(question.lower().replace("?", "").split())
        assert read(question).words

    @pytest.mark.parametrize("question", ["", "?!", "🦊🦊", "\x00", " \n\t", "\ud800"])
    def test_what_has_no_words_asks_for_nothing(self, question: str) -> None:
        asked = read(question)
        assert (asked.words, asked.pairs, asked.text) == ((), (), question)

    def test_names_are_taken_out_unless_nothing_is_left(self) -> None:
        asked = read("Where did Ines and Bo row?")
        assert asked.without({"ines", "bo"}).words == ("row",)
        assert asked.without({"row"}).words == ("ines", "bo")
        assert asked.without({"ines", "bo", "row"}) == asked
        assert asked.without(()) == asked

    @pytest.mark.parametrize(
        ("question", "pairs"),
        [
            ("When does my chess club meet?", (("chess", "club"), ("club", "meet"))),
            ("Which club?", ()),
            ("Ada's rowing boat", (("ada", "rowing"), ("rowing", "boat"))),
            ("the boat of the club", ()),
            ("is it a new thing", ()),
        ],
    )
    def test_pairs_are_neighbours_that_both_carry(
        self, question: str, pairs: tuple[tuple[str, str], ...]
    ) -> None:
        assert read(question).pairs == pairs


class TestTime:
    @pytest.mark.parametrize(
        "question",
        [
            "When did the roof leak?",
            "how long did the drive take",
            "What date is the wedding?",
            "On which day do we row?",
            "what month was it",
            "Which year did they marry?",
            "how many days were we away?",
            "How many weeks until the exam",
            "how many hours a week does she work",
            "How much time did you spend there?",
            "since when do you sing?",
            "What time is the ferry?",
        ],
    )
    def test_asked_for(self, question: str) -> None:
        assert read(question).time

    @pytest.mark.parametrize(
        "question",
        [
            "Where do we row?",
            "How many boats are there?",
            "What colour is the door?",
            "Which of the days",
            "whenever",
            "how much does it cost",
        ],
    )
    def test_not_asked_for(self, question: str) -> None:
        assert not read(question).time

    @pytest.mark.parametrize(
        "text",
        [
            "We moved yesterday",
            "It was in MARCH",
            "two years ago",
            "see you next time",
            "on Friday",
            "Thursdays are quiet",
            "back in 1998",
            "on the 3rd",
            "for four days",
            "every morning",
            "I have just arrived",
            "all weekend long",
        ],
    )
    def test_a_text_that_says_when(self, text: str) -> None:
        assert holds_time(text)

    @pytest.mark.parametrize(
        "text", ["", "The door is green.", "room 3", "in 1492", "the monthly", "daytime", "3 boats"]
    )
    def test_a_text_that_does_not(self, text: str) -> None:
        assert not holds_time(text)


class TestAssistant:
    @pytest.mark.parametrize(
        "question",
        [
            "Remind me which soup it was",
            "What was in our previous chat about soup?",
            "In an earlier long conversation there was a recipe",
            "What did you say about the glue?",
            "which glue you recommended",
            "the steps you had listed",
            "What have you told me of Rome?",
            "the poem you wrote",
            "what did you suggest for the roof",
            "you clearly explained the rule, which was it?",
        ],
    )
    def test_what_it_said_is_asked_for(self, question: str) -> None:
        assert read(question).assistant

    @pytest.mark.parametrize(
        "question",
        [
            "What would you suggest for the roof?",
            "Can you recommend a soup?",
            "Which glue did I buy?",
            "Do you know my brother?",
            "any ideas for dinner",
            "Where did your parents live?",
        ],
    )
    def test_something_else_is_asked_for(self, question: str) -> None:
        assert not read(question).assistant


class TestUntil:
    @pytest.mark.parametrize(
        "question",
        ["until May", "up to 2020", "before June", "till Friday", "prior to the move in 2021"],
    )
    def test_what_was_before_a_time(self, question: str) -> None:
        assert read(f"Where did he live {question}?").until

    @pytest.mark.parametrize("question", ["in May", "since 2020", "after June", "by Friday"])
    def test_what_was_then_or_later(self, question: str) -> None:
        assert not read(f"Where did he live {question}?").until


ORDERS = {
    "score": [
        "How long ago did I start to row?",
        "How many days passed between the fair and the storm?",
        "How much did I pay before the discount?",
        "how long after the move did she call",
        "How old was I before the trip?",
        "In what order did I visit the islands?",
        "Which did I read first?",
        "What is the earliest photo?",
        "Give me a timeline of the repairs",
        "List them chronologically",
        "how many boats do I own in total",
        "What did the two cost altogether?",
        "the weight of both combined",
        "all of the places I rowed to",
        "what did each of them bring",
        "Remind me of the glue",
        "What was it in our last conversation?",
        "the soup from an earlier chat",
        "Which glue did you recommend?",
        "you kindly mentioned a shop",
        "Can you suggest a book?",
        "Any tips for sailing?",
        "I need advice on roofs",
        "Do you have ideas for a gift?",
        "the sequence of events",
    ],
    "older": [
        "What was my previous job?",
        "Where did I live previously?",
        "What was the initial plan?",
        "What did I initially want?",
        "Where did we row before?",
        "Which editor did I use earlier?",
        "Who is my former boss?",
        "Where did I formerly work?",
        "What car did I used to drive?",
        "the original colour of the door",
        "What did she think at first?",
        "Where did they live back then?",
        "what was it in the beginning",
        "my job prior to this one",
        "Wo wohnte ich früher?",
        "Où habitait-elle avant ?",
        "¿Dónde vivía antes?",
        "Was war es vorher?",
    ],
    "alike": [
        "Where did I park?",
        "Who was at the fair?",
        "Which boats were red?",
        "What did Ines buy?",
        "What did we row the weekend before last?",
    ],
    "newer": [
        "Where do I live?",
        "What is my phone number?",
        "Which editor do I use?",
        "How many boats do I own?",
        "What did I change the colour to?",
        "Where did I most recently row?",
        "Which was the latest price?",
        "what did we switch to",
        "Who was the newest member?",
        "How many did I have so far?",
        "was it still raining",
        "What is the name of the dog",
        "Wie heißt mein Hund?",
        "我住在哪里",
        "",
    ],
}


def test_the_one_before_last_is_no_event() -> None:
    asked = read("What did we do the week before last?")
    assert asked.event is None
    assert not asked.until
    assert read("Where did I live before last summer?").until


class TestOrder:
    @pytest.mark.parametrize(
        ("question", "wanted"),
        [(question, name) for name, questions in ORDERS.items() for question in questions],
    )
    def test_by_the_words_of_the_question(self, question: str, wanted: str) -> None:
        assert read(question).order == wanted

    @pytest.mark.parametrize("question", ["BEFORE", "Before!", "…before…"])
    def test_neither_case_nor_marks_matter(self, question: str) -> None:
        assert read(question).order == "older"

    @pytest.mark.parametrize(
        "question", ["the orderly", "firsthand", "tipsy", "showed", "chicago", "beforehand"]
    )
    def test_parts_of_words_do_not_count(self, question: str) -> None:
        assert order(question) == "newer"

    @pytest.mark.parametrize(
        "piece", ["how many ", "how much before ", "you ", "did you ", "order", "a ", "all the "]
    )
    def test_a_long_question_comes_back(self, piece: str) -> None:
        """There is no clock here: what is quadratic would not come back for a long time."""
        asked = read(piece * (200_000 // len(piece)))
        assert asked.words


def test_of_a_pasted_page_the_beginning_is_asked_for() -> None:
    page = " ".join(f"word{nth}" for nth in range(5_000))
    assert read(page).words == tuple(f"word{nth}" for nth in range(100))


def test_the_assistant_may_be_named_or_addressed() -> None:
    for question in ("What did the assistant recommend?", "Which glaze did you recommend?"):
        assert read(question).assistant


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Which database does the inventory app store its data in?", ("inventory", "app")),
        ("Where is our van's key?", ("van", "key")),
        ("Where do I live?", ()),
        ("What is it?", ()),
    ],
)
def test_whose_doing_or_being_is_asked_for(question: str, subject: tuple[str, ...]) -> None:
    assert read(question).subject == subject


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where do I get coffee before work?", "newer"),
        ("Which pill does Ada take before bed?", "newer"),
        ("Where did I get coffee before work?", "older"),
        ("Do I have a bike before I buy one?", "older"),
        ("Who taught the class before Ms Holm?", "older"),
    ],
)
def test_what_comes_before_something_each_time_is_no_past(question: str, asked: str) -> None:
    assert read(question).order == asked
