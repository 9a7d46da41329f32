"""Calls under way: several at a time, in threads, each recorded by the main one as it lands."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence

from memcli.core.calls import CallReply
from memcli.core.values import dataclass
from memcli.errors import MemError
from memcli.gateway.asking import Asking
from memcli.gateway.budget import Budget, Expected, Reserved
from memcli.gateway.chat import Asked, Chat, ProviderError
from memcli.gateway.trying import Throttle, tried

# Seconds that an interrupted run waits for answers under way, which are paid for; a second
# interrupt leaves at once.
PATIENCE = 15.0
# A try that takes longer than twice its timeout and this many seconds more is given up.
_OVERDUE, _GRACE = 2.0, 5.0
_LOOK = 0.5  # seconds between looks at what is under way


@dataclass
class Flight:
    """A call under way, and what came of it. `cap`: tokens its reply may have, where a budget
    leaves less than the parameters say."""

    asking: Asking
    reserved: Reserved
    cap: int | None = None
    reply: CallReply | None = None
    error: BaseException | None = None
    settled: bool = False
    since: float | None = None  # when the try under way began, by time.monotonic()
    given_up: bool = False


class Flights:
    """Asks until all are done. `land` takes what came and records it, in the calling thread; it
    raises MemError where the provider has failed. `go_on` continues an asking by recordings."""

    def __init__(
        self,
        chat: Chat,
        budget: Budget,
        throttle: Callable[[Asking], Throttle],
        *,
        expected: Callable[[Asking], Expected],
        land: Callable[[Flight], None],
        go_on: Callable[[Asking], None],
    ) -> None:
        self._chat = chat
        self._budget = budget
        self._throttle = throttle
        self._expected = expected
        self._land = land
        self._go_on = go_on
        self._landed: queue.SimpleQueue[Flight] = queue.SimpleQueue()
        self._under_way: list[Flight] = []

    def run(self, waiting: Sequence[Asking]) -> None:
        """Ask all of them. Raises the first failure, after everything under way has landed."""
        ready = list(waiting)
        failure: MemError | None = None
        try:
            while self._under_way or (ready and failure is None):
                if failure is None:
                    self._start(ready)
                if not self._under_way:
                    continue
                flight = self._next()
                try:
                    self._take(flight)
                except MemError as error:
                    failure = failure or error
                    self._stop(waiting)
                if failure is None and not flight.asking.done:
                    self._go_on(flight.asking)
                if not flight.asking.done:
                    ready.insert(0, flight.asking)
        except BaseException as error:
            self._stop(waiting)
            self._rescue(patient=isinstance(error, KeyboardInterrupt))
            raise
        if failure is not None:
            raise failure

    # --- within ---------------------------------------------------------------------------------

    def _start(self, ready: list[Asking]) -> None:
        """Send off what may fly now; what a budget has no room for at all is left."""
        while ready and len(self._under_way) < self._throttle(ready[0]).most:
            flight = self._admitted(ready[0])
            if flight is None and not ready[0].done:
                return  # those that fly may leave room in the budget
            ready.pop(0)
            if flight is not None:
                self._under_way.append(flight)
                # A daemon: an interrupted run does not wait for a server for ever.
                threading.Thread(target=self._fly, args=(flight,), daemon=True).start()

    def _admitted(self, asking: Asking) -> Flight | None:
        """The flight of an asking, if the budget has room for the longest reply; or, flying alone,
        for a reply of the usual length, held to what is left."""
        expected = self._expected(asking)
        reserved = self._budget.reserve(expected)
        if reserved is not None:
            return Flight(asking, reserved)
        if self._under_way:
            return None
        cap = self._budget.room(expected)
        if cap is not None and cap >= expected.usual_out:
            reserved = self._budget.reserve(expected.held_to(cap))
            if reserved is not None:
                return Flight(asking, reserved, cap)
        asking.leave(f"budget: {self._budget.stopped}")
        return None

    def _fly(self, flight: Flight) -> None:
        asking = flight.asking
        throttle = self._throttle(asking)
        try:
            flight.reply = tried(
                lambda: self._once(flight, throttle.form),
                throttle,
                lambda error: self._budget.again(flight.reserved, may_cost=_may_cost(error)),
            )
        except BaseException as error:  # noqa: BLE001 (raised again where the pass is run)
            flight.error = error
        self._landed.put(flight)

    def _once(self, flight: Flight, form: str) -> CallReply:
        asking = flight.asking
        flight.since = time.monotonic()
        try:
            return self._chat.complete(Asked(asking.settings, asking.request, form, flight.cap))
        finally:
            flight.since = None

    def _next(self, patience: float | None = None) -> Flight:
        """The next flight to land, or to be given up: a server may keep a line open for ever that
        no timeout of the library ends. Raises queue.Empty after `patience` seconds."""
        until = None if patience is None else time.monotonic() + patience
        while True:
            with contextlib.suppress(queue.Empty):
                flight = self._landed.get(timeout=_LOOK)
                if not flight.given_up:
                    self._under_way.remove(flight)
                    return flight
            for flight in self._under_way:
                if self._is_lost(flight):
                    flight.given_up = True
                    flight.error = ProviderError("timeout", "it kept the line open")
                    self._under_way.remove(flight)
                    return flight
            if until is not None and time.monotonic() > until:
                raise queue.Empty

    def _is_lost(self, flight: Flight) -> bool:
        since = flight.since
        most = _OVERDUE * flight.asking.settings.timeout + _GRACE
        return since is not None and time.monotonic() - since > most

    def _take(self, flight: Flight) -> None:
        if not flight.settled:
            flight.settled = True
            self._budget.settle(flight.reserved, flight.reply, may_cost=_may_cost(flight.error))
        try:
            self._land(flight)
        except KeyboardInterrupt:
            self._under_way.append(flight)
            self._landed.put(flight)  # it was perhaps not recorded yet
            raise

    def _stop(self, askings: Sequence[Asking]) -> None:
        for asking in askings:
            self._throttle(asking).stop()

    def _rescue(self, *, patient: bool) -> None:
        """Keep the answers that have arrived, and if `patient` those that soon do."""
        until = time.monotonic() + (PATIENCE if patient else 0)
        with contextlib.suppress(queue.Empty, KeyboardInterrupt):
            while self._under_way:
                flight = self._next(max(0.0, until - time.monotonic()))
                with contextlib.suppress(Exception):
                    self._take(flight)


def _may_cost(error: BaseException | None) -> bool:
    """Whether a try without an answer may be billed: the provider was perhaps at work on it."""
    return isinstance(error, ProviderError) and error.kind in ("timeout", "connection")
