"""Requests to Anthropic's Messages API."""

import json

import pytest

from .build import (
    as_json,
    as_lines,
    bads,
    call,
    counted,
    founds,
    ids,
    read,
    result,
    skipped,
    sniff,
    texts,
)

NAME = "anthropic_messages"

REQUEST = {
    "system": [{"type": "text", "text": "You tend a kiln."}],
    "messages": [
        {"role": "user", "content": "Is it hot?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Ask it.", "signature": "x"},
                {"type": "text", "text": "I look."},
                call("t1", "heat"),
                call("t2", "door"),
            ],
        },
        {
            "role": "user",
            "content": [
                result("t1", "900 C"),
                result("t2", [{"type": "text", "text": "open"}], is_error=True),
                {"type": "text", "text": "(be quick)"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "redacted_thinking", "data": "zzz"},
                {"type": "text", "text": "Close the door."},
            ],
        },
    ],
}


def test_system_prompt_comes_first_and_results_are_tool_records():
    units = founds(read(NAME, as_json(REQUEST)))
    assert [(unit.role, unit.text) for unit in units] == [
        ("system", "You tend a kiln."),
        ("user", "Is it hot?"),
        ("assistant", "I look."),
        ("tool", "900 C"),
        ("tool", "open"),
        ("user", "(be quick)"),
        ("assistant", "Close the door."),
    ]
    assert units[4].attributes == {"is_error": True, "call_id": "t2"}
    assert [made["id"] for made in units[2].attributes["calls"]] == ["t1", "t2"]
    assert len(set(ids(units))) == 7


def test_system_may_be_a_string():
    units = read(NAME, as_json({**REQUEST, "system": "You tend a kiln."}))
    assert ids(units) == ids(read(NAME, as_json(REQUEST)))


def test_thinking_is_counted_and_changes_no_identity():
    plain = read(NAME, as_json(REQUEST))
    assert skipped(plain) == {"thinking_block": 2}
    more = read(NAME, as_json(REQUEST), include=frozenset({"thinking"}))
    assert [unit.identity for unit in counted(more)] == ids(plain)
    assert [unit.text for unit in founds(more) if unit.kind == "thinking"] == ["Ask it."]
    assert skipped(more) == {"thinking_block": 1}  # one is encrypted


def test_document_text_is_an_attachment_and_no_utterance():
    source = {"type": "text", "media_type": "text/plain", "data": "Glaze: tin"}
    blocks = [
        {"type": "document", "source": source, "title": "glaze.txt"},
        {"type": "document", "source": {"type": "base64", "data": "aGVsbG8="}},
        {"type": "text", "text": "Use it."},
    ]
    talk = {"messages": [{"role": "user", "content": blocks}]}
    said, document = founds(read(NAME, as_json(talk)))
    assert (said.kind, said.text) == ("utterance", "Use it.")
    assert [made["size"] for made in said.attributes["attachments"]] == [10, 5]
    assert (document.kind, document.text) == ("attachment", "Glaze: tin")
    assert document.identity == f"{said.identity}:attachment:1"
    without = {"messages": [{"role": "user", "content": blocks[1:]}]}
    assert ids(read(NAME, as_json(without))) == [said.identity]


def test_message_ids_name_text_and_results():
    message = {
        "id": "m1",
        "role": "user",
        "content": [result("t1", "ok"), result("t2", "ok"), {"type": "text", "text": "go"}],
    }
    units = read(NAME, as_json({"id": "talk", "messages": [message]}))
    assert ids(units) == ["talk/m1:t1", "talk/m1:t2", "talk/m1"]


def test_citations_are_joined_without_breaks():
    blocks = [
        {"type": "text", "text": "Tin melts at "},
        {"type": "text", "text": "232 C", "citations": [{"type": "char_location"}]},
        {"type": "text", "text": "."},
    ]
    talk = {"messages": [{"role": "assistant", "content": blocks}]}
    assert texts(read(NAME, as_json(talk))) == ["Tin melts at 232 C."]


def test_server_tools_are_calls_and_results():
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "tin"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s1",
            "content": [{"type": "web_search_result", "title": "Tin", "url": "https://t.example"}],
        },
        {"type": "text", "text": "Found."},
    ]
    units = founds(read(NAME, as_json({"messages": [{"role": "assistant", "content": blocks}]})))
    assert [(unit.role, unit.text) for unit in units] == [
        ("tool", "Tin\n\nhttps://t.example"),
        ("assistant", "Found."),
    ]


@pytest.mark.parametrize(
    "data",
    [
        as_lines(REQUEST),
        as_json([REQUEST]),
        json.dumps(REQUEST, indent=2).encode(),
        as_lines({**REQUEST, "messages": REQUEST["messages"][:2]}, REQUEST),
    ],
)
def test_layouts_and_growing_logs_give_the_same_records(data):
    assert ids(read(NAME, data)) == ids(read(NAME, as_json(REQUEST)))


def test_bare_messages_are_read_too():
    units = read(NAME, as_lines(*REQUEST["messages"]))
    assert len(counted(units)) == 6
    assert [unit.line for unit in counted(units)] == [1, 2, 3, 3, 3, 4]


@pytest.mark.parametrize("content", [5, {"type": "text"}, True])
def test_content_of_another_type_is_bad(content):
    talk = {"messages": [{"role": "user", "content": content}, {"role": "user", "content": "a"}]}
    units = read(NAME, as_json(talk))
    assert texts(units) == ["a"]
    assert len(bads(units)) == 1


def test_sniff_tells_it_from_openai():
    assert sniff(NAME, as_json(REQUEST)) > sniff("openai_chat", as_json(REQUEST))
    bare = as_lines(*REQUEST["messages"])
    assert sniff(NAME, bare) > sniff("openai_chat", bare)
    plain = as_json([{"role": "user", "content": "a"}])
    assert sniff(NAME, plain) < 0.5 <= sniff("openai_chat", plain)
    assert sniff(NAME, as_json({"system": "Linux", "messages": ["a"]})) < 0.5


def test_an_answer_goes_on_with_its_request():
    request = {"system": "You tend a kiln.", "messages": [{"role": "user", "content": "Hot?"}]}
    said = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Very."}]
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "content": said}
    for value in ({**request, "response": answer}, {"request": request, "response": answer}):
        assert sniff(NAME, as_json(value)) >= 0.5
        units = read(NAME, as_json(value))
        assert texts(units) == ["You tend a kiln.", "Hot?", "Very."]
        assert skipped(units) == {"thinking_block": 1}
