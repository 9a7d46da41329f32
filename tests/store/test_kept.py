"""Vectors kept in memory: they find what SQL finds, whatever was written in between."""

import importlib.util
import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memcli.core.plan import Add, Cite, Plan
from memcli.core.records import Scope
from memcli.engine import embedding
from memcli.engine.ingest import Ingest, Input
from memcli.errors import StoreError
from memcli.gateway.hashed import embed
from memcli.store import file, kept, sketches, vectors
from memcli.store.connection import Connection
from memcli.store.driver import load_vec, sqlite3
from memcli.store.texts import Among
from memcli.store.uses import log_recalls
from memcli.store.write import transaction
from tests.engine.world import NOW, World, said

pytest.importorskip("numpy")

WORDS = ("tea", "lake", "piano", "garden", "soup", "bike", "letter", "roof", "query", "fence")
AMONG = [
    Among(),
    Among("raw"),
    Among("derived"),
    Among(scope=Scope(user="ada")),
    Among("raw", Scope(user="tom", project="house")),
    Among(scope=Scope(user="nobody")),
]
Near = list[tuple[int, float]]


def a_text(lots: random.Random) -> str:
    return " ".join(lots.choices(WORDS, k=4))


def query(text: str) -> bytes:
    data = vectors.encode(embed(text))
    assert data is not None
    return data


def bought(connection: "sqlite3.Connection") -> kept.Kept:
    """What the connection keeps, as if it had asked often enough."""
    assert isinstance(connection, Connection)
    connection.kept._spent = 1 << 40
    return connection.kept


class Asked:
    """A connection that reads a store, and keeps vectors; another that never does."""

    def __init__(self, path: Path) -> None:
        self.connection = file.open_read(path)
        self.plain = sqlite3.connect(path, isolation_level=None)
        self.extension = load_vec(self.plain)

    def close(self) -> None:
        self.connection.close()
        self.plain.close()

    def by_sql(self, text: str, k: int, among: Among) -> Near:
        return vectors.nearest_in(self.plain, query(text), k, extension=self.extension, among=among)

    def check(self, lots: random.Random) -> None:
        """The same is found, for every filter, and from memory."""
        keeper = bought(self.connection)
        for among in AMONG:
            for text in (a_text(lots), "piano tea"):
                k = lots.choice((1, 3, 10, 1000))
                found = keeper.nearest(self.connection, query(text), k, among)
                assert found == self.by_sql(text, k, among)
        for _ in range(2):
            held = [row[0] for row in self.plain.execute("SELECT item FROM life")]
            listed = tuple(lots.sample(held, min(7, len(held))))
            found = keeper.nearest(self.connection, query("soup"), 4, listed)
            expected = vectors.nearest(
                self.plain, query("soup"), 4, extension=self.extension, among=listed
            )
            # These are compared one by one, for which sketches are no help.
            assert found == (expected if vectors.exact(self.plain) else None)


