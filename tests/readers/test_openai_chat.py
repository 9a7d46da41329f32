"""OpenAI chat messages in all the layouts in which programs leave them."""

import hashlib
import json
from typing import get_args

import pytest

from memcli.core.found import Skipped
from memcli.core.records import RecordKind

from .build import as_json, as_lines, bads, counted, founds, ids, read, skipped, sniff, texts

NAME = "openai_chat"

CALL = {"id": "c1", "type": "function", "function": {"name": "fire", "arguments": '{"cone": 6'}}
TALK = [
    {"role": "system", "content": "You tend a kiln."},
    {"role": "user", "content": "Fire it to cone 6.", "name": "ida"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "", "tool_call_id": "c1"},
    {"role": "assistant", "content": "It is on."},
]


def test_bare_array_is_one_conversation():
    units = founds(read(NAME, as_json(TALK)))
    assert [unit.role for unit in units] == ["system", "user", "assistant", "tool", "assistant"]
    assert [unit.kind for unit in units].count("tool_result") == 1
    assert len({unit.session for unit in units}) == 1
    assert len(set(ids(units))) == 5
    assert all(unit.said_at is None and unit.time_source == "none" for unit in units)
    assert units[1].speaker == "ida"


def test_arguments_that_are_no_json_are_kept_as_text():
    call = founds(read(NAME, as_json(TALK)))[2]
    assert call.attributes["calls"] == [{"id": "c1", "name": "fire", "arguments": '{"cone": 6'}]


def test_empty_tool_result_stays_and_pairs_with_its_call():
    answer = founds(read(NAME, as_json(TALK)))[3]
    assert (answer.text, answer.attributes) == ("", {"call_id": "c1"})


LAYOUTS = {
    "array": as_json(TALK),
    "indented": json.dumps(TALK, indent=2).encode(),
    "lines": as_lines(*TALK),
    "wrapper": as_json({"messages": TALK}),
    "wrapper indented": json.dumps({"messages": TALK}, indent=1).encode(),
    "wrapper line": as_lines({"messages": TALK, "tools": []}),
    "array of wrappers": as_json([{"messages": TALK}]),
    "array line": as_lines(TALK),
    "array of arrays": as_json([TALK]),
    "no final newline": as_lines(*TALK)[:-1],
    "CRLF and BOM": b"\xef\xbb\xbf" + as_lines(*TALK).replace(b"\n", b"\r\n\r\n"),
    "UTF-16 LE with BOM": as_json(TALK).decode().encode("utf-16"),
    "UTF-16 LE": as_lines(*TALK).decode().encode("utf-16-le"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_records(layout):
    # microsoft/promptflow#4172, jqlang/jq#2351: BOM and UTF-16 were decode errors.
    units = read(NAME, LAYOUTS[layout])
    assert ids(units) == ids(read(NAME, as_json(TALK)))
    assert bads(units) == []
    assert sniff(NAME, LAYOUTS[layout]) >= 0.5


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "assistant", "content": "", "tool_calls": [CALL], "function_call": None},
    ],
)
def test_call_without_content_is_a_record_with_empty_text(message):
    # mem0ai/mem0#5575, NousResearch/hermes-agent#276
    units = read(NAME, as_json([TALK[1], message]))
    assert texts(units) == ["Fire it to cone 6.", ""]
    assert founds(units)[1].attributes["calls"][0]["name"] == "fire"


def test_null_tool_calls_are_none():
    # letta-ai/letta#1572
    units = read(
        NAME, as_json([TALK[1], {"role": "assistant", "content": "ok", "tool_calls": None}])
    )
    assert dict(founds(units)[1].attributes) == {}


