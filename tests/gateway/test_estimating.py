from memcli.gateway.estimating import Estimating
from memcli.gateway.model import ModelBackend
from memcli.gateway.settings import RULES, Models, ModelSettings, Price
from memcli.kit.handles import Item
from memcli.tasks.rate_importance import RateImportance
from tests.gateway.calls import MODEL, Log, Provider, Say, Word, echo, models


def test_it_counts_what_would_be_asked_and_asks_nothing() -> None:
    estimate = Estimating(models(), Log())
    assert estimate.answer([Say("a"), Say("b"), Say("a")]) == [Word(word=w) for w in "aba"]
    (counted,) = estimate.found()
    assert (counted.task, counted.model, counted.calls) == ("Say", MODEL.name, 2)
    assert (counted.tokens_in, counted.tokens_out) == (20, 26)
    assert counted.cost_usd is None


def test_recorded_answers_are_used_and_are_free() -> None:
    log = Log()
    ModelBackend(models(), log, lambda: Provider(echo)).answer([Say("a")])
    estimate = Estimating(models(), log)
    estimate.answer([Say("a"), Say("b")])
    (counted,) = estimate.found()
    assert (counted.calls, counted.calls_recorded) == (1, 1)
    fresh = Estimating(models(), log, calls="fresh")
    fresh.answer([Say("a")])
    assert fresh.found()[0].calls == 1


def test_a_known_price_gives_dollars_and_rules_cost_no_call() -> None:
    priced = Models(MODEL, {"rate": ModelSettings(RULES)}, {MODEL.name: Price(1.0, 1.0)})
    estimate = Estimating(priced, Log())
    estimate.answer([Say("a"), RateImportance((Item("r1", "I moved."),))])
    (counted,) = estimate.found()
    assert counted.cost_usd is not None
    assert counted.cost_usd > 0
