"""One task on its way to an answer: request, perhaps one repair (C11), recorded answers first."""

from collections.abc import Callable, Sequence
from typing import Any

from memcli.core.calls import Call, CallReply, CallRequest
from memcli.gateway.replies import answer_in
from memcli.gateway.settings import ModelSettings
from memcli.ports import Failed, Pending, Task, Unasked

_PROBLEM = 400  # characters of what was wrong with it
_QUOTED = 4_000  # characters of a reply that its repair quotes
REPAIR_OF = (
    "That reply cannot be used: {problem}. Send the whole answer once more, corrected: one JSON"
    " object of the form asked for, and nothing else."
)


def request_of(task: Task[Any], settings: ModelSettings) -> CallRequest:
    """The request that asks a task of a model: what the call is filed under."""
    return CallRequest(
        task=task.name,
        version=task.version,
        model=settings.name,
        messages=tuple(dict(message) for message in task.messages()),
        schema=task.schema(),
        parameters=dict(settings.parameters),
    )


def repair_of(request: CallRequest, reply: CallReply, problem: str) -> CallRequest:
    """The same request with the reply that did not fit, and why, on one line: the reply chose some
    of its words."""
    problem = " ".join(problem.split())[:_PROBLEM]
    said = reply.text[:_QUOTED] or "(an empty reply)"
    return CallRequest(
        task=request.task,
        version=request.version,
        model=request.model,
        messages=(
            *request.messages,
            {"role": "assistant", "content": said},
            {"role": "user", "content": REPAIR_OF.format(problem=problem)},
        ),
        schema=request.schema,
        parameters=request.parameters,
    )


class Asking:
    """A task that is being asked. `request` is what to ask next, while `done` is False."""

    def __init__(self, task: Task[Any], settings: ModelSettings) -> None:
        self.task = task
        self.settings = settings
        self.request = request_of(task, settings)
        self.refused: list[int] = []  # numbers of recorded calls that did not fit
        self._repairing = False
        self._answer: Any | Pending | Failed | None = None

    @property
    def done(self) -> bool:
        """Whether there is an answer, or will be none."""
        return self._answer is not None

    @property
    def answer(self) -> Any | Pending | Failed:
        """The answer; raises AssertionError before it is there."""
        assert self._answer is not None
        return self._answer

    def read(self, reply: CallReply) -> Any:
        """The typed answer in a reply; raises ValueError, in one line, if it does not fit."""
        return self.task.parse(answer_in(reply))

    def accept(self, answer: Any) -> None:
        """This is the answer."""
        self._answer = answer

    def refuse(self, call: Call, problem: str) -> None:
        """A reply did not fit: it is asked to be repaired once, then the task has failed."""
        problem = " ".join(problem.split())[:_PROBLEM]
        self.refused.append(call.id)
        if self._repairing:
            self._answer = Failed(problem)
        else:
            self._repairing = True
            self.request = repair_of(self.request, call.reply, problem)

    def fail(self, failed: Failed) -> None:
        """No reply will come that could be used."""
        self._answer = failed

    def follow(self, other: "Asking") -> None:
        """End as an equal request did that got no answer."""
        self._answer = other.answer

    def leave(self, reason: str) -> None:
        """A budget stopped before it was asked."""
        self._answer = Unasked(reason)

    def replay(self, recorded: Sequence[Call], *, use_spent: Callable[[Call], bool]) -> Call | None:
        """Go on by a recorded answer to `request`; which one, None if there was none to go on by.

        An accepted answer that fits counts first. A refused one stands in while the pass that
        asked has not ended; after that only if `use_spent` says so.
        """
        for call in recorded:
            if call.status == "accepted":
                try:
                    self.accept(self.read(call.reply))
                except ValueError:
                    continue
                return call
        for call in recorded:
            if call.status == "refused" or (call.status == "spent" and use_spent(call)):
                self.refuse(call, self._problem(call.reply))
                return call
        return None

    def repair_key(self, call: Call) -> str | None:
        """Under which key the repair of a refused answer is filed; None if it was one itself."""
        if self._repairing:
            return None
        return repair_of(self.request, call.reply, self._problem(call.reply)).key

    def _problem(self, reply: CallReply) -> str:
        try:
            self.read(reply)
        except ValueError as error:
            return str(error)
        return "it did not fit when it came"
