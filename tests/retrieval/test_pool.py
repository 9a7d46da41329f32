"""What may answer: records with what came with them, their neighbours, memories."""

import pytest

from memcli.core.found import Found
from memcli.core.plan import Retire
from memcli.core.records import Scope
from tests.engine.world import World
from tests.retrieval.support import HashQuestions, fact, find, hit, ids, plan, tell, texts, turn


def captions(*words: str, session: str = "one") -> list[Found]:
    return [turn(text, kind="attachment", session=session) for text in words]


class TestAttachments:
    def test_a_caption_that_is_found_brings_its_message(self, world: World) -> None:
        tell(world, turn("Look at this!"), *captions("a heron on a jetty"))
        (found,) = find(world, "heron").results
        assert (found.id, found.text) == ("r1", "Look at this!")
        assert [(one.id, one.text) for one in found.attachments] == [("r2", "a heron on a jetty")]

    def test_a_message_that_is_found_shows_all_that_came_with_it(self, world: World) -> None:
        tell(world, turn("The heron came!"), *captions("grey bird", "water", "more water", "sky"))
        (found,) = find(world, "heron").results
        assert [one.id for one in found.attachments] == ["r2", "r3", "r4", "r5"]

    @pytest.mark.parametrize("nth", range(7))
    def test_each_of_many_brings_it(self, world: World, nth: int) -> None:
        names = ("heron", "otter", "newt", "stoat", "finch", "perch", "snail")
        tell(world, turn("Before"), turn("Look!"), *captions(*names), turn("After"))
        report = find(world, names[nth])
        assert ids(report)[0] == "r2"
        assert len(report.results[0].attachments) == 7
        assert all(one.kind != "attachment" for one in report.results)

    def test_words_of_both_add_up(self, world: World) -> None:
        tell(
            world,
            turn("A heron, look!", session="a"),
            *captions("a jetty at dawn", session="a"),
            turn("A heron, look!", session="b"),
            *captions("a roof at noon", session="b"),
            turn("A jetty, look!", session="c"),
        )
        assert ids(find(world, "heron jetty", newest=False))[0] == "r1"

    def test_they_are_no_neighbours_of_their_own(self, world: World) -> None:
        tell(
            world,
            turn("The heron!", by="Ada"),
            *captions("water", "sky"),
            turn("How grey.", by="Bo"),
        )
        report = find(world, "heron")
        assert hit(report, "r4").parts["text"] == 0.5

    def test_by_vector_too(self, world: World) -> None:
        tell(world, turn("Look!"), *captions("a heron on a jetty"), turn("Fine", session="b"))
        report = find(world, "herons jetties", embedder=HashQuestions(world))
        assert ids(report)[0] == "r1"

    def test_one_without_a_message_stands_alone(self, world: World) -> None:
        tell(world, *captions("a heron on a jetty"))
        assert texts(find(world, "heron")) == ["a heron on a jetty"]

    def test_one_of_another_speaker_is_not_folded(self, world: World) -> None:
        tell(
            world,
            turn("A question", role="assistant"),
            turn("a heron on a jetty", kind="attachment"),
        )
        report = find(world, "heron")
        assert ids(report)[0] == "r2"
        assert report.results[0].attachments == ()


class TestNeighbours:
    def test_only_within_a_session(self, world: World) -> None:
        tell(
            world,
            turn("Nothing", session="a"),
            turn("The heron", session="b"),
            turn("Nothing else", session="c"),
        )
        assert ids(find(world, "heron")) == ["r2"]

    def test_each_once(self, world: World) -> None:
        tell(world, *[turn(f"heron {n}") for n in range(9)])
        found = ids(find(world, "heron", k=50))
        assert sorted(found) == sorted(set(found))
        assert len(found) == 9

    def test_not_where_memories_alone_are_asked_for(self, world: World) -> None:
        tell(world, turn("The heron"), turn("What else?"))
        world.apply(plan(fact("A heron came", "r1")))
        assert ids(find(world, "heron", layer="derived")) == ["m1"]


