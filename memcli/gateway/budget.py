"""A budget: it stops before the call that would cross it, and says what was used."""

import threading
from dataclasses import dataclass

from memcli.core.calls import CallReply
from memcli.core.journal import Usage
from memcli.gateway.settings import Limits, Price

_MESSAGE_TOKENS = 8  # what a chat message costs beside its text
_BYTES_A_TOKEN = 3  # of UTF-8: English has four or more, so this is on the safe side


def estimated_tokens(*texts: str) -> int:
    """How many tokens texts may come to, on the safe side; no tokenizer is asked (C5)."""
    return sum(-(-len(text.encode()) // _BYTES_A_TOKEN) + _MESSAGE_TOKENS for text in texts)


@dataclass(frozen=True)
class Expected:
    """What a call is expected to use. `price` None: unknown."""

    tokens_in: int
    tokens_out: int
    price: Price | None

    @property
    def usd(self) -> float:
        """Dollars; 0 if the price is not known."""
        return cost_of(self.price, self.tokens_in, self.tokens_out) or 0.0


def cost_of(price: Price | None, tokens_in: int | None, tokens_out: int | None) -> float | None:
    """Dollars, or None if the price or the tokens are not known."""
    if price is None or tokens_in is None or tokens_out is None:
        return None
    return (price.input * tokens_in + price.output * tokens_out) / 1_000_000


class Budget:
    """Counts what a pass uses, over all its threads. A call is reserved before it is made."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self.stopped: str | None = None  # what stopped it, in words
        self._lock = threading.Lock()
        self._flying: list[Expected] = []
        self._calls = self._failed = self._recorded = 0
        self._tokens_in = self._tokens_out = 0
        self._usd: float | None = 0.0
        self._unknown_tokens = 0
        # For the limits, with estimates where the provider tells nothing.
        self._counted, self._counted_usd = 0, 0.0

    def reserve(self, expected: Expected) -> bool:
        """Whether one more call fits beside those that are running; if so it is reserved."""
        with self._lock:
            self.stopped = self._crossed(expected)
            if self.stopped is None:
                self._flying.append(expected)
                self._calls += 1
            return self.stopped is None

    def again(self, expected: Expected) -> bool:
        """Whether a running call may be tried once more: the try before it failed."""
        with self._lock:
            limit = self.limits.max_calls
            if limit is not None and self._calls >= limit:
                self.stopped = f"max-calls {limit}"
                return False
            self._failed += 1
            self._calls += 1
            return True

    def settle(self, expected: Expected, reply: CallReply | None) -> None:
        """A running call has ended: with this reply, or in failure."""
        with self._lock:
            self._flying.remove(expected)
            if reply is None:
                self._failed += 1
                return
            told = reply.tokens_in is not None and reply.tokens_out is not None
            self._unknown_tokens += not told
            self._tokens_in += reply.tokens_in or 0
            self._tokens_out += reply.tokens_out or 0
            tokens_in = expected.tokens_in if reply.tokens_in is None else reply.tokens_in
            self._counted += tokens_in + (
                expected.tokens_out if reply.tokens_out is None else reply.tokens_out
            )
            self._counted_usd += expected.usd if reply.cost_usd is None else reply.cost_usd
            known = self._usd is not None and reply.cost_usd is not None
            self._usd = (self._usd or 0.0) + (reply.cost_usd or 0.0) if known else None

    def replayed(self) -> None:
        """A recorded answer was used: it costs nothing."""
        with self._lock:
            self._recorded += 1

    @property
    def flying(self) -> int:
        """How many calls are running."""
        return len(self._flying)

    @property
    def failed(self) -> int:
        """How many calls ended without an answer."""
        return self._failed

    @property
    def unknown_tokens(self) -> int:
        """How many answers came without a count of tokens."""
        return self._unknown_tokens

    def usage(self) -> Usage:
        """What was used so far, failed calls too; the cost is None if any of it is unknown."""
        return Usage(
            calls=self._calls,
            calls_recorded=self._recorded,
            tokens_in=self._tokens_in,
            tokens_out=self._tokens_out,
            cost_usd=self._usd,
        )

    def _crossed(self, more: Expected) -> str | None:
        limits, running = self.limits, [*self._flying, more]
        if limits.max_calls is not None and self._calls + 1 > limits.max_calls:
            return f"max-calls {limits.max_calls}"
        tokens = self._counted + sum(one.tokens_in + one.tokens_out for one in running)
        if limits.max_tokens is not None and tokens > limits.max_tokens:
            return f"max-tokens {limits.max_tokens}"
        usd = self._counted_usd + sum(one.usd for one in running)
        if limits.max_usd is not None and usd > limits.max_usd:
            return f"max-usd {limits.max_usd:g}"
        return None
