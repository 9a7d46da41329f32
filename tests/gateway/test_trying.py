"""One call, tried until it is answered or hopeless."""

from collections.abc import Callable

import pytest

from memcli.core.calls import CallReply, CallRequest
from memcli.gateway import trying
from memcli.gateway.chat import Asked, FormRefusedError, Kind, ProviderError
from memcli.gateway.trying import OutOfBudgetError, Throttle
from tests.gateway.calls import MODEL, Provider, StillClock, said, script

REQUEST = CallRequest("Say", 1, MODEL.name, ({"role": "user", "content": "x"},), {}, {})


def tried(
    *replies: CallReply | Exception, may: Callable[[ProviderError], bool] = lambda _: True
) -> tuple[CallReply, Provider, StillClock, Throttle]:
    provider, clock = Provider(script(*replies)), StillClock()
    throttle = Throttle(MODEL, clock)
    reply = trying.tried(
        lambda: provider.complete(Asked(MODEL, REQUEST, throttle.form)), throttle, may
    )
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
    told: list[ProviderError] = []

    def may(error: ProviderError) -> bool:
        told.append(error)
        return False

    with pytest.raises(OutOfBudgetError):
        tried(ProviderError("server", "x"), may=may)
    assert [error.kind for error in told] == ["server"]


def test_after_a_failure_elsewhere_nothing_is_tried_again() -> None:
    throttle = Throttle(MODEL, StillClock())
    throttle.stop()
    provider = Provider(script(ProviderError("server", "x")))
    with pytest.raises(ProviderError):
        trying.tried(lambda: provider.complete(Asked(MODEL, REQUEST, "")), throttle, lambda _: True)


def test_nor_by_one_that_slept_meanwhile() -> None:
    clock = StillClock()
    throttle = Throttle(MODEL, clock)
    clock.sleep = lambda seconds, stop: throttle.stop()
    provider = Provider(script(ProviderError("server", "x"), said("a")))
    with pytest.raises(ProviderError):
        trying.tried(lambda: provider.complete(Asked(MODEL, REQUEST, "")), throttle, lambda _: True)
    assert len(provider.asked) == 1


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
