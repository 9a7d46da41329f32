import pytest

from memcli.core.calls import CallReply
from memcli.gateway.budget import Budget, Expected, Reserved, cost_of, estimated_tokens
from memcli.gateway.settings import Limits, Price

DEAR = Price(1_000_000, 2_000_000)  # one and two dollars a token
CALL = Expected(10, 5, 5, DEAR)


def test_estimates_are_on_the_safe_side() -> None:
    assert estimated_tokens("twelve bytes") == 5 + 8
    assert estimated_tokens("", "") == 16
    assert estimated_tokens("日本語") == 4 + 8


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
        reserved = budget.reserve(CALL)
        if reserved is not None:
            made += 1
            budget.settle(reserved, CallReply("", tokens_in=10, tokens_out=5, cost_usd=20.0))
    assert made == calls == budget.usage().calls
    assert (budget.stopped is None) == (calls == 5)


def held(budget: Budget, expected: Expected = CALL) -> Reserved:
    reserved = budget.reserve(expected)
    assert reserved is not None
    return reserved


def test_calls_under_way_count_with_their_longest_reply_until_it_is_known() -> None:
    budget = Budget(Limits(max_tokens=35))
    first = held(budget)
    held(budget)
    assert budget.reserve(CALL) is None
    budget.settle(first, CallReply("", tokens_in=2, tokens_out=1, cost_usd=0.0))
    held(budget)


@pytest.mark.parametrize(
    ("limits", "room"),
    [
        (Limits(), 5),
        (Limits(max_tokens=100), 5),
        (Limits(max_tokens=13), 3),
        (Limits(max_tokens=10), None),
        (Limits(max_usd=14), 2),
        (Limits(max_usd=9), None),
        (Limits(max_tokens=12, max_usd=100), 2),
    ],
)
def test_room_for_a_shorter_reply(limits: Limits, room: int | None) -> None:
    assert Budget(limits).room(CALL) == room


def test_room_beside_what_is_under_way() -> None:
    budget = Budget(Limits(max_tokens=28))
    held(budget)
    assert budget.room(CALL) == 3
    held(budget, CALL.held_to(3))
    assert budget.room(CALL) is None


def test_what_the_provider_does_not_tell_is_null_and_counts_as_estimated() -> None:
    budget = Budget(Limits(max_tokens=40))
    budget.settle(held(budget), CallReply("", cost_usd=None))
    usage = budget.usage()
    assert (usage.tokens_in, usage.tokens_out, usage.cost_usd) == (0, 0, None)
    assert budget.unknown_tokens == 1
    held(budget)
    assert budget.reserve(CALL) is None


def test_failed_calls_are_calls_too() -> None:
    budget = Budget(Limits(max_calls=3))
    reserved = held(budget)
    assert budget.again(reserved, may_cost=False)
    assert budget.again(reserved, may_cost=False)
    assert not budget.again(reserved, may_cost=False)
    budget.settle(reserved, None)
    assert (budget.usage().calls, budget.failed) == (3, 3)
    assert budget.usage().cost_usd == 0.0, "a refused call costs nothing"


@pytest.mark.parametrize("limits", [Limits(max_tokens=44), Limits(max_usd=59)])
def test_a_try_that_may_be_billed_counts_in_full(limits: Limits) -> None:
    budget = Budget(limits)
    reserved = held(budget)
    assert budget.again(reserved, may_cost=True)
    assert not budget.again(reserved, may_cost=True)
    assert budget.usage().cost_usd is None, "nobody knows"


def test_what_costs_nothing_costs_nothing_when_it_fails() -> None:
    budget = Budget()
    reserved = held(budget, Expected(10, 5, 5, Price(0, 0)))
    assert budget.again(reserved, may_cost=True)
    assert budget.usage().cost_usd == 0.0


def test_recorded_answers_cost_nothing() -> None:
    budget = Budget(Limits(max_calls=0))
    budget.replayed()
    usage = budget.usage()
    assert (usage.calls, usage.calls_recorded, usage.cost_usd) == (0, 1, 0.0)
