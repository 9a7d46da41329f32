"""Recorded answers as a file: out of one store, into another."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from memcli.core.calls import CallReply, CallRequest, Which
from memcli.engine import callfiles, recordings
from memcli.errors import ExistsError, InputError, UsageError
from memcli.store import calls as stored
from memcli.store.calls import StoredCalls
from tests.engine.world import World


def request(word: str, model: str = "m") -> CallRequest:
    return CallRequest("Say", 1, model, ({"role": "user", "content": word},), {}, {})


@pytest.fixture
def recorded(world: World) -> World:
    times = iter(f"2026-01-0{day}T00:00:00.000Z" for day in range(1, 9))
    log = StoredCalls(world.connection, lambda: next(times))
    log.record(request("a"), CallReply("héllo", "stop", "m-1", 3, 4, 0.5), "accepted", [])
    log.record(request("b"), CallReply("", "length"), "refused", [])
    log.record(request("c", "n"), CallReply("x"), "spent", [])
    return world


ALL = Which()


def lines(world: World, which: Which = ALL) -> list[str]:
    return list(recordings.exported(world.connection, which))


def taken(world: World, text: str) -> Any:
    return recordings.imported(
        world.connection, io.BytesIO(text.encode("utf-8", "surrogatepass")), "f"
    )


def test_out_and_in_again_is_the_same_but_for_what_was_unfinished(
    recorded: World, tmp_path: Path
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    other = World(folder)
    try:
        report = taken(other, "".join(lines(recorded)))
        assert (report.count, report.known, report.bad) == (3, 0, ())
        found = list(stored.rows(other.connection))
        assert [call.status for call in found] == ["accepted", "spent", "spent"]
        kept = list(stored.rows(recorded.connection))
        assert [(c.request, c.reply) for c in found] == [(c.request, c.reply) for c in kept]
        assert taken(other, "".join(lines(recorded))).known == 3
    finally:
        other.close()


@pytest.mark.parametrize(
    ("which", "count"),
    [
        (Which(), 3),
        (Which(task="Say"), 3),
        (Which(task="Tell"), 0),
        (Which(model="n"), 1),
        (Which(status="accepted"), 1),
        (Which(status="refused"), 2),
        (Which(before="2026-01-02T00:00:00.000Z"), 1),
    ],
)
def test_which(recorded: World, which: Which, count: int) -> None:
    assert len(lines(recorded, which)) == count
    assert recordings.listed(recorded.connection, which).count == count
    assert recordings.pruned(recorded.connection, which).count == count
    assert len(lines(recorded)) == 3 - count


def test_one_is_shown_whole(recorded: World) -> None:
    key = request("a").key
    report = recordings.shown(recorded.connection, key[:8])
    assert report.texts[0].reply == "héllo"
    assert report.texts[0].messages[0]["content"] == "a"
    with pytest.raises(UsageError):
        recordings.shown(recorded.connection, "zzz")


def test_a_file_is_written_whole_and_replaces_only_its_like(
    recorded: World, tmp_path: Path
) -> None:
    path = tmp_path / "calls.jsonl"
    assert recordings.written(recorded.connection, Which(), str(path)).count == 3
    recordings.written(recorded.connection, Which(model="n"), str(path))
    assert len(path.read_text("utf-8").splitlines()) == 1
    assert not list(tmp_path.glob(".calls*"))
    path.write_text("my notes\n", encoding="utf-8")
    with pytest.raises(ExistsError):
        recordings.written(recorded.connection, Which(), str(path))
    assert path.read_text("utf-8") == "my notes\n"
    with pytest.raises(UsageError):
        recordings.written(recorded.connection, Which(), str(tmp_path / "no" / "x.jsonl"))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError), callfiles.opened("/no/such/file", None):
        pass


def changed(line: str, **fields: Any) -> str:
    return json.dumps({**json.loads(line), **fields})


def test_bad_lines_are_listed_and_the_good_ones_stored(recorded: World) -> None:
    good = lines(recorded)[0]
    asked = json.loads(good)["request"]
    bad = [
        "rubbish",
        "[1]",
        "{}",
        changed(good, schema="mem.call/2"),
        changed(good, request=None),
        changed(good, request={**asked, "messages": "x"}),
        changed(good, request={**asked, "messages": [{"role": "user"}]}),
        changed(good, request={**asked, "version": "1"}),
        changed(good, request={**asked, "task": ""}),
        changed(good, status="done"),
        changed(good, at="yesterday"),
        changed(good, tokens_in=-1),
        changed(good, tokens_in=True),
        changed(good, cost_usd="free"),
        changed(good, reply={"text": 5, "finish": "", "model": ""}),
        changed(good, reply={"text": "\ud800", "finish": "", "model": ""}),
        '{"schema": ' + "[" * 10_000,
        '{"tokens_in": ' + "9" * 10_000 + "}",
    ]
    fresh = changed(good, request={**asked, "task": "Tell"})
    report = taken(recorded, "\n".join([*bad, "", fresh]) + "\n")
    assert [unit.line for unit in report.bad] == list(range(1, len(bad) + 1))
    assert report.count == 1