class Writing:
    """What may be done to a store, by a process of its own."""

    def __init__(self, world: World, lots: random.Random) -> None:
        self.world = world
        self.lots = lots
        self.told = 0

    def ingest(self) -> None:
        scope = self.lots.choice((Scope(), Scope("ada"), Scope("tom", project="house")))
        units = [said(f"u{self.told + nth}", a_text(self.lots)) for nth in range(5)]
        self.told += len(units)
        made = embedding.embedding(self.world.connection, self.world.embedder)
        run = Ingest(self.world.connection, self.world.path, given=scope, redact=True, embed=made)
        run.run([Input("b.jsonl", "test", units)], now=NOW, dry_run=False)

    def fact(self) -> None:
        text = a_text(self.lots)
        add = Add("fact", text, (Cite(f"r{self.lots.randint(1, 5)}"),), "new:1")
        self.world.apply(Plan(ops=(add,)))

    def dry_run(self) -> None:
        add = Add("fact", a_text(self.lots), (Cite("r1"),), "new:1")
        self.world.apply(Plan(ops=(add,)), dry_run=True)

    def undo(self) -> None:
        self.world.rollback("last")

    def reindex(self) -> None:
        embedding.reindex(self.world.connection, self.world.embedder)

    def lose_and_find(self) -> None:
        """As an embedder that takes its time: vectors come after the pass."""
        with transaction(self.world.connection):
            vectors.sweep(self.world.connection, self.world.embedder.dimensions)
            self.world.connection.execute("DELETE FROM vector WHERE key % 3 = 0")
        missing = vectors.missing(self.world.connection)
        with transaction(self.world.connection):
            made = [(item, query(text)) for item, text in missing]
            vectors.put_late(self.world.connection, made)

    def recall(self) -> None:
        with transaction(self.world.connection):
            log_recalls(self.world.connection, ["r1"], NOW)

    def step(self) -> None:
        names = ("ingest", "fact", "fact", "dry_run", "undo", "reindex", "lose_and_find", "recall")
        getattr(self, self.lots.choice(names))()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.ingest([said("a", "tea by the lake"), said("b", "piano lesson"), said("c", "a roof")])
    made.ingest([said("d", "tea by the lake"), said("e", "soup")], "b.jsonl")
    yield made
    made.close()


