"""The published scorings: their arithmetic, on candidates and on small real stores."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from memcli.core.memories import LinkEnd
from memcli.core.plan import Link, Rate
from memcli.kit import scores
from memcli.kit.asked import read
from memcli.kit.periods import periods
from memcli.retrieval.pool import Candidate
from memcli.retrieval.ranks import RANKS, Setting, ranked
from memcli.testing import a_memory
from tests.engine.world import World
from tests.retrieval.support import HashQuestions, fact, find, hit, ids, plan, tell, turn, view

NOW = "2024-06-01T00:00:00Z"


def setting(world: World, question: str, texts: dict[int, str] | None = None) -> Setting:
    asked = read(question)
    return Setting(view(world), asked, periods(question, NOW), NOW, texts or {}, False)


def order(found: Sequence[Candidate]) -> list[int]:
    return [one.item for one in found]


@pytest.mark.parametrize("rank", RANKS)
class TestAll:
    def test_of_nothing_comes_nothing(self, world: World, rank: str) -> None:
        assert ranked(rank, [], setting(world, "tea")) == []
        assert find(world, "tea", rank=rank).results == ()
        assert find(world, "", rank=rank).results == ()

    def test_the_same_each_time_and_scores_fall(self, world: World, rank: str) -> None:
        tell(world, *[turn(f"tea {n % 3}", session=f"s{n}") for n in range(9)])
        first = find(world, "tea 1", rank=rank, now=NOW)
        assert first == find(world, "tea 1", rank=rank, now=NOW)
        assert len(first.results) == 9
        if rank not in ("recency", "mem0-v3"):
            scored = [one.score for one in first.results]
            assert scored == sorted(scored, reverse=True)

    def test_without_times_and_without_now(self, world: World, rank: str) -> None:
        tell(world, turn("tea"), turn("tea again", session="b"))
        world.apply(plan(fact("Ada likes tea", "r1")))
        for embedder in (None, HashQuestions(world)):
            report = find(world, "tea", rank=rank, embedder=embedder)
            assert {"r1", "r2", "m1"} <= set(ids(report))

    @pytest.mark.parametrize("day", ["0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
    def test_at_the_ends_of_the_calendar(self, world: World, rank: str, day: str) -> None:
        tell(world, turn("tea", at=day), turn("tea again", at=NOW, session="b"))
        for question in ("tea in May", "tea until 2024", "tea"):
            assert set(ids(find(world, question, rank=rank, now=NOW))) == {"r1", "r2"}


class TestGenerativeAgents:
    def test_the_arithmetic_of_recency(self) -> None:
        """Three of equal relevance and importance, last used 20, 10 and 0 hours ago."""
        raw = [scores.recency(hours, 0.99) for hours in (20, 10, 0)]
        assert raw == pytest.approx([0.8179, 0.9044, 1.0], abs=5e-5)
        assert scores.min_max(raw) == pytest.approx([0, 0.475, 1], abs=5e-4)

    def test_the_newest_of_equals_comes_first(self, world: World) -> None:
        for day in (1, 3, 2):
            tell(world, turn("tea", at=f"2024-05-{day:02}T00:00:00Z", session=f"s{day}"))
        report = find(world, "tea", rank="generative-agents", now="2024-05-03T00:00:00Z")
        assert ids(report) == ["r2", "r3", "r1"]
        decayed = hit(report, "r1").parts["recency"]
        assert decayed == pytest.approx(0.995**48, abs=1e-6)

    def test_importance_counts_and_unrated_is_four(self, world: World) -> None:
        tell(world, *[turn("tea", session=f"s{n}") for n in range(3)])
        world.apply(plan(Rate("r2", "importance", 9), Rate("r3", "importance", 1)))
        report = find(world, "tea", rank="generative-agents", now=NOW)
        assert ids(report) == ["r2", "r1", "r3"]
        assert [hit(report, f"r{n}").parts["importance"] for n in (1, 2, 3)] == [4, 9, 1]

    def test_what_no_vector_found_is_as_far_as_the_farthest(self, world: World) -> None:
        given = [
            Candidate(1, NOW, cosine=0.2, score=3.0),
            Candidate(2, NOW, text=9.0, score=2.0),
            Candidate(3, NOW, cosine=0.8, score=1.0),
        ]
        asked = setting(world, "tea")
        with_vectors = Setting(asked.view, asked.asked, (), NOW, {}, True)
        found = ranked("generative-agents", given, with_vectors)
        assert order(found) == [3, 1, 2]
        assert found[1].score == found[2].score


class TestMem0:
    @pytest.mark.parametrize(
        ("stems", "middle", "steep"),
        [
            (1, 5, 0.7),
            (3, 5, 0.7),
            (4, 7, 0.6),
            (6, 7, 0.6),
            (7, 9, 0.5),
            (9, 9, 0.5),
            (10, 10, 0.5),
            (15, 10, 0.5),
            (16, 12, 0.5),
            (40, 12, 0.5),
        ],
    )
    def test_the_curve(self, world: World, stems: int, middle: float, steep: float) -> None:
        letters = "bcdfghjklmnpqrstvwxz"
        question = " ".join(f"{one}{letters[n % 20]}{n}" for n, one in enumerate("z" * stems))
        assert len(read(question).words) == stems
        for bm25 in (0.5, middle, 20.0):
            (found,) = ranked("mem0-v3", [Candidate(1, NOW, text=bm25)], setting(world, question))
            wanted = 1 / (1 + math.exp(-steep * (bm25 - middle)))
            assert found.parts["bm25"] == pytest.approx(wanted, abs=1e-6)

    def test_the_gate_lets_in_what_is_near_or_holds_a_word(self, world: World) -> None:
        given = [
            Candidate(1, NOW, cosine=0.1),
            Candidate(2, NOW, cosine=0.09),
            Candidate(3, NOW, text=2.0, cosine=-0.5),
            Candidate(4, NOW),
        ]
        kept = ranked("mem0-v3", given, setting(world, "tea"))
        assert sorted(order(kept)) == [1, 3]

    def test_the_score_is_a_share_of_what_could_be(self, world: World) -> None:
        fresh = {"dated": NOW}  # decay 1.5
        (alone,) = ranked("mem0-v3", [Candidate(1, cosine=0.8, **fresh)], setting(world, "tea"))
        assert alone.score == pytest.approx(0.8 * 1.5)
        (both,) = ranked(
            "mem0-v3", [Candidate(1, cosine=0.8, text=5.0, **fresh)], setting(world, "tea")
        )
        assert both.score == pytest.approx((0.8 + 0.5) / 2 * 1.5)

    @pytest.mark.parametrize(
        ("at", "decay"),
        [
            (NOW, 1.5),
            ("2024-06-30T00:00:00Z", 1.5),  # the future counts as now
            ("2024-05-29T12:00:00Z", 0.9),
            ("2024-05-24T12:00:00Z", 0.6),
            (None, 0.3),
        ],
    )
    def test_the_decay(self, world: World, at: str | None, decay: float) -> None:
        (found,) = ranked("mem0-v3", [Candidate(1, at, text=5.0)], setting(world, "tea"))
        assert found.parts["decay"] == pytest.approx(decay, abs=1e-4)

    def test_entities_that_much_is_known_of_count_less(self, world: World) -> None:
        texts = {1: "Ada rows in Ghent", **dict.fromkeys(range(2, 40), "Ada rows")}
        given = [Candidate(n, NOW, text=1.0) for n in texts]
        found = ranked("mem0-v3", given, setting(world, 'Does "Ada" row in Ghent?', texts))
        parts = {one.item: one.parts for one in found}
        assert parts[1]["entity"] == pytest.approx(0.5)
        assert parts[2]["entity"] == pytest.approx(0.5 / (1 + 0.001 * 38**2), abs=1e-6)
        assert order(found)[0] == 1

    def test_what_is_replaced_comes_directly_behind(self, world: World) -> None:
        def of(n: int, cosine: float, *links: LinkEnd) -> Candidate:
            memory = a_memory(f"m{n}", "x", "r1", links=links)
            return Candidate(n, NOW, cosine=cosine, memory=memory)

        given = [of(1, 0.9), of(2, 0.8), of(3, 0.7, LinkEnd("m1@1", "replaces")), of(4, 0.6)]
        assert order(ranked("mem0-v3", given, setting(world, "x"))) == [2, 3, 1, 4]

    def test_in_a_store(self, world: World) -> None:
        tell(world, turn("I work at A", at="2024-03-01T00:00:00Z"))
        tell(world, turn("I work at B", at="2024-05-31T00:00:00Z", session="b"))
        report = find(world, "where does the user work", rank="mem0-v3", now=NOW)
        assert ids(report) == ["r2", "r1"]
        world.apply(plan(fact("Works at A", "r1", nth=1), fact("Works at B", "r2", nth=2)))
        world.apply(plan(Link("m1", "m2", "replaces")))
        linked = ids(find(world, "works at", rank="mem0-v3", now=NOW, layer="derived"))
        assert linked == ["m1", "m2"]


class TestHindsight:
    def boosts(self, world: World, question: str, **fields: Any) -> dict[str, float]:
        (found,) = ranked(
            "hindsight", [Candidate(1, score=1.0, **fields)], setting(world, question)
        )
        return found.parts

    @pytest.mark.parametrize(
        ("at", "recency"),
        [
            (NOW, 1.1),
            ("2024-06-11T00:00:00Z", 1.1),  # the future counts as now
            ("2023-06-02T00:00:00Z", 0.92),  # 365 days
            ("2001-01-01T00:00:00Z", 0.92),
            (None, 0.92),
        ],
    )
    def test_recency(self, world: World, at: str | None, recency: float) -> None:
        parts = self.boosts(world, "tea", dated=at)
        assert parts["recency"] == pytest.approx(recency, abs=1e-4)
        assert parts["time"] == 1.0
        assert parts["proof"] == 1.0

    @pytest.mark.parametrize(
        ("at", "time"),
        [
            ("2024-05-20T00:00:00Z", 1.1),
            ("2024-06-01T00:00:00Z", 1.0),
            ("2024-01-01T00:00:00Z", 0.9),
        ],
    )
    def test_the_time_named(self, world: World, at: str, time: float) -> None:
        assert self.boosts(world, "tea in May 2024", dated=at)["time"] == pytest.approx(time)

    def test_proof_is_the_number_of_records(self, world: World) -> None:
        tell(world, *[turn(f"tea {n}", session=f"s{n}") for n in range(4)])
        world.apply(plan(fact("Ada likes tea a lot", "r1", "r2", "r3", "r4")))
        report = find(world, "tea", rank="hindsight", now=NOW)
        wanted = 1 + 0.1 * math.log(4) / 10
        assert hit(report, "m1").parts["proof"] == pytest.approx(wanted, abs=1e-6)
        assert hit(report, "r1").parts["proof"] == 1.0

    def test_the_base_falls_by_place_from_one_to_a_tenth(self, world: World) -> None:
        given = [Candidate(n, NOW, score=9.0 - n) for n in range(4)]
        found = ranked("hindsight", given, setting(world, "tea"))
        assert [one.parts["base"] for one in found] == pytest.approx([1.0, 0.7, 0.4, 0.1])
        assert order(found) == [0, 1, 2, 3]


class TestRecency:
    def test_the_newest_of_those_with_half_the_best_score(self, world: World) -> None:
        given = [
            Candidate(1, "2024-01-01T00:00:00Z", score=1.0),
            Candidate(2, "2024-03-01T00:00:00Z", score=0.6),
            Candidate(3, None, score=0.55),
            Candidate(4, "2024-02-01T00:00:00Z", score=0.5),
            Candidate(5, "2024-05-01T00:00:00Z", score=0.4),
        ]
        assert order(ranked("recency", given, setting(world, "tea"))) == [2, 4, 1, 3, 5]
