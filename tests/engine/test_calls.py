"""Recorded calls in a real store."""

from pathlib import Path

from memcli.core.calls import CallReply, CallRequest
from memcli.store import calls, file
from memcli.store.calls import StoredCalls
from tests.engine.world import World, said

REQUEST = CallRequest(
    "Say", 1, "m", ({"role": "user", "content": "hé"},), {"type": "object"}, {"temperature": 0}
)
REPLY = CallReply('{"a": 1}', "stop", "m-1", 3, None, None)


def log_of(world: World) -> StoredCalls:
    return StoredCalls(world.connection, lambda: "2026-01-01T00:00:00.000Z")


def test_what_was_recorded_comes_back_newest_first(world: World) -> None:
    log = log_of(world)
    first = log.record(REQUEST, REPLY, "refused", [])
    second = log.record(REQUEST, CallReply("x"), "accepted", [])
    assert log.recorded(REQUEST.key) == [second, first]
    assert log.recorded("00" * 32) == []
    assert log.candidates("Say") == [second, first]
    assert log.candidates("Other") == []
    log.spend([first.id, second.id])
    assert [call.status for call in log.recorded(REQUEST.key)] == ["accepted", "spent"]


def test_it_is_durable_when_it_comes_back_and_another_process_sees_it(world: World) -> None:
    log_of(world).record(REQUEST, REPLY, "accepted", [])
    other = file.open_read(world.path)
    found = list(calls.rows(other))
    other.close()
    assert [(call.key, call.reply) for call in found] == [(REQUEST.key, REPLY)]


def test_the_items_that_were_shown_are_named(world: World) -> None:
    world.ingest([said("a", "I live in Ghent."), said("b", "I moved.")])
    log = log_of(world)
    call = log.record(REQUEST, REPLY, "accepted", ["r2", "r1", "r9", "new:1", "m1@1", "rubbish"])
    rows = world.connection.execute("SELECT item FROM call_source WHERE call = ?", (call.id,))
    assert len(rows.fetchall()) == 2
    log.link(call, ["r1", "r2"])
    world.connection.execute("DELETE FROM call_source")
    log.link(call, ["r1"])
    assert world.connection.execute("SELECT count(*) FROM call_source").fetchone() == (1,)


def test_calls_change_no_digest_and_no_pass(world: World) -> None:
    world.ingest([said("a", "I live in Ghent.")])
    before, head = world.digest(), world.head
    log_of(world).record(REQUEST, REPLY, "accepted", ["r1"])
    assert (world.digest(), world.head) == (before, head)


def test_the_key_ignores_the_order_of_keys_and_nothing_else(tmp_path: Path) -> None:
    other = CallRequest("Say", 1, "m", REQUEST.messages, REQUEST.schema, {"temperature": 0})
    assert other.key == REQUEST.key
    turned = CallRequest(
        "Say", 1, "m", ({"content": "hé", "role": "user"},), REQUEST.schema, {"temperature": 0}
    )
    assert turned.key == REQUEST.key
    for changed in (
        CallRequest("Say", 2, "m", REQUEST.messages, REQUEST.schema, REQUEST.parameters),
        CallRequest("Say", 1, "n", REQUEST.messages, REQUEST.schema, REQUEST.parameters),
        CallRequest("Say", 1, "m", (), REQUEST.schema, REQUEST.parameters),
        CallRequest("Say", 1, "m", REQUEST.messages, {}, REQUEST.parameters),
        CallRequest("Say", 1, "m", REQUEST.messages, REQUEST.schema, {"temperature": 0.1}),
    ):
        assert changed.key != REQUEST.key