@pytest.fixture
def asked(world: World) -> Iterator[Asked]:
    made = Asked(world.path)
    yield made
    made.close()


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_same_as_by_sql_whatever_happens(
    world: World, asked: Asked, seed: int, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:  # with sketches, of hashed vectors too
        monkeypatch.setattr(sketches, "BORDER", 12)
        monkeypatch.setattr(sketches, "CANDIDATES", 5)
        monkeypatch.setattr(sketches, "SPARSE", "")
    lots = random.Random(seed)
    writing = Writing(world, lots)
    asked.check(lots)
    for _ in range(14):
        for _ in range(lots.choice((0, 1, 1, 3))):
            writing.step()
        asked.check(lots)
    assert vectors.exact(asked.plain) != large
    world.check()


def test_what_this_connection_writes_is_seen(world: World) -> None:
    keeper = bought(world.connection)
    before = keeper.nearest(world.connection, query("bike"), 9, Among())
    assert before is not None
    world.ingest([said("f", "bike")], "c.jsonl")
    after = keeper.nearest(world.connection, query("bike"), 1, Among())
    assert after is not None
    assert after[0][1] == 1.0
    assert after[0] not in before


def test_a_pass_brings_only_what_it_changed(
    world: World, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[set[int] | None] = []
    whole = kept._read

    def noted(
        connection: "sqlite3.Connection", items: set[int] | None, limits: bytes | None
    ) -> object:
        read.append(items)
        return whole(connection, items, limits)

    monkeypatch.setattr(kept, "_read", noted)
    lots = random.Random(1)
    world.ingest([said(f"x{nth}", a_text(lots)) for nth in range(40)], "x.jsonl")
    asked.check(lots)
    world.apply(Plan(ops=(Add("fact", "Ada likes tea", (Cite("r1"),), "new:1"),)))
    with transaction(world.connection):
        log_recalls(world.connection, ["r1"], NOW)
    asked.check(lots)
    world.rollback("last")
    asked.check(lots)
    assert read[0] is None
    assert [items is None for items in read] == [True, False, False]


class TestWhereSqlAnswers:
    def test_until_questions_have_cost_as_much(self, world: World) -> None:
        assert isinstance(world.connection, Connection)
        keeper = world.connection.kept
        # NumPy has been imported here: only what is read has to be worth it.
        answers = [
            keeper.nearest(world.connection, query("tea"), 2, Among()) is not None for _ in range(4)
        ]
        assert answers == [False, False, True, True]

    def test_inside_a_transaction(self, world: World) -> None:
        keeper = bought(world.connection)
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is not None
        with transaction(world.connection):
            world.connection.execute("UPDATE vector SET key = -key WHERE key = 1")
            found = self.asked(world.connection, "tea by the lake")
            world.connection.execute("UPDATE vector SET key = -key WHERE key = -1")
        assert 1 not in dict(found)
        assert 1 in dict(self.asked(world.connection, "tea by the lake"))

    def test_for_a_former_state(self, world: World) -> None:
        bought(world.connection)
        self.asked(world.connection, "soup")
        found = self.asked(world.connection, "soup", at=1)
        assert len(found) == 3
        assert self.asked(world.connection, "soup", at=1, among=Among("raw")) == found
        assert self.asked(world.connection, "soup", at=1, among=Among("derived")) == []
        assert len(self.asked(world.connection, "soup")) == 5

    def test_without_numpy(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kept, "find_spec", lambda name: None)
        keeper = bought(world.connection)
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is None

    def test_for_more_than_may_be_kept(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        keeper = bought(world.connection)
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is not None
        monkeypatch.setattr(kept, "_MOST", 5 * 1024)
        world.ingest([said("g", "bike")], "c.jsonl")
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is None
        assert len(self.asked(world.connection, "tea")) == 6

    def test_what_may_be_kept_counts_items_and_lengths(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(kept, "_MOST", 5 * (1024 + 16) - 1)
        keeper = bought(world.connection)
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is None
        monkeypatch.setattr(kept, "_MOST", 5 * (1024 + 16))
        keeper = bought(world.connection)
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is not None
        assert keeper._held is not None
        assert keeper._held.matrix.nbytes == kept._MOST

    def test_whether_there_are_sketches_is_not_asked_before_it_matters(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert isinstance(world.connection, Connection)
        said: list[str] = []
        world.connection.set_trace_callback(said.append)
        keeper = world.connection.kept
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is None
        world.connection.set_trace_callback(None)
        assert said
        assert not any("sqlite_master" in one for one in said)

    @pytest.mark.parametrize("bad", ["x''", "zeroblob(1024)", "x'0102'", "'no vector'"])
    def test_which_says_what_is_damaged(self, world: World, bad: str) -> None:
        if not load_vec(world.connection):
            pytest.skip("this driver loads no extension")
        bought(world.connection)
        world.connection.execute(f"UPDATE vector SET data = {bad} WHERE key = 2")
        with pytest.raises(StoreError, match="mem reindex"):
            self.asked(world.connection, "tea")

    def test_for_a_connection_that_keeps_nothing(self, world: World) -> None:
        with closing(sqlite3.connect(world.path)) as plain:
            assert len(self.asked(plain, "tea")) == 5

    def asked(
        self,
        connection: "sqlite3.Connection",
        text: str,
        at: int | None = None,
        among: Among = Among(),
    ) -> Sequence[tuple[int, float]]:
        return vectors.nearest_in(
            connection, query(text), 50, extension=load_vec(connection), among=among, at=at
        )


@pytest.mark.parametrize("among", AMONG)
def test_a_filter_says_the_same_as_items_and_as_a_condition(world: World, among: Among) -> None:
    where, values = among.clause("l.item")
    wanted = world.connection.execute(f"SELECT l.item FROM life l WHERE {where}", values).fetchall()
    select = among.items()
    if select is None:
        assert where == "1"
    else:
        assert set(world.connection.execute(*select)) == set(wanted)


def test_nothing_is_kept_once_it_is_closed(world: World) -> None:
    connection = file.open_read(world.path)
    keeper = bought(connection)
    assert keeper.nearest(connection, query("tea"), 2, Among()) is not None
    connection.close()
    assert keeper._held is None


def test_numpy_is_worth_it_only_after_many_questions(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "sys", importlib.util)  # a module without `modules`
    monkeypatch.setattr(importlib.util, "modules", {}, raising=False)
    assert isinstance(world.connection, Connection)
    keeper = world.connection.kept
    for _ in range(100):
        assert keeper.nearest(world.connection, query("tea"), 2, Among()) is None
