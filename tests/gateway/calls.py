"""A call log and a provider in memory, for tests of what stands between them."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from memcli.core.calls import Call, CallReply, CallRequest, CallStatus
from memcli.gateway.chat import Asked, ProviderError
from memcli.gateway.settings import Models, ModelSettings, Price
from memcli.gateway.trying import Clock
from memcli.tasks._forms import Typed

MODEL = ModelSettings("test/model", backoff=1.0, retries=2)


def models(settings: ModelSettings = MODEL, **own: ModelSettings) -> Models:
    return Models(settings, own)


class Word(Typed):
    word: str


@dataclass(frozen=True)
class Say:
    """A task: say `word` back. Any other word does not fit."""

    word: str

    name: ClassVar[str] = "Say"
    version: ClassVar[int] = 1
    setting: ClassVar[str] = "facts"

    def messages(self) -> list[dict[str, str]]:
        return [{"role": "user", "content": f"say {self.word}"}]

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}

    def parse(self, reply: Any) -> Word:
        if reply != {"word": self.word}:
            raise ValueError(f"the word is not {self.word}")
        return Word(word=self.word)

    def sources(self) -> tuple[str, ...]:
        return ("r1",)

    def guess(self) -> Word:
        return Word(word=self.word)


def said(word: str, **fields: Any) -> CallReply:
    return CallReply(f'{{"word": "{word}"}}', "stop", "test", 10, 5, 0.5, **fields)


class Log:
    """Implements ports.CallLog."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.sources: dict[int, tuple[str, ...]] = {}

    def recorded(self, key: str) -> Sequence[Call]:
        return [call for call in reversed(self.calls) if call.key == key]

    def candidates(self, task: str) -> Sequence[Call]:
        return [call for call in reversed(self.calls) if call.request.task == task]

    def record(
        self, request: CallRequest, reply: CallReply, status: CallStatus, sources: Sequence[str]
    ) -> Call:
        assert threading.current_thread() is threading.main_thread()
        call = Call(len(self.calls) + 1, request, reply, status, "2026-01-01T00:00:00Z")
        self.calls.append(call)
        self.sources[call.id] = tuple(sources)
        return call

    def link(self, call: Call, sources: Sequence[str]) -> None:
        self.sources[call.id] = (*self.sources[call.id], *sources)

    def spend(self, calls: Sequence[int]) -> None:
        self.calls = [
            Call(c.id, c.request, c.reply, "spent", c.at) if c.id in calls else c
            for c in self.calls
        ]

    @property
    def statuses(self) -> list[str]:
        return [call.status for call in self.calls]


class Provider:
    """Implements chat.Chat: what `answer` gives for the last message, or raises."""

    def __init__(
        self, answer: Callable[[str], CallReply | Exception], *, price: Price | None = None
    ) -> None:
        self.asked: list[Asked] = []
        self.prepared: list[str] = []
        self.refusal: ProviderError | None = None
        self._answer = answer
        self._price = price
        self._lock = threading.Lock()

    def prepare(self, settings: ModelSettings) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.prepared.append(settings.name)

    def complete(self, asked: Asked) -> CallReply:
        with self._lock:
            self.asked.append(asked)
            reply = self._answer(asked.request.messages[-1]["content"])
        if isinstance(reply, Exception):
            raise reply
        return reply

    def price(self, settings: ModelSettings) -> Price | None:
        return self._price

    def close(self) -> None:
        pass


def script(*replies: CallReply | Exception) -> Callable[[str], CallReply | Exception]:
    """These replies in order, whatever is asked."""
    left = list(replies)

    def answer(_: str) -> CallReply | Exception:
        assert left, "no reply left"
        return left.pop(0)

    return answer


def echo(message: str) -> CallReply:
    """The word asked for."""
    return said(message.split()[-1])


class StillClock(Clock):
    """A clock on which sleeping takes no time; `slept` has the pauses."""

    def __init__(self) -> None:
        super().__init__(now=lambda: self.time, sleep=self._sleep)
        self.time = 0.0
        self.slept: list[float] = []

    def _sleep(self, seconds: float, stop: threading.Event) -> None:
        self.slept.append(seconds)
        self.time += seconds
