"""`mem calls`: every action, over a fake store and over a real one."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli import api
from memcli.core.calls import CallReply, CallRequest, Which
from memcli.errors import BusyError, ExistsError, StoreError
from memcli.store.calls import StoredCalls
from tests.cli.conftest import Result, Run
from tests.cli.fakes import FakeStore
from tests.render import samples

NARROWED = (
    "--task", "RateImportance", "--model", "openai/tiny", "--status", "accepted",
    "--before", "2026-01-01",
)  # fmt: skip
WHICH = Which("RateImportance", "openai/tiny", "accepted", "2026-01-01T00:00:00.000Z")


@pytest.mark.parametrize(
    ("words", "mode", "call"),
    [
        (("list",), "read", ("calls", (Which(),), {})),
        (("list", *NARROWED), "read", ("calls", (WHICH,), {})),
        (("show", "3f9c"), "read", ("recorded_call", ("3f9c",), {})),
        (("export", "c.jsonl", *NARROWED), "read", ("export_calls", ("c.jsonl", WHICH), {})),
        (("prune", "--all"), "write", ("prune_calls", (Which(),), {})),
        (("prune", *NARROWED), "write", ("prune_calls", (WHICH,), {})),
    ],
)
def test_options_reach_the_api(
    run: Run, store: FakeStore, words: tuple[str, ...], mode: str, call: tuple[Any, ...]
) -> None:
    run("calls", *words, "--now", "2026-03-02", "--store", "x.db")
    opened = ("open", ("x.db",), {"mode": mode, "now": "2026-03-02"})
    assert store.asked == [opened, call, ("close", (), {})]


def test_standard_input_is_handed_over(run: Run, store: FakeStore) -> None:
    run("calls", "import", "-", stdin=b"one\n")
    _, arguments, given = store.asked[1]
    assert arguments == ("-",)
    assert given["stdin"].read() == b"one\n"


def test_a_file_is_named(run: Run, store: FakeStore) -> None:
    run("calls", "import", "c.jsonl", stdin=b"")
    assert store.asked[0][2]["mode"] == "write"
    assert store.asked[1][:2] == ("import_calls", ("c.jsonl",))


def test_standard_output_gets_lines_and_nothing_else(run: Run, store: FakeStore) -> None:
    result = run("calls", "export", "-")
    assert (result.code, result.out, result.err) == (0, "one\ntwo\n", "")
    assert store.asked[1][:2] == ("exported_calls", (Which(),))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("list",), "3f9c2a000000"),
        (("show", "77"), "ended by length"),
        (("export", "c.jsonl"), "Wrote 2 recorded calls to calls.jsonl"),
        (("prune", "--all"), "Removed 1 recorded call"),
    ],
)
def test_the_answer_goes_to_stdout(
    run: Run, store: FakeStore, words: tuple[str, ...], said: str
) -> None:
    result = run("calls", *words)
    assert (result.code, result.err) == (0, "")
    assert said in result.out


def test_an_import_with_bad_lines_is_partial(run: Run, store: FakeStore) -> None:
    result = run("calls", "import", "c.jsonl")
    assert result.code == 3
    assert "line 3: request is no object" in result.out
    assert result.err == "note: 1 line is no call, and was passed over\n"
    for option in ("--quiet", "--json"):
        result = run("calls", "import", "c.jsonl", option)
        assert (result.code, result.err) == (3, "")
    assert result.json["bad"] == [{"line": 3, "reason": "request is no object"}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "list|show"),
        (("burn",), "'burn'"),
        (("show",), "show needs a KEY"),
        (("show", ""), "show needs a KEY"),
        (("export",), "export needs a FILE"),
        (("import",), "import needs a FILE"),
        (("list", "c.jsonl"), "list takes no 'c.jsonl'"),
        (("prune", "3f", "--all"), "prune takes no '3f'"),
        (("prune",), "prune needs to be told which calls"),
        (("prune", "--all", "--task", "x"), "prune needs to be told which calls"),
        (("list", "--all"), "--all goes with prune alone"),
        (("show", "3f", "--task", "x"), "show cannot be narrowed"),
        (("import", "c.jsonl", "--status", "accepted"), "import cannot be narrowed"),
        (("list", "--status", "spent"), "'spent'"),
        (("list", "a", "b"), "b"),
        (("export", "-", "--json"), "the lines are the answer already"),
    ],
)
def test_wrong_calls_open_nothing(
    run: Run, store: FakeStore, words: tuple[str, ...], said: str
) -> None:
    result = run("calls", *words)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert store.asked == []


def test_a_date_that_is_none(run: Run, store: FakeStore) -> None:
    result = run("calls", "list", "--before", "yesterday")
    assert result.code == 2
    assert "--before" in result.err


@pytest.mark.parametrize("error", [StoreError("damaged"), BusyError("locked"), ExistsError("x")])
def test_a_failure_keeps_its_code(run: Run, store: FakeStore, error: Any) -> None:
    store.answers["calls"] = error
    result = run("calls", "list", "--json")
    assert (result.code, result.out) == (error.code, "")
    assert result.error["code"] == error.code


# --- over a real store ------------------------------------------------------------------------------

Calls = Callable[..., Result]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with two calls recorded, one of them refused."""
    place = tmp_path / "m.db"
    api.init_store(place)
    with api.open_store(place, mode="write") as opened:
        log = StoredCalls(opened._connection, lambda: samples.AT)
        for word, status in (("good", "accepted"), ("bad", "refused")):
            asked = ({"role": "user", "content": f"{word} {samples.EVIL[:5]}"},)
            request = CallRequest("Say", 1, "openai/tiny", asked, {}, {})
            log.record(request, CallReply(f"{word}\nreply", "stop"), status, [])  # type: ignore[arg-type]
    return place


