"""LangChain messages and LangGraph states: self-written, in the shapes that their functions write."""

from typing import Any

import pytest

from memcli.core.found import Skipped
from memcli.engine.detect import detect

from .build import Bytes, as_json, as_lines, bads, counted, founds, ids, read, skipped, sniff, texts

NAME = "langchain"


def message(kind: str, content: Any, ident: str | None = None, **more: Any) -> dict[str, Any]:
    """As `messages_to_dict` writes it."""
    return {"type": kind, "data": {"content": content, "type": kind, "id": ident, **more}}


def built(name: str, content: Any, ident: str | None = None, **more: Any) -> dict[str, Any]:
    """As `dumpd` writes it."""
    kwargs = {"content": content, "id": ident, **more}
    where = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": where, "kwargs": kwargs}


def bare(kind: str, content: Any, ident: str | None = None, **more: Any) -> dict[str, Any]:
    """As it stands in a state."""
    return {"type": kind, "content": content, "id": ident, **more}


def state(number: int, *messages: Any, thread: str = "kiln", after: int | None = None) -> Any:
    """A checkpoint, made at minute `number`; `after` is its parent, by default the one before."""
    parent = number - 1 if after is None else after

    def place(nth: int) -> dict[str, Any]:
        here = {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": f"c{nth:03}"}
        return {"configurable": here}

    return {
        "values": {"messages": list(messages)},
        "next": [],
        "config": place(number),
        "metadata": {"step": number},
        "created_at": f"2026-05-04T10:{number:02}:00.000001+00:00",
        "parent_config": place(parent) if parent else None,
        "tasks": [],
    }


ONE, TWO = bare("human", "Fire the kiln.", "h1"), bare("ai", "Fired.", "a1")
OLD, NEW = bare("human", "Glaze it.", "h2"), bare("human", "Leave it raw.", "h3")
HISTORY = [
    state(5, ONE, TWO, NEW, after=2),
    state(4, ONE, TWO, OLD, bare("ai", "Glazed.", "a2")),
    state(3, ONE, TWO, OLD),
    state(2, ONE, TWO),
    state(1, ONE),
]
CALL = {"name": "heat", "args": {"to": 900}, "id": "c1", "type": "tool_call"}
TALK = [
    message("system", "You fire kilns."),
    message("human", "Heat it.", "h1", name="Ida"),
    message(
        "ai",
        [{"type": "reasoning", "reasoning": "hot"}, {"type": "text", "text": "On it."}],
        "a1",
        tool_calls=[CALL],
        response_metadata={"model_name": "m-1"},
    ),
    message("tool", "900", "t1", name="heat", tool_call_id="c1", status="error", artifact={"x": 1}),
    message("function", "900", None, name="old_heat"),
    message("AIMessageChunk", "Done.", "a2"),
    message("ChatMessageChunk", "Too hot.", "k1", role="critic"),
]


def test_each_type_gives_its_role():
    units = counted(read(NAME, as_json(TALK)))
    assert [(unit.role, unit.kind, unit.speaker, unit.text) for unit in units] == [
        ("system", "utterance", None, "You fire kilns."),
        ("user", "utterance", "Ida", "Heat it."),
        ("assistant", "utterance", None, "On it."),
        ("tool", "tool_result", None, "900"),
        ("tool", "tool_result", None, "900"),
        ("assistant", "utterance", None, "Done."),
        ("user", "utterance", "critic", "Too hot."),
    ]
    assert units[2].attributes == {
        "model": "m-1",
        "calls": [{"id": "c1", "name": "heat", "arguments": {"to": 900}}],
    }
    assert units[3].attributes["is_error"] is True
    assert units[3].attributes["call_id"] == "c1"
    assert [one["type"] for one in units[3].attributes["attachments"]] == ["artifact"]
    assert {unit.said_at for unit in units} == {None}
    assert skipped(read(NAME, as_json(TALK))) == {"thinking_block": 1}


def test_all_layouts_give_the_same_records():
    whole = read(NAME, as_json(TALK))
    assert ids(whole) == ids(read(NAME, as_lines(*TALK)))
    assert ids(whole) == ids(read(NAME, as_json({"messages": TALK})))
    assert ids(whole) == ids(read(NAME, as_json([TALK])))
    constructed = [
        built("SystemMessage", "You fire kilns."),
        built("HumanMessage", "Heat it.", "h1"),
    ]
    assert texts(read(NAME, as_json(constructed))) == texts(whole)[:2]


def test_a_named_wrapper_is_a_conversation():
    units = founds(read(NAME, as_lines({"session_id": "s-1", "messages": TALK[:2]})))
    assert {unit.session for unit in units} == {"s-1"}
    assert units[1].identity == "s-1/h1"


def test_growth_adds_the_tail_only():
    assert ids(read(NAME, as_lines(*TALK)))[:4] == ids(read(NAME, as_lines(*TALK[:4])))


def test_a_class_of_somebodys_own_is_read_by_its_type_and_never_imported():
    odd = built("Boom", "Hi.", "h1", type="human")
    odd["id"] = ["os", "system", "Boom"]
    assert texts(read(NAME, as_json([odd]))) == ["Hi."]
    assert bads(read(NAME, as_json([built("Boom", "Hi.")])))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, []),
        ("", []),
        ("Hi.", ["Hi."]),
        (["Hi.", {"type": "text", "text": "You."}, None, 7, {"type": "text", "text": None}], None),
        ([{"type": "text", "text": "Hi."}], ["Hi."]),
    ],
)
def test_content_of_any_shape(content, text):
    found = texts(read(NAME, as_json([message("human", content)])))
    assert found == (["Hi.\n\nYou."] if text is None else text)


