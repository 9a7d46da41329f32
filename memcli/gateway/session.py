"""The HTTP session of requests to OpenAI-like servers: bounded in time and size, without detours.

A client's timeouts are for each piece that arrives. A server that sends a byte now and then, or
without end, is held to what a call may be: its timeout in all, and a few megabytes. One that sends
us to another address is not followed there: the transcript was not meant for it.
"""

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

MOST_BYTES = 8_000_000  # of a reply: what can be used has a million characters
_NO_LIMIT = 600.0  # seconds, where a request names none


def session() -> Any:
    """An httpx.Client for all threads. Replies are asked for uncompressed, for a small one may
    unpack to anything; one that comes compressed all the same is refused."""
    httpx: Any = importlib.import_module("httpx")
    stream = _bounded(httpx)

    def hold(response: Any) -> None:
        coded = response.headers.get("content-encoding", "identity").lower()
        if coded not in ("", "identity"):
            raise httpx.ReadError(f"a reply packed as {coded}, which was not asked for")
        timeout = response.request.extensions.get("timeout") or {}
        seconds = timeout.get("read") or _NO_LIMIT
        response.stream = stream(response.stream, time.monotonic() + seconds)

    return httpx.Client(
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [hold]},
    )


def _bounded(httpx: Any) -> Callable[[Any, float], Any]:
    """The class of bounded streams; made here, for httpx is imported late."""

    class Bounded(httpx.SyncByteStream):  # type: ignore[misc]
        """A stream that ends with an error once it is too late or too much."""

        def __init__(self, stream: Any, until: float) -> None:
            self._stream = stream
            self._until = until

        def __iter__(self) -> Iterator[bytes]:
            count = 0
            for part in self._stream:
                count += len(part)
                if count > MOST_BYTES:
                    raise httpx.ReadError(f"a reply of more than {MOST_BYTES:,} bytes")
                if time.monotonic() > self._until:
                    raise httpx.ReadTimeout("the reply did not end in time")
                yield part

        def close(self) -> None:
            self._stream.close()

    return Bounded