@pytest.fixture
def calls(run: Run, path: Path) -> Calls:
    def call(action: str, *words: str, **more: Any) -> Result:
        return run("calls", action, *words, "--store", str(path), **more)

    return call


def listed(calls: Calls, *words: str) -> list[str]:
    return [call["status"] for call in calls("list", *words, "--json").json["calls"]]


def test_list_and_show(calls: Calls, path: Path) -> None:
    before = path.read_bytes()
    assert listed(calls) == ["accepted", "refused"]
    assert listed(calls, "--status", "refused") == ["refused"]
    assert listed(calls, "--task", "Nothing") == []
    key = calls("list", "--json").json["calls"][0]["key"]
    shown = calls("show", key[:8].upper(), "--json").json
    assert shown["calls"][0]["reply"] == "good\nreply"
    assert "reply\n  good\n  reply\n" in calls("show", key).out
    assert path.read_bytes() == before


def test_a_key_that_is_not_there(calls: Calls) -> None:
    result = calls("show", "ffffffffffff")
    assert (result.code, result.out) == (2, "")
    assert "There is no recorded call 'ffffffffffff'" in result.err


def test_out_by_a_file_and_in_again(calls: Calls, run: Run, tmp_path: Path) -> None:
    file, other = tmp_path / "calls.jsonl", str(tmp_path / "other.db")
    assert calls("export", str(file)).code == 0
    assert calls("export", "-").out == file.read_text("utf-8")
    assert run("init", "--store", other).code == 0
    found = run("calls", "import", str(file), "--store", other, "--json")
    assert (found.code, found.json["count"], found.json["known"]) == (0, 2, 0)
    again = run("calls", "import", "-", "--store", other, "--json", stdin=file.read_bytes())
    assert (again.code, again.json["count"], again.json["known"]) == (0, 0, 2)
    assert again.json["path"] == "-"


def test_bad_lines_are_listed_and_the_good_ones_kept(calls: Calls, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text('{"schema": "other"}\nno JSON\n' + calls("export", "-").out, "utf-8")
    assert calls("prune", "--all").code == 0
    result = calls("import", str(file), "--json")
    assert (result.code, result.json["count"]) == (3, 2)
    assert [bad["line"] for bad in result.json["bad"]] == [1, 2]


def test_prune_takes_what_it_is_told(calls: Calls) -> None:
    assert calls("prune", "--status", "refused", "--json").json["count"] == 1
    assert listed(calls) == ["accepted"]
    assert calls("prune", "--before", "2020-01-01", "--json").json["count"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("import", "{folder}/none.jsonl"), "cannot be read"),
        (("import", "{folder}"), "cannot be read"),
        (("export", "{folder}/none/calls.jsonl"), "cannot be written"),
        (("export", "{folder}/m.db"), "holds no recorded calls"),
    ],
)
def test_files_that_cannot_be_used(
    calls: Calls, tmp_path: Path, words: tuple[str, str], said: str
) -> None:
    before = (tmp_path / "m.db").read_bytes()
    result = calls(words[0], words[1].format(folder=tmp_path))
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert (tmp_path / "m.db").read_bytes() == before


def test_no_store(run: Run, tmp_path: Path) -> None:
    for words in (("list",), ("import", "-"), ("prune", "--all")):
        assert run("calls", *words, "--store", str(tmp_path / "none.db"), stdin=b"").code == 4
    assert list(tmp_path.iterdir()) == []


