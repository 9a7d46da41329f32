"""The backend of models: recordings, budget, repair, failures; with a provider in memory."""

import _thread
import threading
import time

import pytest

from memcli.core.calls import CallReply
from memcli.errors import GatewayError, UsageError
from memcli.gateway.chat import Kind, ProviderError
from memcli.gateway.model import Calls, ModelBackend
from memcli.gateway.settings import RULES, Limits, Models, ModelSettings, Price
from memcli.kit.handles import Item
from memcli.kit.rating import rate
from memcli.ports import Failed, Pending, TooLong, Unasked
from memcli.tasks.ask_questions import AskQuestions
from memcli.tasks.rate_importance import RateImportance
from tests.gateway.calls import (
    MODEL,
    Log,
    Provider,
    Say,
    StillClock,
    Word,
    echo,
    models,
    said,
    script,
)

BAD = said("wrong")


def backend(
    provider: Provider,
    log: Log | None = None,
    *,
    calls: Calls = "reuse",
    limits: Limits = Limits(),
    of: Models | None = None,
) -> ModelBackend:
    return ModelBackend(
        of or models(),
        Log() if log is None else log,
        lambda: provider,
        calls=calls,
        limits=limits,
        clock=StillClock(),
    )


def never(_: str) -> CallReply:
    raise AssertionError("nothing may be asked")


class TestAnswers:
    def test_each_task_gets_its_own_and_equal_ones_are_asked_once(self) -> None:
        provider, log = Provider(echo), Log()
        words = [f"w{n}" for n in range(20)]
        asked = backend(provider, log)
        answers = asked.answer([Say(word) for word in [*words, "w3"]])
        assert answers == [Word(word=word) for word in [*words, "w3"]]
        assert len(provider.asked) == len(log.calls) == 20
        assert log.sources[1] == ("r1",)
        assert asked.usage.calls == 20
        assert asked.usage.cost_usd == 10.0

    def test_a_reply_that_does_not_fit_is_repaired_once_with_the_reason(self) -> None:
        provider, log = Provider(script(BAD, said("a"))), Log()
        assert backend(provider, log).answer([Say("a")]) == [Word(word="a")]
        repair = [message["content"] for message in provider.asked[1].request.messages]
        assert repair[0] == "say a"
        assert repair[1] == BAD.text
        assert "the word is not a" in repair[2]
        assert log.statuses == ["refused", "accepted"]

    def test_and_then_it_has_failed(self) -> None:
        provider, log = Provider(script(BAD, BAD)), Log()
        assert backend(provider, log).answer([Say("a")]) == [Failed("the word is not a")]
        assert log.statuses == ["refused", "refused"]

    def test_a_cut_reply_is_refused_though_it_fits(self) -> None:
        cut = CallReply('{"word": "a"}', "length")
        provider = Provider(script(cut, cut))
        (answer,) = backend(provider).answer([Say("a")])
        assert isinstance(answer, Failed)
        assert "cut off" in answer.reason

    @pytest.mark.parametrize(("kind", "what"), [("too-long", TooLong), ("withheld", Failed)])
    def test_a_prompt_that_is_too_long_fails_its_task_alone(
        self, kind: Kind, what: type[Failed]
    ) -> None:
        long = "a" * 9_000

        def answer(message: str) -> CallReply | Exception:
            return ProviderError(kind, "8192") if long in message else echo(message)

        first, second = backend(Provider(answer)).answer([Say(long), Say("b")])
        assert type(first) is what
        assert "8192" in first.reason
        assert second == Word(word="b")

    def test_a_short_prompt_that_is_too_long_is_a_fault_of_the_settings(self) -> None:
        provider = Provider(lambda _: ProviderError("too-long", "4096 in the completion"))
        with pytest.raises(GatewayError, match="4096 in the completion"):
            backend(provider).answer([Say("a")])

    def test_equal_requests_of_different_items_are_read_each_for_itself(self) -> None:
        items = [Item("r1", "I moved."), Item("r2", "I moved.")]
        log = Log()
        provider = Provider(lambda _: CallReply('{"ratings": [{"item": "R1", "rating": 7}]}'))
        answers = backend(provider, log).answer([RateImportance((item,)) for item in items])
        assert [answer.ratings[0].item for answer in answers] == ["r1", "r2"]
        assert len(provider.asked) == 1
        assert sorted(log.sources[1]) == ["r1", "r2"]

    def test_equal_requests_fail_together(self) -> None:
        provider = Provider(script(BAD, BAD))
        assert backend(provider).answer([Say("a"), Say("a")]) == [Failed("the word is not a")] * 2

    def test_many_equal_answers_are_reported(self) -> None:
        same = CallReply('{"word": "a"}', "stop")
        asked = backend(Provider(lambda _: same))
        asked.answer([Say("a")])
        assert asked.warnings == ("1 answers came without a count of tokens",)

        class Anything(Say):
            def parse(self, reply: object) -> Word:
                return Word(word=self.word)

        asked.answer([Anything(f"w{n}") for n in range(9)])
        assert "constant-answers: 10 answers to Say are all equal" in asked.warnings


