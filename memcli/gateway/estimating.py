"""The backend that asks nothing: it counts what a pass would ask (`--estimate`).

A recorded answer is used as it is; elsewhere a task's own guess stands in, so that the strategy
goes on to what it would ask next. Nothing that comes of it may be stored.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from memcli.core.reports import EstimatedTask
from memcli.core.values import dataclass
from memcli.gateway.asking import Asking
from memcli.gateway.budget import cost_of, estimated_tokens
from memcli.gateway.extractive import Extractive
from memcli.gateway.model import Calls, expected_reply
from memcli.gateway.settings import RULES, Models
from memcli.ports import CallLog, Failed, Pending, Task


@dataclass
class _Count:
    calls: int = 0
    recorded: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


class Estimating:
    """Answers by recordings and guesses, and counts calls and tokens by task and model."""

    def __init__(self, models: Models, log: CallLog, *, calls: Calls = "reuse") -> None:
        self.name = models.name or RULES
        self._models = models
        self._log = log
        self._calls = calls
        self._rules = Extractive()
        self._counts: dict[tuple[str, str], _Count] = {}
        self._seen: Counter[str] = Counter()

    def answer(self, tasks: Sequence[Task[Any]]) -> list[Any | Pending | Failed]:
        """A recorded answer, or a guess, to each task."""
        return [self._one(task) for task in tasks]

    def made_by(self, setting: str) -> str:
        """Who would answer the tasks of a setting."""
        return self._models.made_by(setting)

    def found(self) -> tuple[EstimatedTask, ...]:
        """What was counted. The cost is None where the price is not in `mem.toml`."""
        return tuple(
            EstimatedTask(
                task=task,
                model=model,
                calls=count.calls,
                calls_recorded=count.recorded,
                tokens_in=count.tokens_in,
                tokens_out=count.tokens_out,
                cost_usd=cost_of(self._models.prices.get(model), count.tokens_in, count.tokens_out)
                if count.calls
                else 0.0,
            )
            for (task, model), count in sorted(self._counts.items())
        )

    def _one(self, task: Task[Any]) -> Any | Pending | Failed:
        settings = self._models.of(task.setting)
        if settings is None:
            return self._rules.answer([task])[0]
        count = self._counts.setdefault((task.name, settings.name), _Count())
        asking = Asking(task, settings)
        first = asking.request
        if self._calls != "fresh":
            while not asking.done and asking.replay(
                self._log.recorded(asking.request.key),
                use_spent=lambda call: self._calls == "none",
            ):
                count.recorded += 1
        if asking.done:
            return asking.answer
        if not self._seen[first.key]:
            count.calls += 1
            count.tokens_in += estimated_tokens(
                *(message["content"] for message in asking.request.messages)
            )
            count.tokens_out += expected_reply(task)
        self._seen[first.key] += 1
        return task.guess()
