"""Items, requests and answers of the Responses API, in self-written inputs."""

from typing import Any

import pytest

from .build import as_json, as_lines, bads, founds, ids, read, skipped, sniff, texts

NAME = "openai_responses"


def asked(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "input_text", "text": text}], **more}


def said(text: str, **more: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "role": "assistant", "content": [part], **more}


THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Heat"}]}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "kiln",
    "arguments": '{"cone": 6}',
}
RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "1222 C"}
TALK = [asked("How hot is cone 6?"), THOUGHT, CALL, RESULT, said("It is 1222 C.", id="msg_1")]


def answer(ident: str, *output: Any, **more: Any) -> dict[str, Any]:
    about = {"id": ident, "object": "response", "created_at": 1777888800, "model": "gpt-x"}
    return {**about, "output": [*output], **more}


def test_each_item_is_a_record():
    units = founds(read(NAME, as_json(TALK)))
    assert [(unit.role, unit.kind, unit.text) for unit in units] == [
        ("user", "utterance", "How hot is cone 6?"),
        ("assistant", "utterance", ""),
        ("tool", "tool_result", "1222 C"),
        ("assistant", "utterance", "It is 1222 C."),
    ]
    assert units[1].attributes["calls"] == [
        {"id": "call_1", "name": "kiln", "arguments": '{"cone": 6}'}
    ]
    assert units[2].attributes == {"call_id": "call_1"}
    session = units[0].session
    assert ids(units)[1:] == [
        f"{session}/call_1",
        f"{session}/call_1:result",
        f"{session}/msg_1",
    ]
    assert skipped(read(NAME, as_json(TALK))) == {"thinking_block": 1}


@pytest.mark.parametrize(
    "data",
    [
        as_json({"data": TALK}),
        as_json({"input": TALK, "model": "gpt-x"}),
        as_json({"input": TALK[:1], "output": TALK[1:]}),
        as_json([{"input": TALK[:1]}, {"output": TALK[1:]}]),
        as_json({"request": {"input": TALK[:1]}, "response": {"output": TALK[1:], "id": "resp_1"}}),
        as_json({"object": "list", "data": TALK[::-1], "has_more": False}),
        as_lines(*TALK),
        as_lines(TALK),
        as_lines({"input": TALK[:1]}, answer("resp_1", *TALK[1:])),
        as_lines({"custom_id": "1", "url": "/v1/responses", "body": {"input": TALK}}),
        as_lines({"input": TALK[:3]}, {"input": TALK[:4]}, {"input": TALK}),
        as_lines({"input": TALK[:1]}, {"output": TALK[1:3]}, {"input": TALK}),
    ],
)
def test_layouts_and_growing_logs_give_the_same_records(data):
    units = read(NAME, data)
    assert ids(units) == ids(read(NAME, as_json(TALK)))
    assert bads(units) == []
    assert sniff(NAME, data) >= 0.5


def test_history_sent_again_is_counted_and_not_taken():
    first = {"input": "How hot is cone 6?", "model": "gpt-x", "store": False}
    again = [asked("How hot is cone 6?"), said("1222 C."), asked("And cone 10?")]
    units = read(
        NAME,
        as_lines(
            first,
            answer("resp_1", said("1222 C.", id="msg_" + "1" * 20)),
            {"input": again},
            answer("resp_2", said("1285 C.")),
        ),
    )
    assert texts(units) == ["How hot is cone 6?", "1222 C.", "And cone 10?", "1285 C."]
    assert skipped(units) == {"repeated_history": 2}
    assert {unit.time_source for unit in founds(units)} == {"session"}


def test_thoughts_left_out_of_a_history_make_nothing_new():
    shorter = [item for item in TALK if item is not THOUGHT]
    units = read(NAME, as_lines({"input": TALK}, {"input": [*shorter, asked("Thanks")]}))
    assert texts(units)[-1] == "Thanks"
    assert skipped(units)["repeated_history"] == 4


def test_answer_alone_is_a_conversation_of_its_own_name():
    units = founds(read(NAME, as_lines(answer("resp_1", said("a")), answer("resp_2", said("a")))))
    assert [unit.session for unit in units] == ["resp_1", "resp_2"]
    assert len(set(ids(units))) == 2
    assert units[0].said_at == "2026-05-04T10:00:00Z"


def test_conversation_id_goes_before_all():
    for given in ("conv_1", {"id": "conv_1"}):
        (unit,) = founds(read(NAME, as_json(answer("resp_1", said("a"), conversation=given))))
        assert unit.session == "conv_1"


def test_instructions_are_the_system_prompt_and_developer_is_system():
    data = {"instructions": "Be brief.", "input": [{"role": "developer", "content": "In C."}]}
    units = founds(read(NAME, as_json(data)))
    assert [(unit.role, unit.text) for unit in units] == [
        ("system", "Be brief."),
        ("system", "In C."),
    ]


