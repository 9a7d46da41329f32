"""Requests for vectors: in batches, several at a time, each tried again as calls to models are."""

import math
import queue
import sys
import threading
from collections.abc import Sequence
from typing import Any

from memcli.gateway.chat import ProviderError
from memcli.gateway.embedder_settings import EmbedderSettings
from memcli.gateway.litellm_access import access, close, ready
from memcli.gateway.litellm_failures import failure
from memcli.gateway.litellm_values import count_of, name_of
from memcli.gateway.trying import Clock, Throttle, tried

Vector = Sequence[float]
_DECIMALS = 6  # of a component: what a provider's rounding errors differ in is not kept
_LARGEST = sys.float_info.max


class Requests:
    """The way to one embedding model. `answered` counts requests; `model` is the name under which
    it answered last."""

    def __init__(self, settings: EmbedderSettings, clock: Clock) -> None:
        self.settings = settings
        self.answered = 0
        self.model = ""
        self.tokens: int | None = 0
        self._litellm: Any = None
        self._throttle = Throttle(settings, clock)
        self._dimensions: int | None = None
        self._lock = threading.Lock()

    def expect(self, dimensions: int | None) -> None:
        """From now on vectors of another length are a failure of the server; None: of none."""
        self._dimensions = dimensions

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of unit length for each text, in order; raises ProviderError.

        No text may be empty. A vector is zero where the model's is.
        """
        size = self.settings.batch
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        if not batches:
            return []
        self._prepare()
        found: list[Vector] = []
        while batches:
            # The first alone: a bad key is refused once, and of several threads that find no
            # connection each would make one, of which litellm keeps the last.
            wave = batches[: self._throttle.most if self.answered else 1]
            for part in self._together(wave):
                found += part
            batches = batches[len(wave) :]
        lengths = sorted({len(vector) for vector in found})
        if len(lengths) > 1:
            raise ProviderError("server", f"it sent vectors of {lengths} dimensions")
        return found

    def close(self) -> None:
        """Close connections."""
        close(self._litellm)

    def _prepare(self) -> None:
        """Load litellm, and see that there is a provider and a key, before anything is sent."""
        if self._litellm is None:
            self._litellm = ready(self.settings)

    def _together(self, batches: Sequence[Sequence[str]]) -> list[list[Vector]]:
        """The vectors of each batch, all asked for at once; raises the first failure."""
        if len(batches) == 1:
            return [self._tried(batches[0])]
        landed: queue.SimpleQueue[tuple[int, list[Vector] | BaseException]] = queue.SimpleQueue()

        def fly(nth: int) -> None:
            try:
                landed.put((nth, self._tried(batches[nth])))
            except BaseException as error:  # noqa: BLE001 (raised again below)
                landed.put((nth, error))

        for nth in range(len(batches)):
            # A daemon: an interrupted run does not wait for a server.
            threading.Thread(target=fly, args=(nth,), daemon=True).start()
        came: dict[int, list[Vector]] = {}
        first: BaseException | None = None
        for _ in batches:
            nth, result = landed.get()
            if isinstance(result, BaseException):
                first = first or result
                self._throttle.stop()
            else:
                came[nth] = result
        if first is not None:
            raise first
        return [came[nth] for nth in range(len(batches))]

    def _tried(self, texts: Sequence[str]) -> list[Vector]:
        return tried(lambda: self._once(texts), self._throttle, lambda _: True)

    def _once(self, texts: Sequence[str]) -> list[Vector]:
        settings = self.settings
        reached = access(settings.api_base, settings.api_key_env)
        try:
            response = self._litellm.embedding(
                model=settings.name,
                input=list(texts),
                timeout=settings.timeout,
                num_retries=0,
                max_retries=0,
                **reached,
            )
        except Exception as error:
            raise failure(error, "", *_key(reached)) from error
        vectors = in_order(getattr(response, "data", None), len(texts))
        made = [unit(vector) for vector in vectors]
        if self._dimensions is not None and any(len(one) != self._dimensions for one in made):
            raise ProviderError(
                "server", f"it sent vectors of {len(made[0])} dimensions, not {self._dimensions}"
            )
        self._count(response)
        return made

    def _count(self, response: Any) -> None:
        # litellm fills in zero where nothing was told.
        told = count_of(getattr(getattr(response, "usage", None), "prompt_tokens", None)) or None
        with self._lock:
            self.answered += 1
            self.model = name_of(getattr(response, "model", None))
            self.tokens = None if told is None or self.tokens is None else self.tokens + told


def _key(reached: dict[str, str]) -> tuple[str, ...]:
    return (reached["api_key"],) if "api_key" in reached else ()


def in_order(data: Any, count: int) -> list[Sequence[float]]:
    """The vectors of an answer in the order of the texts; raises ProviderError if any is missing.

    Their `index` says which is which. One provider's count from 1, others leave it out: then the
    order counts.
    """
    items = list(data) if isinstance(data, list | tuple) else []
    if len(items) != count:
        raise ProviderError("server", f"it sent {len(items)} vectors for {count} texts")
    places = [_field(item, "index") for item in items]
    if any(place is not None for place in places):
        if not all(type(place) is int for place in places):
            raise ProviderError("server", "it does not say which vector is which")
        least = min(places)
        if least not in (0, 1) or sorted(places) != list(range(least, least + count)):
            raise ProviderError("server", f"it numbers {count} vectors as {sorted(places)[:5]}")
        items = [item for _, item in sorted(zip(places, items, strict=True), key=_first)]
    return [_numbers(_field(item, "embedding")) for item in items]


def _first(pair: tuple[int, Any]) -> int:
    return pair[0]


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def _numbers(value: Any) -> Sequence[float]:
    if not isinstance(value, list | tuple) or not value:
        raise ProviderError("server", "it sent something else than vectors")
    for one in value:
        number = isinstance(one, int | float) and not isinstance(one, bool)
        # Compared as it is: a whole number may be larger than any float. NaN is in no range.
        if not number or not -_LARGEST <= one <= _LARGEST:
            raise ProviderError("server", "it sent a vector with something else than numbers")
    return value


def unit(vector: Sequence[float]) -> Vector:
    """The vector with length 1, so that no component is beyond -1..1; zero stays zero."""
    length = math.hypot(*vector)
    if not length:
        return (0.0,) * len(vector)
    if not math.isfinite(length):  # numbers that large: their squares do not fit
        greatest = max(map(abs, vector))
        return unit([one / greatest for one in vector])
    return tuple(round(one / length, _DECIMALS) for one in vector)
