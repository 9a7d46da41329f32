"""LongMemEval histories, with invented ones of the same shape."""

import copy
import json
from typing import Any

import pytest

from .build import as_json, as_lines, bads, counted, founds, ids, read, skipped, sniff, texts

NAME = "longmemeval"


def turn(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


# As in the oracle part: not in the order of time, and with one session twice.
QUESTION: dict[str, Any] = {
    "question_id": "q-1_abs",
    "question_type": "knowledge-update",
    "question": "How hot is the kiln QUESTION?",
    "answer": 900,
    "question_date": "2024/01/02 (Tue) 10:00",
    "haystack_dates": ["2023/05/30 (Tue) 23:40", "2023/05/01 (Mon) 00:05", "2023/06/01 (Thu) 9:00"],
    "haystack_session_ids": ["answer_1", "chat_2", "answer_1"],
    "haystack_sessions": [
        [turn("user", "It is 900 now.", has_answer=True), turn("assistant", "Noted.")],
        [],
        [turn("user", "It was 800."), turn("assistant", ""), turn("system", "Be brief.")],
    ],
    "answer_session_ids": ["answer_1"],
}


def asked(**fields: Any) -> dict[str, Any]:
    return {**copy.deepcopy(QUESTION), **fields}


def test_each_turn_is_named_by_question_session_occurrence_and_place():
    units = founds(read(NAME, as_json([QUESTION])))
    assert [(unit.identity, unit.role, unit.said_at) for unit in units] == [
        ("q-1_abs/answer_1/0", "user", "2023-05-30T23:40:00Z"),
        ("q-1_abs/answer_1/1", "assistant", "2023-05-30T23:40:00Z"),
        ("q-1_abs/answer_1#2/0", "user", "2023-06-01T09:00:00Z"),
        ("q-1_abs/answer_1#2/2", "system", "2023-06-01T09:00:00Z"),
    ]
    assert {unit.time_source for unit in units} == {"session"}
    assert {unit.container for unit in units} == {"q-1_abs"}
    assert [unit.session for unit in units[1:3]] == ["q-1_abs/answer_1", "q-1_abs/answer_1#2"]
    assert {unit.line for unit in units} == {None}
    assert skipped(read(NAME, as_json([QUESTION]))) == {"empty_session": 1, "empty": 1}


def test_the_answer_key_is_never_read():
    shown = repr(founds(read(NAME, as_json([QUESTION]))))
    for word in ("QUESTION", "has_answer", "2024", "knowledge"):
        assert word not in shown
    assert ids(read(NAME, as_json([QUESTION]))) == ids(
        read(NAME, as_json([asked(answer=None, question=None, answer_session_ids=7)]))
    )


def test_array_lines_and_one_object_give_the_same():
    other = asked(question_id="q-2")
    assert read(NAME, as_json([QUESTION, other]))[0] == read(NAME, as_lines(QUESTION, other))[0]
    assert ids(read(NAME, as_json([QUESTION, other]))) == ids(read(NAME, as_lines(QUESTION, other)))
    assert ids(read(NAME, as_json(QUESTION))) == ids(read(NAME, as_json([QUESTION])))
    assert len(set(ids(read(NAME, as_json([QUESTION, other]))))) == 8


def test_a_second_question_of_the_same_name_is_told():
    units = read(NAME, as_lines(QUESTION, asked(haystack_sessions=[[turn("user", "Lost?")]])))
    assert [(bad.line, bad.reason) for bad in bads(units)] == [
        (2, "a second question called 'q-1_abs'")
    ]
    assert ids(units) == ids(read(NAME, as_json([QUESTION])))


def test_a_zone_can_be_given():
    units = founds(read(NAME, as_json([QUESTION]), tz="Europe/Vienna"))
    assert units[0].said_at == "2023-05-30T21:40:00Z"


@pytest.mark.parametrize("date", [None, "", 7.5, "soon", "2023/02/31 (Fri) 10:00", {"a": 1}])
def test_a_date_that_is_none_dates_nothing(date):
    units = founds(read(NAME, as_json([asked(haystack_dates=[date, date, date])])))
    assert {(unit.said_at, unit.time_source) for unit in units} == {(None, "none")}
    assert len(units) == 4


def test_lists_that_do_not_match_are_told_and_nothing_is_lost():
    units = read(NAME, as_json([asked(haystack_dates=["2023/05/30 (Tue) 23:40"])]))
    assert [bad.reason for bad in bads(units)] == ["haystack_dates has 1 entries for 3 sessions"]
    assert [unit.said_at for unit in founds(units)] == ["2023-05-30T23:40:00Z"] * 2 + [None] * 2
    bare = asked()
    for name in ("haystack_dates", "haystack_session_ids", "question_id"):
        del bare[name]
    assert texts(read(NAME, as_json([bare]))) == texts(read(NAME, as_json([QUESTION])))
    assert len(set(ids(read(NAME, as_json([bare]))))) == 4


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"haystack_sessions": None}, "haystack_sessions is no list"),
        ({"haystack_sessions": [None]}, "session 1 is no list of turns"),
        ({"haystack_sessions": [[7]]}, "q-1_abs/answer_1/0 is no object"),
        (
            {"haystack_sessions": [[turn("elf", "Hi.")]]},
            "the role 'elf' is not known; map it with --role",
        ),
    ],
)
def test_what_cannot_be_read_is_bad(fields, reason):
    units = read(
        NAME, as_json([asked(haystack_dates=[], haystack_session_ids=["answer_1"], **fields)])
    )
    assert [(bad.reason, bad.line) for bad in bads(units)] == [(reason, 1)]
    assert counted(units) == []


def test_it_is_told_from_its_head_even_of_a_question_with_very_many_sessions():
    many = asked(haystack_sessions=[[turn("user", "x" * 400)]] * 500)
    many["haystack_session_ids"] = [f"chat_{n}" for n in range(500)]
    many["haystack_dates"] = ["2023/05/30 (Tue) 23:40"] * 500
    assert sniff(NAME, as_json([many])) > 0.9
    assert sniff(NAME, json.dumps([many], indent=1).encode()) > 0.9


@pytest.mark.parametrize(
    "value", [{"question_id": "q"}, {"haystack_sessions": []}, [], {"question": "a"}]
)
def test_what_is_something_else_is_not_claimed(value):
    assert sniff(NAME, as_json(value)) < 0.5