class TestRecordings:
    def test_a_rerun_asks_nothing_and_prepares_nothing(self) -> None:
        log = Log()
        backend(Provider(echo), log).answer([Say("a"), Say("b")])

        def no_chat() -> Provider:
            raise AssertionError("the provider's library is not needed")

        again = ModelBackend(models(), log, no_chat)
        assert again.answer([Say("a"), Say("b")]) == [Word(word="a"), Word(word="b")]
        assert (again.usage.calls, again.usage.calls_recorded) == (0, 2)

    def test_fresh_asks_again_and_the_newest_counts_from_then_on(self) -> None:
        log = Log()
        backend(Provider(echo), log).answer([Say("a")])
        provider = Provider(echo)
        fresh = backend(provider, log, calls="fresh")
        fresh.answer([Say("a")])
        fresh.answer([Say("a")])
        assert len(provider.asked) == 1, "what this very run asked is not asked again"
        assert len(log.recorded(log.calls[0].key)) == 2

    def test_another_parameter_or_model_is_another_call(self) -> None:
        log = Log()
        backend(Provider(echo), log).answer([Say("a")])
        for settings in (
            ModelSettings("other/model"),
            ModelSettings(MODEL.name, parameters={"temperature": 1}),
        ):
            provider = Provider(echo)
            backend(provider, log, of=models(settings)).answer([Say("a")])
            assert len(provider.asked) == 1

    def test_another_address_is_not(self) -> None:
        log = Log()
        backend(Provider(echo), log).answer([Say("a")])
        moved = models(ModelSettings(MODEL.name, api_base="http://127.0.0.1:9/v1", timeout=9))
        assert backend(Provider(never), log, of=moved).answer([Say("a")]) == [Word(word="a")]

    def test_an_interrupted_repair_goes_on_where_it_was(self) -> None:
        log = Log()
        with pytest.raises(GatewayError):
            backend(Provider(script(BAD, ProviderError("auth", "no"))), log).answer([Say("a")])
        provider = Provider(script(said("a")))
        again = backend(provider, log)
        assert again.answer([Say("a")]) == [Word(word="a")]
        assert len(provider.asked) == 1
        assert again.usage.calls_recorded == 1

    def test_after_a_pass_that_ended_a_refused_answer_is_asked_again(self) -> None:
        log = Log()
        first = backend(Provider(script(BAD, BAD)), log)
        first.answer([Say("a")])
        assert backend(Provider(never), log).answer([Say("a")]) == [Failed("the word is not a")]
        first.finish()
        assert log.statuses == ["spent", "spent"]
        assert backend(Provider(echo), log).answer([Say("a")]) == [Word(word="a")]

    def test_a_repaired_answer_is_whole_again_after_the_pass(self) -> None:
        log = Log()
        first = backend(Provider(script(BAD, said("a"))), log)
        first.answer([Say("a")])
        first.finish()
        assert log.statuses == ["spent", "accepted"]
        assert backend(Provider(never), log).answer([Say("a")]) == [Word(word="a")]

    def test_with_none_even_spent_answers_are_replayed(self) -> None:
        log = Log()
        first = backend(Provider(script(BAD, BAD)), log)
        first.answer([Say("a")])
        first.finish()
        replay = backend(Provider(never), log, calls="none")
        assert replay.answer([Say("a")]) == [Failed("the word is not a")]

    def test_with_none_a_miss_names_the_nearest_and_what_differs(self) -> None:
        log = Log()
        backend(Provider(echo), log).answer([Say("alpha"), Say("beta")])
        with pytest.raises(GatewayError) as missed:
            backend(Provider(never), log, calls="none").answer([Say("betas"), Say("gamma")])
        assert missed.value.code == 7
        assert "first of 2 missing" in missed.value.what
        assert "'say betas' here, 'say beta' there" in str(missed.value.hint)
        nearest = missed.value.details["nearest"]
        assert nearest in [call.key for call in log.calls]

    def test_with_none_and_no_recording_it_says_so(self) -> None:
        with pytest.raises(GatewayError, match="no recorded answer to Say") as missed:
            backend(Provider(never), calls="none").answer([Say("a")])
        assert "record one" in str(missed.value.hint)


