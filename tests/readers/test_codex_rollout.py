"""Codex rollouts of every age, with the mishaps of real files in self-written lines."""

from datetime import datetime
from typing import Any

import pytest

from memcli.core.found import Skipped
from memcli.core.records import Scope

from .build import as_json, as_lines, bads, founds, ids, read, skipped, sniff, texts

NAME = "codex_rollout"


def v7(time: str, number: int) -> str:
    """A UUID of version 7 minted at an ISO time."""
    since = int(datetime.fromisoformat(f"{time}+00:00").timestamp() * 1000)
    return f"{since >> 16:08x}-{since & 0xFFFF:04x}-7000-8000-{number:012x}"


OWN, OWN_TURN = v7("2026-05-04T10:00:00", 1), v7("2026-05-04T10:00:00", 2)
PARENT, OLD_TURN = v7("2026-05-03T10:00:00", 1), v7("2026-05-03T10:00:00", 2)


def line(kind: str, payload: Any, at: str = "10:00:01") -> dict[str, Any]:
    return {"timestamp": f"2026-05-04T{at}.000Z", "type": kind, "payload": payload}


def meta(ident: str = OWN, **more: Any) -> dict[str, Any]:
    about = {"id": ident, "timestamp": "2026-05-04T10:00:00.000Z", "cwd": "/home/ida/kiln"}
    return line("session_meta", {**about, **more}, "10:00:00")


def item(kind: str, at: str = "10:00:01", **fields: Any) -> dict[str, Any]:
    return line("response_item", {"type": kind, **fields}, at)


def message(text: str, role: str = "user", at: str = "10:00:01", **more: Any) -> dict[str, Any]:
    part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return item("message", at, role=role, content=[part], **more)


def event(kind: str, at: str = "10:00:01", **fields: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **fields}, at)


def turn(ident: str, **more: Any) -> dict[str, Any]:
    return line("turn_context", {"turn_id": ident, "model": "gpt-x", **more})


TALK = (
    meta(base_instructions={"text": "You are Codex."}),
    message("<permissions instructions>", "developer"),
    message("<environment_context>\n<cwd>/home/ida/kiln</cwd>\n</environment_context>"),
    event("task_started", turn_id=OWN_TURN),
    turn(OWN_TURN),
    message("Fire it to cone 6."),
    event("user_message", message="Fire it to cone 6.", images=[]),
    item("reasoning", summary=[{"type": "summary_text", "text": "A schedule"}]),
    event("agent_message", message="I look.", at="10:00:03"),
    message("I look.", "assistant", at="10:00:03", phase="commentary"),
    item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="c1"),
    item("function_call_output", call_id="c1", output="kiln.py"),
    message("Done.", "assistant", at="10:00:09"),
)


def session(*lines: Any, **options: Any) -> Any:
    return read(NAME, as_lines(*lines), **options)


def test_messages_calls_and_results_are_records_named_by_line_or_call():
    units = founds(session(*TALK))
    assert [(unit.role, unit.text) for unit in units] == [
        ("user", "Fire it to cone 6."),
        ("assistant", "I look."),
        ("assistant", ""),
        ("tool", "kiln.py"),
        ("assistant", "Done."),
    ]
    assert ids(units) == [
        f"{OWN}:6",
        f"{OWN}:10",
        f"{OWN}/c1",
        f"{OWN}/c1:result",
        f"{OWN}:13",
    ]
    assert units[1].attributes == {"phase": "commentary", "model": "gpt-x"}
    call = {"id": "c1", "name": "exec_command", "arguments": '{"cmd":"ls"}'}
    assert units[2].attributes["calls"] == [call]
    assert units[3].attributes["call_id"] == "c1"
    assert {unit.session for unit in units} == {OWN}
    assert {unit.scope for unit in units} == {Scope(project="/home/ida/kiln")}
    assert (units[4].said_at, units[4].time_source) == ("2026-05-04T10:00:09Z", "exact")