def test_an_answer_of_another_encoding(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file of calls is UTF-8 whatever the terminal's encoding is."""
    buffer = io.BytesIO()
    out = io.TextIOWrapper(buffer, encoding="ascii", errors="strict")
    file = tmp_path / "calls.jsonl"
    calls("export", str(file))
    monkeypatch.setattr("sys.stdout", out)
    assert calls("export", "-").code == 0
    written = buffer.getvalue()
    assert [json.loads(line) for line in written.decode("utf-8").splitlines()] == [
        json.loads(line) for line in file.read_text("utf-8").splitlines()
    ]


# --- rows that were damaged -----------------------------------------------------------------------


@pytest.fixture
def ruin(path: Path) -> Path:
    """The store, with a third call that is damaged."""
    with api.open_store(path, mode="write") as opened:
        opened._connection.execute(
            "INSERT INTO call SELECT 3, key, task, version, model, request, x'00', status,"
            " tokens_in, tokens_out, cost_usd, at FROM call WHERE id = 1"
        )
    return path


def test_a_damaged_call_is_listed_and_its_words_are_not_shown(calls: Calls, ruin: Path) -> None:
    assert listed(calls) == ["accepted", "refused", "damaged"]
    assert listed(calls, "--status", "damaged") == ["damaged"]
    assert "damaged" in calls("list").out
    key = calls("list", "--json").json["calls"][2]["key"]
    result = calls("show", key)
    assert result.code == 0
    assert "damaged: what was asked and answered cannot be read" in result.out
    assert [one["reply"] for one in calls("show", key, "--json").json["calls"]] == [
        "good\nreply",
        None,
    ]


def test_an_export_passes_over_what_is_damaged(calls: Calls, ruin: Path, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    result = calls("export", str(file))
    assert result.code == 3
    assert result.err == "note: 1 recorded call is damaged, and was passed over: mem audit\n"
    assert "call 3: reply is no text" in result.out
    assert len(file.read_text("utf-8").splitlines()) == 2
    result = calls("export", "-")
    assert (result.code, result.out) == (3, file.read_text("utf-8"))
    assert "1 recorded call is damaged" in result.err
    assert calls("export", "-", "--status", "accepted").code == 0


def test_an_import_beside_what_is_damaged(calls: Calls, ruin: Path, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    calls("export", str(file))
    calls("prune", "--status", "accepted")
    result = calls("import", str(file), "--json")
    assert (result.code, result.json["count"], result.json["known"]) == (0, 1, 1)


def test_what_is_damaged_can_be_removed(calls: Calls, ruin: Path) -> None:
    assert calls("prune", "--status", "damaged", "--json").json["count"] == 1
    assert listed(calls) == ["accepted", "refused"]
    assert calls("prune", "--all", "--json").json["count"] == 2


# --- files of every kind --------------------------------------------------------------------------


def test_a_file_of_something_else_is_not_replaced(calls: Calls, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    for content in ("\nmy notes\n", "see mem.call/1\n"):
        notes.write_text(content, "utf-8")
        result = calls("export", str(notes))
        assert (result.code, notes.read_text("utf-8")) == (2, content)


def test_a_lone_surrogate_and_a_huge_number_are_bad_lines(calls: Calls, tmp_path: Path) -> None:
    good = calls("export", "-").out.splitlines()[0]
    bad = [json.loads(good) for _ in range(2)]
    bad[0]["request"]["messages"][0]["content"] = "\ud800"
    bad[1]["cost_usd"] = int("9" * 401)
    file = tmp_path / "calls.jsonl"
    file.write_text("\n".join([*map(json.dumps, bad), good, ""]), "utf-8")
    assert calls("prune", "--all").code == 0
    result = calls("import", str(file), "--json")
    assert (result.code, result.json["count"]) == (3, 1)
    assert [one["line"] for one in result.json["bad"]] == [1, 2]


@pytest.mark.skipif(os.name != "posix", reason="there are no such files")
def test_what_is_no_file(calls: Calls, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in ("/dev/null", "/dev/zero", str(tmp_path), str(pipe)):
        for action in ("import", "export"):
            result = calls(action, place)
            assert (result.code, result.out) == (2, "")
            assert "it is no file" in result.err


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no such file here")
def test_a_file_that_fails_while_it_is_read(calls: Calls) -> None:
    result = calls("import", "/proc/self/mem")
    assert (result.code, result.out) == (2, "")
    assert "cannot be read" in result.err


@pytest.mark.skipif(os.name != "posix", reason="links and rights are POSIX's")
def test_an_export_follows_links_and_gives_the_rights_of_any_file(
    calls: Calls, tmp_path: Path
) -> None:
    target, link = tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    target.touch()
    link.symlink_to(target)
    assert calls("export", str(link)).code == 0
    assert link.is_symlink()
    umask = os.umask(0)
    os.umask(umask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~umask