class TestFailures:
    def test_what_came_before_a_failure_is_kept(self) -> None:
        def answer(message: str) -> CallReply | Exception:
            return ProviderError("auth", "no") if message.endswith("w5") else echo(message)

        log = Log()
        failing = backend(Provider(answer), log, of=models(ModelSettings("m", concurrency=2)))
        with pytest.raises(GatewayError) as failed:
            failing.answer([Say(f"w{n}") for n in range(20)])
        assert failed.value.details["kind"] == "auth"
        assert 5 <= len(log.calls) < 8, "nothing new is asked after it"
        provider = Provider(echo)
        again = backend(provider, log, of=models(ModelSettings("m", concurrency=2)))
        assert len(again.answer([Say(f"w{n}") for n in range(20)])) == 20
        assert len(provider.asked) == 20 - again.usage.calls_recorded
        assert again.usage.calls_recorded >= 5

    def test_a_missing_key_is_found_before_the_first_call(self) -> None:
        provider = Provider(never)
        provider.refusal = ProviderError("missing-key", "SOME_API_KEY")
        with pytest.raises(GatewayError, match="no key") as failed:
            backend(provider).answer([Say("a")])
        assert "SOME_API_KEY" in str(failed.value.hint)
        assert failed.value.details["calls"] == 0

    def test_a_model_nobody_knows_is_a_mistake_in_the_call(self) -> None:
        provider = Provider(never)
        provider.refusal = ProviderError("unknown-model", "x")
        with pytest.raises(UsageError, match="test/model"):
            backend(provider).answer([Say("a")])

    def test_a_bug_is_not_swallowed(self) -> None:
        def answer(_: str) -> CallReply:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            backend(Provider(answer)).answer([Say("a")])

    def test_an_interrupt_waits_for_what_is_under_way_and_asks_nothing_more(self) -> None:
        def answer(message: str) -> CallReply:
            if message.endswith("w1"):
                _thread.interrupt_main()
                time.sleep(0.3)
            return echo(message)

        log, settings = Log(), ModelSettings("m", concurrency=2)
        with pytest.raises(KeyboardInterrupt):
            backend(Provider(answer), log, of=models(settings)).answer(
                [Say(f"w{n}") for n in range(20)]
            )
        assert said("w1").text in [call.reply.text for call in log.calls]
        assert len(log.calls) < 5

    def test_a_line_kept_open_for_ever_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("memcli.gateway.flights._GRACE", 0.2)
        ended = threading.Event()

        def answer(message: str) -> CallReply:
            ended.wait(30)
            return echo(message)

        try:
            with pytest.raises(GatewayError, match="kept the line open") as failed:
                backend(Provider(answer), of=models(ModelSettings("m", timeout=0.1))).answer(
                    [Say("a")]
                )
            assert failed.value.details["kind"] == "timeout"
        finally:
            ended.set()

    def test_an_interrupt_keeps_what_has_arrived(self) -> None:
        class Interrupted(Log):
            def record(self, *arguments: object) -> object:  # type: ignore[override]
                if len(self.calls) == 1 and not self.struck:
                    self.struck = True
                    raise KeyboardInterrupt
                return super().record(*arguments)  # type: ignore[arg-type]

            struck = False

        log = Interrupted()
        with pytest.raises(KeyboardInterrupt):
            backend(Provider(echo), log).answer([Say("a"), Say("b")])
        assert sorted(call.reply.text for call in log.calls) == [said("a").text, said("b").text]