def test_what_is_passed_over_is_counted():
    assert skipped(session(*TALK)) == {
        "session_meta": 1,
        "injected_context": 2,
        "event": 4,
        "thinking_block": 1,
    }


def test_file_of_items_alone_and_file_of_events_alone_lose_nothing():
    # neilberkman/ccrider#7: only events were read, so that replies were missing.
    items = session(meta(), message("Hello"), message("Good day", "assistant"))
    assert texts(items) == ["Hello", "Good day"]
    events = session(
        meta(), event("user_message", message="Hello"), event("agent_message", message="Good day")
    )
    assert [(unit.role, unit.text) for unit in founds(events)] == [
        ("user", "Hello"),
        ("assistant", "Good day"),
    ]
    assert ids(events) == [f"{OWN}:2", f"{OWN}:3"]


def test_each_item_stands_for_one_event():
    again = [message("yes"), event("user_message", message="yes")]
    assert texts(session(meta(), *again, *again)) == ["yes", "yes"]
    more = session(meta(), *again, event("user_message", message="yes"))
    assert ids(more) == [f"{OWN}:2", f"{OWN}:4"]


def test_event_taken_before_its_item_was_written_is_named_when_the_item_is_there():
    early = session(meta(), message("Hello"), event("agent_message", message="Good day"))
    assert ids(early)[-1] == f"{OWN}:3"
    late = session(
        meta(),
        message("Hello"),
        event("agent_message", message="Good day"),
        message("Good day", "assistant"),
    )
    (left,) = (unit for unit in late if isinstance(unit, Skipped) and unit.reason == "event")
    assert left.identity == f"{OWN}:3"
    assert texts(late) == ["Hello", "Good day"]


def test_assistant_text_is_read_from_output_text():
    # melagiri/code-insights#91: 46 messages, all of the user.
    units = session(meta(), message("Hello"), message("Good day", "assistant"))
    assert [unit.role for unit in founds(units)] == ["user", "assistant"]


FORKED = (
    meta(forked_from_id=PARENT),
    meta(PARENT, cwd="/home/ida/other"),
    event("task_started", turn_id=OLD_TURN),
    turn(OLD_TURN),
    message("Said to the parent"),
    message("Answered by the parent", "assistant"),
    event("task_started", turn_id=OWN_TURN),
    turn(OWN_TURN),
    message("Said to the fork"),
)


def test_fork_is_itself_and_not_its_parent():
    # kenn-io/agentsview#657: 658 messages instead of 65, under the parent's id.
    units = session(*FORKED)
    (unit,) = founds(units)
    assert (unit.session, unit.text, unit.scope.project) == (
        OWN,
        "Said to the fork",
        "/home/ida/kiln",
    )
    assert skipped(units) == {"session_meta": 2, "fork_replay": 4, "event": 2}


def test_fork_in_which_nothing_was_said_yet_has_no_records():
    assert founds(session(*FORKED[:6])) == []


def test_fork_without_replay_is_taken_whole():
    units = session(meta(forked_from_id=PARENT), message("Said to the fork"))
    assert texts(units) == ["Said to the fork"]


@pytest.mark.parametrize("ident", ["t1", None, "3f2b8c1e-0000-4000-8000-000000000001"])
def test_turns_without_a_time_in_their_id_are_known_by_when_they_started(ident):
    # junhoyeo/tokscale#895: a turn id of version 4 opened the gate.
    def begun(seconds):
        return event("task_started", turn_id=ident, started_at=seconds)

    lines = [meta(forked_from_id=PARENT), begun(1777800000), turn(ident), message("old")]
    assert texts(session(*lines, begun(1777888801), turn(ident), message("new"))) == ["new"]
    # Where turns say nothing at all, only what is older than the fork is the parent's.
    old = {**message("old"), "timestamp": "2026-05-03T10:00:00.000Z"}
    untold = [meta(forked_from_id=PARENT), turn(ident), old, turn(ident), message("new")]
    assert texts(session(*untold)) == ["new"]