def test_content_that_is_neither_text_nor_blocks_is_bad_and_its_neighbours_are_read():
    units = read(NAME, as_lines(message("human", 7), message("human", "Hi.")))
    assert [(bad.reason, bad.line) for bad in bads(units)] == [
        ("content that is neither text nor blocks", 1)
    ]
    assert texts(units) == ["Hi."]


@pytest.mark.parametrize(
    ("fields", "calls"),
    [
        ({"tool_calls": None, "additional_kwargs": None}, None),
        (
            {"additional_kwargs": {"tool_calls": [
                {"id": "c1", "function": {"name": "heat", "arguments": "{cut"}}
            ]}},
            [{"id": "c1", "name": "heat", "arguments": "{cut"}],
        ),
        (
            {"additional_kwargs": {"function_call": {"name": "heat", "arguments": "{}"}}},
            [{"id": None, "name": "heat", "arguments": "{}"}],
        ),
        (
            {"tool_calls": [], "invalid_tool_calls": [{"name": "heat", "args": "{", "id": "c1"}]},
            [{"id": "c1", "name": "heat", "arguments": "{"}],
        ),
        (
            {"tool_calls": [CALL], "additional_kwargs": {"tool_calls": [{"id": "c1"}]}},
            [{"id": "c1", "name": "heat", "arguments": {"to": 900}}],
        ),
    ],
)  # fmt: skip
def test_calls_are_taken_once_from_wherever_they_are(fields, calls):
    units = read(NAME, as_json([message("ai", "", "a1", **fields)]))
    found = [unit.attributes.get("calls") for unit in founds(units)]
    assert found == ([] if calls is None else [calls])


def test_calls_inside_the_content_are_calls():
    block = {"type": "tool_use", "id": "c1", "name": "heat", "input": {"to": 900}}
    for more in ({}, {"tool_calls": [CALL]}):
        (unit,) = founds(read(NAME, as_json([message("ai", [block], **more)])))
        assert unit.attributes["calls"] == [{"id": "c1", "name": "heat", "arguments": {"to": 900}}]


def test_media_become_references_wherever_their_data_lies():
    blocks = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "image", "source_type": "base64", "data": "aGk=", "mime_type": "image/png"},
        {"type": "image", "base64": "aGk=", "mime_type": "image/png"},
        {"type": "image", "source": {"type": "base64", "data": "aGk=", "media_type": "image/png"}},
        {"type": "image", "url": "https://pots.example/1.png"},
    ]
    (unit,) = founds(read(NAME, as_json([message("human", blocks)])))
    found = unit.attributes["attachments"]
    assert [one["size"] for one in found] == [2, 2, 2, 2, None]
    assert len({one["hash"] for one in found[:4]}) == 1
    assert found[4]["url"] == "https://pots.example/1.png"


