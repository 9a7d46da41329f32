"""Calls under way: several at a time, in threads, each recorded by the main one as it lands."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memcli.core.calls import CallReply
from memcli.errors import MemError
from memcli.gateway.asking import Asking
from memcli.gateway.budget import Budget, Expected, Reserved
from memcli.gateway.chat import Asked, Chat, ProviderError
from memcli.gateway.trying import Throttle, tried

# Seconds that an interrupted run waits for answers under way, which are paid for; a second
# interrupt leaves at once.
PATIENCE = 15.0


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
        self._flying = 0

    def run(self, waiting: Sequence[Asking]) -> None:
        """Ask all of them. Raises the first failure, after everything under way has landed."""
        ready = list(waiting)
        failure: MemError | None = None
        try:
            while self._flying or (ready and failure is None):
                if failure is None:
                    self._start(ready)
                if not self._flying:
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
        while ready and self._flying < self._throttle(ready[0]).most:
            flight = self._admitted(ready[0])
            if flight is None and not ready[0].done:
                return  # those that fly may leave room in the budget
            ready.pop(0)
            if flight is not None:
                self._flying += 1
                # A daemon: an interrupted run does not wait for a server for ever.
                threading.Thread(target=self._fly, args=(flight,), daemon=True).start()

    def _admitted(self, asking: Asking) -> Flight | None:
        """The flight of an asking, if the budget has room for the longest reply; or, flying alone,
        for a reply of the usual length, held to what is left."""
        expected = self._expected(asking)
        reserved = self._budget.reserve(expected)
        if reserved is not None:
            return Flight(asking, reserved)
        if self._flying:
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
                lambda: self._chat.complete(
                    Asked(asking.settings, asking.request, throttle.form, flight.cap)
                ),
                throttle,
                lambda error: self._budget.again(flight.reserved, may_cost=_may_cost(error)),
            )
        except BaseException as error:  # noqa: BLE001 (raised again where the pass is run)
            flight.error = error
        self._landed.put(flight)

    def _next(self, timeout: float | None = None) -> Flight:
        flight = self._landed.get(timeout=timeout)
        self._flying -= 1
        return flight

    def _take(self, flight: Flight) -> None:
        if not flight.settled:
            flight.settled = True
            self._budget.settle(flight.reserved, flight.reply, may_cost=_may_cost(flight.error))
        try:
            self._land(flight)
        except KeyboardInterrupt:
            self._flying += 1
            self._landed.put(flight)  # it was perhaps not recorded yet
            raise

    def _stop(self, askings: Sequence[Asking]) -> None:
        for asking in askings:
            self._throttle(asking).stop()

    def _rescue(self, *, patient: bool) -> None:
        """Keep the answers that have arrived, and if `patient` those that soon do."""
        until = time.monotonic() + (PATIENCE if patient else 0)
        with contextlib.suppress(queue.Empty, KeyboardInterrupt):
            while self._flying:
                flight = self._next(max(0.0, until - time.monotonic()) or 0.001)
                with contextlib.suppress(Exception):
                    self._take(flight)


def _may_cost(error: BaseException | None) -> bool:
    """Whether a try without an answer may be billed: the provider was perhaps at work on it."""
    return isinstance(error, ProviderError) and error.kind in ("timeout", "connection")
