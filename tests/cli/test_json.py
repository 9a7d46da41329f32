"""The JSON of every command fits the schema that is shipped for it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import memcli
from memcli.errors import RefusedError
from tests.cli.conftest import Run
from tests.cli.fakes import FakeStore

FOLDER = Path(memcli.__file__).parent / "schemas"
SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}

COMMANDS = [
    ("ingest", ("ingest", "x")),
    ("ingest", ("add", "x")),
    ("consolidate", ("consolidate", "--strategy", "reflect")),
    ("consolidate", ("apply", "plan.json")),
    ("estimate", ("consolidate", "--strategy", "reflect", "--estimate")),
    ("compare", ("compare", "reconcile", "append+dedupe")),
    ("calls", ("calls", "list")),
    ("calls", ("calls", "show", "3f")),
    ("calls", ("calls", "export", "calls.jsonl")),
    ("calls", ("calls", "import", "calls.jsonl")),
    ("calls", ("calls", "prune", "--all")),
    ("diff", ("diff",)),
    ("diff", ("diff", "p1", "p3")),
    ("diff", ("diff", "--against", "x.db")),
    ("rollback", ("rollback", "last")),
    ("rollback", ("undo",)),
    ("rollback", ("redo",)),
    ("rate", ("rate", "m5", "importance=8")),
    ("forget", ("forget",)),
    ("audit", ("audit",)),
    ("audit", ("audit", "--self-test")),
    ("search", ("search", "x")),
    ("context", ("context", "x")),
    ("why", ("why", "m7")),
    ("derived", ("why", "r12", "--derived")),
    ("strategies", ("strategies",)),
    ("log", ("log",)),
    ("digest", ("digest",)),
    ("due", ("due",)),
    ("show", ("show", "r12")),
    ("show", ("show", "m4")),
    ("show", ("show", "p3")),
    ("show", ("show", "s1")),
    ("history", ("history", "m4")),
    ("reindex", ("reindex",)),
    ("doctor", ("doctor",)),
    ("init", ("init",)),
    ("formats", ("ingest", "--list-formats")),
]


def check(name: str, document: Any) -> None:
    """Fail with every point in which `document` does not fit."""
    errors = Draft202012Validator(SCHEMAS[f"{name}-1"]).iter_errors(document)
    assert [f"{error.json_path}: {error.message}" for error in errors] == []
    assert next(iter(document)) == "schema"
    assert document["schema"] == f"mem.{name}/1"


@pytest.mark.parametrize(("name", "arguments"), COMMANDS)
def test_answer(run: Run, store: FakeStore, name: str, arguments: tuple[str, ...]) -> None:
    result = run(*arguments, "--json")
    check(name, result.json)
    assert result.out.count("\n") == 1
    assert list(result.json) == list(SCHEMAS[f"{name}-1"]["properties"])


def test_calls_are_listed_and_shown_with_the_same_keys(run: Run, store: FakeStore) -> None:
    listed, shown = (run("calls", *words, "--json").json for words in (("list",), ("show", "77")))
    assert listed["calls"][1] == {
        **shown["calls"][0],
        "messages": None,
        "reply": None,
        "finish": None,
    }
    wanted = SCHEMAS["calls-1"]["properties"]["calls"]["items"]["properties"]
    assert list(listed["calls"][0]) == list(shown["calls"][0]) == list(wanted)


def test_error(run: Run, store: FakeStore) -> None:
    store.answers["log"] = RefusedError("No.", details={"dependents": ["m1"]})
    check("error", run("log", "--json").error)
    store.answers["log"] = KeyboardInterrupt()
    check("error", run("log", "--json").error)


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_files(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert next(iter(schema["properties"])) == "schema"
    assert schema["required"] == list(schema["properties"])
    assert schema["properties"]["schema"] == {"const": f"mem.{name.replace('-1', '')}/1"}
    assert re.fullmatch(r"[a-z]+-1", name)


def test_a_change_is_the_same_everywhere() -> None:
    shapes = [SCHEMAS[f"{name}-1"]["$defs"]["change"] for name in ("diff", "consolidate", "rate")]
    assert shapes[0] == shapes[1] == shapes[2]


# The contract's main objects, key for key.
KEYS = {
    "ingest": "store pass records_new first_record last_record records_known records_restored sessions superseded inactive "
    "missing warnings redacted sources",
    "consolidate": "pass strategy model outcome operations rejected pending warnings plan calls "
    "calls_recorded tokens_in tokens_out cost_usd changes",
    "diff": "from to valid_at known_at summary records_added records_removed changes",
    "rollback": "pass target retired restored dependents released_records records_closed "
    "records_restored",
    "audit": "findings counts checked",
    "search": "query exact warnings understood match results left_out",
    "context": "sections as_of valid_at query budget tokens left_out weak warnings",
    "why": "id text evidence",
    "strategies": "strategies",
    "log": "passes",
    "digest": "records memories journal",
    "due": "due",
    "error": "code what where hint details",
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_the_contract(name: str) -> None:
    assert list(SCHEMAS[f"{name}-1"]["properties"]) == ["schema", *KEYS[name].split()]
