"""What a score is made of, on small real stores: each part is seen in `parts` and moves a result."""

import pytest

from memcli.core.plan import Add
from memcli.retrieval import words as by_words
from memcli.retrieval.weights import Weights
from memcli.store.texts import Among
from tests.engine.world import World
from tests.retrieval.support import HashQuestions, fact, find, hit, ids, plan, tell, turn, view


def at(day: int, month: int = 5) -> str:
    return f"2024-{month:02}-{day:02}T10:00:00Z"


class TestNeighbours:
    def test_what_stands_beside_a_hit_is_found_by_it(self, world: World) -> None:
        tell(
            world,
            turn("Shall we paint the shed?", by="Ada"),
            turn("Blue, I would say.", by="Bo"),
            turn("Done.", by="Ada"),
            turn("Dinner is late.", by="Bo"),
            turn("Soup again.", by="Ada"),
        )
        report = find(world, "shed paint", newest=False)
        assert ids(report)[:3] == ["r1", "r2", "r3"]
        texts = [hit(report, ident).parts.get("text", 0.0) for ident in ("r1", "r2", "r3", "r4")]
        assert texts == [1.0, 0.5, 0.25, 0.0]
        assert "r5" not in ids(report)

    def test_a_hit_between_hits_comes_before_a_lone_one(self, world: World) -> None:
        lone = [turn("The kiln is hot.", by="Ada", session="lone")]
        talk = [
            turn("The kiln is warm.", by="Ada", session="talk"),
            turn("The kiln is slow.", by="Bo", session="talk"),
            turn("The kiln is cold.", by="Ada", session="talk"),
        ]
        tell(world, *lone, *talk)
        assert ids(find(world, "kiln", newest=False))[0] == "r3"

    def test_they_end_with_their_session(self, world: World) -> None:
        tell(world, turn("The kiln is hot.", session="a"), turn("Nothing more.", session="b"))
        assert ids(find(world, "kiln")) == ["r1"]

    def test_long_answers_are_none(self, world: World) -> None:
        tell(
            world,
            turn("Where is the kiln?"),
            turn("It is behind the shed.", role="assistant"),
            turn("Thanks!"),
        )
        report = find(world, "kiln", newest=False)
        assert ids(report)[0] == "r1"
        assert all("text" not in one.parts for one in report.results[1:])


class TestSession:
    def test_of_equal_words_the_one_in_the_session_about_them_comes_first(
        self, world: World
    ) -> None:
        far = [turn(f"We talk of rain {n}.", by="Ada", session="about") for n in range(3)]
        tell(
            world,
            turn("The kiln is hot.", by="Ada", session="lone"),
            *far,
            turn("The kiln is hot!", by="Ada", session="about"),
            *[turn(f"And of snow {n}.", by="Ada", session="about") for n in range(3)],
            turn("The kiln smokes.", by="Ada", session="about"),
        )
        report = find(world, "kiln hot", newest=False)
        assert ids(report)[0] == "r5"
        assert hit(report, "r5").parts["session"] == 0.5
        assert hit(report, "r1").parts["session"] < 0.5

    def test_memories_have_none(self, world: World) -> None:
        tell(world, turn("The kiln is hot."))
        world.apply(plan(fact("Kilns are hot", "r1")))
        parts = hit(find(world, "kiln"), "m1").parts
        assert "session" not in parts
        assert parts["text"] > 0


