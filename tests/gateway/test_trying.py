"""One call, tried until it is answered or hopeless."""

import pytest

from memcli.core.calls import CallReply, CallRequest
from memcli.gateway.budget import Budget, Expected
from memcli.gateway.chat import Asked, FormRefusedError, Kind, ProviderError
from memcli.gateway.settings import Limits
from memcli.gateway.trying import OutOfBudgetError, Throttle, complete
from tests.gateway.calls import MODEL, Provider, StillClock, said, script

REQUEST = CallRequest("Say", 1, MODEL.name, ({"role": "user", "content": "x"},), {}, {})
EXPECTED = Expected(1, 1, None)


def tried(
    *replies: CallReply | Exception, limits: Limits = Limits()
) -> tuple[CallReply, Provider, StillClock, Throttle]:
    provider, clock = Provider(script(*replies)), StillClock()
    throttle, budget = Throttle(MODEL, clock), Budget(limits)
    assert budget.reserve(EXPECTED)
    reply = complete(provider, Asked(MODEL, REQUEST, ""), throttle, budget, EXPECTED)
    return reply, provider, clock, throttle


@pytest.mark.parametrize("kind", ["rate-limit", "timeout", "server", "connection"])
def test_what_may_pass_is_tried_again_after_a_growing_pause(kind: Kind) -> None:
    _, provider, clock, _ = tried(ProviderError(kind, "x"), ProviderError(kind, "x"), said("a"))
    assert len(provider.asked) == 3
    assert 0.5 <= clock.slept[0] <= 1 <= clock.slept[1] <= 2


@pytest.mark.parametrize(
    "kind", ["auth", "missing-key", "unknown-model", "request", "too-long", "withheld"]
)
def test_what_is_refused_as_such_never_is(kind: Kind) -> None:
    with pytest.raises(ProviderError) as failed:
        tried(ProviderError(kind, "x"))
    assert failed.value.kind == kind


def test_tries_come_to_an_end() -> None:
    with pytest.raises(ProviderError, match="third"):
        tried(*(ProviderError("server", word) for word in ("first", "second", "third")))


def test_the_server_says_how_long_to_wait() -> None:
    _, _, clock, throttle = tried(ProviderError("rate-limit", "x", 7.0), said("a"))
    assert clock.slept == [7.0]
    assert throttle.most == MODEL.concurrency // 2


def test_a_server_that_wants_an_hour_is_not_waited_for() -> None:
    with pytest.raises(ProviderError):
        tried(ProviderError("rate-limit", "x", 3600.0))


def test_a_server_that_takes_no_schema_is_asked_without() -> None:
    _, provider, clock, throttle = tried(
        FormRefusedError("json_schema", "no"), FormRefusedError("json_object", "no"), said("a")
    )
    assert [asked.form for asked in provider.asked] == ["json_schema", "json_object", "text"]
    assert clock.slept == []
    assert throttle.form == "text"


def test_a_server_that_takes_no_form_at_all_has_refused_the_request() -> None:
    forms = ("json_schema", "json_object", "text")
    with pytest.raises(FormRefusedError):
        tried(*(FormRefusedError(form, "no") for form in forms))


def test_a_second_try_may_be_too_dear() -> None:
    with pytest.raises(OutOfBudgetError):
        tried(ProviderError("server", "x"), limits=Limits(max_calls=1))


def test_after_a_failure_elsewhere_nothing_is_tried_again() -> None:
    provider, throttle = (
        Provider(script(ProviderError("server", "x"))),
        Throttle(MODEL, StillClock()),
    )
    throttle.stop()
    with pytest.raises(ProviderError):
        complete(provider, Asked(MODEL, REQUEST, ""), throttle, Budget(), EXPECTED)


def test_calls_come_back_one_by_one_after_a_rate_limit() -> None:
    throttle = Throttle(MODEL, StillClock())
    throttle.limited(1.0)
    assert throttle.most == 4
    for _ in range(8):
        throttle.answered()
    assert throttle.most == 5
    for _ in range(500):
        throttle.answered()
    assert throttle.most == MODEL.concurrency