def test_parent_and_fork_share_no_identity():
    parent = session(meta(PARENT), turn(OLD_TURN), message("Said to the parent"))
    assert not set(ids(parent)) & set(ids(session(*FORKED)))


def test_turns_that_were_taken_back_are_an_inactive_branch():
    lines = (
        meta(),
        message("one"),
        message("1", "assistant"),
        message("two"),
        event("user_message", message="two"),
        message("2", "assistant"),
        message("three"),
        event("thread_rolled_back", num_turns=2),
        message("other"),
    )
    units = session(*lines)
    assert texts(units) == ["one", "1", "other"]
    assert skipped(units)["inactive_branch"] == 3
    left = [unit.identity for unit in units if isinstance(unit, Skipped) and unit.identity]
    assert f"{OWN}:4" in left
    more = founds(session(*lines, all_branches=True))
    assert [unit.active for unit in more] == [True, True, False, False, False, True]
    twice = session(*lines, event("thread_rolled_back", num_turns=99), message("anew"))
    assert texts(twice) == ["anew"]


def test_sub_agent_is_a_sidechain():
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    lines = (meta(source=source), message("Look at the glazes"), message("Seen", "assistant"))
    assert skipped(session(*lines)) == {"session_meta": 1, "sidechain": 2}
    units = founds(session(*lines, include=frozenset({"sidechain"})))
    assert [unit.text for unit in units] == ["Look at the glazes", "Seen"]
    assert units[0].attributes["sidechain_of"] == PARENT


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (
            {"role": "developer", "content": [{"type": "input_text", "text": "x"}]},
            "injected_context",
        ),
        ({"role": "user", "content": "# AGENTS.md instructions for /x"}, "injected_context"),
        ({"role": "user", "content": "<user_instructions>x"}, "injected_context"),
        ({"role": "user", "content": "<permissions instructions>"}, "injected_context"),
        ({"role": "user", "content": "<turn_aborted>x</turn_aborted>"}, "interrupt_marker"),
        ({"role": "user", "content": None}, "empty"),
        ({"role": "user"}, "empty"),
    ],
)
def test_what_the_program_said_for_somebody_is_skipped(payload, reason):
    units = session(meta(), item("message", **payload), message("Hello"))
    assert texts(units) == ["Hello"]
    assert skipped(units) == {"session_meta": 1, reason: 1}


def test_injected_parts_are_cut_out_and_the_rest_stays():
    parts = [
        {"type": "input_text", "text": "<environment_context>x</environment_context>"},
        {"type": "input_text", "text": "Fire it."},
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8="},
        {"type": "input_text", "text": "</image>"},
    ]
    units = session(
        meta(),
        item("message", role="user", content=parts),
        event("user_message", message="Fire it.", images=["data:image/png;base64,aGVsbG8="]),
    )
    (unit,) = founds(units)
    assert unit.text == "Fire it."
    assert [one["size"] for one in unit.attributes["attachments"]] == [5]
    assert skipped(units) == {"session_meta": 1, "injected_context": 1, "event": 1}


def test_image_alone_is_one_record():
    image = {"type": "input_image", "image_url": "https://example.org/pot.png"}
    units = session(
        meta(),
        item("message", role="user", content=[image]),
        event("user_message", message="", images=["https://example.org/pot.png"]),
    )
    (unit,) = founds(units)
    assert (unit.text, unit.attributes["attachments"][0]["url"]) == (
        "",
        "https://example.org/pot.png",
    )


def test_what_an_editor_says_of_its_files_is_cut_off():
    text = (
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix it."
    )
    assert texts(session(meta(), message(text), event("user_message", message=text))) == ["Fix it."]


def test_thoughts_come_with_their_text_or_are_counted():
    plain = [{"type": "reasoning_text", "text": "Cone 6 is 1222 C."}]
    lines = (
        meta(),
        item("reasoning", summary=[{"type": "summary_text", "text": "Heat"}], content=plain),
        item("reasoning", summary=[], content=None, encrypted_content="gAAA"),
    )
    assert skipped(session(*lines)) == {"session_meta": 1, "thinking_block": 2}
    (unit,) = founds(session(*lines, include=frozenset({"thinking"})))
    assert (unit.kind, unit.text) == ("thinking", "Cone 6 is 1222 C.")


