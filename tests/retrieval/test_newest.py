"""Of two that answer alike: which comes first, by what is asked for."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from memcli.core.reports import SearchHit
from memcli.kit.asked import read
from memcli.kit.periods import periods
from memcli.retrieval.anchors import Anchor
from memcli.retrieval.newest import brought_first, is_newer, lead_of
from tests.engine.world import World
from tests.retrieval.support import HashQuestions, find, ids, tell, turn

OLD, NEW = "2024-01-05T10:00:00Z", "2024-06-05T10:00:00Z"


def said(ident: str, text: str, at: str | None, score: float = 1.0, **fields: Any) -> SearchHit:
    return SearchHit(
        ident, "raw", "utterance", text, score, "current", said_at=at, session="s1", **fields
    )


def ordered(hits: Sequence[SearchHit], question: str, **given: Any) -> list[SearchHit]:
    place, _ = lead_of(hits, read(question), **given)
    return brought_first(hits, place)


def first(question: str, hits: Sequence[SearchHit], **given: Any) -> str:
    found = ordered(hits, question, **given)
    assert sorted(found, key=id) == sorted(hits, key=id), "nothing is lost or doubled"
    return found[0].id


def two(
    older: str = "My phone is a Nokia.",
    newer: str = "My phone is a Siemens.",
    *,
    older_first: bool = True,
    second: float = 0.9,
) -> list[SearchHit]:
    pair = [said("r1", older, OLD), said("r2", newer, NEW)]
    if not older_first:
        pair.reverse()
    return [pair[0], SearchHit(**{**_fields(pair[1]), "score": second})]


def why(question: str, hits: Sequence[SearchHit], **given: Any) -> str:
    return lead_of(hits, read(question), **given)[1]


def _fields(hit: SearchHit) -> dict[str, Any]:
    return {name: getattr(hit, name) for name in hit.__dataclass_fields__}


@pytest.mark.parametrize("older_first", [True, False])
class TestOrders:
    def test_the_newer_where_the_present_is_asked_for(self, older_first: bool) -> None:
        assert first("What is my phone?", two(older_first=older_first)) == "r2"

    def test_the_older_where_the_past_state_is(self, older_first: bool) -> None:
        assert first("What was my previous phone?", two(older_first=older_first)) == "r1"

    @pytest.mark.parametrize(
        "question", ["How long ago was my phone new?", "Remind me of my phone", "my first phone"]
    )
    def test_neither_where_the_question_says_nothing_of_it(
        self, question: str, older_first: bool
    ) -> None:
        hits = two(older_first=older_first)
        assert first(question, hits) == hits[0].id

    def test_in_the_past_tense_the_newer_only_if_they_say_the_same(self, older_first: bool) -> None:
        hits = two(older_first=older_first)
        question = "What was my phone?"
        assert first(question, hits) == hits[0].id, "without an embedder nobody knows"
        assert first(question, hits, cosine=lambda one, two: 0.9) == "r2"
        assert first(question, hits, cosine=lambda one, two: 0.1) == hits[0].id


class TestAboutTheSame:
    QUESTION = "What is my phone?"

    def test_what_scores_far_less_is_about_something_else(self) -> None:
        assert first(self.QUESTION, two(second=0.3)) == "r1"

    def test_what_has_far_fewer_of_the_words_too(self) -> None:
        hits = two("My phone charger is blue.", "The car is blue.")
        assert first("What colour is my phone charger?", hits) == "r1"

    def test_another_kind_of_thing_too(self) -> None:
        hits = two("My book club meets on Monday.", "My chess club meets on Friday.")
        assert first("When does my book club meet?", hits) == "r1"
        same = two("My book club meets on Monday.", "My book club meets on Friday.")
        assert first("When does my book club meet?", same) == "r2"

    def test_one_that_names_no_kind_may_be_the_same(self) -> None:
        hits = two("My book club meets on Monday.", "My club meets on Friday.")
        assert first("When does my book club meet?", hits) == "r2"
        hits = two("My evening book club meets on Monday.", "My evening club meets on Friday.")
        assert first("When does my evening book club meet?", hits) == "r2"

    def test_behind_what_states_nothing_the_next_that_does(self) -> None:
        hits = [
            said("r2", "My phone is a Nokia.", "2024-02-01T00:00:00Z"),
            said("r3", "My phone is a banana, haha.", OLD, 0.95),
            said("r4", "My phone is a Siemens.", NEW, 0.9),
        ]
        assert first("What is my phone?", hits) == "r4"
        hits[2] = said("r1", "My phone is a Siemens.", OLD, 0.9)
        assert first("What was my previous phone?", hits) == "r1"

    def test_but_only_what_has_its_words_and_score(self) -> None:
        hits = [
            said("r2", "My phone plan costs ten.", OLD),
            said("r3", "What does a phone plan cost?", NEW, 0.95),
            said("r4", "Now my phone is new.", NEW, 0.9),
        ]
        question = "What does my phone plan cost?"
        assert first(question, hits) == "r2"
        hits[2] = said("r4", "Now my phone plan costs six.", NEW, 0.9)
        assert first(question, hits) == "r4"
        hits[2] = replace(hits[2], score=0.5)
        assert first(question, hits) == "r2"

    def test_what_is_about_something_else_does_not_stand_between(self) -> None:
        hits = [
            said("r2", "My phone plan costs ten.", OLD),
            said("r3", "Paper costs more.", NEW, 0.95),
            said("r4", "My phone plan costs six.", NEW, 0.9),
        ]
        assert first("What does my phone plan cost?", hits) == "r4"

    def test_of_the_older_ones_the_first_that_is_near(self) -> None:
        question = "What was my previous phone?"
        hits = [
            said("r3", "My phone is a Nokia.", NEW),
            said("r4", "My phone rings.", "2024-09-01T00:00:00Z", 0.9),
            said("r1", "My phone is a Siemens.", OLD, 0.8),
        ]
        assert first(question, hits) == "r1"
        hits[2] = replace(hits[2], score=0.3)
        assert first(question, hits) == "r3"

    def test_no_more_than_two_are_compared(self) -> None:
        hits = [*two(), said("r3", "My phone is a toy.", "2024-09-01T00:00:00Z", 0.8)]
        assert first(self.QUESTION, hits) == "r2"

    @pytest.mark.parametrize("count", [0, 1])
    def test_of_fewer_than_two_there_is_nothing_to_choose(self, count: int) -> None:
        assert ordered(two()[:count], self.QUESTION) == two()[:count]


class TestStatesNothing:
    def test_a_joke_does_not_become_the_first(self) -> None:
        hits = two(newer="My phone is a banana, haha.")
        assert first("What is my phone?", hits) == "r1"

    def test_a_joke_does_not_stay_the_first(self) -> None:
        hits = two(newer="My phone is a banana, just kidding.", older_first=False)
        assert first("What is my phone?", hits) == "r1"

    def test_nor_what_another_has(self) -> None:
        hits = two(newer="My sister's phone is a Siemens.", older_first=False)
        assert first("What is my phone?", hits) == "r1"
        assert first("What is my sister's phone?", hits) == "r2"

    def test_what_takes_its_place_is_about_the_same(self) -> None:
        hits = two(newer="What if my phone is a Siemens.", older_first=False, second=0.2)
        assert first("What is my phone?", hits) == "r2"

    def test_where_none_states_anything_all_stay(self) -> None:
        hits = two("Is my phone a Nokia?", "Is my phone a Siemens?")
        assert first("What is my phone?", hits) == "r1"


@pytest.mark.parametrize(("kind", "best"), [("fact", "m1"), ("day", "r1"), ("overview", "r1")])
def test_what_sums_up_several_times_is_not_the_newer(kind: str, best: str) -> None:
    told = "I drive a Kia. We had soup."
    memory = SearchHit("m1", "derived", kind, told, 0.9, "current", valid_from=NEW)
    record = said("r1", "I drive a Fiat.", OLD)
    assert first("Which car do I drive?", [record, memory]) == best


def test_a_memory_speaks_of_who_asks_in_the_third_person() -> None:
    hits = [
        SearchHit("m1", "derived", "fact", "Ada drives a Kia", 1.0, "current", valid_from=NEW),
        said("r1", "I drive a Fiat", OLD, 0.9),
    ]
    assert first("What do I drive?", hits) == "m1"
    for other in ("Ada jokes that she drives a Kia, just kidding", "My sister drives a Kia"):
        hits[0] = replace(hits[0], text=other)
        assert first("What do I drive?", hits) == "r1"


class TestTimes:
    def test_of_the_time_named_and_not_of_later(self) -> None:
        question = "What phone did I use in January 2024, still?"
        asked = periods(question, None)
        assert first(question, two(), periods=asked) == "r1"
        assert first(question, two(older_first=False), periods=asked) == "r1"

    def test_until_a_time_what_was_said_before_it(self) -> None:
        for until in ("until", "before"):
            question = f"Which phone do I have {until} March 2024?"
            asked = periods(question, None)
            assert first(question, two(older_first=False), periods=asked) == "r1"

    def test_two_times_name_none(self) -> None:
        question = "Is my phone new in January 2024 and in May 2024?"
        assert first(question, two(), periods=periods(question, None)) == "r2"

    def test_where_all_are_later_the_first_stays_in_the_choice(self) -> None:
        question = "Which phone is mine in 2020?"
        assert first(question, two(), periods=periods(question, None)) == "r2"

    def test_since_an_event_what_was_said_after_it(self) -> None:
        since = Anchor(date(2024, 3, 1), before=False)
        hits = two(older_first=True)
        assert first("my phone since the move", hits, anchor=since) == "r2"

    def test_people_still_tell_of_it_a_month_later(self) -> None:
        question = "Which phone is mine in May 2024?"
        assert first(question, two(), periods=periods(question, None)) == "r2"

    def test_a_month_of_any_year_excludes_nothing(self) -> None:
        question = "Which phone is mine in May?"
        assert first(question, two(), periods=periods(question, None)) == "r2"

    def test_in_any_year(self) -> None:
        question = "Which phone do I have until May?"
        assert first(question, two(older_first=False), periods=periods(question, None)) == "r1"

    @pytest.mark.parametrize("day", ["0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
    @pytest.mark.parametrize("question", ["phone in December", "phone until May", "phone in 2024"])
    def test_at_the_ends_of_the_calendar(self, question: str, day: str) -> None:
        hits = [said("r1", "my phone", day), said("r2", "my phone", NEW)]
        for now in (None, "0001-01-01", "9999-12-31"):
            assert first(question, hits, periods=periods(question, now)) in ("r1", "r2")
            late = periods("phone this month", now)
            assert first("phone this month", hits, periods=late) in ("r1", "r2")


class TestNewer:
    def test_by_time_then_by_place_in_the_conversation(self) -> None:
        old, new = said("r9", "x", OLD), said("r2", "x", NEW)
        assert is_newer(new, old)
        assert not is_newer(old, new)
        assert is_newer(said("r3", "x", NEW), new)

    def test_without_times_within_a_conversation_alone(self) -> None:
        one, two = said("r1", "x", None), said("r2", "x", None)
        assert is_newer(two, one)
        assert not is_newer(one, two)
        elsewhere = SearchHit(**{**_fields(two), "session": "s2"})
        assert not is_newer(elsewhere, one)
        assert not is_newer(one, elsewhere)

    def test_numbers_count_as_numbers(self) -> None:
        assert is_newer(said("r10", "x", None), said("r9", "x", None))

    def test_memories_by_since_when_they_hold(self) -> None:
        old, new = (
            SearchHit(ident, "derived", "fact", "x", 1.0, "current", valid_from=since)
            for ident, since in (("m2", "2024-01-01"), ("m1", "2024-02-01T00:00:00Z"))
        )
        assert is_newer(new, old)
        assert not is_newer(old, new)

    def test_nothing_is_newer_than_itself(self) -> None:
        for at in (OLD, None):
            assert not is_newer(said("r1", "x", at), said("r1", "x", at))


class TestInASearch:
    @pytest.fixture(autouse=True)
    def talk(self, world: World) -> None:
        tell(world, turn("My desk is oak, an oak desk.", at=OLD, session="a"))
        tell(world, turn("My desk is ash.", at=NEW, session="b"))

    def test_on_and_off(self, world: World) -> None:
        assert ids(find(world, "What is my desk?"))[0] == "r2"
        assert ids(find(world, "What was my desk before?"))[0] == "r1"
        by_score = find(world, "What is my oak desk?", newest=False)
        assert ids(by_score)[0] == "r1"

    def test_with_one_result(self, world: World) -> None:
        assert ids(find(world, "What is my desk?", k=1)) == ["r2"]
        assert ids(find(world, "What was my former desk?", k=1)) == ["r1"]

    def test_as_of_a_pass_before_the_newer(self, world: World) -> None:
        assert ids(find(world, "What is my desk?", at=world.head - 1)) == ["r1"]

    def test_by_vector_in_the_past_tense(self, world: World) -> None:
        asked = HashQuestions(world)
        report = find(world, "Which desk was mine?", embedder=asked)
        assert set(ids(report)) == {"r1", "r2"}

    def test_other_rankings_keep_their_order(self, world: World) -> None:
        for rank in ("recency", "hindsight", "mem0-v3", "generative-agents"):
            one, other = (
                find(world, "What is my desk?", rank=rank, newest=on) for on in (True, False)
            )
            assert ids(one) == ids(other)


def test_nobody_else_answers_for_who_is_asked_about() -> None:
    hers = said(
        "r1", "I drive a Fiat.", OLD, 4.2, speaker="Lena", parts={"text": 1, "speaker": 1.5}
    )
    his = said("r2", "I drive a Kia.", NEW, 2.9, speaker="Tom", parts={"text": 1})
    assert first("Which car does Lena drive?", [hers, his]) == "r1"


def test_what_is_not_said_by_who_is_asked_about_takes_no_place() -> None:
    hits = [
        said("r1", "I write code in Vim", OLD, 2.0, speaker="Jo", parts={"speaker": 1.5}),
        said("r2", "The interns write code in Nano", NEW, 1.9, speaker="Al"),
        said(
            "r3", "These days I write code in Helix", NEW, 1.8, speaker="Jo", parts={"speaker": 1.5}
        ),
    ]
    assert first("What does Jo write code in?", hits) == "r3"


class TestOnesOwn:
    question = "What is the mascot of our club?"

    def test_stands_before_somebody_elses(self) -> None:
        hits = [
            said("r1", "The club over there has an otter as mascot", NEW, 1.0),
            said("r2", "The mascot of our club is a heron", OLD, 0.9),
        ]
        assert first(self.question, hits) == "r2"

    def test_and_is_not_replaced_by_what_gave_way(self) -> None:
        hits = [
            said("r1", "Now the club across the river has an otter as mascot", NEW, 1.0),
            said("r2", "The mascot of our club is a heron", OLD, 0.9),
            said("r3", "The mascot of our club is an eel", NEW, 0.8),
        ]
        assert first(self.question, hits[:2]) == "r2"
        assert first(self.question, hits) == "r3"

    def test_unless_it_has_fewer_of_the_words(self) -> None:
        hits = [
            said("r1", "The club has an otter as mascot", NEW, 1.0),
            said("r2", "Our club meets on Mondays", OLD, 0.9),
        ]
        assert first(self.question, hits) == "r1"

    def test_unless_it_is_far_behind(self) -> None:
        hits = [
            said("r1", "The club has an otter as mascot", NEW, 1.0),
            said("r2", "Our club meets on Mondays", OLD, 0.5),
        ]
        assert first(self.question, hits) == "r1"


def test_what_another_thing_does_is_not_news_of_this_one() -> None:
    hits = [
        said("r1", "The inventory app stores its data in Postgres", OLD, 1.0),
        said("r2", "The analytics people store their data in another database", NEW, 0.9),
    ]
    assert first("Which database does the inventory app store its data in?", hits) == "r1"


def test_what_tells_of_a_change_names_less_of_it_again() -> None:
    hits = [
        said("r1", "On the gravel bike I run a tyre pressure of 3 bar", OLD, 1.0),
        said("r2", "Dropped the bike from 3 to 2.4 bar, what a ride", NEW, 0.5),
    ]
    assert first("What tyre pressure do I run on the gravel bike?", hits) == "r2"
    plain = [hits[0], said("r2", "The bike has 2.4 bar, what a ride", NEW, 0.5)]
    assert first("What tyre pressure do I run on the gravel bike?", plain) == "r1"


class TestWhyTheFirstStandsThere:
    """Where a result of a lower score comes first, the report can say why."""

    def test_for_its_score(self) -> None:
        assert why("What is my phone?", two(older_first=False)) == "score"
        assert why("Remind me of my phone", two()) == "score"
        assert why("What is my phone?", []) == "score"

    def test_as_the_newer_or_the_older_of_two(self) -> None:
        assert why("What is my phone?", two()) == "newer"
        assert why("What was my previous phone?", two(older_first=False)) == "older"

    def test_because_the_one_before_states_nothing(self) -> None:
        hits = two("My brother's phone is a Siemens.", "My phone is a Nokia.")
        hits = [replace(hits[0], said_at=NEW), replace(hits[1], said_at=OLD)]
        assert first("What is my phone?", hits) == "r2"
        assert why("What is my phone?", hits) == "states"

    def test_because_the_one_before_was_said_long_after_the_time(self) -> None:
        hits = two(older_first=False)
        asked = "What phone did I have in January 2024?"
        times = periods(asked, NEW)
        assert first(asked, hits, periods=times) == "r1"
        assert why(asked, hits, periods=times) == "then"

    def test_in_the_report_and_not_where_it_did_not_fit(self, world: World) -> None:
        long = "My phone is a Siemens, a good one."
        tell(world, turn("My phone is a Nokia.", at=OLD), turn(long, at=NEW, session="two"))
        report = find(world, "What is my phone?")
        assert (ids(report)[0], report.understood.first) == ("r2", "newer")
        assert find(world, "What is my phone?", newest=False).understood.first == "score"
        small = find(world, "What is my phone?", budget=6)
        assert (ids(small), small.understood.first) == (["r1"], "score")