def test_pieces_of_a_streamed_message_are_one_record():
    def piece(text: str, **call: Any) -> dict[str, Any]:
        return message("AIMessageChunk", text, "run-1", tool_call_chunks=[{"index": 0, **call}])

    units = read(
        NAME,
        as_lines(
            message("human", "Heat it.", "h1"),
            piece("On ", name="heat", args='{"to"', id="c1"),
            piece("it.", args=":900}"),
            message("ai", "Done.", "run-2"),
        ),
    )
    assert texts(units) == ["Heat it.", "On it.", "Done."]
    calls = [{"id": "c1", "name": "heat", "arguments": '{"to":900}'}]
    assert founds(units)[1].attributes["calls"] == calls


def test_a_free_role_can_be_mapped():
    (unit,) = founds(
        read(NAME, as_json([message("chat", "No.", role="critic")]), roles={"critic": "assistant"})
    )
    assert (unit.role, unit.speaker) == ("assistant", "critic")


def test_what_is_removed_is_passed_over_and_can_be_taken_as_inactive():
    talk = [*TALK, message("remove", "", "h1"), message("human", "Cool it.", "h1")]
    assert skipped(read(NAME, as_json(talk))) == {
        "thinking_block": 1,
        "remove_marker": 1,
        "removed_by_RemoveMessage": 1,
    }
    units = read(NAME, as_json(talk))
    left = [u.identity for u in units if isinstance(u, Skipped) and u.identity]
    assert left == [ids(read(NAME, as_json(TALK)))[1]]
    assert texts(units)[-1] == "Cool it."
    every = founds(read(NAME, as_json(talk), all_branches=True))
    assert [unit.text for unit in every if not unit.active] == ["Heat it."]


def test_all_can_be_removed_but_only_of_its_conversation():
    wrappers = [
        {"id": "one", "messages": [message("human", "Hi.", "h1")]},
        {
            "id": "two",
            "messages": [message("human", "Hi.", "h1"), message("remove", "", "__remove_all__")],
        },
    ]
    units = read(NAME, as_lines(*wrappers))
    assert [unit.session for unit in founds(units)] == ["one"]


def test_the_same_id_twice():
    units = read(
        NAME,
        as_lines(
            message("human", "Hi.", "h1"),
            message("human", "Hi.", "h1"),
            message("human", "Ho.", "h1"),
        ),
    )
    assert texts(units) == ["Hi.", "Ho."]
    assert len(set(ids(units))) == 2
    assert skipped(units) == {"duplicate_id": 1}


def test_history_gives_each_message_once_in_the_order_of_the_conversation():
    units = read(NAME, as_json(HISTORY))
    assert [(unit.text, unit.said_at) for unit in founds(units)] == [
        ("Fire the kiln.", "2026-05-04T10:01:00Z"),
        ("Fired.", "2026-05-04T10:02:00Z"),
        ("Leave it raw.", "2026-05-04T10:05:00Z"),
    ]
    assert {unit.session for unit in founds(units)} == {"kiln"}
    assert {unit.time_source for unit in founds(units)} == {"session"}
    assert skipped(units) == {"repeated_history": 8, "inactive_branch": 2}
    every = founds(read(NAME, as_json(HISTORY), all_branches=True))
    assert [(unit.identity, unit.active) for unit in every] == [
        ("kiln/h1", True), ("kiln/a1", True), ("kiln/h2", False), ("kiln/a2", False),
        ("kiln/h3", True),
    ]  # fmt: skip


def test_history_in_any_order_and_layout_gives_the_same():
    expected = [(unit.identity, unit.said_at) for unit in founds(read(NAME, as_json(HISTORY)))]
    tuples = [list(one.values()) for one in HISTORY]
    packed = [state(1, built("HumanMessage", "Fire the kiln.", "h1")), *HISTORY[:-1]]
    for data in (as_json(HISTORY[::-1]), as_lines(*HISTORY), as_json(tuples), as_json(packed)):
        found = founds(read(NAME, data))
        assert [(unit.identity, unit.said_at) for unit in found] == expected


def test_a_history_whose_first_state_is_longer_than_the_head_is_detected_and_read():
    many = [bare("human", "clay " * 20, f"n{n}") for n in range(1_000)]
    for layout in (dict, lambda one: list(one.values())):
        data = as_json([layout(state(2, *many)), layout(state(1, *many[:-1]))])
        assert detect(Bytes(data)).name == NAME
        assert len(founds(read(NAME, data))) == 1_000


