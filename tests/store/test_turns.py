"""What a search reads of many records: turns, what came with them, who speaks."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memcli.core.memories import Slot
from memcli.core.records import Scope
from memcli.store import citing, load, texts, turns
from memcli.store.texts import Among
from tests.engine.world import World
from tests.retrieval.support import fact, plan, tell, turn


@pytest.fixture
def world(tmp_path: Path):
    made = World(tmp_path)
    yield made
    made.close()


def item(world: World, ident: str) -> int:
    """The item of a record."""
    row = world.connection.execute("SELECT item FROM record WHERE id = ?", (int(ident[1:]),))
    return int(row.fetchone()[0])


def around(world: World, *items: int, reach: Sequence[int] = (), at: int | None = None) -> list:
    rows = turns.around(world.connection, world.head if at is None else at, items, reach)
    return [row.item for row in rows]


class TestAround:
    def test_these_and_what_stands_beside_some_in_order_and_once(self, world: World) -> None:
        tell(world, *[turn(f"a{n}", by="Ada", session="a") for n in range(12)])
        tell(world, *[turn(f"b{n}", by="Ada", session="b") for n in range(3)])
        all_of = [item(world, f"r{n}") for n in range(1, 16)]
        assert around(world, all_of[14], all_of[0]) == [all_of[0], all_of[14]]
        near = around(world, all_of[5], all_of[6], reach=(all_of[5], all_of[6]))
        assert near == all_of[2:10]
        assert around(world, all_of[12], reach=(all_of[12],)) == all_of[12:]
        assert around(world) == []

    def test_nothing_beside_what_nobody_named_says(self, world: World) -> None:
        tell(world, *[turn(f"a{n}") for n in range(5)])
        middle = item(world, "r3")
        assert around(world, middle, reach=(middle,)) == [middle]

    def test_what_is_attached_brings_what_it_came_with(self, world: World) -> None:
        units = [turn(f"pic {n}", kind="attachment") for n in range(9)]
        tell(world, turn("first"), turn("look"), *units)
        message, last = item(world, "r2"), item(world, "r11")
        assert around(world, last) == [message, last]

    def test_beside_them_only_what_is_held_then(self, world: World) -> None:
        tell(world, turn("one", by="Ada"))
        tell(world, turn("two", by="Ada"))
        both = [item(world, "r1"), item(world, "r2")]
        first = both[:1]
        assert around(world, *first, reach=first) == both
        assert around(world, *first, reach=first, at=world.head - 1) == first
        world.undo()
        assert around(world, *first, reach=first) == first


def test_attachments_up_to_the_next_message(world: World) -> None:
    def picture(text: str, role: str = "user"):
        return turn(text, kind="attachment", role=role)  # type: ignore[arg-type]

    tell(
        world,
        turn("none"),
        turn("two"),
        picture("a"),
        picture("b"),
        turn("one"),
        picture("c"),
        picture("d", role="assistant"),
    )
    items = {n: item(world, f"r{n}") for n in range(1, 8)}
    found = turns.attachments(world.connection, world.head, list(items.values()))
    assert found[items[2]] == [items[3], items[4]]
    assert found[items[5]] == [items[6]]
    assert items[1] not in found
    assert turns.attachments(world.connection, 0, [items[2]]) == {}


class TestSpeakers:
    def spoken(self, world: World, *words: str, scope: Scope = Scope()) -> dict:
        found = turns.speakers(world.connection, words, Among(scope=scope))
        return {word: sorted(names) for word, names in found.items()}

    def test_by_the_first_name_alone(self, world: World) -> None:
        tell(
            world,
            turn("x", by="Ada Lovelace"),
            turn("y", by="Ada"),
            turn("ada z", by="Bo"),
            turn("Zoe begins this"),
            turn("w", by="Adalbert"),
        )
        assert self.spoken(world, "ada", "bo", "zoe", "lovelace", "x") == {
            "ada": ["Ada", "Ada Lovelace"],
            "bo": ["Bo"],
        }

    def test_of_a_scope_however_many_speak_elsewhere(self, world: World) -> None:
        many = [turn(f"x {n}", by="Ada") for n in range(2_100)]
        tell(world, *many, scope=Scope(user="one"))
        tell(world, turn("y", by="Ada"), scope=Scope(user="two"))
        assert self.spoken(world, "ada", scope=Scope(user="two")) == {"ada": ["Ada"]}
        assert self.spoken(world, "ada", scope=Scope(user="three")) == {}

    def test_in_a_large_store_of_the_last_that_hold_the_name(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tell(world, turn("a", by="Bo"), turn("b", by="Ada"), *[turn(f"Ada {n}") for n in range(4)])
        monkeypatch.setattr(turns, "_NEWEST", 5)
        assert self.spoken(world, "ada", "bo") == {"ada": ["Ada"], "bo": ["Bo"]}
        monkeypatch.setattr(turns, "_NEWEST", 4)
        assert self.spoken(world, "ada", "bo") == {"bo": ["Bo"]}

    @pytest.mark.parametrize("speaker", ["", " ", "\u200b", "...", "%", "_", "A" * 5_000])
    def test_odd_names(self, world: World, speaker: str) -> None:
        tell(world, turn("x", by=speaker or None))
        assert self.spoken(world, "a", "x") == {}

    def test_a_damaged_index(self, world: World) -> None:
        world.connection.execute("DROP TABLE fts")
        with pytest.raises(texts.UnusableIndexError):
            self.spoken(world, "ada")


class TestAsOf:
    def test_it_holds_what_was_held(self, world: World) -> None:
        tell(world, turn("bees"))
        tell(world, turn("wasps"))
        world.apply(plan(fact("Ada likes wasps", "r2")))
        world.rollback("last")
        for at, words, count in ((0, "bees", 0), (1, "bees", 1), (1, "wasps", 0), (3, "wasps", 2)):
            made = texts.as_of(world.connection, at)
            assert texts.frequencies(made, [words]) == {words: count}, at
            made.close()

    def test_its_scores_are_those_of_the_index(self, world: World) -> None:
        tell(world, *[turn(f"bees {n} " + "and more " * n, by="Ada") for n in range(20)])
        made = texts.as_of(world.connection, world.head)
        for among in (Among(), Among("raw"), Among("derived"), Among(scope=Scope(user="x"))):
            now = texts.candidates(world.connection, ["bees", "more", "7"], 50, among)
            assert texts.candidates(made, ["bees", "more", "7"], 50, among) == now
        made.close()


class TestCiting:
    def test_memories_that_rest_on_records_and_since_when(self, world: World) -> None:
        tell(world, turn("one"), turn("two"))
        world.apply(plan(fact("From both", "r1", "r2"), fact("From one", "r1", nth=2)))
        items = [item(world, "r1"), item(world, "r2")]
        found = citing.citing(world.connection, world.head, items)
        assert [number for number, _ in found[items[0]]] == [1, 2]
        assert [number for number, _ in found[items[1]]] == [1]
        assert citing.citing(world.connection, world.head - 1, items) == {}
        edges = [edge for pairs in found.values() for _, edge in pairs]
        assert load.quotes(world.connection, world.head, edges) == {}

    def test_a_slot_is_of_one_scope(self, world: World) -> None:
        tell(world, turn("one"), scope=Scope(user="ada"))
        slot = Slot("Ada", "lives_in", "Ghent")
        world.apply(plan(fact("Ada lives in Ghent", "r1", slot=slot, scope=Scope(user="ada"))))
        ours = ("ada", "", "")
        find = citing.in_slot
        assert find(world.connection, world.head, "Ada", "lives_in", ours) == [1]
        assert find(world.connection, world.head, "Ada", "lives_in", ("bo", "", "")) == []
        assert find(world.connection, world.head, "Ada", "works_at", ours) == []
        assert find(world.connection, world.head - 1, "Ada", "lives_in", ours) == []
