"""Every failure ends in words, a documented exit code, and no traceback."""

import json
from typing import Any

import pytest

from memcli.cli._run import wants_json
from memcli.errors import (
    BusyError,
    GatewayError,
    InputError,
    MemError,
    MovedError,
    RefusedError,
    StoreError,
    UsageError,
)
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (UsageError, 2), (InputError, 2), (StoreError, 4), (BusyError, 5), (MovedError, 5),
        (RefusedError, 6), (GatewayError, 7),
    ],
)  # fmt: skip
def test_each_class_has_its_code(
    run: Run, store: FakeStore, kind: type[MemError], code: int
) -> None:
    store.answers["log"] = kind(
        "It \x1b[31mfailed.", where="p1", hint="mem doctor", details={"ids": ("m1",)}
    )
    result = run("log")
    assert (result.code, result.out) == (code, "")
    assert result.err == "mem: It ␛[31mfailed.\n  at p1\n  try: mem doctor\n"
    result = run("log", "--json")
    assert (result.code, result.out) == (code, "")
    assert result.error == {
        "schema": "mem.error/1",
        "code": code,
        "what": "It \x1b[31mfailed.",
        "where": "p1",
        "hint": "mem doctor",
        "details": {"ids": ["m1"]},
    }


def test_lines_that_are_not_known_are_left_out(run: Run, store: FakeStore) -> None:
    store.answers["log"] = StoreError("Gone.")
    assert run("log").err == "mem: Gone.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("log", "--jsn"), "No such option"),
        (("log", "extra"), "unexpected extra argument"),
        (("log", "--limit", "many"), "--limit"),
        (("log", "--limit", "0"), "--limit"),
        (("log", "--limit"), "--limit"),
        (("show",), "ID"),
        (("search", "x", "-k", "99999999999999999999"), "-k"),
        (("search", "x", "--layer", "deep"), "--layer"),
        (("consolidate",), "--strategy"),
    ],
)
def test_a_wrong_call(run: Run, store: FakeStore, arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert result.err.endswith(f"  at mem {arguments[0]}\n  try: mem {arguments[0]} --help\n")
    assert run(arguments[0], "--json", *arguments[1:]).error["code"] == 2


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("log", ["--json"], True),
        ("log", [], False),
        ("search", ["--", "--json"], False),
        ("diff", ["--format", "json"], True),
        ("audit", ["--format=json"], True),
        ("audit", ["--format", "sarif"], False),
        ("ingest", ["--format", "json"], False),
    ],
)
def test_when_failures_are_json(name: str, arguments: list[str], expected: bool) -> None:
    assert wants_json(name, arguments) is expected


def test_a_bug_is_called_one(run: Run, store: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.answers["log"] = ZeroDivisionError("division by zero")
    result = run("log")
    assert result.code == 70
    assert "bug of mem" in result.err
    assert "ZeroDivisionError" in result.err
    assert "Traceback" not in result.err
    assert run("log", "--json").error["code"] == 70
    monkeypatch.setenv("MEM_DEBUG", "1")
    assert "Traceback" in run("log").err


@pytest.mark.parametrize("error", [RecursionError(), OSError(5, "I/O")])
def test_other_surprises_are_bugs_too(run: Run, store: FakeStore, error: Exception) -> None:
    store.answers["log"] = error
    assert run("log").code == 70


def test_too_little_memory_is_no_bug(run: Run, store: FakeStore) -> None:
    store.answers["log"] = MemoryError()
    result = run("log")
    assert result.code == 4
    assert "memory" in result.err


def test_an_interrupt(run: Run, store: FakeStore) -> None:
    store.answers["log"] = KeyboardInterrupt()
    result = run("log")
    assert (result.code, result.out) == (130, "")
    assert result.err == (
        "mem: Interrupted. Nothing is half-written: a pass is stored whole or not at all.\n"
    )
    error = run("log", "--json").error
    assert (error["schema"], error["code"]) == ("mem.error/1", 130)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("search", "x", "--scope", "user"), "'user' is not of the form key=value."),
        (("search", "x", "--scope", "team=a"), "A scope has no key 'team'."),
        (("search", "x", "--scope", "user="), "--scope names no user."),
        (
            ("context", "x", "--scope", "user=a", "--scope", "project= "),
            "--scope names no project.",
        ),
        (("add", "x", "--scope", "user="), "--scope names no user."),
        (("search", "x", "--scope", "user=a", "--scope", "user=b"), "given twice"),
        (("search", "x", "--include", "everything"), "'everything'"),
        (("consolidate", "--strategy", "s", "--param", "=x"), "key=value"),
        (("ingest", "f", "--include", "all"), "'all'"),
        (("ingest", "f", "--role", "agent=boss"), "'boss' is not a role."),
        (("ingest", "f", "--tz", "Mars/Olympus"), "'Mars/Olympus'"),
        (("ingest", "f", "--tz", "../../etc/passwd"), "no time zone"),
        (("ingest",), "No source is given."),
        (("rollback",), "either a target or --to"),
        (("rollback", "p1", "--to", "p2"), "either a target or --to"),
        (("diff", "--json", "--format", "html"), "disagree"),
        (("audit", "--json", "--format", "sarif"), "disagree"),
        (("diff", "p1", "--against", "x.db"), "at once"),
        (("why", "m1", "--dot", "--json"), "disagree"),
        (("audit", "--baseline", "/nowhere.json"), "cannot be read"),
        (("demo", "-"), "twice"),
        (("search", "bad \udcff bytes"), "not text"),
        (("rate", "m1", "x=\udcff"), "not text"),
    ],
)
def test_wrong_values(run: Run, store: FakeStore, arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert not [call for call in store.asked if call[0] == "open"]
    said: Any = json.loads(result.err)["what"] if "--json" in arguments else result.err
    assert words in said


def test_file_names_may_be_any_bytes(run: Run, store: FakeStore) -> None:
    assert run("ingest", "caf\udce9.jsonl", "--store", "\udce9.db").code == 3
    assert store.asked[0][1] == ("\udce9.db",)