class TestBudget:
    def test_the_rest_is_left_unasked_and_is_no_failure_of_the_items(self) -> None:
        asked = backend(Provider(echo), limits=Limits(max_calls=2))
        answers = asked.answer([Say(f"w{n}") for n in range(5)])
        assert answers[:2] == [Word(word="w0"), Word(word="w1")]
        assert all(isinstance(answer, Unasked) for answer in answers[2:])
        assert answers[4] == Unasked("budget: max-calls 2")
        assert "stopped by the budget: max-calls 2" in asked.warnings[0]

    def test_a_reply_is_held_to_what_is_left(self) -> None:
        provider = Provider(lambda message: said(message.split()[-1]))
        asked = backend(provider, limits=Limits(max_tokens=300))
        assert asked.answer([Say("a"), Say("b")]) == [Word(word="a"), Word(word="b")]
        caps = [call.cap for call in provider.asked]
        assert all(cap is not None and cap < 300 for cap in caps)

    def test_a_reply_that_was_cut_by_it_is_no_bad_answer(self) -> None:
        log = Log()
        cut = CallReply('{"word', "length", tokens_in=10, tokens_out=250)
        poor = backend(Provider(lambda _: cut), log, limits=Limits(max_tokens=300))
        (answer,) = poor.answer([Say("a")])
        assert isinstance(answer, Unasked)
        assert log.statuses == ["spent"]
        poor.finish()
        assert backend(Provider(echo), log).answer([Say("a")]) == [Word(word="a")]

    def test_a_stop_is_remembered_though_a_smaller_call_fits_later(self) -> None:
        log = Log()
        poor = backend(Provider(script(BAD, said("b"))), log, limits=Limits(max_calls=1))
        poor.answer([Say("a")])
        poor.budget.limits = Limits(max_calls=2)
        assert poor.answer([Say("b")]) == [Word(word="b")]
        poor.finish()
        assert log.statuses == ["refused", "accepted"]
        assert "stopped by the budget" in poor.warnings[0]

    def test_recorded_answers_are_free(self) -> None:
        log = Log()
        backend(Provider(echo), log).answer([Say("a")])
        free = backend(Provider(never), log, limits=Limits(max_calls=0))
        assert free.answer([Say("a")]) == [Word(word="a")]

    def test_a_repair_that_is_too_dear_is_made_by_the_rerun(self) -> None:
        log = Log()
        poor = backend(Provider(script(BAD)), log, limits=Limits(max_calls=1))
        assert isinstance(poor.answer([Say("a")])[0], Unasked)
        poor.finish()
        provider = Provider(script(said("a")))
        assert backend(provider, log).answer([Say("a")]) == [Word(word="a")]

    def test_dollars_need_a_price(self) -> None:
        with pytest.raises(UsageError, match="price of test/model is not known"):
            backend(Provider(never), limits=Limits(max_usd=1)).answer([Say("a")])
        rich = Provider(echo, price=Price(1.0, 1.0))
        assert backend(rich, limits=Limits(max_usd=1)).answer([Say("a")]) == [Word(word="a")]


class TestRouting:
    ITEMS = (Item("r1", "I moved to Ghent."),)

    def test_a_task_may_have_a_model_of_its_own(self) -> None:
        provider = Provider(lambda _: CallReply('{"ratings": [{"item": "R1", "rating": 7}]}'))
        asked = backend(provider, of=models(rate=ModelSettings("small/one")))
        asked.answer([RateImportance(self.ITEMS)])
        assert [call.settings.name for call in provider.asked] == ["small/one"]
        assert asked.made_by("rate") == "small/one"
        assert asked.made_by("insights") == MODEL.name

    def test_rules_may_answer_one_task_beside_a_model(self) -> None:
        asked = backend(Provider(never), of=models(rate=ModelSettings(RULES)))
        (ratings,) = asked.answer([RateImportance(self.ITEMS)])
        assert ratings.ratings[0].rating == rate(self.ITEMS[0].text)
        assert asked.made_by("rate") == RULES

    def test_a_model_may_answer_one_task_beside_rules(self) -> None:
        provider = Provider(lambda _: CallReply('{"ratings": [{"item": "R1", "rating": 7}]}'))
        asked = backend(provider, of=Models(None, {"rate": ModelSettings("small/one")}))
        ratings, questions = asked.answer([RateImportance(self.ITEMS), AskQuestions(self.ITEMS)])
        assert ratings.ratings[0].rating == 7
        assert questions == Pending()
        assert asked.name == RULES
