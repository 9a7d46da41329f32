import pytest

from memcli.core.calls import CallReply
from memcli.gateway.budget import Budget, Expected, cost_of, estimated_tokens
from memcli.gateway.settings import Limits, Price

DEAR = Price(1_000_000, 2_000_000)  # one and two dollars a token
CALL = Expected(10, 5, DEAR)


def test_estimates_are_on_the_safe_side() -> None:
    assert estimated_tokens("twelve bytes") == 4 + 8
    assert estimated_tokens("", "") == 16
    assert estimated_tokens("日本語") == 3 + 8


def test_cost_is_none_where_something_is_unknown() -> None:
    assert cost_of(DEAR, 10, 5) == 20
    assert cost_of(Price(0, 0), 10, 5) == 0
    assert cost_of(None, 10, 5) is cost_of(DEAR, None, 5) is cost_of(DEAR, 1, None) is None


@pytest.mark.parametrize(
    ("limits", "calls"),
    [
        (Limits(max_calls=3), 3),
        (Limits(max_calls=0), 0),
        (Limits(max_tokens=45), 3),
        (Limits(max_tokens=44), 2),
        (Limits(max_tokens=14), 0),
        (Limits(max_usd=60), 3),
        (Limits(max_usd=59.9), 2),
        (Limits(max_usd=0), 0),
        (Limits(), 5),
    ],
)
def test_it_stops_before_the_call_that_would_cross_it(limits: Limits, calls: int) -> None:
    budget = Budget(limits)
    made = 0
    for _ in range(5):
        if budget.reserve(CALL):
            made += 1
            budget.settle(CALL, CallReply("", tokens_in=10, tokens_out=5, cost_usd=20.0))
    assert made == calls == budget.usage().calls
    assert (budget.stopped is None) == (calls == 5)


def test_calls_under_way_count_until_it_is_known_what_they_used() -> None:
    budget = Budget(Limits(max_tokens=35))
    assert budget.reserve(CALL)
    assert budget.reserve(CALL)
    assert not budget.reserve(CALL)
    budget.settle(CALL, CallReply("", tokens_in=2, tokens_out=1, cost_usd=0.0))
    assert budget.reserve(CALL)


def test_what_the_provider_does_not_tell_is_null_and_counts_as_estimated() -> None:
    budget = Budget(Limits(max_tokens=40))
    assert budget.reserve(CALL)
    budget.settle(CALL, CallReply("", cost_usd=None))
    usage = budget.usage()
    assert (usage.tokens_in, usage.tokens_out, usage.cost_usd) == (0, 0, None)
    assert budget.unknown_tokens == 1
    assert budget.reserve(CALL)
    assert not budget.reserve(CALL)


def test_failed_calls_are_calls_too() -> None:
    budget = Budget(Limits(max_calls=3))
    assert budget.reserve(CALL)
    assert budget.again(CALL)
    assert budget.again(CALL)
    assert not budget.again(CALL)
    budget.settle(CALL, None)
    assert (budget.usage().calls, budget.failed) == (3, 3)


def test_recorded_answers_cost_nothing() -> None:
    budget = Budget(Limits(max_calls=0))
    budget.replayed()
    usage = budget.usage()
    assert (usage.calls, usage.calls_recorded, usage.cost_usd) == (0, 1, 0.0)
