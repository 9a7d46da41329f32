"""Replies that no honest server sends, through litellm: what they are to us, and that they end."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest

from memcli.core.calls import CallReply, CallRequest
from memcli.gateway.chat import Asked, ProviderError
from memcli.gateway.litellm_chat import LiteLLMChat
from memcli.gateway.litellm_failures import masked
from memcli.gateway.settings import ModelSettings
from tests.loopback import ModelServer, Status

REQUEST = CallRequest(
    "Say", 1, "openai/x", ({"role": "user", "content": "x"},), {}, {"max_tokens": 9}
)
Handler = Callable[[socket.socket], None]


@contextmanager
def raw(handler: Handler) -> Iterator[str]:
    """The address of a server that hands each connection, after its request, to `handler`."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        threads: list[threading.Thread] = []

        def serve(one: socket.socket) -> None:
            with closing(one), suppress(OSError):
                one.recv(65536)
                handler(one)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    one = listening.accept()[0]
                    threads.append(threading.Thread(target=serve, args=(one,)))
                    threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread in threads:
                thread.join()


def asked(handler: Handler) -> CallReply:
    """The reply of one try, with a timeout of a second."""
    with raw(handler) as address:
        chat = LiteLLMChat({})
        settings = ModelSettings("openai/x", api_base=address, timeout=1)
        try:
            chat.prepare(settings)
            return chat.complete(Asked(settings, REQUEST, "json_schema"))
        finally:
            chat.close()


def sends(body: str, status: str = "200 OK", *headers: str) -> Handler:
    data = body.encode()
    head = [f"HTTP/1.1 {status}", "Content-Type: application/json", *headers]
    text = "\r\n".join([*head, f"Content-Length: {len(data)}", "", ""])
    return lambda one: one.sendall(text.encode() + data)


def completion(**changed: Any) -> Handler:
    message = {"role": "assistant", "content": "{}"}
    whole = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    }
    return sends(json.dumps(whole | changed))


def drip(one: socket.socket) -> None:
    """A byte now and then, for longer than anybody waits."""
    one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(100):
        one.sendall(b" ")
        time.sleep(0.1)


def flood(one: socket.socket) -> None:
    """A hundred megabytes."""
    one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
    for _ in range(1000):
        one.sendall(b"x" * 100_000)


FAILURES: dict[str, tuple[Handler, str, str]] = {
    "a byte now and then": (drip, "timeout", "timed out"),
    "a hundred megabytes": (flood, "connection", "more than 8,000,000 bytes"),
    "packed": (sends("{}", "200 OK", "Content-Encoding: gzip"), "connection", "packed as gzip"),
    "sent elsewhere": (
        sends("", "307 Moved", "Location: http://localhost:9/"),
        "request",
        "another address (307)",
    ),
    "422": (sends('{"error": {"message": "no"}}', "422 No"), "request", "422"),
    "an error with 200": (sends('{"error": {"message": "no"}}'), "request", "nothing more"),
    "a choice without a message": (completion(choices=[{}]), "server", "Invalid response object"),
    "no money": (sends('{"error": {"message": "pay"}}', "402 Pay"), "request", "pay"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_is_a_failure(name: str) -> None:
    handler, kind, words = FAILURES[name]
    started = time.monotonic()
    with pytest.raises(ProviderError) as failed:
        asked(handler)
    assert (failed.value.kind, words in failed.value.message) == (kind, True), failed.value.message
    assert "Traceback" not in failed.value.message
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 10**30, "completion_tokens": 2}, (None, 2)),
        ({"prompt_tokens": -1, "completion_tokens": 2}, (None, 2)),
        (None, (None, None)),
    ],
)
def test_what_is_no_count_of_tokens_is_unknown(usage: Any, tokens: Any) -> None:
    reply = asked(completion(usage=usage))
    assert (reply.tokens_in, reply.tokens_out) == tokens
    assert reply.cost_usd is None


def test_names_are_cut_and_can_be_stored() -> None:
    assert asked(completion(model="\ud800")).model == "?"
    assert len(asked(completion(model="x" * 10_000)).model) == 200
    assert asked(completion(model=5)).model == "5"


def test_a_key_that_no_header_takes_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_OWN", "hunter2secret\nX-Evil: yes")
    settings = ModelSettings("openai/x", api_base="http://127.0.0.1:9", api_key_env="MY_OWN")
    with pytest.raises(ProviderError) as failed:
        LiteLLMChat({}).prepare(settings)
    assert (failed.value.kind, "hunter2" in failed.value.message) == ("missing-key", False)
    monkeypatch.setenv("MY_OWN", "hunter2secret\n")
    with ModelServer(Status(401, {"error": {"message": "no key hunter2secret"}})) as server:
        chat = LiteLLMChat({})
        settings = ModelSettings("openai/x", api_base=server.api_base, api_key_env="MY_OWN")
        try:
            chat.prepare(settings)
            with pytest.raises(ProviderError) as failed:
                chat.complete(Asked(settings, REQUEST, ""))
        finally:
            chat.close()
    assert failed.value.message == "no key [the key]"


def test_keys_are_masked_as_they_are_and_as_python_prints_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hunter2\nsecret")
    assert masked("got hunter2\nsecret here") == "got [SOME_API_KEY] here"
    assert masked("got b'hunter2\\nsecret'") == "got b'[SOME_API_KEY]'"
    assert masked("Illegal header value b'Bearer abc'") == "Illegal header value"