def test_one_state_dates_nothing_that_it_did_not_see_come():
    units = founds(read(NAME, as_json(HISTORY[0])))
    assert [(unit.text, unit.said_at) for unit in units] == [
        ("Fire the kiln.", None), ("Fired.", None), ("Leave it raw.", None)
    ]  # fmt: skip


def test_messages_without_ids_keep_their_names_when_a_branch_is_left():
    first, second = bare("human", "Fire."), bare("ai", "Fired.")
    left, right = bare("human", "Glaze."), bare("human", "Leave raw.")
    before = read(NAME, as_json([state(3, first, second, left), state(2, first, second)]))
    after = [state(4, first, second, right, after=2), state(3, first, second, left)]
    units = read(NAME, as_json(after))
    assert ids(units)[:2] == ids(before)[:2]
    named = [unit.identity for unit in units if isinstance(unit, Skipped) and unit.identity]
    assert named == ids(before)[2:]
    assert ids(read(NAME, as_json(after[0]))) == ids(units)


def test_a_text_that_changed_under_its_id_is_taken_as_it_is_now():
    edited = bare("ai", "Fired at 900.", "a1")
    units = read(NAME, as_json([state(3, ONE, edited), state(2, ONE, TWO)]))
    assert texts(units) == ["Fire the kiln.", "Fired at 900."]
    assert skipped(units) == {"repeated_history": 1, "superseded_version": 1}
    assert ids(units) == ids(read(NAME, as_json([state(2, ONE, TWO), state(3, ONE, edited)])))


def test_threads_are_kept_apart_also_where_they_are_mixed():
    other = state(1, bare("human", "Hi.", "h1"), thread="wheel")
    units = read(NAME, as_json([HISTORY[0], other, *HISTORY[1:]]))
    assert [(unit.session, unit.text) for unit in founds(units)] == [
        ("kiln", "Fire the kiln."), ("kiln", "Fired."), ("kiln", "Leave it raw."), ("wheel", "Hi."),
    ]  # fmt: skip
    left = [u.identity for u in units if isinstance(u, Skipped) and u.identity]
    assert left == ["kiln/h2", "kiln/a2"]


def test_what_is_no_message_in_a_state_is_bad_once():
    units = read(NAME, as_json([state(2, ONE, {"odd": 1}, TWO), state(1, ONE, {"odd": 1})]))
    assert [bad.reason for bad in bads(units)] == ["no message of LangChain"]
    assert texts(units) == ["Fire the kiln.", "Fired."]


def test_a_state_that_loops_by_its_ids_ends():
    units = read(NAME, as_json([state(3, ONE), state(2, TWO, OLD, TWO), state(1, OLD, TWO)]))
    assert texts(units) == ["Fire the kiln."]
    assert skipped(units)["inactive_branch"] == 2


def test_a_thread_of_ten_thousand_messages_that_were_left():
    many = [bare("human", f"number {n}", f"n{n}") for n in range(10_000)]
    units = read(NAME, as_json([state(2, ONE), state(1, *many)]), all_branches=True)
    assert len(founds(units)) == 10_001


@pytest.mark.parametrize(
    "data",
    [
        as_json(TALK), as_lines(*TALK), as_json({"messages": TALK}), as_json(HISTORY),
        as_json(HISTORY[0]), as_json([list(one.values()) for one in HISTORY]),
        as_json([built("AIMessageChunk", "Hi.")]), as_json([ONE, TWO]),
        as_lines(message("ChatMessageChunk", "Hi.", role="critic")),
    ],
)  # fmt: skip
def test_its_own_shapes_are_detected(data):
    assert detect(Bytes(data)).name == NAME


@pytest.mark.parametrize(
    "value",
    [
        {"name": "app", "type": "module", "messages": []},
        {"type": "human"},
        [{"type": "message", "role": "user", "content": "Hi."}],
        {"type": "user", "data": {"content": "Hi."}},
        {"values": {"a": 1}, "config": {"b": 2}},
        {"lc": 1, "type": "constructor", "id": ["langchain", "OpenAI"], "kwargs": {"content": ""}},
    ],
)
def test_what_is_something_else_is_not_claimed(value):
    assert sniff(NAME, as_json(value)) < 0.5
