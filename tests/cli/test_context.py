import json
from xml.etree import ElementTree

import pytest

from memcli.core.records import Scope
from memcli.core.reports import ContextReport
from memcli.errors import UsageError
from memcli.render.context_xml import Xml
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore
from tests.render import samples


def test_options_reach_the_api(run: Run, store: FakeStore) -> None:
    result = run(
        "context", "where", "--budget", "90", "--format", "xml", "--scope", "user=ada",
        "--valid-at", "2025-06-01", "--known-at", "p3", "--lexical", "--log-recall", "--floor", "0",
        "--now", "2026-01-01",
        "--store", "a.db",
    )  # fmt: skip
    assert result.code == 0
    assert store.asked[0] == ("open", ("a.db",), {"now": "2026-01-01"})
    assert store.asked[1] == (
        "context",
        ("where",),
        {
            "budget": 90,
            "format": "xml",
            "scope": Scope(user="ada"),
            "valid_at": "2025-06-01",
            "known_at": "p3",
            "vectors": False,
            "floor": 0.0,
            "log_recall": True,
        },
    )


def test_without_options(run: Run, store: FakeStore) -> None:
    run("context", "where")
    assert store.asked[1][2] == {
        "budget": 2000,
        "format": "markdown",
        "scope": None,
        "valid_at": None,
        "known_at": None,
        "vectors": True,
        "floor": 0.55,
        "log_recall": False,
    }


def test_the_block_is_all_that_is_printed(run: Run, store: FakeStore) -> None:
    result = run("context", "where", "--quiet")
    assert (result.out, result.err) == (samples.CONTEXT.block, "")


def test_xml(run: Run, store: FakeStore) -> None:
    store.answers["context"] = ContextReport("x", "p1", 9, block=Xml().block(samples.CONTEXT))
    assert ElementTree.fromstring(run("context", "x", "--format", "xml").out).tag == (
        "recalled-memory"
    )


def test_json_may_be_said_twice(run: Run, store: FakeStore) -> None:
    documents = [run("context", "x", *words).out for words in (
        ("--json",), ("--format", "json"), ("--json", "--format", "json"), ("--format=json",),
    )]  # fmt: skip
    assert len(set(documents)) == 1
    assert json.loads(documents[0])["tokens"] == 321
    assert {call[2]["format"] for call in store.asked if call[0] == "context"} == {"json"}
    result = run("context", "x", "--json", "--format", "xml")
    assert result.code == 2
    assert "disagree" in result.error["what"]


def test_warnings_are_notes_and_stand_in_the_json(run: Run, store: FakeStore) -> None:
    said = "vectors are missing; try mem reindex"
    result = run("context", "where")
    assert result.err == f"note: {said}\n"
    assert said not in result.out
    result = run("context", "where", "--json")
    assert (result.err, result.json["warnings"]) == ("", [said])


@pytest.mark.parametrize("words", [("--budget", "0"), ("--format", "html"), ("--layer", "raw")])
def test_what_is_no_option(run: Run, store: FakeStore, words: tuple[str, ...]) -> None:
    assert run("context", "x", *words).code == 2


def test_a_failure_is_json_where_the_answer_would_be(run: Run, store: FakeStore) -> None:
    store.answers["context"] = UsageError("A budget of 5 tokens holds no block.")
    assert run("context", "x", "--format", "json").error["code"] == 2
