"""Passes with a model that answers, errs, stalls and hangs up: a real server behind litellm."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from memcli.api import open_store
from memcli.core.reports import ConsolidateReport
from memcli.errors import GatewayError, MemError
from tests.loopback import (
    Drop,
    EmptyChoices,
    ModelServer,
    NotJson,
    NullContent,
    RefuseFormat,
    Reply,
    Slow,
    Status,
    Truncated,
)
from tests.models import (
    GOOD,
    QUESTIONS,
    about,
    as_text,
    assert_sound,
    drawn,
    filled,
    instead,
    prompts,
    rated,
    recorded,
    run,
    serving,
    state,
)

SECRET = "sk-proj-" + "Zq8" * 12


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEM_STORE", raising=False)
    return tmp_path


@pytest.fixture
def store(here: Path) -> Path:
    return filled(here)


def waiting(store: Path) -> int:
    """Records that wait for `reflect`, and those that have a mark of failure."""
    with open_store(store) as opened:
        assert opened._view().failures("reflect") == {}
        return len(opened._view().unconsumed("reflect"))


def assert_as_before(store: Path, before: tuple[str, str, int]) -> None:
    """Nothing of a pass that failed is in the store."""
    assert state(store) == before
    assert waiting(store) == 8
    assert_sound(store)


def rerun_asks_only_the_rest(store: Path, here: Path, answered: set[str]) -> ConsolidateReport:
    """A pass with a good server; what had been answered is not asked again."""
    assert answered == recorded(store)
    with serving(GOOD, here) as server:
        report = run(store)
        assert not answered & set(prompts(server))
    assert report.outcome == "applied"
    assert_sound(store)
    return report


def rolled_back(store: Path, before: tuple[str, str, int]) -> None:
    """The digests after a rollback are those from before the pass."""
    with open_store(store, mode="write", now="2026-05-02T00:00:00Z") as opened:
        opened.rollback("last")
    assert state(store)[:2] == before[:2]
    assert_sound(store)


class TestWell:
    def test_a_pass_is_applied_and_says_what_it_used(self, store: Path, here: Path) -> None:
        before = state(store)
        with serving(GOOD, here) as server:
            report = run(store)
            assert len(server.chats) == 5
            assert {c.body["response_format"]["type"] for c in server.chats} == {"json_schema"}
            assert {c.body["temperature"] for c in server.chats} == {0}
        assert report.outcome == "applied"
        assert report.operations["add"] == 3
        usage = report.usage
        assert (usage.calls, usage.calls_recorded) == (5, 0)
        assert (usage.tokens_in, usage.tokens_out) == (100, 50)
        assert usage.cost_usd is None, "nobody knows the price of this model"
        with open_store(store) as opened:
            entry = opened.log()[0]
        assert (entry.model, entry.usage) == ("openai/tiny", usage)
        assert_sound(store)
        rolled_back(store, before)

    def test_a_rerun_is_answered_by_recordings_alone(self, store: Path, here: Path) -> None:
        with serving(GOOD, here) as server:
            run(store)
            after = state(store)
            with open_store(store, mode="write", now="2026-05-02T00:00:00Z") as opened:
                opened.rollback("last")
            asked = len(server.chats)
            report = run(store, calls="none")
            assert len(server.chats) == asked
        assert state(store)[:2] == after[:2]
        assert (report.usage.calls, report.usage.calls_recorded) == (0, 5)
        assert report.usage.cost_usd == 0.0

    def test_the_price_of_a_local_model_stands_in_the_file(self, store: Path, here: Path) -> None:
        with serving(GOOD, here):
            with (here / "mem.toml").open("a", encoding="utf-8") as file:
                file.write('[prices."openai/tiny"]\ninput = 100\noutput = 1000\n')
            report = run(store, max_usd=5.0)
        assert report.usage.cost_usd == pytest.approx((100 * 100 + 50 * 1000) / 1e6)

    def test_calls_run_together_up_to_the_bound(self, store: Path, here: Path) -> None:
        def slowly(messages: Any) -> Any:
            return Slow(0.2, as_text(drawn, "%s")(messages))  # type: ignore[arg-type]

        with serving({**GOOD, "DrawInsights": slowly}, here, concurrency=2) as server:
            run(store)
            assert server.max_in_flight == 2

    def test_a_model_for_one_task(self, store: Path, here: Path) -> None:
        with serving(GOOD, here) as server:
            with (here / "mem.toml").open("a", encoding="utf-8") as file:
                file.write(f'[model.rate]\nname = "openai/small"\napi_base = "{server.api_base}"\n')
            report = run(store)
            models = [chat.body["model"] for chat in server.chats]
        assert models.count("small") == 1
        assert models.count("tiny") == 4
        assert report.model == "openai/tiny"
        with open_store(store) as opened:
            assert opened._view().rated_by("r1") == "openai/small"

    def test_a_dry_run_records_and_applies_nothing(self, store: Path, here: Path) -> None:
        before = state(store)
        with serving(GOOD, here) as server:
            with open_store(store, now="2026-05-02T00:00:00Z") as opened:
                planned = opened.consolidate("reflect", dry_run=True)
            assert planned.outcome == "planned"
            assert state(store) == before
            report = run(store)
            assert len(server.chats) == 5
        assert report.usage.calls_recorded == 5

    def test_an_estimate_asks_nothing(self, store: Path, here: Path) -> None:
        before = store.read_bytes()
        with serving(GOOD, here) as server:
            with open_store(store) as opened:
                estimate = opened.estimate("reflect")
            assert server.requests == []
        assert {task.task: task.calls for task in estimate.tasks} == {
            "AskQuestions": 1,
            "DrawInsights": 3,
            "RateImportance": 1,
        }
        assert store.read_bytes() == before


# What ends well after all: the server's first answers, and how many calls come in addition.
PASSING: dict[str, tuple[Sequence[Any], int]] = {
    "a slow answer": ((Slow(0.3, Reply(json.dumps({"questions": QUESTIONS}))),), 0),
    "a timeout, once": ((Slow(1.5),), 1),
    "429 without a word": ((Status(429), Status(429)), 2),
    "429 with seconds": ((Status(429, retry_after=0.05),), 1),
    "429 with a date": ((Status(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),), 1),
    "500, once": ((Status(500),), 1),
    "503, twice": ((Status(503), Status(503)), 2),
    "a connection dropped": ((Drop(),), 1),
    "a connection dropped in the middle": ((Drop(middle=True),), 1),
    "a body cut": ((Truncated(),), 1),
    "a body that is no JSON": ((NotJson(),), 1),
    "no schema taken": ((RefuseFormat(), RefuseFormat()), 2),
    "truncated JSON": ((Reply('{"questions": ["What does A'),), 1),
    "JSON of another form": ((Reply('{"answers": []}'),), 1),
    "two questions instead of three": ((Reply('{"questions": ["Why so?", "Who?"]}'),), 1),
    "cut off for its length": ((Reply(json.dumps({"questions": QUESTIONS}), finish="length"),), 1),
    "no choice": ((EmptyChoices(),), 1),
    "a choice without content": ((NullContent(),), 1),
    "prose around it": ((as_text(GOOD["AskQuestions"], "Sure! Here:\n```json\n%s\n```\nOk?"),), 0),
    "a reasoning prefix": ((as_text(GOOD["AskQuestions"], "<think>Let me {see}.</think>%s"),), 0),
    "prose in another language": ((Reply("Je regrette, je ne peux pas répondre."),), 1),
    "a reply in another language": (
        (
            Reply(
                '{"questions": ["Was macht Ada vor der Arbeit?", "Wo wohnt Ada?", "Wer ist Runa?"]}'
            ),
        ),
        0,
    ),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_ends_well(store: Path, here: Path, name: str) -> None:
    first, more = PASSING[name]
    answers = instead("AskQuestions", *first)
    if "language" in name:  # the questions that come back are others
        answers["DrawInsights"] = lambda _: {"insights": []}
    before = state(store)
    with serving(answers, here) as server:
        report = run(store)
        assert len(server.chats) == 5 + more
    assert report.outcome == "applied"
    assert report.usage.calls == 5 + more
    assert waiting(store) == 0
    assert_sound(store)
    rolled_back(store, before)


# What fails the pass: the server's answers to the questions, the kind, and how often it is asked.
FAILING: dict[str, tuple[Any, str, int]] = {
    "401": (Status(401), "auth", 1),
    "403": (Status(403), "auth", 1),
    "400": (Status(400), "request", 1),
    "404": (Status(404), "request", 1),
    "429 for ever": (Status(429, retry_after=0), "rate-limit", 3),
    "429 for an hour": (Status(429, retry_after=3600), "rate-limit", 1),
    "500 for ever": (Status(500), "server", 3),
    "dropped for ever": (Drop(), "connection", 3),
    "silent for ever": (Slow(1.5), "timeout", 3),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_the_pass(store: Path, here: Path, name: str) -> None:
    behaviour, kind, tries = FAILING[name]
    before = state(store)
    answers = {
        **GOOD,
        "DrawInsights": lambda m: behaviour if about(QUESTIONS[1], m) else drawn(m),
    }
    with serving(answers, here, concurrency=1) as server:
        with pytest.raises(GatewayError) as failed:
            run(store)
        assert sum(QUESTIONS[1] in prompt for prompt in prompts(server)) == tries
        answered = {p for p in prompts(server) if QUESTIONS[1] not in p}
        assert len(answered) == 3
    assert failed.value.code == 7
    assert failed.value.details["kind"] == kind
    assert failed.value.details["calls"] == 3 + tries
    assert failed.value.details["calls_failed"] == tries
    assert_as_before(store, before)
    rerun_asks_only_the_rest(store, here, answered)


def test_nobody_there(store: Path, here: Path) -> None:
    with ModelServer(Reply("{}")) as server:
        address = server.api_base
    before = state(store)
    from tests.models import configure

    configure(here, address, retries=1)
    with pytest.raises(GatewayError) as failed:
        run(store)
    assert failed.value.details["kind"] == "connection"
    assert_as_before(store, before)


class TestUnits:
    """An answer that is no use after its repair fails its unit, and no other."""

    USELESS: ClassVar[dict[str, Any]] = {
        "truncated": Reply('{"insights": [{"text": "Ada'),
        "another form": Reply('{"insights": "none"}'),
        "cut off": Reply('{"insights": []}', finish="length"),
        "no JSON": Reply("No."),
        "too many": lambda m: {"insights": drawn(m)["insights"] * 9},
    }

    @pytest.mark.parametrize("name", USELESS)
    def test_one_question(self, store: Path, here: Path, name: str) -> None:
        before = state(store)
        bad = [self.USELESS[name]] * 2
        with serving(instead("DrawInsights", *bad, only=QUESTIONS[1]), here) as server:
            report = run(store)
            assert len(server.chats) == 6
            answered = recorded(store)
        assert report.outcome == "partial"
        assert report.operations["add"] == 2
        assert len(report.failed) == 1
        assert QUESTIONS[1] in report.failed[0]
        assert waiting(store) == 8, "a window is consumed when all its questions are settled"
        assert_sound(store)
        again = rerun_asks_only_the_rest(store, here, answered)
        assert again.operations["add"] == 1
        with open_store(store, mode="write", now="2026-05-02T00:00:00Z") as opened:
            opened.rollback_to("p1")
        assert state(store)[:2] == before[:2]

    def test_unknown_handles_are_reported_and_never_completed(
        self, store: Path, here: Path
    ) -> None:
        def strange(messages: Any) -> dict[str, Any]:
            insight = drawn(messages)["insights"][0]
            return {
                "insights": [
                    {**insight, "because_of": [*insight["because_of"], "R99", "r1", "m1"]},
                    {**insight, "text": "Ada will travel to the moon.", "because_of": ["R77"]},
                ]
            }

        with serving({**GOOD, "DrawInsights": strange}, here):
            report = run(store)
        assert report.outcome == "applied"
        assert report.operations["add"] == 3
        reasons = [item.reason for item in report.rejected]
        assert reasons.count("unknown-id") == 12
        assert reasons.count("no-evidence") == 3
        assert_sound(store)

    def test_ratings_are_halved_down_to_the_one_that_fails(self, store: Path, here: Path) -> None:
        def but_one(messages: Any) -> Any:
            return Reply("hazelnuts!") if "hazelnuts" in str(messages[1]) else rated(messages)

        with serving({**GOOD, "RateImportance": but_one}, here) as server:
            report = run(store)
            calls = len(server.chats)
        # 8 records: 8, 4 + 4, 2 + 2, 1 + 1, each that holds the bad one twice.
        assert calls == 4 + 2 + 1 + 2 + 1 + 2 + 1 + 2
        assert report.outcome == "partial"
        assert report.operations["rate"] == 7 + 3
        with open_store(store) as opened:
            assert opened._view().failures("reflect") == {"r7": 1}
            left = opened._view().unconsumed("reflect")
        assert [record.id for record in left] == ["r7"]

    def test_what_was_settled_in_halves_is_made_again_without_asking(
        self, store: Path, here: Path
    ) -> None:
        bad = [Reply("hm"), Reply("hm")]
        with serving(instead("RateImportance", *bad), here) as server:
            report = run(store)
            after = state(store)
            assert (report.outcome, len(server.chats)) == ("applied", 5 + 1 + 2)
            with open_store(store, mode="write", now="2026-05-02T00:00:00Z") as opened:
                opened.rollback("last")
            again = run(store)
            assert len(server.chats) == 8
        assert (again.usage.calls, again.usage.calls_recorded) == (0, 8)
        assert state(store)[:2] == after[:2]

    def test_nothing_settled_is_a_failure(self, store: Path, here: Path) -> None:
        before = state(store)
        answers = {
            **GOOD,
            "RateImportance": lambda _: Reply("x"),
            "AskQuestions": lambda _: Reply("y"),
        }
        with serving(answers, here), pytest.raises(GatewayError) as failed:
            run(store)
        assert failed.value.code == 7
        assert failed.value.details["calls"] > 2
        assert_as_before(store, before)


class TestBudgets:
    @pytest.mark.parametrize("calls", range(6))
    def test_it_stops_before_the_call_that_would_pass_it(
        self, store: Path, here: Path, calls: int
    ) -> None:
        before = state(store)
        with serving(GOOD, here) as server:
            if calls < 2:  # without an answer on a question nothing is settled
                with pytest.raises(GatewayError) as failed:
                    run(store, max_calls=calls)
                assert failed.value.code == 7
                assert state(store) == before
            else:
                report = run(store, max_calls=calls)
                assert report.outcome == ("applied" if calls == 5 else "partial")
            assert len(server.chats) == calls
            answered = set(prompts(server))
        if calls < 5:
            assert waiting(store) == 8
            rerun_asks_only_the_rest(store, here, answered)
        assert_sound(store)

    def test_tokens(self, store: Path, here: Path) -> None:
        with serving(GOOD, here) as server:
            with pytest.raises(GatewayError, match="budget: max-tokens 10"):
                run(store, max_tokens=10)
            assert server.requests == []

    def test_dollars_without_a_price_are_refused(self, store: Path, here: Path) -> None:
        with serving(GOOD, here) as server:
            with pytest.raises(MemError) as refused:
                run(store, max_usd=1.0)
            assert refused.value.code == 2
            assert server.requests == []


class TestKeys:
    def test_a_missing_key_is_found_before_the_first_call(
        self, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        started = time.monotonic()
        with pytest.raises(GatewayError, match="no key for openai/tiny") as failed:
            run(store, model="openai/tiny")
        assert "OPENAI_API_KEY" in str(failed.value.hint)
        assert failed.value.details["calls"] == 0
        assert time.monotonic() - started < 60

    def test_a_model_nobody_knows(self, store: Path) -> None:
        with pytest.raises(MemError, match="no provider for the model martian") as refused:
            run(store, model="martian")
        assert refused.value.code == 2

    def test_a_key_is_sent_only_where_it_is_named_and_is_kept_nowhere(
        self, store: Path, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        monkeypatch.setenv("MY_OWN", SECRET)
        sent: list[str] = []

        def told(messages: Any) -> Any:
            return Status(401, f"Incorrect API key provided: {SECRET}")

        with serving({**GOOD, "AskQuestions": told}, here) as server:
            server.keys = sent  # type: ignore[attr-defined]
            with pytest.raises(GatewayError) as failed:
                run(store)
            assert SECRET not in str(failed.value) + repr(failed.value.details)
        with serving(GOOD, here, api_key_env="MY_OWN"):
            run(store)
        for path in here.iterdir():
            assert SECRET.encode() not in path.read_bytes()

    def test_a_named_key_that_is_not_there(
        self, store: Path, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("MY_OWN", raising=False)
        with serving(GOOD, here, api_key_env="MY_OWN") as server:
            with pytest.raises(GatewayError, match="no key") as failed:
                run(store)
            assert "MY_OWN" in str(failed.value.hint)
            assert server.requests == []