def test_all_kinds_of_calls():
    action = {"type": "exec", "command": ["ls"]}
    units = founds(
        session(
            meta(),
            item("custom_tool_call", call_id="c1", name="apply_patch", input="*** Begin"),
            item(
                "custom_tool_call_output",
                call_id="c1",
                output=[{"type": "output_text", "text": "ok"}],
            ),
            item("local_shell_call", call_id="c2", action=action, status="completed"),
            item(
                "local_shell_call_output",
                call_id="c2",
                output='{"output":"a","metadata":{"exit_code":1}}',
            ),
            item("web_search_call", action={"type": "search", "query": "cone 6"}),
            item("function_call_output", call_id="c3", output={"content": "no", "success": False}),
            item("function_call_output", call_id="c4", output=""),
        )
    )
    names = [unit.attributes["calls"][0]["name"] for unit in units if "calls" in unit.attributes]
    assert names == ["apply_patch", "local_shell", "web_search"]
    results = [unit for unit in units if unit.kind == "tool_result"]
    assert [unit.text for unit in results] == ["ok", "a", "no", ""]
    assert [unit.attributes.get("is_error", False) for unit in results] == [
        False,
        True,
        True,
        False,
    ]


def test_half_a_line_and_then_the_full_line():
    # openai/codex#24425: the session disappeared.
    full = as_json(message("Hello"))
    head = as_lines(meta())
    for data in (head + full[:60] + b"\n" + full + b"\n", head + full[:60] + full + b"\n"):
        units = read(NAME, data)
        assert texts(units) == ["Hello"]
        assert bads(units) == []
        assert skipped(units) == {"session_meta": 1, "torn_line": 1}


def test_torn_last_line_is_read_at_the_next_ingest_under_the_same_name():
    data = as_lines(*TALK)
    early = read(NAME, data[:-30])
    assert bads(early) == []
    assert skipped(early)["truncated_last_line"] == 1
    assert ids(early) == ids(read(NAME, data))[:-1]


def test_ordinals_play_no_part():
    # openai/codex#35746, #45150: repeated or missing.
    numbered = [{**message(text), "ordinal": number} for text, number in (("a", 1), ("b", 1))]
    assert texts(session(meta(), *numbered, {**message("c"), "ordinal": None})) == ["a", "b", "c"]


@pytest.mark.parametrize("given", ["You are Codex.", {"text": "You are Codex."}, None, 7])
def test_base_instructions_of_any_type(given):
    assert texts(session(meta(base_instructions=given), message("Hello"))) == ["Hello"]


def test_first_line_may_be_longer_than_the_head():
    data = as_lines(meta(base_instructions={"text": "x" * 100_000}), message("Hello"))
    assert sniff(NAME, data) > 0.9
    assert texts(read(NAME, data)) == ["Hello"]


def test_native_ids_name_messages_and_copies_are_one():
    named = message("Hello", id="msg_1")
    units = session(meta(), named, named, {**message("Other", id="msg_1")})
    assert ids(units) == [f"{OWN}/msg_1", f"{OWN}/msg_1#2"]
    assert skipped(units)["duplicate_id"] == 1


def test_compaction_repeats_nothing():
    history = [{"type": "message", "role": "user", "content": "Hello"}]
    units = session(
        meta(),
        message("Hello"),
        line("compacted", {"message": "They greeted.", "replacement_history": history}),
        item("compaction", encrypted_content="gAAA"),
        message("Another language model started to solve this problem and ..."),
        message("And now?"),
    )
    assert texts(units) == ["Hello", "And now?"]
    assert skipped(units) == {"session_meta": 1, "compact_summary": 3}