def test_content_may_be_a_list_of_parts():
    # mem0ai/mem0#4799, odysseus-dev/odysseus#1983
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGVsbG8="}},
        {"type": "image_url", "image_url": {"url": "https://pots.example/1.png"}},
        {"type": "input_audio", "input_audio": {"data": "aGVsbG8=", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:;base64,aGVsbG8="}},
        {"type": "output_text", "text": "and tell"},
        {"type": "of_tomorrow"},
        "bare",
        None,
    ]
    (unit,) = founds(read(NAME, as_json([{"role": "user", "content": parts}])))
    assert unit.text == "Look:\n\nand tell\n\nbare"
    digest = hashlib.sha256(b"hello").hexdigest()
    assert unit.attributes["attachments"] == [
        {"hash": digest, "type": "image/png", "size": 5},
        {"hash": None, "type": "image", "size": None, "url": "https://pots.example/1.png"},
        {"hash": digest, "type": "audio/wav", "size": 5},
        {"hash": digest, "type": "file", "size": 5, "name": "a.pdf"},
        {"hash": None, "type": "of_tomorrow", "size": None},
    ]


def test_media_only_message_is_a_record_and_an_empty_one_is_not():
    image = [{"type": "image_url", "image_url": {"url": "https://pots.example/1.png"}}]
    units = read(NAME, as_json([*({"role": "user", "content": c} for c in (image, "", None, []))]))
    assert texts(units) == [""]
    assert skipped(units) == {"empty": 3}


def test_refusal_is_what_the_model_said():
    said = {"role": "assistant", "content": None, "refusal": "I will not."}
    (unit,) = founds(read(NAME, as_json([said])))
    assert (unit.text, unit.attributes) == ("I will not.", {"refusal": True})


def test_old_function_call_and_its_result():
    call = {"name": "fire", "arguments": "{}"}
    units = founds(
        read(
            NAME,
            as_json(
                [
                    {"role": "assistant", "content": None, "function_call": call},
                    {"role": "function", "name": "fire", "content": "hot"},
                ]
            ),
        )
    )
    assert units[0].attributes["calls"] == [{"id": None, "name": "fire", "arguments": "{}"}]
    assert (units[1].role, units[1].kind, units[1].attributes) == (
        "tool",
        "tool_result",
        {"tool": "fire"},
    )


def test_reasoning_is_thinking():
    said = {"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}
    assert skipped(read(NAME, as_json([said]))) == {"thinking_block": 1}
    units = founds(read(NAME, as_json([said]), include=frozenset({"thinking"})))
    assert [unit.kind for unit in units] == ["thinking", "utterance"]
    assert units[0].identity == f"{units[1].identity}:thinking:1"


# --- identity -----------------------------------------------------------------------------------


def test_growth_adds_the_tail_only():
    before, after = ids(read(NAME, as_json(TALK[:3]))), ids(read(NAME, as_json(TALK)))
    assert after[:3] == before


def test_reordered_conversations_give_the_same_identities():
    one = {"messages": [TALK[0], {"role": "user", "content": "a"}]}
    two = {"messages": [TALK[0], {"role": "user", "content": "b"}]}
    there, back = read(NAME, as_lines(one, two)), read(NAME, as_lines(two, one))
    assert sorted(ids(there)) == sorted(ids(back))
    # Two conversations with one system prompt: that prompt is two records.
    assert len(set(ids(there))) == 4
    assert len({unit.session for unit in founds(there)}) == 2


def test_equal_conversations_are_two():
    one = {"messages": TALK[:2]}
    found = ids(read(NAME, as_lines(one, one)))
    assert len(set(found)) == 4
    assert found[2:] == [f"{ident}#2" for ident in found[:2]]


def test_log_that_repeats_the_history_gives_each_message_once():
    log = [{"messages": TALK[:2]}, {"messages": TALK[:4]}, {"messages": TALK}]
    for lines in (log, log[::-1]):
        units = read(NAME, as_lines(*lines))
        assert sorted(ids(units)) == sorted(ids(read(NAME, as_json(TALK))))
    assert skipped(read(NAME, as_lines(*log))) == {"repeated_history": 6}


def test_named_conversation_written_again_gives_nothing_new():
    one = {"id": "talk-1", "messages": TALK[:3]}
    units = read(NAME, as_lines(one, one, {**one, "messages": TALK}))
    assert len(ids(units)) == len(set(ids(units))) == 5
    assert {unit.session for unit in founds(units)} == {"talk-1"}


def test_session_keeps_apart_what_begins_alike():
    plain = founds(read(NAME, as_json(TALK)))
    apart = founds(read(NAME, as_json(TALK), session="monday"))
    assert not {unit.identity for unit in plain} & {unit.identity for unit in apart}
    assert {unit.session for unit in apart} == {"monday"}
    several = founds(read(NAME, as_lines({"messages": TALK}), session="monday"))
    assert {unit.identity for unit in several} == {unit.identity for unit in apart}
    assert next(iter(several)).session.startswith("monday/")


def test_native_ids_and_times_are_taken():
    talk = {
        "id": "talk-1",
        "title": "Kiln",
        "created_at": "2026-01-02T03:04:05+01:00",
        "messages": [
            {"id": "m1", "role": "user", "content": "a", "timestamp": 1767323045.25},
            {"id": "m2", "role": "assistant", "content": "b"},
        ],
    }
    first, second = founds(read(NAME, as_json(talk)))
    assert (first.identity, first.native, first.session) == ("talk-1/m1", "m1", "talk-1")
    assert (first.said_at, first.time_source) == ("2026-01-02T03:04:05.250Z", "exact")
    assert (second.said_at, second.time_source) == ("2026-01-02T02:04:05Z", "session")
    assert first.title == "Kiln"


def test_time_without_zone_is_assumed():
    said = {"role": "user", "content": "a", "created_at": "2026-07-01 12:00:00"}
    (unit,) = founds(read(NAME, as_json([said]), tz="Europe/Vienna"))
    assert (unit.said_at, unit.time_source) == ("2026-07-01T10:00:00Z", "assumed-zone")


def test_identity_does_not_depend_on_redaction():
    key = "sk-ant-" + "a1B2" * 8
    plain = ids(read(NAME, as_json([{"role": "user", "content": f"my key is {key}"}])))
    masked = "my key is [redacted:anthropic_key]"
    assert plain == ids(read(NAME, as_json([{"role": "user", "content": masked}])))
    (unit,) = founds(read(NAME, as_json([{"role": "user", "content": f"my key is {key}"}])))
    assert key in unit.text  # the engine masks what is stored


# --- what cannot be read ------------------------------------------------------------------------


def test_roles_are_mapped_and_unknown_ones_are_bad():
    talk = [
        {"role": "developer", "content": "a"},
        {"role": "Human", "content": "b"},
        {"role": "model", "content": "c"},
        {"role": "narrator", "content": "d"},
        {"content": "e"},
    ]
    units = read(NAME, as_lines(*talk))
    assert [unit.role for unit in founds(units)] == ["system", "user", "assistant"]
    assert [bad.line for bad in bads(units)] == [4, 5]
    mapped = read(NAME, as_lines(*talk), roles={"narrator": "system"})
    assert [bad.line for bad in bads(mapped)] == [5]


@pytest.mark.parametrize(
    "value",
    [7, "text", {"messages": None}, {"messages": [3]}, {"role": "user", "content": 5}, None],
)
def test_what_is_no_message_is_bad(value):
    units = read(NAME, as_lines({"messages": TALK[:2]}, value))
    assert len(counted(units)) == 2
    assert [bad.line for bad in bads(units)] == [2]


def test_bad_line_does_not_end_a_conversation_of_lines():
    units = read(NAME, as_lines(*TALK[:2]) + b"{broken}\n" + as_lines(*TALK[2:]))
    assert ids(units) == ids(read(NAME, as_json(TALK)))
    assert [bad.line for bad in bads(units)] == [3]


def test_empty_conversation_is_counted():
    assert skipped(read(NAME, as_lines({"messages": []}))) == {"empty_conversation": 1}


def test_line_numbers_are_those_of_the_file():
    text = json.dumps(TALK, indent=1)
    lines = [
        text[: text.index(f'"{word}')].count("\n") for word in ("You tend", "Fire it", "It is")
    ]
    found = founds(read(NAME, text.encode()))
    # The element begins two lines above its content.
    assert [found[0].line, found[1].line, found[4].line] == [line - 1 for line in lines]


def test_separator_characters_do_not_cut_lines():
    # github/copilot-cli#2490, huggingface/tau#354
    said = "a\u2028b\u0085c\u2029d"
    line = json.dumps({"role": "user", "content": said}, ensure_ascii=False).encode()
    assert texts(read(NAME, line + b"\n" + line)) == [said, said]


def test_deep_or_damaged_elements_of_an_array_are_bad_and_the_rest_is_read():
    deep = b'{"role":"user","content":' + b"[" * 5000 + b"]" * 5000 + b"}"
    data = b"[" + as_json(TALK[0]) + b"," + deep + b',{"role": oops},' + as_json(TALK[1]) + b"]"
    units = read(NAME, data)
    assert texts(units) == ["You tend a kiln.", "Fire it to cone 6."]
    assert len(bads(units)) == 2


def test_skips_and_kinds_are_the_known_ones():
    units = read(NAME, as_json(TALK))
    assert all(unit.kind in get_args(RecordKind) for unit in founds(units))
    assert not [unit for unit in units if isinstance(unit, Skipped)]


def test_sniff_wants_messages_with_role_and_content():
    assert sniff(NAME, b'{"name":"pots","version":"1","type":"module","messages":{"a":1}}') < 0.5
    assert sniff(NAME, as_json({"messages": [{"id": 1, "from": "x", "text": "y"}]})) < 0.5
    assert sniff(NAME, as_json([{"role": "admin", "content": "x"}])) < 0.5
    assert sniff(NAME, as_json({"messages": []})) < 0.5
    long = [{"role": "system", "content": "x" * 200_000}, *TALK]
    assert sniff(NAME, as_json({"messages": long})) >= 0.5


ASKED = [{"role": "system", "content": "You tend a kiln."}, {"role": "user", "content": "Hot?"}]
SAID = {"role": "assistant", "content": "Very."}
ANSWER = {"id": "chatcmpl-1", "created": 1780000000, "choices": [{"index": 0, "message": SAID}]}


@pytest.mark.parametrize(
    "values",
    [
        [{"messages": ASKED, "response": ANSWER}],
        [{"messages": ASKED, **ANSWER}],
        [{"messages": ASKED, "response": SAID}],
        [{"messages": ASKED, "completion": "Very."}],
        [{"messages": [*ASKED, SAID], "response": ANSWER}],
        [{"custom_id": "a", "body": {"messages": ASKED}, "response": {"body": ANSWER}}],
        [{"id": "x", "request": {"messages": ASKED}, "response": ANSWER}],
        [{"messages": ASKED}, ANSWER],
        [[{"messages": ASKED}, ANSWER]],
    ],
)
def test_an_answer_goes_on_with_its_request_wherever_it_is_logged(values):
    data = as_lines(*values)
    assert sniff(NAME, data) >= 0.5
    units = read(NAME, data)
    assert texts(units) == ["You tend a kiln.", "Hot?", "Very."]
    assert ids(units)[:2] == ids(read(NAME, as_lines({"messages": ASKED})))
    assert len({unit.session for unit in founds(units)}) == 1
    assert not bads(units)


def test_texts_of_the_assistants_api_are_read():
    part = {"type": "text", "text": {"value": "Cone 6.", "annotations": []}}
    said = {"id": "msg_1", "role": "assistant", "content": [part], "created_at": 1780000000}
    assert texts(read(NAME, as_json([said]))) == ["Cone 6."]


def test_roles_by_other_words_are_known_in_any_layout():
    said = [{"role": role, "content": "x"} for role in ("human", "model", "human", "ai")]
    for data in (as_json({"messages": said}), as_json(said), as_lines(*said)):
        assert sniff(NAME, data) >= 0.5
        assert [unit.role for unit in founds(read(NAME, data))] == ["user", "assistant"] * 2


def test_a_history_sent_again_with_its_answers_gives_each_once():
    more = [*ASKED, SAID, {"role": "user", "content": "Still?"}]
    later = {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
    units = read(
        NAME,
        as_lines({"messages": ASKED, "response": ANSWER}, {"messages": more, "response": later}),
    )
    assert texts(units) == ["You tend a kiln.", "Hot?", "Very.", "Still?", "Yes."]
    assert skipped(units) == {"repeated_history": 3}


def test_of_several_answers_the_first_is_gone_on_with():
    other = {"index": 1, "message": {"role": "assistant", "content": "No."}}
    data = as_json({"messages": ASKED, "choices": [*ANSWER["choices"], other]})
    units = read(NAME, data)
    assert texts(units)[2:] == ["Very."]
    assert skipped(units) == {"inactive_branch": 1}
    assert texts(read(NAME, data, all_branches=True))[2:] == ["Very.", "No."]


def test_an_answer_alone_is_one_record_and_what_has_other_choices_none():
    units = read(NAME, as_json(ANSWER))
    assert texts(units) == ["Very."]
    assert founds(units)[0].said_at == "2026-05-28T20:26:40Z"
    assert sniff(NAME, as_json({"choices": ["tin", "ash"]})) < 0.5
    assert sniff(NAME, as_json({"prompt": "Hot?", "completion": "Very."})) < 0.5


def test_times_that_cannot_be_read_are_told_once_each():
    def told(*times: object) -> list[str]:
        talk = [{"role": "user", "content": "Hot?", "created_at": time} for time in times]
        found = read(NAME, as_json(talk))
        assert skipped(found) == {}
        return [unit.warning for unit in found if isinstance(unit, Skipped) and unit.warning]

    assert told("yesterday noon", "2026-05-01T10:00:00Z", "soon", "yesterday noon") == [
        "2 different times could not be read, the first 'yesterday noon' in line 1;"
        " their records have none"
    ]
    assert told("soon" * 20) == [
        f"1 time could not be read, the first '{'soon' * 10}' in line 1; its records have none"
    ]
    assert told(None, "", 0, 1777629600) == []