class TestWho:
    def test_what_the_named_one_said_comes_first(self, world: World) -> None:
        tell(
            world,
            turn("The kiln is hot.", by="Ada", session="a"),
            turn("The kiln is hot.", by="Bo", session="b"),
        )
        for name, first in (("Ada", "r1"), ("Bo", "r2"), ("bo", "r2"), ("Bo's", "r2")):
            report = find(world, f"What did {name} say of the kiln?")
            assert ids(report)[0] == first
            assert hit(report, first).parts["speaker"] == 1.5
            assert "kiln" in report.understood.words
            assert not {"ada", "bo"} & set(report.understood.words)

    def test_of_two_named_neither(self, world: World) -> None:
        tell(world, turn("The kiln is hot.", by="Ada"), turn("Kilns are.", by="Bo"))
        report = find(world, "What did Ada and Bo say of the kiln?")
        assert report.understood.speakers == ("Ada", "Bo")
        assert all("speaker" not in one.parts for one in report.results)

    @pytest.mark.parametrize(
        "speaker", ["Élodie", "Øyvind", "Мария", "Ünal Öz", "Ada Lovelace", "ada", "D’Arcy"]
    )
    def test_names_of_any_alphabet(self, world: World, speaker: str) -> None:
        tell(world, turn("The kiln is hot.", by=speaker))
        first = speaker.split()[0]
        assert find(world, f"kiln of {first}").understood.speakers == (speaker,)

    def test_a_query_of_names_alone_finds_what_they_said(self, world: World) -> None:
        tell(world, turn("The kiln is hot.", by="Ada"), turn("Dinner.", by="Bo", session="b"))
        assert ids(find(world, "Ada"))[0] == "r1"
        assert ids(find(world, "Bo?"))[0] == "r2"
        assert set(ids(find(world, "Ada Bo"))) == {"r1", "r2"}

    def test_a_word_that_begins_a_text_is_no_name(self, world: World) -> None:
        tell(world, turn("Kiln is hot.", by="Ada"), turn("Adamant.", by="Adamo", session="b"))
        assert find(world, "kiln of ada").understood.speakers == ("Ada",)

    def test_rules_keep_who_said_i(self, world: World) -> None:
        tell(world, turn("I own a kiln.", by="Ada"), turn("I own a kiln!", by="Bo", session="b"))
        ops = [
            fact("I do own a kiln", f"r{n}", nth=n, attributes={"speaker": name})
            for n, name in ((1, "Ada"), (2, "Bo"))
        ]
        world.apply(plan(*ops))
        report = find(world, "Does Bo own a kiln?", layer="derived", newest=False)
        # Who speaks is known from records alone where both layers are searched.
        assert set(ids(report)) == {"m1", "m2"}
        both = find(world, "Does Bo own a kiln?", newest=False)
        assert hit(both, "m2").parts["speaker"] == 1.5
        assert "speaker" not in hit(both, "m1").parts