def test_unknown_types_are_counted_and_bad_shapes_listed():
    units = session(
        meta(),
        line("future_line", {"x": 1}),
        item("ghost_snapshot", ghost_commit={}),
        event("token_count"),
        {"timestamp": "x", "type": "response_item", "payload": "gone"},
        ["no object"],
        {"neither": 1},
        message("Hello", "king"),
        message("Hello"),
    )
    assert texts(units) == ["Hello"]
    assert skipped(units) == {
        "session_meta": 1,
        "non_message_line": 1,
        "other_item": 1,
        "event": 1,
    }
    assert [bad.line for bad in bads(units)] == [5, 6, 7, 8]


HEADER = {"id": OWN, "timestamp": "2025-08-04T10:00:00.000Z", "instructions": None}
OLD_ITEMS = (
    {
        "type": "message",
        "role": "user",
        "content": [
            {
                "type": "input_text",
                "text": "<environment_context>\n  <cwd>/home/ida/kiln</cwd>\n</environment_context>",
            }
        ],
    },
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["ls"]}},
    {"type": "function_call_output", "call_id": "c1", "output": "a"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
)


def test_lines_without_an_envelope():
    data = as_lines(HEADER, {"record_type": "state"}, *OLD_ITEMS)
    assert sniff(NAME, data) > 0.9
    units = read(NAME, data)
    assert texts(units) == ["Hello", "", "a", "Hi"]
    first = founds(units)[0]
    assert (first.session, first.identity) == (OWN, f"{OWN}:4")
    assert (first.said_at, first.time_source) == ("2025-08-04T10:00:00Z", "session")
    assert first.scope == Scope(project="/home/ida/kiln")
    assert skipped(units) == {
        "session_meta": 1,
        "non_message_line": 1,
        "injected_context": 1,
        "thinking_block": 1,
    }


def test_envelope_without_a_payload_of_its_own():
    flat = [{"timestamp": "2026-05-04T10:00:01.000Z", **one} for one in OLD_ITEMS[1:]]
    first = {
        "timestamp": "2026-05-04T10:00:00.000Z",
        "type": "session_meta",
        "id": OWN,
        "cwd": "/x",
    }
    units = founds(session(first, *flat))
    assert [unit.text for unit in units] == ["Hello", "", "a", "Hi"]
    assert (units[0].time_source, units[0].scope.project) == ("exact", "/x")


def test_one_object_of_session_and_items():
    whole = {"session": {"id": OWN, "timestamp": "2025-05-04T10:00:00Z"}, "items": [*OLD_ITEMS]}
    assert sniff(NAME, as_json(whole)) > 0.9
    units = read(NAME, as_json(whole))
    assert texts(units) == ["Hello", "", "a", "Hi"]
    assert ids(units)[0] == f"{OWN}:2"
    grown = read(NAME, as_json({**whole, "items": [*OLD_ITEMS, OLD_ITEMS[1]]}))
    assert ids(grown)[:4] == ids(units)


def test_file_without_its_beginning_is_known_by_what_was_said_first():
    units = session(*TALK[5:])
    assert ids(units) == ids(session(*TALK[5:]))
    assert not set(ids(units)) & set(ids(session(message("Something else"))))


def test_options_do_not_change_identities():
    everything = frozenset({"thinking", "sidechain"})
    more = session(*TALK, all_branches=True, include=everything)
    assert set(ids(session(*TALK))) <= set(ids(more))


def test_sniff_wants_the_shape_of_the_values():
    assert sniff(NAME, as_lines(*TALK)) > 0.9
    assert sniff(NAME, as_lines(*TALK[5:])) > 0.9
    assert sniff(NAME, as_lines({"type": "session_meta", "payload": "x"})) < 0.5
    assert sniff(NAME, as_lines({"type": "push", "payload": {"type": "x", "id": 1}})) < 0.5
    assert sniff(NAME, as_lines({"id": "x", "timestamp": "y"})) < 0.5
    assert sniff(NAME, as_json({"session": {"id": "x"}, "items": [{"name": "cup"}]})) < 0.5
    assert sniff(NAME, b"") < 0.5
