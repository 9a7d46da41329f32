"""A budget: it stops before the call that could cross it, and says what was used (C5)."""

import threading
from math import ceil

from memcli.core.calls import CallReply
from memcli.core.journal import Usage
from memcli.core.values import dataclass, replace
from memcli.gateway.settings import Limits, Price

_MESSAGE_TOKENS = 8  # what a chat message costs beside its text
# Of UTF-8. Prose has four and more; prompts full of JSON had 2.7 with a small model's tokenizer.
_BYTES_A_TOKEN = 2.5


def estimated_tokens(*texts: str) -> int:
    """How many tokens texts may come to, on the safe side; no tokenizer is asked."""
    return sum(ceil(len(text.encode()) / _BYTES_A_TOKEN) + _MESSAGE_TOKENS for text in texts)


def cost_of(price: Price | None, tokens_in: int | None, tokens_out: int | None) -> float | None:
    """Dollars, or None if the price or the tokens are not known."""
    if price is None or tokens_in is None or tokens_out is None:
        return None
    return (price.input * tokens_in + price.output * tokens_out) / 1_000_000


@dataclass(frozen=True)
class Expected:
    """What a call may use. `tokens_out`: the longest reply that it may get; `usual_out`: what a
    reply to it usually has. `price` None: unknown."""

    tokens_in: int
    tokens_out: int
    usual_out: int
    price: Price | None

    def held_to(self, tokens_out: int) -> "Expected":
        """The same call with a shorter longest reply."""
        return replace(self, tokens_out=tokens_out)

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out

    @property
    def usd(self) -> float:
        """Dollars; 0 if the price is not known."""
        return cost_of(self.price, self.tokens_in, self.tokens_out) or 0.0


class Reserved:
    """Room that is kept for a call under way."""

    def __init__(self, expected: Expected) -> None:
        self.expected = expected


class Budget:
    """Counts what a pass uses, over all its threads. Room for a call is reserved before it is made.

    For the limits a call under way counts with its longest reply, and a call that perhaps was
    billed without an answer counts in full. `stopped` says what the last refusal was for.
    """

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self.stopped: str | None = None
        self._lock = threading.Lock()
        self._flying: list[Reserved] = []
        self._calls = self._failed = self._recorded = 0
        self._tokens_in = self._tokens_out = 0
        self._usd: float | None = 0.0
        self._unknown_tokens = 0
        # For the limits, with estimates where the provider tells nothing.
        self._counted, self._counted_usd = 0, 0.0

    def reserve(self, expected: Expected) -> Reserved | None:
        """Room for one more call beside those that are under way; None if there is not enough."""
        with self._lock:
            self.stopped = self._crossed(expected)
            if self.stopped is not None:
                return None
            reserved = Reserved(expected)
            self._flying.append(reserved)
            self._calls += 1
            return reserved

    def room(self, expected: Expected) -> int | None:
        """How long the reply of a call may be at most, beside what is under way; None: not even
        the prompt fits."""
        with self._lock:
            found = [expected.tokens_out]
            limits = self.limits
            if limits.max_tokens is not None:
                found.append(limits.max_tokens - self._spoken_for() - expected.tokens_in)
            if limits.max_usd is not None and expected.price is not None:
                left = limits.max_usd - self._dollars()
                left -= cost_of(expected.price, expected.tokens_in, 0) or 0.0
                if left < 0:
                    return None
                if expected.price.output > 0:
                    found.append(int(left * 1_000_000 / expected.price.output))
            return min(found) if min(found) > 0 else None

    def again(self, reserved: Reserved, *, may_cost: bool) -> bool:
        """Whether a call may be tried once more: the try before it failed."""
        with self._lock:
            self._count_lost(reserved, may_cost)
            stopped = self._crossed(None)
            if stopped is not None:
                self.stopped = stopped
                return False
            self._failed += 1
            self._calls += 1
            return True

    def settle(
        self, reserved: Reserved, reply: CallReply | None, *, may_cost: bool = False
    ) -> None:
        """A call under way has ended: with this reply, or in failure."""
        with self._lock:
            self._flying.remove(reserved)
            if reply is None:
                self._failed += 1
                self._count_lost(reserved, may_cost)
                return
            expected = reserved.expected
            told = reply.tokens_in is not None and reply.tokens_out is not None
            self._unknown_tokens += not told
            self._tokens_in += reply.tokens_in or 0
            self._tokens_out += reply.tokens_out or 0
            self._counted += expected.tokens_in if reply.tokens_in is None else reply.tokens_in
            self._counted += expected.tokens_out if reply.tokens_out is None else reply.tokens_out
            self._counted_usd += expected.usd if reply.cost_usd is None else reply.cost_usd
            known = self._usd is not None and reply.cost_usd is not None
            self._usd = (self._usd or 0.0) + (reply.cost_usd or 0.0) if known else None

    def replayed(self) -> None:
        """A recorded answer was used: it costs nothing."""
        with self._lock:
            self._recorded += 1

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

    # --- within, under the lock -------------------------------------------------------------------

    def _count_lost(self, reserved: Reserved, may_cost: bool) -> None:
        """A try without an answer that the provider may bill all the same."""
        if not may_cost:
            return
        self._counted += reserved.expected.tokens
        self._counted_usd += reserved.expected.usd
        price = reserved.expected.price
        if price is None or price.input or price.output:
            self._usd = None

    def _spoken_for(self) -> int:
        return self._counted + sum(one.expected.tokens for one in self._flying)

    def _dollars(self) -> float:
        return self._counted_usd + sum(one.expected.usd for one in self._flying)

    def _crossed(self, more: Expected | None) -> str | None:
        """The limit that one more call (None: one that is under way already) would cross."""
        limits = self.limits
        if limits.max_calls is not None and self._calls + 1 > limits.max_calls:
            return f"max-calls {limits.max_calls}"
        tokens = self._spoken_for() + (0 if more is None else more.tokens)
        if limits.max_tokens is not None and tokens > limits.max_tokens:
            return f"max-tokens {limits.max_tokens}"
        usd = self._dollars() + (0.0 if more is None else more.usd)
        if limits.max_usd is not None and usd > limits.max_usd:
            return f"max-usd {limits.max_usd:g}"
        return None