class TestWhen:
    def test_where_a_time_is_asked_for_one_that_says_a_time_comes_first(self, world: World) -> None:
        tell(
            world,
            turn("The kiln burst: flames!", by="Ada", session="a"),
            turn("The kiln burst yesterday.", by="Ada", session="b"),
        )
        report = find(world, "When did the kiln burst?")
        assert ids(report)[0] == "r2"
        assert hit(report, "r2").parts["time"] == 1.5
        other = find(world, "Why did the kiln burst?")
        assert all("time" not in one.parts for one in other.results)

    def test_what_was_said_at_the_time_named_comes_first(self, world: World) -> None:
        tell(
            world,
            turn("The kiln is hot.", at=at(3, 1), session="a"),
            turn("The kiln is hot.", at=at(3, 3), session="b"),
            turn("The kiln is hot.", at=at(3, 4), session="c"),
            turn("The kiln is hot.", session="d"),
        )
        report = find(world, "kiln in March 2024", newest=False)
        assert ids(report)[:2] == ["r2", "r3"]
        assert hit(report, "r2").parts["date"] == 1.8
        assert hit(report, "r3").parts["date"] == 1.4
        assert "date" not in hit(report, "r1").parts
        assert "date" not in hit(report, "r4").parts
        assert report.understood.times == ("2024-03-01 to 2024-03-31",)

    def test_relative_words_count_from_now(self, world: World) -> None:
        tell(
            world,
            turn("The kiln is hot.", at=at(3, 1), session="a"),
            turn("The kiln is hot.", at=at(3, 3), session="b"),
        )
        for now, first in (("2024-02-10", "r1"), ("2024-04-10", "r2")):
            report = find(world, "kiln last month", now=now, newest=False)
            assert ids(report)[0] == first
        assert find(world, "kiln last month", now=None).understood.times == ()

    def test_memories_by_when_they_began(self, world: World) -> None:
        tell(world, turn("The kiln is hot."))
        world.apply(
            plan(
                fact("Kilns are hot", "r1", nth=1, valid_from="2024-01-03T00:00:00Z"),
                fact("Kilns are cold", "r1", nth=2, valid_from="2024-03-03T00:00:00Z"),
            )
        )
        report = find(world, "kilns in March 2024", layer="derived", newest=False)
        assert ids(report) == ["m2", "m1"]
        assert hit(report, "m2").parts["date"] == 1.8

    @pytest.mark.parametrize("day", ["0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
    @pytest.mark.parametrize(
        "question",
        [
            *("kiln in May", "kiln on 1 January", "kiln last month", "kiln until May", "when kiln"),
            *("kiln before the fair", "kiln since the fair", "kiln in 2024", "kiln last winter"),
        ],
    )
    def test_times_at_the_ends_of_the_calendar(self, world: World, question: str, day: str) -> None:
        tell(
            world,
            turn("The kiln is hot.", at=day),
            turn("The fair: such fun!", at=day, session="b"),
            turn("The kiln is cold.", at=at(3), session="c"),
        )
        for now in (None, day, "2024-05-01"):
            assert set(ids(find(world, question, now=now))) >= {"r1", "r3"}


class TestRoles:
    @pytest.fixture(autouse=True)
    def talk(self, world: World) -> None:
        tell(
            world,
            turn("My shed is green, near the kiln."),
            turn("The kiln, the kiln, the kiln: all about kilns.", role="assistant"),
            turn("Show me the weather"),
            turn("Kiln kiln kiln", role="tool", kind="tool_result"),
        )

    def test_what_the_user_did_not_say_counts_half(self, world: World) -> None:
        report = find(world, "Where is the kiln?", newest=False)
        assert ids(report)[0] == "r1"
        assert hit(report, "r2").parts["role"] == 0.5
        assert hit(report, "r4").parts["role"] == 0.5
        assert "role" not in hit(report, "r1").parts

    def test_unless_that_is_asked_for(self, world: World) -> None:
        report = find(world, "What did you tell me of the kiln?", newest=False)
        assert all("role" not in one.parts for one in report.results)
        assert ids(report)[0] in ("r2", "r4")

    def test_a_user_gets_half_of_what_answers_at_once(self, world: World) -> None:
        with_answer = hit(find(world, "kilns", newest=False), "r1").parts["text"]
        tell(world, turn("My shed is green, near the kiln.", session="alone"))
        tell(world, turn("Fine.", role="assistant", session="alone"))
        alone = hit(find(world, "kilns", newest=False), "r5").parts["text"]
        assert with_answer > alone

    def test_not_of_what_stands_further_off(self, world: World) -> None:
        assert "r3" not in ids(find(world, "kiln"))


class TestAdvice:
    def test_what_the_user_wants_counts_more_where_advice_is_asked_for(self, world: World) -> None:
        tell(
            world,
            turn("The soup was hot at noon.", session="a"),
            turn("I prefer soup without salt.", session="b"),
            turn("I prefer that you eat soup.", role="assistant", session="c"),
        )
        report = find(world, "Can you suggest a soup?")
        assert hit(report, "r2").parts["wish"] > 1
        assert ids(report)[0] == "r2"
        assert "wish" not in hit(report, "r1").parts
        assert "wish" not in hit(report, "r3").parts
        assert all("wish" not in one.parts for one in find(world, "Which soup?").results)


class TestVectors:
    def test_of_a_few_that_are_all_near_none_is_worth_nothing(self, world: World) -> None:
        tell(
            world,
            turn("the kiln is hot today", session="a"),
            turn("the kiln is hot at noon", session="b"),
        )
        report = find(world, "hot kiln", embedder=HashQuestions(world))
        assert all(one.parts.get("vector", 0) > 0.2 for one in report.results)

    def test_a_picture_nearer_than_its_message_counts_for_it(self, world: World) -> None:
        tell(
            world,
            turn("heron on a jetty", session="a"),
            turn("look at what I saw there", kind="attachment", session="a"),
            turn("heron on a roof", session="b"),
        )
        report = find(world, "heron on a jetty", embedder=HashQuestions(world), newest=False)
        assert hit(report, "r1").parts["vector"] == 1.0

    def test_what_shares_no_word_is_found_by_vector(self, world: World) -> None:
        tell(
            world,
            turn("We went camping in the hills", session="a"),
            turn("The recipe needs flour", session="b"),
        )
        report = find(world, "campsite hill", embedder=HashQuestions(world))
        assert "r1" in ids(report)
        assert hit(report, "r1").parts["vector"] > 0

    def test_their_weight_is_the_embedders(self, world: World) -> None:
        tell(world, turn("The kiln is hot", session="a"), turn("Flour and eggs", session="b"))
        parts = [
            hit(find(world, "hot kiln", embedder=HashQuestions(world, fusion)), "r1").parts
            for fusion in (1.0, 0.5)
        ]
        assert parts[0]["vector"] == pytest.approx(2 * parts[1]["vector"])

    def test_without_them_words_alone_decide(self, world: World) -> None:
        tell(world, turn("The kiln is hot"))
        for report in (
            find(world, "kiln"),
            find(world, "kiln", embedder=HashQuestions(world), vectors=False),
        ):
            assert "vector" not in report.results[0].parts


class TestOrder:
    def test_ties_by_id_and_the_same_each_time(self, world: World) -> None:
        tell(world, *[turn("The kiln is hot.", session=f"s{n}") for n in range(12)])
        first = find(world, "kiln", k=12, newest=False)
        assert ids(first) == [f"r{n}" for n in range(1, 13)]
        assert find(world, "kiln", k=12, newest=False) == first

    def test_a_score_is_its_parts(self, world: World) -> None:
        tell(
            world,
            turn("The kiln burst yesterday.", by="Ada", at=at(3)),
            turn("Oh no, the kiln!", by="Bo", at=at(4)),
        )
        report = find(world, "When in May 2024 did Ada's kiln burst?", newest=False)
        for one in report.results:
            parts = dict(one.parts)
            total = sum(parts.pop(name, 0.0) for name in ("text", "session", "vector"))
            for factor in parts.values():
                total *= factor
            assert one.score == pytest.approx(total, abs=1e-5)
        assert {"speaker", "time", "date"} <= set(hit(report, "r1").parts)


class TestSmallStores:
    """Below a number of texts words are asked one by one, for bm25 ranks a few by nothing."""

    def test_a_rare_word_counts_more_than_one_that_all_have(self, world: World) -> None:
        tell(
            world,
            turn("tea tea tea tea", session="a"),
            turn("tea with a samovar", session="b"),
            turn("tea at noon", session="c"),
        )
        assert ids(find(world, "tea samovar", newest=False))[0] == "r2"

    def test_the_first_results_are_the_same_on_both_sides_of_the_border(self, world: World) -> None:
        nouns = ("kiln", "shed", "boat", "soup", "lamp", "rope", "drum", "sail", "moss", "clay")
        tell(
            world,
            *[
                turn(
                    f"The {nouns[n % 10]} by the {nouns[n * 7 % 9]} number {n} and the"
                    f" {nouns[n // 10 % 10]}",
                    session=f"s{n}",
                )
                for n in range(120)
            ],
        )
        seen = view(world)
        for question in (["kiln", "moss"], ["soup", "lamp", "17"], ["drum"], ["sail", "rope"]):
            small, large = (
                list(
                    by_words.word_scores(seen.connection, question, Among(), Weights(small=border))
                )
                for border in (121, 120)
            )
            assert small[:5] == large[:5]

    def test_what_is_in_most_texts_is_found_above_it_too(self, world: World) -> None:
        tell(world, *[turn(f"The kiln is hot {n}", session=f"s{n}") for n in range(210)])
        assert len(find(world, "kiln", k=50).results) == 50


def test_memories_and_records_stand_side_by_side(world: World) -> None:
    tell(world, turn("The kiln in the shed is hot.", by="Ada"), turn("Dinner", session="b"))
    made: Add = fact("Ada has a kiln, which is hot", "r1")
    world.apply(plan(made))
    report = find(world, "hot kiln")
    assert {one.layer for one in report.results} == {"raw", "derived"}
    assert ids(find(world, "hot kiln", layer="raw")) == ["r1"]
    assert ids(find(world, "hot kiln", layer="derived")) == ["m1"]