def test_assistant_text_is_read_from_output_text():
    # melagiri/code-insights#91: reading only input_text lost every assistant turn.
    units = founds(read(NAME, as_json([asked("a"), said("b")])))
    assert [unit.role for unit in units] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("item", "name", "text"),
    [
        ({"type": "web_search_call", "id": "ws_1", "action": {"query": "x"}}, "web_search", None),
        (
            {
                "type": "file_search_call",
                "id": "fs_1",
                "queries": ["x"],
                "results": [{"filename": "a.md", "text": "Cone 6"}],
            },
            "file_search",
            "a.md\n\nCone 6",
        ),
        (
            {
                "type": "code_interpreter_call",
                "id": "ci_1",
                "code": "1+1",
                "outputs": [{"type": "logs", "logs": "2"}],
            },
            "code_interpreter",
            "2",
        ),
        (
            {
                "type": "mcp_call",
                "id": "mcp_1",
                "name": "fire",
                "server_label": "kiln",
                "arguments": "{}",
                "output": "hot",
            },
            "fire",
            "hot",
        ),
        (
            {"type": "mcp_call", "id": "mcp_1", "name": "fire", "error": {"message": "cold"}},
            "fire",
            '{"message": "cold"}',
        ),
        ({"type": "computer_call", "call_id": "c", "action": {"type": "click"}}, "computer", None),
        (
            {"type": "local_shell_call", "call_id": "c", "action": {"command": []}},
            "local_shell",
            None,
        ),
        ({"type": "custom_tool_call", "call_id": "c", "name": "x", "input": "y"}, "x", None),
        ({"type": "next_years_call", "id": "n_1"}, "next_years", None),
    ],
)
def test_calls_that_the_service_carries_out_hold_their_result(item, name, text):
    units = founds(read(NAME, as_json([asked("a"), item])))[1:]
    assert units[0].attributes["calls"][0]["name"] == name
    assert [unit.text for unit in units[1:]] == ([] if text is None else [text])
    if text is not None:
        assert units[1].identity == f"{units[0].identity}:result"


@pytest.mark.parametrize(
    ("output", "text", "attached"),
    [
        ("", "", 0),
        (None, "", 0),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image", "file_id": "f"}], "a", 1),
        ({"type": "computer_screenshot", "image_url": "https://example.org/a.png"}, "", 1),
        ([{"stdout": "a", "stderr": "", "outcome": {"type": "exit"}}], "a", 0),
        ({"temperature": 6}, '{"temperature": 6}', 0),
        ('{"output": "a", "metadata": {"exit_code": 0}}', "a", 0),
        ('{"content": "a", "success": true}', '{"content": "a", "success": true}', 0),
    ],
)
def test_results_of_any_shape(output, text, attached):
    item = {"type": "function_call_output", "call_id": "c", "output": output}
    unit = founds(read(NAME, as_json([CALL, item])))[1]
    assert (unit.kind, unit.text) == ("tool_result", text)
    assert len(unit.attributes.get("attachments", ())) == attached


def test_refusals_and_attachments():
    refusal = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "refusal", "refusal": "No."}],
    }
    content = [
        {"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8="},
        {
            "type": "input_file",
            "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,aGk=",
        },
    ]
    first, second = founds(read(NAME, as_json([{"role": "user", "content": content}, refusal])))
    assert (first.text, second.text, second.attributes) == ("", "No.", {"refusal": True})
    kinds = [(one["type"], one["size"]) for one in first.attributes["attachments"]]
    assert kinds == [("image/png", 5), ("application/pdf", 2)]
    assert first.attributes["attachments"][1]["name"] == "a.pdf"


def test_picture_that_was_made_is_a_reference():
    item = {"type": "image_generation_call", "id": "ig_1", "result": "aGVsbG8="}
    units = founds(read(NAME, as_json([asked("a"), item])))
    assert units[2].attributes["attachments"][0]["size"] == 5
    assert units[2].text == ""


def test_thinking_when_included():
    units = founds(read(NAME, as_json(TALK), include=frozenset({"thinking"})))
    assert [(unit.kind, unit.text) for unit in units][1] == ("thinking", "Heat")
    plain = set(ids(read(NAME, as_json(TALK))))
    assert plain <= set(ids(units))


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"type": "item_reference", "id": "msg_1"}, "item_reference"),
        ({"type": "mcp_list_tools", "id": "m", "tools": []}, "other_item"),
        ({"type": "compaction", "encrypted_content": "x"}, "compact_summary"),
        ({"type": "mcp_approval_response", "approve": True}, "other_item"),
        ({"role": "user", "content": None}, "empty"),
        ({"role": "user", "content": [{"type": "input_text", "text": None}]}, "empty"),
    ],
)
def test_what_nobody_said_is_counted(item, reason):
    units = read(NAME, as_json([asked("a"), item]))
    assert texts(units) == ["a"]
    assert skipped(units) == {reason: 1}


@pytest.mark.parametrize(
    "item", [{"role": "king", "content": "x"}, {"role": "user", "content": 5}, 7, {"role": None}]
)
def test_what_cannot_be_read_is_bad(item):
    units = read(NAME, as_json({"input": [asked("a"), item]}))
    assert texts(units) == ["a"]
    assert len(bads(units)) == 1
    assert [bad.line for bad in bads(read(NAME, as_json({"input": 5})))] == [1]


def test_sniff_knows_its_own_from_its_relatives():
    assert sniff(NAME, as_json(answer("resp_1", said("a")))) > 0.8
    assert sniff(NAME, as_json([{"role": "user", "content": "a"}, CALL])) >= 0.8
    assert sniff(NAME, as_json({"model": "gpt-x", "input": "a", "instructions": "b"})) >= 0.5
    message = {"type": "message", "role": "user", "content": "a"}
    assert 0.65 < sniff(NAME, as_json([message])) < 0.8
    claude = {**message, "content": [{"type": "text", "text": "a"}], "stop_reason": None}
    for other in (
        {"role": "user", "content": "a"},
        {"messages": [{"role": "user", "content": "a"}]},
        claude,
        {"model": "text-embedding-3-small", "input": "a"},
        {"input": "a", "output": "b"},
        {"type": "tool_call", "id": "x", "name": "y"},
        {"type": "message", "ts": "1.2", "text": "a", "user": "U"},
        {"timestamp": "x", "type": "response_item", "payload": TALK[0]},
        {"name": "x", "type": "module", "data": []},
        {"data": [{"id": 1, "type": "user"}]},
    ):
        assert sniff(NAME, as_json(other)) < 0.5
    assert sniff(NAME, b"") < 0.5
