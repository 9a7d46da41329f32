import pytest

from memcli.core.calls import CallReply, CallRequest
from memcli.store.calls import StoredCalls
from tests.checks.support import codes, findings, found
from tests.engine.world import World

ASKED = CallRequest("Say", 1, "m", ({"role": "user", "content": "a"},), {}, {})


@pytest.fixture
def recorded(told: World) -> World:
    log = StoredCalls(told.connection, lambda: "2026-01-01T00:00:00.000Z")
    log.record(ASKED, CallReply("hello", "stop", "m-1", 3, 4, 0.5), "accepted", [])
    log.record(ASKED, CallReply("bye"), "refused", ["r1"])
    return told


# What may be wrong with a row; each is one call less, and never a failure.
DAMAGES = [
    ("request = '{'", "request is not JSON"),
    ("request = 'no JSON'", "request is not JSON"),
    ("request = '[]'", "request is no object"),
    ("request = x'00ff'", "request is no text"),
    ("request = CAST(request AS BLOB)", "request is no text"),
    ("request = CAST(x'7bff7d' AS TEXT)", "request is"),
    ("request = replace(request, '\"content\"', '\"words\"')", "no chat messages"),
    ("request = replace(request, ': \"a\"', ': \"\\ud800\"')", "request is no Unicode"),
    ("request = replace(request, ': \"a\"', ': \"b\"')", "not the hash of its request"),
    ("request = replace(request, '{}', '{\"x\": 1e999}')", "Out of range"),
    ("request = '{\"a\": ' || replace(hex(zeroblob(9000)), '0', '[')", "nested too deeply"),
    ("reply = '{'", "reply is not JSON"),
    ("reply = '{}'", "reply.text is no text"),
    ("reply = x'00'", "reply is no text"),
    ('reply = \'{"text": 5, "finish": "", "model": ""}\'', "reply.text is no text"),
    ("key = x'00'", "not the hash of its request"),
    ("key = 'text'", "not the hash of its request"),
    ("task = 'Tell'", "filed under another task"),
    ("task = x'00'", "task is no text"),
    ("model = CAST(x'ff' AS TEXT)", "model is not UTF-8"),
    ("version = 'x'", "filed under another task, version"),
    ("status = 'done'", "status is not accepted"),
    ("at = ''", "at is no text"),
    ("at = x'00'", "at is no text"),
    ("tokens_in = 'many'", "tokens_in is no whole number"),
    ("tokens_out = -1", "tokens_out is no whole number"),
    ("tokens_out = 9223372036854775807", "tokens_out is no whole number"),
    ("cost_usd = 'free'", "cost_usd is no amount"),
    ("cost_usd = 9e999", "cost_usd is no amount"),
]


@pytest.mark.parametrize(("change", "what"), DAMAGES, ids=[change for change, _ in DAMAGES])
def test_a_row_that_cannot_be_used(recorded: World, change: str, what: str) -> None:
    changed = recorded.connection.execute(f"UPDATE call SET {change} WHERE id = 1")
    assert changed.rowcount == 1
    (one,) = findings(recorded, "I108")
    assert (one.subject, one.severity) == ("call 1", "warning")
    assert what in one.message
    assert codes(recorded) == {"I108"}
    log = StoredCalls(recorded.connection, lambda: "")
    assert [call.id for call in log.recorded(ASKED.key)] == [2]
    assert [call.id for call in log.candidates("Say")] == [2]


def test_recordings_as_they_were_made_are_fine(recorded: World) -> None:
    assert found(recorded, "I108") == []
