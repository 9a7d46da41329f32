"""The backend of models: recorded answers first, then the budget, then the provider (C5, C6, C32)."""

import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memcli.core.calls import Call, CallReply
from memcli.core.journal import Usage
from memcli.errors import MemError, UsageError
from memcli.gateway.asking import Asking
from memcli.gateway.budget import Budget, Expected, estimated_tokens
from memcli.gateway.chat import OF_ONE_TASK, Asked, Chat, ProviderError
from memcli.gateway.extractive import Extractive
from memcli.gateway.failures import gateway_error
from memcli.gateway.misses import missed
from memcli.gateway.settings import RULES, Limits, Models, ModelSettings
from memcli.gateway.trying import Clock, OutOfBudgetError, Throttle, complete
from memcli.ports import CallLog, Failed, Pending, Task

_CONSTANT = 10  # that many equal answers are suspicious (C13)
Calls = Literal["reuse", "fresh", "none"]


@dataclass
class _Flight:
    """A call under way, and what came of it."""

    asking: Asking
    expected: Expected
    reply: CallReply | None = None
    error: BaseException | None = None
    settled: bool = False


class ModelBackend:
    """Answers tasks by the models that `models` names; those without one by rules.

    `chat` makes the way to the provider when the first call needs it: a run that is answered by
    recordings never does. Each answer is recorded in `log` before it is used.
    """

    def __init__(
        self,
        models: Models,
        log: CallLog,
        chat: Callable[[], Chat],
        *,
        calls: Calls = "reuse",
        limits: Limits = Limits(),
        linking: bool = True,
        clock: Clock | None = None,
        noted: Callable[[Usage], None] | None = None,
    ) -> None:
        self.name = models.name or RULES
        self.budget = Budget(limits)
        self._models = models
        self._log = log
        self._make_chat = chat
        self._chat: Chat | None = None
        self._calls = calls
        self._linking = linking
        self._clock = clock or Clock()
        self._noted = noted
        self._rules = Extractive()
        self._throttles: dict[tuple[str, str | None], Throttle] = {}
        self._mine: set[int] = set()  # calls recorded by this run
        self._refused: set[int] = set()
        self._said: dict[str, list[str]] = {}  # accepted replies by task

    # --- Backend --------------------------------------------------------------------------------

    def answer(self, tasks: Sequence[Task[Any]]) -> list[Any | Pending | Failed]:
        """The typed answer to each task. Raises GatewayError where the provider fails (C6)."""
        askings: list[Asking | None] = []
        for task in tasks:
            settings = self._settings(task)
            askings.append(None if settings is None else Asking(task, settings))
        first: dict[str, Asking] = {}  # equal requests are asked once
        for asking in askings:
            if asking is not None:
                first.setdefault(asking.request.key, asking)
        keys = [None if asking is None else asking.request.key for asking in askings]
        self._work(list(first.values()))
        return [
            self._rules.answer([task])[0] if key is None else first[key].answer
            for task, key in zip(tasks, keys, strict=True)
        ]

    def made_by(self, setting: str) -> str:
        """Who answers the tasks of a setting."""
        settings = self._models.of(setting)
        return RULES if settings is None or settings.name == RULES else settings.name

    @property
    def usage(self) -> Usage:
        """What this run used so far."""
        return self.budget.usage()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What there is to say beside the answers."""
        found = []
        for task, replies in sorted(self._said.items()):
            if len(replies) >= _CONSTANT and len(set(replies)) == 1:
                found.append(f"constant-answers: {len(replies)} answers to {task} are all equal")
        if self.budget.stopped is not None:
            found.append(f"stopped by the budget ({self.budget.stopped}): the rest was not asked")
        if self.budget.failed:
            found.append(f"{self.budget.failed} calls failed and were made again, or given up")
        if self.budget.unknown_tokens:
            found.append(f"{self.budget.unknown_tokens} answers came without a count of tokens")
        return tuple(found)

    def close(self) -> None:
        """Close connections to providers."""
        if self._chat is not None:
            self._chat.close()

    def finish(self) -> None:
        """The pass has ended: answers that were refused are not used again, unless a budget
        stopped it, for then its rerun goes on where it was left."""
        if self.budget.stopped is None:
            self._log.spend(sorted(self._refused))

    # --- within ---------------------------------------------------------------------------------

    def _settings(self, task: Task[Any]) -> ModelSettings | None:
        settings = self._models.of(task.setting)
        return None if settings is None or settings.name == RULES else settings

    def _work(self, askings: Sequence[Asking]) -> None:
        for asking in askings:
            self._replay(asking)
        waiting = [asking for asking in askings if not asking.done]
        if not waiting:
            return
        if self._calls == "none":
            request = waiting[0].request
            raise missed(request, self._log.candidates(request.task), len(waiting))
        self._prepare(waiting)
        self._ask(waiting)

    def _replay(self, asking: Asking) -> None:
        """Go on by recordings as far as they reach."""
        while not asking.done:
            recorded = self._log.recorded(asking.request.key)
            if self._calls == "fresh":
                recorded = [call for call in recorded if call.id in self._mine]
            call = asking.replay(recorded, also_spent=self._calls == "none")
            if call is None:
                return
            self._tally(asking.task.name, call)
            if self._linking:
                self._log.link(call, asking.task.sources())
            self._refused.update(asking.refused)
            self.budget.replayed()

    def _prepare(self, waiting: Sequence[Asking]) -> None:
        """What has to be known before the first call: keys, and prices where dollars count."""
        if self._chat is None:
            self._chat = self._make_chat()
        for asking in waiting:
            settings = asking.settings
            if _place(settings) in self._throttles:
                continue
            try:
                self._chat.prepare(settings)
            except ProviderError as error:
                raise gateway_error(error, settings, self.budget) from error
            limit = self.budget.limits.max_usd
            if limit is not None and self._chat.price(settings) is None:
                raise UsageError(
                    f"The price of {settings.name} is not known, so --max-usd cannot hold.",
                    where="--max-usd",
                    hint=f'say it in mem.toml: [prices."{settings.name}"] input = ..., output = ...',
                )
            self._throttles[_place(settings)] = Throttle(settings, self._clock)

    def _ask(self, waiting: Sequence[Asking]) -> None:
        """Ask until all are done, several at a time; answers are recorded as they arrive."""
        ready = list(waiting)
        failure: MemError | None = None
        landed: queue.SimpleQueue[_Flight] = queue.SimpleQueue()
        flying = 0
        try:
            while flying or (ready and failure is None):
                while ready and failure is None and flying < self._throttle(ready[0]).most:
                    flight = self._start(ready[0], landed, alone=not flying)
                    if flight is None and not ready[0].done:
                        break  # those that fly may leave room in the budget
                    flying += flight is not None
                    ready.pop(0)
                if not flying:
                    continue
                flight = landed.get()
                flying -= 1
                try:
                    self._land(flight)
                except KeyboardInterrupt:
                    landed.put(flight)  # it was perhaps not recorded yet
                    raise
                except MemError as error:
                    failure = failure or error
                    for throttle in self._throttles.values():
                        throttle.stop()
                if not flight.asking.done and failure is None:
                    self._replay(flight.asking)
                if not flight.asking.done:
                    ready.insert(0, flight.asking)
        except BaseException:  # interrupted: what has arrived is kept all the same
            while not landed.empty():
                with contextlib.suppress(Exception):
                    self._land(landed.get_nowait())
            raise
        if failure is not None:
            raise failure

    def _throttle(self, asking: Asking) -> Throttle:
        return self._throttles[_place(asking.settings)]

    def _start(
        self, asking: Asking, landed: "queue.SimpleQueue[_Flight]", *, alone: bool
    ) -> _Flight | None:
        """Send a call off in a thread; None if the budget has no room for it (and then, with no
        other under way, the asking is left)."""
        flight = _Flight(asking, self._expected(asking))
        if not self.budget.reserve(flight.expected):
            if alone:
                asking.leave(f"budget: {self.budget.stopped}")
            return None
        # A daemon: an interrupted run does not wait for a server.
        threading.Thread(target=self._fly, args=(flight, landed), daemon=True).start()
        return flight

    def _fly(self, flight: _Flight, landed: "queue.SimpleQueue[_Flight]") -> None:
        asking, chat = flight.asking, self._chat
        assert chat is not None
        asked = Asked(asking.settings, asking.request, "")
        try:
            flight.reply = complete(
                chat, asked, self._throttle(asking), self.budget, flight.expected
            )
        except BaseException as error:  # noqa: BLE001 (raised again where the pass is run)
            flight.error = error
        landed.put(flight)

    def _land(self, flight: _Flight) -> None:
        """Record what came, then use it. Raises GatewayError where the provider failed."""
        if not flight.settled:
            flight.settled = True
            self.budget.settle(flight.expected, flight.reply)
        asking = flight.asking
        if flight.reply is not None:
            self._take(asking, flight.reply)
        elif isinstance(flight.error, OutOfBudgetError):
            asking.leave(f"budget: {self.budget.stopped}")
        elif isinstance(flight.error, ProviderError):
            word = OF_ONE_TASK.get(flight.error.kind)
            if word is None:
                raise gateway_error(flight.error, asking.settings, self.budget) from flight.error
            asking.fail(f"{word}: {flight.error.message}")
        else:
            assert flight.error is not None
            raise flight.error
        if self._noted is not None:
            self._noted(self.usage)

    def _take(self, asking: Asking, reply: CallReply) -> None:
        try:
            answer, problem = asking.read(reply), ""
        except ValueError as error:
            answer, problem = None, str(error)
        status: Literal["accepted", "refused"] = "refused" if problem else "accepted"
        call = self._log.record(asking.request, reply, status, asking.task.sources())
        self._mine.add(call.id)
        self._tally(asking.task.name, call)
        if problem:
            asking.refuse(call, problem)
            self._refused.add(call.id)
        else:
            asking.accept(answer)

    def _tally(self, task: str, call: Call) -> None:
        """Count the answers of each task, and how many different ones there were (C13)."""
        if call.status == "accepted":
            self._said.setdefault(task, []).append(call.reply.text.strip())

    def _expected(self, asking: Asking) -> Expected:
        assert self._chat is not None
        texts = [message["content"] for message in asking.request.messages]
        return Expected(
            estimated_tokens(*texts),
            expected_reply(asking.task),
            self._chat.price(asking.settings),
        )


def _place(settings: ModelSettings) -> tuple[str, str | None]:
    return settings.name, settings.api_base


def expected_reply(task: Task[Any]) -> int:
    """Tokens that the answer to a task may come to."""
    guess = task.guess()
    printed = getattr(guess, "model_dump_json", guess.__repr__)()
    return estimated_tokens(printed)
