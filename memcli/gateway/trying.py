"""One call, tried until it is answered or it is clear that it will not be.

Rate limits, timeouts, server errors and broken connections are tried again, after a pause that
doubles and has chance in it; what the provider refuses as such (a key, a request) never is.
"""

import random
import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from memcli.core.values import dataclass, field
from memcli.gateway.chat import FORMS, RETRIED, FormRefusedError, ProviderError

T = TypeVar("T")

LONGEST_PAUSE = 60.0  # seconds; a server that asks for more is not waited for


class OutOfBudgetError(Exception):
    """A second try would cross the budget."""


@dataclass
class Clock:
    """Time, so that tests need not wait. Seconds."""

    now: Callable[[], float] = time.monotonic
    # Sleeps, but for no longer than until the event is set.
    sleep: Callable[[float, threading.Event], object] = lambda seconds, stop: stop.wait(seconds)
    chance: random.Random = field(default_factory=random.Random)


class Pace(Protocol):
    """How calls follow each other: a model's settings, or those of an embedder."""

    @property
    def retries(self) -> int:
        """Tries after the first."""
        ...

    @property
    def backoff(self) -> float:
        """Seconds of the first pause before a second try."""
        ...

    @property
    def concurrency(self) -> int:
        """Calls that run at a time."""
        ...


class Throttle:
    """What all calls to one model share: how many run at a time, when the next may start, which
    form of reply the server takes."""

    def __init__(self, settings: Pace, clock: Clock) -> None:
        self.settings = settings
        self.clock = clock
        self.most = settings.concurrency
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._good = 0
        self._form = 0
        self._stop = threading.Event()

    @property
    def form(self) -> str:
        """The form of reply to ask for: the strictest that was not refused."""
        return FORMS[self._form]

    def refused(self, form: str) -> bool:
        """The server takes no such form; whether there is a laxer one."""
        with self._lock:
            self._form = max(self._form, min(FORMS.index(form) + 1, len(FORMS) - 1))
            return self.form != form

    def limited(self, pause: float) -> None:
        """A rate limit was met: fewer calls at a time, and none before the pause is over."""
        with self._lock:
            self.most = max(1, self.most // 2)
            self._good = 0
            self._not_before = max(self._not_before, self.clock.now() + pause)

    def answered(self) -> None:
        """A call went well: after some more of these there may be one more at a time."""
        with self._lock:
            self._good += 1
            if self._good >= 2 * self.most and self.most < self.settings.concurrency:
                self.most += 1
                self._good = 0

    def wait(self) -> None:
        """Sleep until the next call may start."""
        pause = self._not_before - self.clock.now()
        if pause > 0:
            self.sleep(pause)

    def sleep(self, seconds: float) -> None:
        """Pause, but not beyond `stop`."""
        self.clock.sleep(seconds, self._stop)

    def stop(self) -> None:
        """The pass has failed: nothing is tried again."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        """Whether the pass has failed."""
        return self._stop.is_set()

    def pause(self, nth: int, error: ProviderError) -> float:
        """Seconds before try `nth` + 1: as the server says, else doubled and by chance shorter."""
        if error.retry_after is not None:
            return error.retry_after
        longest: float = min(LONGEST_PAUSE, self.settings.backoff * 2**nth)
        return longest * self.clock.chance.uniform(0.5, 1.0)


def tried(call: Callable[[], T], throttle: Throttle, again: Callable[[ProviderError], bool]) -> T:
    """What `call` comes back with, tried as often as `throttle` allows.

    `again` is told how a try failed, and says whether there is room for one more; where there is
    none, OutOfBudgetError is raised. Raises ProviderError when tries are used up or useless.
    """
    nth = 0
    failed: ProviderError
    while True:
        throttle.wait()
        try:
            reply = call()
        except FormRefusedError as error:
            if not throttle.refused(error.form):
                raise
            failed = error
        except ProviderError as error:
            error.tries = nth + 1
            if error.kind not in RETRIED or nth >= throttle.settings.retries or throttle.stopped:
                raise
            pause = throttle.pause(nth, error)
            if pause > LONGEST_PAUSE:
                raise
            if error.kind == "rate-limit":
                throttle.limited(pause)
            else:
                throttle.sleep(pause)
            if throttle.stopped:  # while it slept
                raise
            failed = error
            nth += 1
        else:
            throttle.answered()
            return reply
        if not again(failed):
            raise OutOfBudgetError
