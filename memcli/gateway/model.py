"""The backend of models: recorded answers first, then the budget, then the provider (C5, C6, C32)."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from memcli.core.calls import Call, CallReply
from memcli.core.journal import Usage
from memcli.errors import UsageError
from memcli.gateway.asking import Asking
from memcli.gateway.budget import Budget, Expected, estimated_tokens
from memcli.gateway.chat import Chat, ProviderError
from memcli.gateway.extractive import Extractive
from memcli.gateway.failures import gateway_error
from memcli.gateway.flights import Flight, Flights
from memcli.gateway.misses import missed
from memcli.gateway.parameters import reply_limit
from memcli.gateway.replies import is_cut
from memcli.gateway.settings import RULES, Limits, Models, ModelSettings
from memcli.gateway.trying import Clock, OutOfBudgetError, Throttle
from memcli.ports import CallLog, Failed, Pending, Task, TooLong, Unasked

# A prompt of fewer tokens is not too long for any model: then something else is wrong with the
# request, such as a max_tokens that leaves it no room.
_SHORT = 1000
_CONSTANT = 10  # that many equal answers are suspicious (C13)
Calls = Literal["reuse", "fresh", "none"]


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
        self._cut = 0  # replies that were as long as they may be
        self._stopped: str | None = None  # why a budget left something unasked
        self._said: dict[str, list[str]] = {}  # accepted replies by task

    # --- Backend --------------------------------------------------------------------------------

    def answer(self, tasks: Sequence[Task[Any]]) -> list[Any | Pending | Failed]:
        """The typed answer to each task. Raises GatewayError where the provider fails (C6)."""
        askings: list[Asking | None] = []
        for task in tasks:
            settings = self._models.of(task.setting)
            askings.append(None if settings is None else Asking(task, settings))
        first: dict[str, Asking] = {}
        twins: list[Asking] = []  # equal requests are asked once, and each reads the answer itself
        for asking in filter(None, askings):
            if first.setdefault(asking.request.key, asking) is not asking:
                twins.append(asking)
        leaders = {twin: first[twin.request.key] for twin in twins}
        self._work(list(first.values()))
        for twin, leader in leaders.items():
            self._replay(twin, counted=False)
            if not twin.done:  # nothing came that could be read
                twin.follow(leader)
        return [
            self._rules.answer([task])[0] if asking is None else asking.answer
            for task, asking in zip(tasks, askings, strict=True)
        ]

    def made_by(self, setting: str) -> str:
        """Who answers the tasks of a setting."""
        return self._models.made_by(setting)

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
        if self._cut:
            found.append(
                f"{self._cut} replies were cut off at their maximum length:"
                " raise max_tokens in [model] of mem.toml"
            )
        if self._stopped is not None:
            found.append(f"stopped by the {self._stopped}; the rest was not asked")
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
        if self._stopped is None:
            self._log.spend(sorted(self._refused))

    # --- within ---------------------------------------------------------------------------------

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

    def _replay(self, asking: Asking, *, counted: bool = True) -> None:
        """Go on by recordings as far as they reach."""
        while not asking.done:
            recorded = self._log.recorded(asking.request.key)
            if self._calls == "fresh":
                recorded = [call for call in recorded if call.id in self._mine]
            call = asking.replay(recorded, use_spent=lambda call: self._usable(asking, call))
            if call is None:
                return
            self._tally(asking.task.name, call)
            if self._linking:
                self._log.link(call, asking.task.sources())
            self._refused.update(asking.refused)
            if counted:
                self.budget.replayed()

    def _usable(self, asking: Asking, call: Call) -> bool:
        """Whether a spent answer stands in: where nothing is asked, or if its repair fitted, for
        then it is a part of an answer that was paid for."""
        if self._calls == "none":
            return True
        key = asking.repair_key(call)
        repairs = [] if key is None else self._log.recorded(key)
        return any(repair.status == "accepted" for repair in repairs)

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
                    f"The price of {settings.name} is not known, so max_usd cannot hold.",
                    where="max_usd (--max-usd, or [budget] of mem.toml)",
                    hint=f'say it in mem.toml: [prices."{settings.name}"] input = ..., output = ...',
                )
            self._throttles[_place(settings)] = Throttle(settings, self._clock)

    def _ask(self, waiting: Sequence[Asking]) -> None:
        assert self._chat is not None
        Flights(
            self._chat,
            self.budget,
            self._throttle,
            expected=self._expected,
            land=self._land,
            go_on=self._replay,
        ).run(waiting)
        left = [asking for asking in waiting if isinstance(asking.answer, Unasked)]
        if left and self._stopped is None:
            self._stopped = str(left[0].answer.reason)

    def _throttle(self, asking: Asking) -> Throttle:
        return self._throttles[_place(asking.settings)]

    def _land(self, flight: Flight) -> None:
        """Record what came, then use it. Raises MemError where the provider failed."""
        asking = flight.asking
        if flight.reply is not None:
            if flight.cap is not None and is_cut(flight.reply):
                # Not the answer's fault: it is kept to be looked at, and not used.
                self._log.record(asking.request, flight.reply, "spent", asking.task.sources())
                asking.leave("budget: too little was left for a whole reply")
            else:
                self._take(asking, flight.reply)
        elif isinstance(flight.error, OutOfBudgetError):
            asking.leave(f"budget: {self.budget.stopped}")
        elif isinstance(flight.error, ProviderError):
            self._fail(asking, flight.error, flight.reserved.expected.tokens_in)
        else:
            assert flight.error is not None
            raise flight.error
        if self._noted is not None:
            self._noted(self.usage)

    def _fail(self, asking: Asking, error: ProviderError, tokens_in: int) -> None:
        """The failure of one task where it is one; else raises that of the pass."""
        if error.kind == "too-long" and tokens_in >= _SHORT:
            asking.fail(TooLong(f"too long for the model: {error.message}"))
        elif error.kind == "withheld":
            asking.fail(Failed(f"withheld by the provider: {error.message}"))
        else:
            raise gateway_error(error, asking.settings, self.budget) from error

    def _take(self, asking: Asking, reply: CallReply) -> None:
        try:
            answer, problem = asking.read(reply), ""
        except ValueError as error:
            answer, problem = None, str(error)
        status: Literal["accepted", "refused"] = "refused" if problem else "accepted"
        call = self._log.record(asking.request, reply, status, asking.task.sources())
        self._mine.add(call.id)
        self._tally(asking.task.name, call)
        self._cut += is_cut(reply)
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
        longest = reply_limit(asking.request.parameters)
        return Expected(
            estimated_tokens(*texts),
            longest,
            min(longest, expected_reply(asking.task)),
            self._chat.price(asking.settings),
        )


def _place(settings: ModelSettings) -> tuple[str, str | None]:
    return settings.name, settings.api_base


def expected_reply(task: Task[Any]) -> int:
    """Tokens that the answer to a task may come to."""
    guess = task.guess()
    printed = getattr(guess, "model_dump_json", guess.__repr__)()
    return estimated_tokens(printed)
