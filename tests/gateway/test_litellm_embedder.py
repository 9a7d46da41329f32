"""Vectors through litellm from a real server: in order, checked, tried again, never made up."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from memcli.errors import GatewayError, UsageError
from memcli.gateway import calibration
from memcli.gateway.embedder_settings import EmbedderSettings, embedder
from memcli.gateway.embedding_requests import in_order, unit
from memcli.gateway.hashed import embed as hashed
from memcli.gateway.litellm_embedder import PROBES, DriftedError, LiteLLMEmbedder
from tests.gateway.calls import StillClock
from tests.loopback import (
    Asked,
    Behaviour,
    Drop,
    ModelServer,
    NotJson,
    Script,
    Slow,
    Status,
    Together,
    Truncated,
    Vectors,
    word_vector,
)

WORDS = Vectors(dimensions=64)


@contextmanager
def serving(script: Script = WORDS, **settings: Any) -> Iterator[tuple[ModelServer, Any]]:
    """A server, and a function that makes embedders of it, which are closed in the end."""
    made: list[LiteLLMEmbedder] = []
    with ModelServer(embeddings=script) as server:

        def new(described: Any = None, **more: Any) -> LiteLLMEmbedder:
            given = {"api_base": server.api_base, "backoff": 0.0, **settings, **more}
            # As it comes out of a store.
            kept = None if described is None else json.loads(json.dumps(described))
            made.append(LiteLLMEmbedder(EmbedderSettings("openai/tiny", **given), kept))
            return made[-1]

        yield server, new
        for one in made:
            one.close()


@contextmanager
def learned(
    *then: Behaviour, **settings: Any
) -> Iterator[tuple[ModelServer, LiteLLMEmbedder, Callable[[], list[Asked]]]]:
    """An embedder that is known to its store, and a server that does `then`, in turn, from now on.

    The function gives the requests that came since.
    """
    state = {"learned": False, "nth": 0}

    def script(body: dict[str, Any], nth: int) -> Behaviour:
        if not state["learned"] or not then:
            return WORDS
        state["nth"] += 1
        return then[min(state["nth"], len(then)) - 1]

    with serving(script, **settings) as (server, new):
        first = new()
        first.learn()
        state["learned"] = True
        before = len(server.embeddings)
        yield server, new(first.described()), lambda: server.embeddings[before:]


def texts_of(asked: Asked) -> list[str]:
    found = asked.body["input"]
    assert isinstance(found, list)
    return found


class TestVectors:
    def test_of_unit_length_in_order_and_checked_by_probes(self) -> None:
        with learned() as (_, made, since):
            vectors = made.embed(["tea", "", "by the lake", "tea", " \n"])
            for text, vector in zip(["tea", "by the lake"], [vectors[0], vectors[2]], strict=True):
                assert vector == pytest.approx(word_vector(text, 64), abs=1e-6)
            assert vectors[3] == vectors[0]
            assert set(vectors[1]) == set(vectors[4]) == {0.0}
            assert {len(vector) for vector in vectors} == {made.dimensions} == {64}
            assert [texts_of(asked) for asked in since()] == [[*PROBES, "tea", "by the lake"]]
            made.embed(["soup"])
            assert texts_of(since()[1]) == ["soup"]
            assert (made.requests, made.tokens) == (2, 40)

    def test_nothing_to_embed_asks_nobody(self) -> None:
        with learned() as (_, made, since):
            assert made.embed([]) == []
            assert made.embed(["", "\t"]) == [(0.0,) * 64] * 2
            assert since() == []

    def test_index_tells_which_is_which(self) -> None:
        with learned(Vectors(dimensions=64, backwards=True)) as (_, made, _since):
            assert made.embed(["tea", "lake"])[1] == pytest.approx(
                word_vector("lake", 64), abs=1e-6
            )

    def test_in_batches_several_at_a_time(self) -> None:
        texts = [f"text number {nth}" for nth in range(20)]
        both: Behaviour = Together(2, WORDS)
        with learned(WORDS, both, batch=4, concurrency=2) as (server, made, since):
            made.check()
            vectors = made.embed(texts)
            assert vectors == [pytest.approx(word_vector(text, 64), abs=1e-6) for text in texts]
            assert [len(texts_of(asked)) for asked in since()[1:]] == [4] * 5
            assert server.max_in_flight == 2

    def test_a_batch_smaller_than_the_probes(self) -> None:
        with learned(batch=2) as (_, made, since):
            assert made.embed(["tea"])[0] == pytest.approx(word_vector("tea", 64), abs=1e-6)
            assert [len(texts_of(asked)) for asked in since()] == [2, 1, 1]

    def test_a_long_text_is_sent_by_its_beginning(self) -> None:
        with learned(characters=20) as (_, made, since):
            made.embed(["a text with a rather long end", "a text with a rather other end"])
            assert texts_of(since()[0])[3:] == ["a text with a rather"]

    def test_lengths_are_made_one_and_large_numbers_do_no_harm(self) -> None:
        assert unit([3.0, 4.0]) == (0.6, 0.8)
        assert unit([0.0, 0.0]) == (0.0, 0.0)
        assert unit([1e300, -1e300]) == (0.707107, -0.707107)
        assert math.hypot(*unit([0.1] * 3072)) == pytest.approx(1, abs=1e-4)

    def test_a_zero_vector_stays_one(self) -> None:
        def of(text: str) -> list[float]:
            return [0.0] * 64 if text == "void" else word_vector(text, 64)

        with learned(Vectors(of=of)) as (_, made, _since):
            assert made.embed(["void"]) == [(0.0,) * 64]


class TestAnswersThatDoNotFit:
    @pytest.mark.parametrize(
        ("behaviour", "what"),
        [
            (Vectors(dimensions=64, missing=1), "it sent 3 vectors for 4 texts"),
            (Vectors(dimensions=64, missing=4), "it sent 0 vectors for 4 texts"),
            (Vectors(of=lambda text: [1.0] * (2 + ("tea" in text))), r"of \[2, 3\] dimensions"),
            (Vectors(of=lambda text: [1e400, 1.0]), "something else than numbers"),
            (Vectors(of=lambda text: []), "something else than vectors"),
            (NotJson(), "The server of openai/tiny failed, 2 tries"),
            (Truncated("x"), "2 times|2 tries"),
        ],
    )
    def test_are_a_failure_after_all_tries(self, behaviour: Behaviour, what: str) -> None:
        with learned(behaviour, retries=1) as (_, made, since):
            with pytest.raises(GatewayError, match=what) as failed:
                made.embed(["tea"])
            assert failed.value.code == 7
            assert failed.value.details["kind"] in ("server", "connection")
            assert len(since()) == (1 if "dimensions" in what else 2)

    def test_another_length_in_a_later_batch(self) -> None:
        with learned(WORDS, Vectors(dimensions=8), retries=0) as (_, made, _since):
            made.check()
            with pytest.raises(GatewayError, match="8 dimensions, not 64"):
                made.embed(["tea"])

    @pytest.mark.parametrize(
        "data",
        [
            [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
            [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [2.0]}],
            [{"index": 0, "embedding": [1.0]}, {"embedding": [2.0]}],
            [{"index": 2, "embedding": [1.0]}, {"index": 3, "embedding": [2.0]}],
            [{"index": True, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
            [{"index": 0, "embedding": "AACAPw=="}, {"index": 1, "embedding": [2.0]}],
            [{"index": 0, "embedding": [True]}, {"index": 1, "embedding": [2.0]}],
            None,
            "two",
        ],
    )
    def test_vectors_that_cannot_be_told_apart(self, data: Any) -> None:
        with pytest.raises(Exception, match="it "):
            in_order(data, 2)

    def test_counted_from_one_or_not_at_all(self) -> None:
        ones = [{"index": 2, "embedding": [2.0]}, {"index": 1, "embedding": [1.0]}]
        assert in_order(ones, 2) == [[1.0], [2.0]]
        assert in_order([{"embedding": [2.0]}, {"embedding": [1.0]}], 2) == [[2.0], [1.0]]


class TestFailures:
    def test_a_refused_key_is_not_tried_again(self) -> None:
        with learned(Status(401)) as (_, made, since):
            with pytest.raises(GatewayError, match="refused the key") as failed:
                made.embed(["tea"])
            assert failed.value.details["kind"] == "auth"
            assert len(since()) == 1

    def test_what_may_pass_is_tried_again(self) -> None:
        with learned(Status(429, retry_after=0), Drop(), Status(503), WORDS) as (_, made, since):
            assert made.embed(["tea"])[0] == pytest.approx(word_vector("tea", 64), abs=1e-6)
            assert len(since()) == 4

    def test_only_as_often_as_is_said(self) -> None:
        with learned(Drop(), retries=2) as (server, made, since):
            with pytest.raises(GatewayError, match="cannot be reached, after 3 tries") as failed:
                made.embed(["tea"])
            assert len(since()) == 3
            assert failed.value.where == server.api_base
            assert "api_base" in (failed.value.hint or "")

    def test_after_a_pause_that_grows(self) -> None:
        clock = StillClock()
        with serving([Drop(), Drop(), WORDS]) as (server, _):
            settings = EmbedderSettings("openai/tiny", server.api_base, backoff=1.0)
            with closing(LiteLLMEmbedder(settings, clock=clock)) as made:
                made.learn()
        assert 0.5 <= clock.slept[0] <= 1 <= clock.slept[1] <= 2

    def test_a_server_that_does_not_answer(self) -> None:
        with learned(Slow(5, WORDS), timeout=0.2, retries=0) as (_, made, _since):
            with pytest.raises(GatewayError, match=r"did not answer in 0\.2 seconds") as failed:
                made.embed(["tea"])
            assert "[embedder]" in (failed.value.hint or "")

    def test_one_failure_among_several_ends_them_all(self) -> None:
        script = (WORDS, Status(400), WORDS)
        with learned(*script, batch=1, concurrency=1, retries=5) as (_, made, since):
            with pytest.raises(GatewayError, match="refused the request"):
                made.embed(["tea", "lake", "soup"])
            assert len(since()) <= 3

    def test_no_key_is_said_before_the_first_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        monkeypatch.delenv("MINE", raising=False)
        with learned() as (_, made, since):
            for settings in (
                EmbedderSettings("openai/tiny", made.settings.api_base, "MINE"),
                EmbedderSettings("openai/text-embedding-3-small"),
            ):
                with closing(LiteLLMEmbedder(settings)) as other:
                    with pytest.raises(GatewayError, match="There is no key") as failed:
                        other.learn()
                    assert failed.value.details["kind"] == "missing-key"
            assert since() == []

    def test_the_key_that_is_named_is_sent_and_never_shown(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MINE", "sk-of-mine-0123456789")
        said = {"error": {"message": "Incorrect API key provided: sk-of-mine-0123456789"}}
        with serving(Status(401, said), api_key_env="MINE") as (server, new):
            with pytest.raises(GatewayError) as failed:
                new().learn()
            assert "authorization" in server.embeddings[0].headers
            assert "0123456789" not in f"{failed.value.what} {failed.value.hint}"

    def test_a_model_that_nobody_knows_is_a_mistake_in_the_call(self) -> None:
        with closing(LiteLLMEmbedder(EmbedderSettings("nonsense"))) as made:
            with pytest.raises(UsageError, match="no provider") as failed:
                made.learn()
            assert failed.value.where == "--embedder"


class TestDrift:
    def test_the_same_model_may_differ_in_its_last_digits(self) -> None:
        def of(text: str) -> list[float]:
            return [value + 1e-4 for value in word_vector(text, 64)]

        with learned(Vectors(of=of, model="tiny-v1")) as (_, made, _since):
            made.embed(["tea"])

    @pytest.mark.parametrize(
        ("behaviour", "why"),
        [
            (Vectors(of=lambda text: word_vector(text + " x", 64)), "has cosine"),
            (Vectors(dimensions=32), "32 dimensions instead of 64"),
            (Vectors(dimensions=16, model="small"), "it answers as small, and did as tiny"),
        ],
    )
    def test_another_model_is_seen_at_the_first_request(
        self, behaviour: Behaviour, why: str
    ) -> None:
        with learned(behaviour) as (_, made, since):
            for _again in range(2):
                with pytest.raises(DriftedError, match=why) as failed:
                    made.embed(["tea"])
            assert failed.value.code == 7
            assert "mem reindex" in (failed.value.hint or "")
            assert len(since()) == 2

    @pytest.mark.parametrize(
        "spoil",
        [
            {"version": 0}, {"truncation": 1}, {"name": "litellm:other"}, {"returned": None},
            {"dimensions": 63}, {"dimensions": True}, {"probes": []}, {"probes": ["x", "y", "z"]},
        ],
    )  # fmt: skip
    def test_a_fingerprint_of_another_is_refused_without_asking(self, spoil: Any) -> None:
        with serving() as (server, new):
            first = new()
            first.learn()
            made = new({**first.described(), **spoil})
            asked = len(server.embeddings)
            with pytest.raises(DriftedError, match="another version"):
                made.embed(["tea"])
            assert len(server.embeddings) == asked
            assert made.described() != first.described()

    def test_learning_anew_is_possible_at_any_time(self) -> None:
        with learned(Vectors(dimensions=32)) as (_, made, _since):
            with pytest.raises(DriftedError):
                made.check()
            made.learn()
            assert made.dimensions == 32
            assert len(made.embed(["tea"])[0]) == 32


class TestCalibration:
    def test_thresholds_of_the_built_in_embedder_are_met(self) -> None:
        """Chosen on other sentences they are .2 and .7."""
        vectors = [hashed(sentence) for sentence in calibration.sentences()]
        assert calibration.thresholds(vectors) == (0.1634, 0.7093)

    def test_one_request_and_always_the_same(self) -> None:
        with serving() as (server, new):
            first, second = new(), new()
            first.learn()
            second.learn()
            assert len(server.embeddings) == 2
            assert len(texts_of(server.embeddings[0])) == len(PROBES) + 32
        assert first.measured == second.measured
        assert first.described() == second.described()
        assert -1 < first.related <= first.near_duplicate <= 1

    def test_a_model_that_sees_no_difference(self) -> None:
        with serving(Vectors(of=lambda text: [1.0, 0.0])) as (_, new):
            made = new()
            made.learn()
            assert made.related == made.near_duplicate == 1.0

    def test_settings_go_first(self) -> None:
        with learned(related=0.9) as (_, made, _since):
            assert (made.related, made.near_duplicate >= 0.9) == (0.9, True)
            assert made.measured == (1.0, 1.0)  # of a store that does not say


class TestSettings:
    def test_all_of_them(self) -> None:
        table = {
            "api_base": " http://localhost:1/v1 ", "api_key_env": "MINE", "timeout": 5, "retries": 1,
            "backoff": 0, "concurrency": 2, "batch": 8, "characters": 100, "related": 0.3,
            "near_duplicate": 0.8,
        }  # fmt: skip
        made = embedder("x", table, "mem.toml")
        assert made == EmbedderSettings("x", "http://localhost:1/v1", "MINE", 5.0, 1, 0.0, 2, 8, 100, 0.3, 0.8)  # fmt: skip

    @pytest.mark.parametrize(
        ("table", "what"),
        [
            ({"api_key": "sk-1"}, "a key never stands in a file"),
            ({"name": "openai/x"}, "has no 'name'"),
            ({"batch": 0}, "batch is not a whole number"),
            ({"batch": True}, "batch is not a whole number"),
            ({"timeout": "5"}, "timeout is not a number"),
            ({"related": 1.5}, "related is not a number"),
            ({"api_base": 5}, "api_base is not a text"),
            ({"related": 0.5, "near_duplicate": 0.4}, "below related"),
        ],
    )
    def test_mistakes_are_told(self, table: Any, what: str) -> None:
        with pytest.raises(UsageError, match=what) as failed:
            embedder("x", table, "mem.toml")
        assert failed.value.where == "mem.toml"


def test_what_is_no_count_of_tokens_is_unknown_and_a_name_can_be_stored() -> None:
    odd = Vectors(dimensions=64, usage=(10**30, 0), model="x" * 1000)
    with learned(odd) as (_, made, _since):
        made.embed(["tea"])
        assert made.tokens is None
        assert len(made._requests.model) == 200
