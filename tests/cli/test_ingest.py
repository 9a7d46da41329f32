import dataclasses

import pytest

from memcli import registry
from memcli.cli import _answer, help_text
from memcli.cli._command import NAMES
from memcli.cli._run import load
from memcli.core.records import Scope
from memcli.ports import ReadOptions
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples

CLEAN = dataclasses.replace(samples.INGEST, sources=(), warnings=())


def test_all_options_reach_the_api(run: Run, store: FakeStore) -> None:
    store.answers["ingest"] = CLEAN
    result = run(
        "ingest", "a.jsonl", "b.txt", "-s", "x.db", "--format", "locomo", "--session", "monday",
        "--scope", "user=ada", "--scope", "project=p=q", "--role", "agent=assistant", "--speaker", "Dana=user",
        "--tz", "Europe/Lisbon", "--all-branches",
        "--include", "thinking", "--include", "sidechain,custom-instructions", "--no-redact",
        "--dry-run", "--now", "2026-03-10T09:00:00Z", "--yes",
    )  # fmt: skip
    assert result.code == 0
    opened, (name, args, asked), closed = store.asked
    assert opened == ("open", ("x.db",), {"mode": "read-any", "now": "2026-03-10T09:00:00Z"})
    assert closed[0] == "close"
    assert (name, args) == ("ingest", (["a.jsonl", "b.txt"],))
    assert callable(asked.pop("progress"))
    asked.pop("embedded")(1, 2)
    assert asked == {
        "format": "locomo",
        "scope": Scope(user="ada", project="p=q"),
        "options": ReadOptions(
            all_branches=True,
            include=frozenset({"thinking", "sidechain", "custom-instructions"}),
            tz="Europe/Lisbon",
            session="monday",
            roles={"agent": "assistant"},
            speakers={"Dana": "user"},
        ),
        "redact": False,
        "dry_run": True,
        "stdin": None,
    }


def test_defaults(run: Run, store: FakeStore) -> None:
    run("ingest", "a.jsonl")
    asked = store.asked[1][2]
    assert (asked["options"], asked["scope"]) == (ReadOptions(), Scope())
    assert asked["redact"] is True


def test_partial_input_is_told_apart(run: Run, store: FakeStore) -> None:
    result = run("ingest", "x")
    assert result.code == 3
    assert "chat/b.jsonl:14  not JSON" in result.out
    lost = "mem: chat/b.jsonl: 1 item could not be read, the first in line 14: not JSON\n"
    assert result.err == "note: torn last line in b.jsonl\n" + lost
    assert run("ingest", "x", "-q").err == lost
    result = run("ingest", "x", "--json")
    assert (result.code, result.err) == (3, "")
    store.answers["ingest"] = CLEAN
    assert run("ingest", "x").code == 0


def test_where_people_see_the_answer_it_is_not_said_twice(
    run: Run, store: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_answer, "_is_seen", lambda: True)
    assert run("ingest", "x", "-q").err == ""


def test_a_dash_reads_stdin(run: Run, store: FakeStore) -> None:
    run("ingest", "-", stdin=b"\xff\x00")
    assert store.asked[1][2]["stdin"].read() == b"\xff\x00"


def test_formats_are_listed_without_a_store(run: Run, store: FakeStore) -> None:
    result = run("ingest", "--list-formats")
    assert result.code == 0
    assert "lines with uuid and sessionId" in result.out
    assert [call[0] for call in store.asked] == ["formats"]


def test_a_map_is_one_value_or_several(run: Run, store: FakeStore) -> None:
    run(
        "ingest",
        "a.csv",
        "--map",
        "text=Body, or so,role=who",
        "--map",
        "time=sent",
        "--date-order",
        "mdy",
    )
    options = store.asked[1][2]["options"]
    assert options.columns == {"text": "Body, or so", "role": "who", "time": "sent"}
    assert options.date_order == "mdy"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--map", "text"), "not of the form"),
        (("--map", "text=a", "--map", "text=b"), "given twice"),
        (("--date-order", "ydm"), "no order of dates"),
    ],
)
def test_a_map_or_an_order_that_is_none(
    run: Run, store: FakeStore, arguments: tuple[str, ...], why: str
) -> None:
    result = run("ingest", "a.csv", *arguments)
    assert (result.code, result.out) == (2, "")
    assert why in result.err
    assert store.asked == []


def test_help_speaks_of_what_there_is() -> None:
    texts = [help_text.render()]
    for name in NAMES:
        found = load(name)
        texts.append("\n".join([found.call.__doc__ or "", *found.examples]))
    shown = "\n".join(texts)
    for word in ("memory export", "memories export"):
        assert word not in shown.casefold()
    known = {*registry.strategies(), "NAME"}
    for text in texts:
        for word in text.split("--strategy ")[1:]:
            assert word.split()[0] in known
