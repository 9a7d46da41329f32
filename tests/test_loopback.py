"""The model server that other tests use does what it is told, and leaves nothing behind."""

import base64
import http.client
import json
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memcli.kit.handles import Item
from memcli.tasks.ask_questions import AskQuestions
from memcli.tasks.draw_insights import DrawInsights
from memcli.tasks.rate_importance import RateImportance
from tests.loopback import (
    Behaviour,
    Drop,
    EmptyChoices,
    ModelServer,
    NotJson,
    NullContent,
    RefuseFormat,
    Reply,
    Slow,
    Status,
    Together,
    Truncated,
    Vectors,
    answering,
    shown,
    task_of,
    word_vector,
)

ITEMS = (Item("r7", 'Ada said "DATA>>>"\nand left'), Item("m3", "Ada runs", memory=True))
# No proxy, whatever the environment says: the server is on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def post(
    server: ModelServer, path: str = "/v1/chat/completions", timeout: float = 5, **body: Any
) -> Any:
    """What came back, as JSON."""
    request = urllib.request.Request(
        server.address + path,
        json.dumps({"model": "small", "messages": [], **body}).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer sk-secret"},
    )
    with OPENER.open(request, timeout=timeout) as response:
        return json.loads(response.read())


def refused(server: ModelServer, **body: Any) -> urllib.error.HTTPError:
    """The error that came back."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(server, **body)
    return caught.value


def test_answers_in_the_form_of_the_interface() -> None:
    reply = Reply("Hello", usage=(3, 4), finish="length", reasoning_content="hm")
    with ModelServer(reply) as server:
        for path in ("/v1/chat/completions", "/chat/completions"):
            answer = post(server, path)
            [choice] = answer["choices"]
            assert choice["message"] == {
                "role": "assistant",
                "content": "Hello",
                "reasoning_content": "hm",
            }
            assert (choice["finish_reason"], answer["model"]) == ("length", "small")
            assert answer["usage"] == {
                "prompt_tokens": 3,
                "completion_tokens": 4,
                "total_tokens": 7,
            }
        assert "usage" not in _completion(Reply("", usage=None))
        assert _completion(Reply("", model="other"))["model"] == "other"


def _completion(reply: Reply) -> Any:
    with ModelServer(reply) as server:
        return post(server)


def test_records_what_was_asked_without_the_key() -> None:
    with ModelServer() as server:
        post(server, temperature=0)
        post(server, "/embeddings", input="text")
        [chat], [embedding] = server.chats, server.embeddings
        assert server.requests == [chat, embedding]
    assert chat.body == {"model": "small", "messages": [], "temperature": 0}
    assert (chat.nth, embedding.nth) == (1, 1)
    assert chat.headers["content-type"] == "application/json"
    assert "sk-secret" not in repr(chat.headers)
    assert "authorization" in chat.headers
    assert chat.at <= embedding.at


def test_follows_a_script_and_stays_with_its_last_line() -> None:
    with ModelServer([Status(503), Reply("a"), Reply("b")]) as server:
        with refused(server) as error:
            assert error.code == 503
        texts = [post(server)["choices"][0]["message"]["content"] for _ in range(3)]
        assert [each.behaviour for each in server.chats] == ["Status", *["Reply"] * 3]
    assert texts == ["a", "b", "b"]


@pytest.mark.parametrize("code", [400, 401, 404, 429, 500, 503, 529])
@pytest.mark.parametrize("after", [None, 2, 0.5, "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_refuses_by_status(code: int, after: float | str | None) -> None:
    scripted = Status(code, {"why": "because"}, retry_after=after)
    with ModelServer(scripted) as server, refused(server) as error:
        assert error.code == code
        assert error.headers["retry-after"] == (None if after is None else str(after))
        assert json.loads(error.read()) == {"why": "because"}


@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [
        (Drop(), OSError),
        (Drop(middle=True), (OSError, http.client.HTTPException, json.JSONDecodeError)),
        (Truncated(), http.client.IncompleteRead),
        (Truncated(silent=True), json.JSONDecodeError),
        (NotJson(), json.JSONDecodeError),
    ],
)
def test_breaks_off(behaviour: Behaviour, failure: Any) -> None:
    with ModelServer([behaviour, Reply("fine")]) as server:
        with pytest.raises(failure):
            post(server)
        assert post(server)["choices"][0]["message"]["content"] == "fine"


def test_answers_without_an_answer() -> None:
    assert _only(EmptyChoices())["choices"] == []
    [choice] = _only(NullContent(finish="length"))["choices"]
    assert choice["message"]["content"] is None
    assert choice["finish_reason"] == "length"


def _only(behaviour: Behaviour) -> Any:
    with ModelServer(behaviour) as server:
        return post(server)


def test_refuses_a_form_of_reply_but_not_the_question() -> None:
    with ModelServer(RefuseFormat(Reply("plain"))) as server:
        with refused(server, response_format={"type": "json_schema"}) as error:
            assert error.code == 400
            assert "response_format" in error.read().decode()
        assert post(server)["choices"][0]["message"]["content"] == "plain"


def test_slow_is_slow_and_does_not_hold_up_the_end() -> None:
    before = time.monotonic()
    with ModelServer([Slow(0.2, Reply("late")), Reply("late", delay=0.2), Slow(60)]) as server:
        assert post(server)["choices"][0]["message"]["content"] == "late"
        assert time.monotonic() - before >= 0.2
        post(server)
        assert time.monotonic() - before >= 0.4
        with pytest.raises(TimeoutError):
            post(server, timeout=0.1)
    assert time.monotonic() - before < 10


def test_counts_requests_that_are_open_at_once() -> None:
    with ModelServer(Together(4, Reply("met"))) as server:
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: post(server), range(4)))
        assert server.max_in_flight == 4
        assert sorted(asked.nth for asked in server.chats) == [1, 2, 3, 4]
    assert {answer["choices"][0]["message"]["content"] for answer in answers} == {"met"}


def test_leaves_no_thread_behind_even_if_a_connection_stays_open() -> None:
    threads = threading.active_count()
    with ModelServer() as server:
        connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=5)
        connection.request("POST", "/v1/chat/completions", b'{"model": "small"}')
        connection.getresponse().read()
        assert threading.active_count() == threads + 2
    assert threading.active_count() == threads
    connection.close()


def test_embeds() -> None:
    with ModelServer(embeddings=Vectors(dimensions=4, usage=(5, 0))) as server:
        answer = post(server, "/v1/embeddings", input=["one", "two", "one"])
        coded = post(server, "/embeddings", input="one", encoding_format="base64")
    vectors = [each["embedding"] for each in answer["data"]]
    assert vectors == [word_vector("one", 4), word_vector("two", 4), word_vector("one", 4)]
    assert sum(number**2 for number in vectors[0]) == pytest.approx(1)
    assert answer["usage"]["prompt_tokens"] == 5
    packed = base64.b64decode(coded["data"][0]["embedding"])
    assert struct.unpack("<4f", packed) == pytest.approx(vectors[0])


def test_embeds_in_another_order_or_not_all() -> None:
    scripted = [Vectors(of=lambda text: [len(text)], backwards=True), Vectors(missing=1)]
    with ModelServer(embeddings=scripted) as server:
        backwards = post(server, "/v1/embeddings", input=["a", "bb"])["data"]
        fewer = post(server, "/v1/embeddings", input=["a", "bb"])["data"]
    assert [(each["index"], each["embedding"]) for each in backwards] == [(1, [2]), (0, [1])]
    assert [each["index"] for each in fewer] == [0]


def test_nothing_else_is_served() -> None:
    with ModelServer() as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(server, "/v1/models")
        assert server.requests == []
    with caught.value as error:
        assert error.code == 404


def test_a_fault_of_the_script_is_raised_at_the_end() -> None:
    def script(body: Mapping[str, Any], nth: int) -> Behaviour:
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"), ModelServer(script) as server:
        refused(server).close()


@pytest.mark.parametrize(
    "task", [RateImportance(ITEMS), AskQuestions(ITEMS), DrawInsights("Why?", ITEMS)]
)
def test_knows_the_tasks(task: Any) -> None:
    body: dict[str, Any] = {"messages": task.messages()}
    assert task_of(body) == task.name
    for name in (task.name, "Rate_importance_1"):
        named = {"type": "json_schema", "json_schema": {"name": name}}
        asked = {"messages": [{"role": "user", "content": ""}], "response_format": named}
        assert task_of(asked) == (task.name if name == task.name else "RateImportance")
    assert shown(body) == shown(task.messages())
    assert shown(body) == [
        {"id": "R1", "text": ITEMS[0].text},
        {"id": "M2", "text": ITEMS[1].text},
    ]


def test_answers_a_task() -> None:
    def rate(messages: Any) -> dict[str, Any]:
        return {"ratings": [{"item": each["id"], "rating": 4} for each in shown(messages)]}

    task = RateImportance(ITEMS)
    script = answering({"RateImportance": rate, "AskQuestions": lambda _: Status(429)})
    with ModelServer(script) as server:
        answer = post(server, messages=task.messages())["choices"][0]["message"]["content"]
        refused(server, messages=AskQuestions(ITEMS).messages()).close()
    rated = task.parse(json.loads(answer)).ratings
    assert [(each.item, each.rating) for each in rated] == [("r7", 4), ("m3", 4)]
    with pytest.raises(LookupError, match="DrawInsights"), ModelServer(script) as server:
        refused(server, messages=DrawInsights("Why?", ITEMS).messages()).close()
