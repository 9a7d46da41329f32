"""A model server on 127.0.0.1 that does what a test says: answers, refuses, stalls, hangs up.

It speaks the part of the OpenAI interface that local servers share: `/v1/chat/completions` and
`/v1/embeddings`, both also without `/v1`. A real socket is used, since what is tested (what a
client library makes of a cut body or a closed connection) does not exist without one.

    with ModelServer([Status(429, retry_after=1), Reply('{"questions": ["Why?"]}')]) as server:
        litellm.completion("openai/any", messages, api_base=server.api_base, api_key="none")
        assert [each.behaviour for each in server.chats] == ["Status", "Reply"]
"""

import base64
import hashlib
import json
import math
import re
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import responses
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, TypeAlias

Body: TypeAlias = Mapping[str, Any]

CREATED = 1_700_000_000  # one moment for all answers: a recording does not depend on the clock
SECRET_HEADERS = frozenset({"authorization", "api-key", "x-api-key"})
PATIENCE = 10.0  # seconds after which what waits for other requests gives up


# What the server may do with a request.


@dataclass(frozen=True)
class Reply:
    """A chat completion. `usage`: tokens in and out, None to leave them unsaid.

    `model`: the name to answer under, None for the name that was asked for. `delay`: seconds.
    """

    text: str | None
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (20, 10)
    model: str | None = None
    reasoning_content: str | None = None
    delay: float = 0


@dataclass(frozen=True)
class Vectors:
    """Embeddings: of each text what `of` says, else a vector made of its words.

    `backwards`: the list comes in another order than asked, as `index` tells. `missing`: so many
    vectors are left out at the end.
    """

    of: Callable[[str], Sequence[float]] | None = None
    dimensions: int = 16
    usage: tuple[int, int] | None = (20, 0)
    model: str | None = None
    backwards: bool = False
    missing: int = 0
    delay: float = 0


@dataclass(frozen=True)
class Status:
    """An error by status code. `retry_after`: seconds, or an HTTP date as it stands.

    `body`: text as it stands, or an object to send as JSON; None for one in the usual form.
    """

    code: int
    body: str | Mapping[str, Any] | None = None
    retry_after: float | str | None = None


@dataclass(frozen=True)
class Drop:
    """Close the connection: before a byte was sent, or in the middle of the headers."""

    middle: bool = False


@dataclass(frozen=True)
class Slow:
    """Wait, then do something else."""

    seconds: float
    then: "Behaviour" = Reply("{}")


@dataclass(frozen=True)
class Together:
    """Wait until `count` requests have been in flight at once, then do something else."""

    count: int
    then: "Behaviour" = Reply("{}")


@dataclass(frozen=True)
class Truncated:
    """A cut body: shorter than its announced length, or (`silent`) announced as short as it is."""

    text: str = '{"questions": []}'
    silent: bool = False


@dataclass(frozen=True)
class NotJson:
    """A body that is no JSON under status 200, as a proxy in between may send."""

    text: str = "<html><body>Welcome</body></html>"


@dataclass(frozen=True)
class EmptyChoices:
    """A completion without a choice."""


@dataclass(frozen=True)
class NullContent:
    """A choice whose message has no content."""

    finish: str = "stop"


@dataclass(frozen=True)
class RefuseFormat:
    """400 that names `response_format` if the request has one; else something else."""

    then: "Behaviour" = Reply("{}")


Behaviour: TypeAlias = (
    Reply
    | Vectors
    | Status
    | Drop
    | Slow
    | Together
    | Truncated
    | NotJson
    | EmptyChoices
    | NullContent
    | RefuseFormat
)
# One for all requests; one for each in turn (the last for all that follow); or a function of the
# body and the number of the request, from 1, among those to the same endpoint.
Script: TypeAlias = Behaviour | Sequence[Behaviour] | Callable[[dict[str, Any], int], Behaviour]


