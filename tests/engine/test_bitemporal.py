"""`mem show` and `mem diff` along the two times: when it was true, and when it was known."""

from pathlib import Path
from typing import Any

import pytest

from memcli.api import Store, open_store
from memcli.core.plan import Add, Cite, Plan, Revise, Supersede
from memcli.core.reports import DiffReport
from memcli.errors import UsageError
from tests.engine.world import World, said

JAN, JUNE, SEPT = (f"2025-{month}-01T00:00:00Z" for month in ("01", "06", "09"))


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """p1, p3: what was said in January and June. p2: NYC. p4: SF, so NYC ended in June. p5: fuller."""
    world = World(tmp_path)
    world.ingest([said("a", "I live in NYC", at=JAN)])
    world.apply(Plan(ops=(Add("fact", "Ada lives in NYC", (Cite("r1", ("NYC",)),), "new:1"),)))
    world.ingest([said("b", "I moved to SF", at=JUNE)])
    sf = Add("fact", "Ada lives in SF", (Cite("r2"),), "new:1")
    world.apply(Plan(ops=(sf, Supersede("m1@1", JUNE, by="new:1"))))
    world.apply(Plan(ops=(Revise("m2@1", text="Ada lives in San Francisco"),)))
    world.check()
    world.close()
    return world.path


@pytest.fixture
def store(moved: Path) -> Any:
    with open_store(moved) as opened:
        yield opened


def changes(report: DiffReport) -> list[tuple[str, str]]:
    return [(change.change, change.memory) for change in report.changes]


class TestShowAsKnown:
    def test_a_memory_as_it_was_held(self, store: Store) -> None:
        then = store.show("m2", known_at="p4")
        assert then.memory is not None
        assert (then.memory.text, then.memory.ref) == ("Ada lives in SF", "m2@1")
        assert [one["version"] for one in then.details["versions"]] == [1]
        assert then.details["known_at"] == "p4"
        now = store.show("m2").memory
        assert now is not None
        assert now.text == "Ada lives in San Francisco"

    def test_what_came_later_had_ended_nothing_yet(self, store: Store) -> None:
        then, now = store.show("m1", known_at="p3").memory, store.show("m1").memory
        assert then is not None
        assert now is not None
        assert (then.valid_to, then.superseded_by) == (None, None)
        assert (now.valid_to, now.superseded_by) == (JUNE, "m2")

    def test_a_record_and_what_was_made_of_it(self, store: Store) -> None:
        assert store.show("r1", known_at="p1").details["memories"] == []
        assert store.show("r1", known_at="p2").details["memories"] == ["m1"]

    def test_a_session(self, store: Store) -> None:
        assert store.show("s1", known_at="p1").details["records"] == ["r1"]
        assert store.show("s1").details["records"] == ["r1", "r2"]

    @pytest.mark.parametrize(
        ("ident", "point", "why"),
        [
            ("m2", "p3", "m2 was not held at p3"),
            ("m2@2", "p4", "m2@2 was not held at p4"),
            ("r2", "p2", "r2 was not held at p2"),
            ("p2", "p1", "the same whenever"),
            ("m1", "p9", "not a point"),
        ],
    )
    def test_what_was_not_there(self, store: Store, ident: str, point: str, why: str) -> None:
        with pytest.raises(UsageError, match=why):
            store.show(ident, known_at=point)


class TestShowWhetherItWasTrue:
    @pytest.mark.parametrize(
        ("ident", "moment", "true", "instead"),
        [
            ("m1", "2025-03-01", True, None),
            ("m1", "2025-06-01", False, "m2"),
            ("m1", "2024-12-31", False, None),
            ("m2", "2025-03-01", False, "m1"),
            ("m2", "2025-07-01", True, None),
            ("m2@2", "2025-07-01", True, None),
            ("r2", "2025-05-31", False, None),
            ("r2", "2025-06-01", True, None),
        ],
    )
    def test_then(
        self, store: Store, ident: str, moment: str, true: bool, instead: str | None
    ) -> None:
        told = store.show(ident, valid_at=moment).details["valid_at"]
        assert (told["true"], told["instead"]) == (true, instead)

    def test_as_known_then(self, store: Store) -> None:
        told = store.show("m1", valid_at="2025-07-01", known_at="p2").details["valid_at"]
        assert told["true"], "nobody had said otherwise yet"

    @pytest.mark.parametrize("ident", ["p2", "s1"])
    def test_what_is_neither_true_nor_false(self, store: Store, ident: str) -> None:
        with pytest.raises(UsageError, match="neither true nor false"):
            store.show(ident, valid_at="2025-07-01")


class TestDiffOfWhatIsKnown:
    def test_of_a_moment_before_the_move(self, store: Store) -> None:
        report = store.diff("p0", "p5", valid_at="2025-03-01")
        assert changes(report) == [("added", "m1")]
        assert report.valid_at == "2025-03-01T00:00:00.000Z"
        assert store.diff("p3", "p5", valid_at="2025-03-01").changes == ()

    def test_of_a_moment_after_it(self, store: Store) -> None:
        report = store.diff("p2", "p4", valid_at="2025-07-01")
        assert changes(report) == [("superseded", "m1"), ("added", "m2")]
        assert report.changes[0].before == "Ada lives in NYC"
        assert changes(store.diff("p4", "p5", valid_at="2025-07-01")) == [("revised", "m2")]

    def test_the_other_way_round(self, store: Store) -> None:
        report = store.diff("p4", "p2", valid_at="2025-07-01")
        assert sorted(changes(report)) == [("restored", "m1"), ("retired", "m2")]


class TestDiffOfTheWorld:
    def test_what_began_and_ceased(self, store: Store) -> None:
        report = store.diff("2025-03-01", "2025-09-01", known_at="last")
        assert changes(report) == [("superseded", "m1"), ("added", "m2")]
        assert (report.known_at, report.records_added) == ("p5", 1)
        assert (report.start, report.end) == (
            "2025-03-01T00:00:00.000Z",
            "2025-09-01T00:00:00.000Z",
        )

    def test_before_it_was_known_nothing_had_changed(self, store: Store) -> None:
        assert store.diff("2025-03-01", "2025-09-01", known_at="p2").changes == ()

    def test_up_to_when_the_point_was_made(self, store: Store) -> None:
        report = store.diff("2024-12-01", known_at="p2")
        assert changes(report) == [("added", "m1")]
        assert report.end == "2026-03-01T12:00:00.000Z"

    def test_back_in_time(self, store: Store) -> None:
        report = store.diff("2025-09-01", "2025-03-01", known_at="last")
        assert changes(report) == [("added", "m1"), ("superseded", "m2")]
        assert report.records_removed == 1

    @pytest.mark.parametrize(
        ("start", "when", "why"),
        [
            (None, {"known_at": "last"}, "not given"),
            ("2025-01-01", {"known_at": "last", "valid_at": "2025-01-01"}, "nothing can change"),
            ("p2", {"known_at": "last"}, "is not a time"),
            ("2025-01-01", {"known_at": "p0"}, "knows nothing"),
            ("p2", {"valid_at": "soon"}, "is not a time"),
        ],
    )
    def test_what_makes_no_sense(
        self, store: Store, start: str | None, when: dict[str, str], why: str
    ) -> None:
        with pytest.raises(UsageError, match=why):
            store.diff(start, **when)