class TestHeld:
    def test_a_retired_memory_is_none(self, world: World) -> None:
        tell(world, turn("The heron"))
        world.apply(plan(fact("A grey heron came", "r1")))
        assert "m1" in ids(find(world, "heron"))
        world.apply(plan(Retire("m1", "no longer")))
        assert "m1" not in ids(find(world, "heron", include=("superseded", "faded", "rejected")))

    def test_what_an_undone_ingest_brought_is_none(self, world: World) -> None:
        tell(world, turn("The heron"), turn("Grey", session="b"))
        tell(world, turn("The heron again"), *captions("a heron"))
        world.undo()
        report = find(world, "heron", embedder=HashQuestions(world))
        assert "r1" in ids(report)
        assert not {"r3", "r4"} & set(ids(report))

    def test_a_record_marked_inactive_is_shown_only_when_asked_for(self, world: World) -> None:
        tell(world, turn("The heron"), turn("The heron, no: the stork", active=False))
        assert "r2" not in ids(find(world, "heron"))
        report = find(world, "heron", include=("superseded",))
        assert hit(report, "r2").status == "superseded"


class TestScopes:
    @pytest.fixture(autouse=True)
    def two_people(self, world: World) -> None:
        for name in ("ada", "bo"):
            for project in ("", "boat"):
                tell(
                    world,
                    turn(f"The heron of {name} {project}", by=name.capitalize()),
                    turn(f"And then, {name} {project}?"),
                    *captions(f"a picture for {name} {project}"),
                    scope=Scope(user=name, project=project),
                )
        world.apply(
            plan(
                fact("Ada likes the heron", "r1", nth=1, scope=Scope(user="ada")),
                fact("Bo likes the heron", "r7", nth=2, scope=Scope(user="bo")),
            )
        )

    @pytest.mark.parametrize("embedded", [False, True])
    @pytest.mark.parametrize("layer", ["both", "raw", "derived"])
    @pytest.mark.parametrize("query", ["heron", "picture", "then", "Ada's heron", "Bo"])
    def test_nothing_crosses(self, world: World, query: str, layer: str, embedded: bool) -> None:
        embedder = HashQuestions(world) if embedded else None
        for name in ("ada", "bo"):
            report = find(
                world, query, scope=Scope(user=name), layer=layer, embedder=embedder, k=50
            )
            assert {one.scope.user for one in report.results} <= {name}
            narrow = find(
                world, query, scope_of_view=Scope(name), layer=layer, embedder=embedder, k=50
            )
            assert {one.scope for one in narrow.results} <= {Scope(user=name)}

    def test_a_key_that_is_not_given_does_not_narrow(self, world: World) -> None:
        everywhere = find(world, "heron", k=50, layer="raw")
        ada = find(world, "heron", k=50, layer="raw", scope=Scope(user="ada"))
        boat = find(world, "heron", k=50, layer="raw", scope=Scope(project="boat"))
        assert {one.scope.project for one in ada.results} == {"", "boat"}
        assert {one.scope.user for one in boat.results} == {"ada", "bo"}
        assert set(ids(ada)) | set(ids(boat)) < set(ids(everywhere))

    def test_who_speaks_elsewhere_is_no_speaker_here(self, world: World) -> None:
        report = find(world, "the heron of Bo", scope=Scope(user="ada"))
        assert report.understood.speakers == ()
        assert "bo" in report.understood.words
        assert find(world, "the heron of Bo", scope=Scope(user="bo")).understood.speakers == ("Bo",)

    def test_an_event_told_elsewhere_is_none_here(self, world: World) -> None:
        tell(
            world,
            turn("The regatta was fun", at="2024-05-03T00:00:00Z", session="r"),
            scope=Scope(user="bo"),
        )
        question = "Where was the heron before the regatta?"
        assert find(world, question, scope=Scope(user="bo")).understood.times
        assert find(world, question, scope=Scope(user="ada")).understood.times == ()
