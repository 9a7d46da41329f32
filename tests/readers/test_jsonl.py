"""JSON objects by a map of keys, self-written."""

from typing import Any

import pytest

from memcli.core.found import Unit
from memcli.engine.detect import detect
from memcli.errors import UsageError

from .build import Bytes, as_json, as_lines, bads, founds, ids, read, skipped, sniff, texts

NAME = "jsonl"
COLUMNS = {
    "text": "message.content",
    "speaker": "author.name",
    "time": "at",
    "conversation": "room",
}
ROWS: list[dict[str, Any]] = [
    {"room": 7, "author": {"name": "Ida"}, "message": {"content": "Hi."}, "at": 1777622400},
    {"room": 7, "author": {"name": "Ben"}, "message": {"content": "Ho."}, "at": 1777622401500},
    {"room": 8, "author": None, "message": {"content": "So."}, "at": 1777622402.25},
]


def units(data: bytes, columns: dict[str, str] = COLUMNS, **options: Any) -> list[Unit]:
    return read(NAME, data, columns=columns, **options)


def test_keys_inside_keys_are_followed():
    found = founds(units(as_lines(*ROWS)))
    assert [(unit.session, unit.speaker, unit.text, unit.said_at) for unit in found] == [
        ("7", "Ida", "Hi.", "2026-05-01T08:00:00Z"),
        ("7", "Ben", "Ho.", "2026-05-01T08:00:01.500Z"),
        ("8", None, "So.", "2026-05-01T08:00:02.250Z"),
    ]
    assert {unit.time_source for unit in found} == {"exact"}
    assert ids(units(as_json(ROWS))) == ids(units(as_lines(*ROWS)))


def test_a_key_with_a_dot_goes_first_and_a_number_is_a_place():
    rows = {"a.b": "one", "a": {"b": "two", "c.d": ["three", {"e": "four"}]}}
    for name, text in (("a.b", "one"), ("a.c.d.0", "three"), ("a.c.d.1.e", "four")):
        assert texts(units(as_json(rows), {"text": name})) == [text]
    for name in ("a.c.d.2", "a.c.d.e", "a.b.c", "a.c", "a.c.d.1.e.f", ".", "a."):
        with pytest.raises(UsageError):
            units(as_json(rows), {"text": name})


def test_text_in_blocks_is_text_with_its_calls():
    blocks = [
        {"type": "text", "text": "On it."},
        {"type": "tool_use", "id": "c1", "name": "heat", "input": {"to": 900}},
    ]
    (unit,) = founds(units(as_json([{"text": blocks}]), {"text": "text"}))
    assert unit.text == "On it."
    assert unit.attributes["calls"][0]["name"] == "heat"


@pytest.mark.parametrize("value", [None, "", " ", [], {}, True, 0.5])
def test_a_row_without_text_is_counted(value):
    found = units(as_lines({"text": "Hi."}, {"text": value}, {"other": 1}), {"text": "text"})
    assert texts(found)[0] == "Hi."
    assert skipped(found).get("empty", 0) == (1 if value == 0.5 else 2)


def test_what_is_no_object_is_bad():
    found = units(b'{"text": "Hi."}\n7\n{"text" 7\n{"text": "Ho."}\n', {"text": "text"})
    assert [bad.line for bad in bads(found)] == [2, 3]
    assert texts(found) == ["Hi.", "Ho."]


def test_a_key_that_comes_late_is_found_and_one_that_never_comes_is_refused():
    many = as_lines(*[{"text": "x" * 2_000}] * 60, {"text": "Hi.", "who": "Ida"})
    assert founds(units(many, {"text": "text", "speaker": "who"}))[-1].speaker == "Ida"
    with pytest.raises(UsageError, match="no column 'whose'") as caught:
        units(many, {"text": "text", "speaker": "whose"})
    assert caught.value.hint == "the columns are 'text'"


def test_without_a_map_one_is_proposed():
    rows = as_lines(
        *({"msg": {"body": "Hi."}, "user": {"role": "user"}, "ts": 1} for _ in range(2))
    )
    with pytest.raises(UsageError) as caught:
        read(NAME, rows, "log.jsonl")
    assert caught.value.hint == (
        "mem ingest log.jsonl --map text=msg.body --map role=user.role --map time=ts"
    )


def test_rows_of_messages_are_claimed_weakly_and_others_are_not():
    assert (
        sniff(NAME, as_lines({"body": "Hi.", "sender": "Ida"}, {"body": "Ho.", "sender": "Ben"}))
        == 0.5
    )
    for value in ({"name": "app", "version": "1.0"}, {"text": "Hi.", "author": "Ida"}, [1], {}):
        assert sniff(NAME, as_json(value)) < 0.5
    lock = {"packages": {"a": {"version": "1"}}, "lockfileVersion": 3}
    assert sniff(NAME, as_json(lock)) < 0.5
    assert detect(Bytes(as_json([{"role": "user", "content": "Hi."}]))).name == "openai_chat"