@dataclass
class Asked:
    """One request as it came. `headers` have lower-case names; values of keys are blotted out.

    `nth` counts from 1 among requests to the same endpoint; `at` is time.monotonic(); `behaviour`
    names what was done with it, once that is decided.
    """

    endpoint: str
    nth: int
    body: dict[str, Any]
    headers: dict[str, str]
    at: float = field(default_factory=time.monotonic)
    behaviour: str = ""


class ModelServer:
    """The server, from `with` to its end; it can be asked from several threads at once.

    An exception in a script is answered with 500 and raised at the end of the `with` block.
    """

    def __init__(self, script: Script = Reply("{}"), *, embeddings: Script = Vectors()) -> None:
        self._scripts: dict[str, Script] = {"chat": script, "embeddings": embeddings}
        self._lock = threading.Condition()
        self._asked: list[Asked] = []
        self._in_flight = 0
        self._max_in_flight = 0
        self._failures: list[Exception] = []
        self._stopped = threading.Event()
        self._http = _Http(self)
        # serve_forever looks for its end once per interval: a long one is waited out by each test.
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="model server"
        )

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stopped.set()
        with self._lock:
            self._lock.notify_all()
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()  # joins the threads of its connections
        if error is None and self._failures:
            raise self._failures[0]

    @property
    def address(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def api_base(self) -> str:
        """What clients take as the base of an OpenAI-compatible interface."""
        return f"{self.address}/v1"

    @property
    def requests(self) -> list[Asked]:
        """All requests, in the order in which they came."""
        with self._lock:
            return list(self._asked)

    @property
    def chats(self) -> list[Asked]:
        """The requests for a chat completion."""
        return [asked for asked in self.requests if asked.endpoint == "chat"]

    @property
    def embeddings(self) -> list[Asked]:
        """The requests for embeddings."""
        return [asked for asked in self.requests if asked.endpoint == "embeddings"]

    @property
    def max_in_flight(self) -> int:
        """How many requests at most were being answered at one time."""
        with self._lock:
            return self._max_in_flight

    # What the handler of a connection calls, in a thread of its own.

    def arrived(self, endpoint: str, body: dict[str, Any], headers: dict[str, str]) -> Asked:
        """Record a request; it is in flight until `done`."""
        with self._lock:
            nth = 1 + sum(asked.endpoint == endpoint for asked in self._asked)
            asked = Asked(endpoint, nth, body, headers)
            self._asked.append(asked)
            self._in_flight += 1
            self._max_in_flight = max(self._max_in_flight, self._in_flight)
            self._lock.notify_all()
            return asked

    def done(self) -> None:
        """A request is no longer in flight."""
        with self._lock:
            self._in_flight -= 1

    def decide(self, asked: Asked) -> Behaviour:
        """What to do with a request, after all waiting."""
        behaviour = self._scripted(asked)
        asked.behaviour = type(behaviour).__name__
        while True:
            if isinstance(behaviour, Slow):
                self._stopped.wait(behaviour.seconds)
                behaviour = behaviour.then
            elif isinstance(behaviour, Together):
                self._wait_for(behaviour.count)
                behaviour = behaviour.then
            elif isinstance(behaviour, RefuseFormat):
                if "response_format" in asked.body:
                    return Status(400, error("response_format is not supported by this model"))
                behaviour = behaviour.then
            else:
                if isinstance(behaviour, Reply | Vectors) and behaviour.delay:
                    self._stopped.wait(behaviour.delay)
                return behaviour

    def _scripted(self, asked: Asked) -> Behaviour:
        script = self._scripts[asked.endpoint]
        try:
            if asked.body.get("stream"):
                raise NotImplementedError("this server does not stream")
            if callable(script):
                return script(asked.body, asked.nth)
            if isinstance(script, Sequence):
                return script[min(asked.nth, len(script)) - 1]
        except Exception as failure:  # noqa: BLE001 (any failure of a test's own function)
            with self._lock:
                self._failures.append(failure)
            return Status(500, error("the script of this test failed"))
        return script

    def _wait_for(self, count: int) -> None:
        with self._lock:
            met = self._lock.wait_for(
                lambda: self._max_in_flight >= count or self._stopped.is_set(), PATIENCE
            )
            if not met:
                self._failures.append(TimeoutError(f"there never were {count} requests at once"))


def error(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    """An error as OpenAI words it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


class _Http(ThreadingHTTPServer):
    """Stops cleanly: no thread or socket outlives it, and no client is left waiting."""

    daemon_threads = False
    request_queue_size = 128  # many clients may connect at once

    def __init__(self, model: ModelServer) -> None:
        self.model = model
        self._connections: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        """Bind without the look-up of a host name that HTTPServer makes: it may use the network."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection until it is closed."""
        with self._guard:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection and close it."""
        with self._guard:
            self._connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End the connections that clients keep open: their threads wait for a next request."""
        with self._guard:
            open_ones = list(self._connections)
        for connection in open_ones:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # its client was faster

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that gave up is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer may wait 40 ms for an acknowledgement
    server: _Http

    endpoints: ClassVar[dict[str, str]] = {
        "/chat/completions": "chat",
        "/embeddings": "embeddings",
    }

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        endpoint = self.endpoints.get(self.path.partition("?")[0].removeprefix("/v1"))
        if endpoint is None:
            self._send(404, json.dumps(error(f"there is nothing at {self.path}")))
            return
        model = self.server.model
        headers = {
            name.lower(): "…" if name.lower() in SECRET_HEADERS else value
            for name, value in self.headers.items()
        }
        asked = model.arrived(endpoint, json.loads(body), headers)
        try:
            self._act(asked, model.decide(asked))
        except OSError:
            self.close_connection = True  # the client gave up
        finally:
            model.done()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _act(self, asked: Asked, behaviour: Behaviour) -> None:
        if isinstance(behaviour, Status):
            given = behaviour.body
            if given is None:
                given = error(f"status {behaviour.code} as scripted")
            text = given if isinstance(given, str) else json.dumps(given)
            after = behaviour.retry_after
            extra = {} if after is None else {"Retry-After": str(after)}
            self._send(behaviour.code, text, extra)
        elif isinstance(behaviour, Drop):
            self._drop(behaviour.middle)
        elif isinstance(behaviour, Truncated):
            whole = json.dumps(completion(asked, Reply(behaviour.text)))
            cut = whole[: len(whole) // 2]
            self._send(200, cut, promised=None if behaviour.silent else len(whole))
        elif isinstance(behaviour, NotJson):
            self._send(200, behaviour.text, {"Content-Type": "text/html"})
        elif isinstance(behaviour, Vectors):
            self._send(200, json.dumps(embedded(asked, behaviour)))
        elif isinstance(behaviour, EmptyChoices):
            self._send(200, json.dumps({**completion(asked, Reply("")), "choices": []}))
        elif isinstance(behaviour, NullContent):
            self._send(200, json.dumps(completion(asked, Reply(None, finish=behaviour.finish))))
        elif isinstance(behaviour, Reply):
            self._send(200, json.dumps(completion(asked, behaviour)))
        else:
            raise TypeError(f"{behaviour} is no end")

    def _send(
        self,
        code: int,
        text: str,
        extra: Mapping[str, str] | None = None,
        promised: int | None = None,
    ) -> None:
        """A response, in one piece. `promised`: its announced length, if not the true one."""
        body = text.encode()
        headers = {
            "Content-Type": "application/json",
            **(extra or {}),
            "Content-Length": str(len(body) if promised is None else promised),
        }
        lines = [f"HTTP/1.1 {code} {responses.get(code, 'Other')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + body)
        if promised is not None:
            self.close_connection = True

    def _drop(self, middle: bool) -> None:
        if middle:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: applic")
        self.close_connection = True


def completion(asked: Asked, reply: Reply) -> dict[str, Any]:
    """The body of a chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning_content is not None:
        message["reasoning_content"] = reply.reasoning_content
    return {
        "id": f"chatcmpl-{asked.nth}",
        "object": "chat.completion",
        "created": CREATED,
        "model": asked.body.get("model") if reply.model is None else reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        **_usage(reply.usage),
    }


def embedded(asked: Asked, vectors: Vectors) -> dict[str, Any]:
    """The body of an answer with embeddings, as numbers or in base64, whichever was asked for."""
    given = asked.body["input"]
    texts = [given] if isinstance(given, str) else given
    of = vectors.of or (lambda text: word_vector(text, vectors.dimensions))
    data = [
        {"object": "embedding", "index": index, "embedding": _wire(of(text), asked.body)}
        for index, text in enumerate(texts[: len(texts) - vectors.missing])
    ]
    return {
        "object": "list",
        "data": data[::-1] if vectors.backwards else data,
        "model": asked.body.get("model") if vectors.model is None else vectors.model,
        **_usage(vectors.usage),
    }


def word_vector(text: str, dimensions: int = 16) -> list[float]:
    """A vector of unit length made of the words of `text`; equal texts have equal vectors."""
    counts = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or [""]:
        counts[hashlib.sha256(word.encode()).digest()[0] % dimensions] += 1
    length = math.hypot(*counts)
    return [count / length for count in counts]


def _wire(vector: Sequence[float], body: Body) -> list[float] | str:
    if body.get("encoding_format") != "base64":
        return list(vector)
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _usage(tokens: tuple[int, int] | None) -> dict[str, Any]:
    if tokens is None:
        return {}
    given, made = tokens
    counted = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    return {"usage": counted}


# To answer the project's own tasks.

Messages: TypeAlias = Sequence[Mapping[str, Any]]
Answer: TypeAlias = Callable[[Messages], Mapping[str, Any] | Behaviour]

# Words of each task's system message, by which it is known where no schema is sent.
KNOWN_BY: Mapping[str, str] = {
    "RateImportance": "worth remembering",
    "AskQuestions": "what lies behind single events",
    "DrawInsights": "draw conclusions from evidence",
    "ExtractFacts": "note what a conversation tells",
    "Reconcile": "keep what is remembered consistent",
    "Summarise": "shorten what was said",
    "AnswerQuestion": "answer a question of a person",
    "JudgeAnswer": "judge whether an answer to a question is right",
}


def answering(
    answers: Mapping[str, Answer], known_by: Mapping[str, str] = KNOWN_BY
) -> Callable[[dict[str, Any], int], Behaviour]:
    """A script that answers each task, by name, with what a function makes of its messages.

    A function may come back with an object, sent as JSON text, or with any behaviour. A request of
    a task that has no function fails the test.
    """

    def script(body: dict[str, Any], nth: int) -> Behaviour:
        task = task_of(body, known_by)
        if task not in answers:
            raise LookupError(f"request {nth} is of {task or 'a task nobody knows'}")
        answer = answers[task](body["messages"])
        return Reply(json.dumps(answer)) if isinstance(answer, Mapping) else answer

    return script


def task_of(body: Body, known_by: Mapping[str, str] = KNOWN_BY) -> str | None:
    """The task that asks: by the name of its JSON schema, else by words of the system message.

    Schema names have a narrower alphabet than tasks, and versions: `rate_importance_1` will do.
    """
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    named = _letters(schema.get("name", ""))
    system = " ".join(str(each["content"]) for each in body["messages"] if each["role"] == "system")
    for name, words in known_by.items():
        if named == _letters(name):
            return name
        if words in system:
            return name
    return None


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name)).lower()


def shown(asked: Body | Messages) -> list[dict[str, Any]]:
    """What a request (its body, or its messages) shows: the objects between the data marks.

    Each has `id` (the handle) and `text`. The marks count as lines of their own only: the rule about
    them in the system message is none.
    """
    messages = asked["messages"] if isinstance(asked, Mapping) else asked
    found: list[dict[str, Any]] = []
    for message in messages:
        inside = False
        for line in str(message["content"]).split("\n"):
            if line in ("<<<DATA", "DATA>>>"):
                inside = line == "<<<DATA"
            elif inside:
                found.append(json.loads(line))
    return found
