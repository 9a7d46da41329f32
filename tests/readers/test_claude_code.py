"""Claude Code sessions, with the mishaps of real files in self-written lines."""

import hashlib
import json

import pytest

from memcli.core.found import Skipped
from memcli.core.records import Scope

from .build import (
    as_json,
    as_lines,
    bads,
    call,
    claude,
    counted,
    founds,
    ids,
    read,
    result,
    skipped,
    sniff,
    texts,
)

NAME = "claude_code"


def session(*lines, **options):
    return read(NAME, as_lines(*lines), **options)


def test_utterance_has_the_uuid_as_identity_and_the_session_as_key():
    (unit,) = counted(session(claude("u1", None, "Which kiln is free?")))
    assert (unit.identity, unit.session, unit.native) == ("u1", "s-1", "u1")
    assert (unit.kind, unit.role, unit.text) == ("utterance", "user", "Which kiln is free?")
    assert (unit.said_at, unit.time_source, unit.line) == ("2026-05-04T10:00:00Z", "exact", 1)


def test_three_lines_of_one_message_are_three_records():
    # kunwar-shah/claudex#7: by message.id the first two vanished.
    message = {"message": {"id": "msg_1", "model": "m"}}
    units = session(
        claude("u1", None, "Fire it."),
        claude("a1", "u1", [{"type": "text", "text": "I look."}], "assistant", **message),
        claude("a2", "a1", [call("t1", cmd="ls")], "assistant", **message),
        claude("a3", "a2", [{"type": "text", "text": "Done."}], "assistant", **message),
    )
    assert ids(units) == ["u1", "a1", "a2", "a3"]
    third = founds(units)[2]
    assert third.text == ""
    assert third.attributes == {
        "message": "msg_1",
        "model": "m",
        "calls": [{"id": "t1", "name": "Bash", "arguments": {"cmd": "ls"}}],
    }


def test_tool_results_and_text_of_one_line_are_records_of_their_own():
    units = session(
        claude("a1", None, [call("t1"), call("t2")], "assistant"),
        claude("u1", "a1", [result("t1", "ok"), result("t2", ""), {"type": "text", "text": "go"}]),
    )
    assert ids(units) == ["a1", "u1:t1", "u1:t2", "u1"]
    assert [unit.role for unit in founds(units)] == ["assistant", "tool", "tool", "user"]
    assert founds(units)[2].attributes == {"call_id": "t2"}


def test_lone_tool_result_keeps_the_uuid_and_is_stored_once():
    units = session(
        claude("a1", None, [call("t1")], "assistant"),
        claude("u1", "a1", [result("t1", "2 failed", is_error=True)], toolUseResult="2 failed"),
    )
    assert ids(units) == ["a1", "u1"]
    assert founds(units)[1].attributes == {"call_id": "t1", "is_error": True}
    assert texts(units) == ["", "2 failed"]


def test_image_is_kept_as_a_reference():
    data = "aGVsbG8="
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    (unit,) = founds(session(claude("u1", None, [{"type": "text", "text": "see"}, image])))
    digest = hashlib.sha256(b"hello").hexdigest()
    assert unit.attributes["attachments"] == [{"hash": digest, "type": "image/png", "size": 5}]
    assert data not in json.dumps(dict(unit.attributes))


def test_document_is_an_attachment_record_beside_its_message():
    source = {"type": "text", "media_type": "text/plain", "data": "Cone 6, 1222 C"}
    block = {"type": "document", "source": source, "title": "cones.txt"}
    units = founds(session(claude("u1", None, [block, {"type": "text", "text": "Use this."}])))
    assert [(unit.identity, unit.kind) for unit in units] == [
        ("u1", "utterance"),
        ("u1:attachment:1", "attachment"),
    ]
    assert units[1].text == "Cone 6, 1222 C"
    assert units[1].attributes["of"] == "u1"
    assert units[1].said_at == units[0].said_at


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"type": "summary", "summary": "x", "leafUuid": "elsewhere"}, "summary_line"),
        ({"type": "file-history-snapshot", "snapshot": {}}, "non_message_line"),
        ({"type": "some-new-type-of-next-month", "x": 1}, "non_message_line"),
        ({"type": "system", "uuid": "x", "content": "y"}, "system_line"),
        (claude("x", "u1", "I am a note", isMeta=True), "meta_line"),
        (claude("x", "u1", "<command-name>/model</command-name>"), "local_command"),
        (claude("x", "u1", "<local-command-stdout>ok</local-command-stdout>"), "local_command"),
        (claude("x", "u1", "Caveat: The messages below were generated"), "local_command"),
        (claude("x", "u1", "[Request interrupted by user]"), "interrupt_marker"),
        (claude("x", "u1", "<task-notification>done</task-notification>"), "injected_context"),
        (claude("x", "u1", "Another Claude session sent a message:\n<team"), "injected_context"),
        (claude("x", "u1", "A summary", isCompactSummary=True), "compact_summary"),
        (claude("x", "u1", "This session is being continued from"), "compact_summary"),
        (claude("x", "u1", "No key", "assistant", message={"model": "<synthetic>"}), "api_error"),
        (claude("x", "u1", "<system-reminder>a</system-reminder>"), "injected_context"),
        (claude("x", "u1", ""), "empty"),
        (claude("x", "u1", None), "empty"),
        (claude("x", "u1", [{"type": "text", "text": None}]), "empty"),
    ],
)
def test_what_nobody_said_is_skipped_and_counted(line, reason):
    units = session(claude("u1", None, "hello"), line)
    assert texts(units) == ["hello"]
    assert skipped(units) == {reason: 1}


def test_system_reminder_is_cut_out_and_the_rest_stays():
    text = (
        "<system-reminder>be brief</system-reminder>Glaze it.<system-reminder>x</system-reminder>"
    )
    kept = session(claude("u1", None, text), claude("u2", "u1", "an open <system-reminder> stays"))
    assert texts(kept) == ["Glaze it.", "an open <system-reminder> stays"]


def test_interrupt_marker_beside_a_tool_result_leaves_the_result():
    units = session(
        claude("a1", None, [call("t1")], "assistant"),
        claude("u1", "a1", [result("t1", "no"), "[Request interrupted by user for tool use]"]),
    )
    assert texts(units) == ["", "no"]
    assert skipped(units) == {"interrupt_marker": 1}


def test_what_is_typed_while_the_model_works_is_the_users():
    # It is handed over as an attachment, and no line of type user is written.
    def queued(uuid, parent, **given):
        attachment = {"type": "queued_command", **given}
        line = {"type": "attachment", "uuid": uuid, "parentUuid": parent, "sessionId": "s-1"}
        return {**line, "attachment": attachment, "timestamp": "2026-05-04T10:00:01.000Z"}

    units = session(
        claude("u1", None, "Fire it."),
        claude("a1", "u1", [call("t1")], "assistant"),
        claude("r1", "a1", [result("t1", "ok")]),
        queued("q1", "r1", prompt="To cone 6.", commandMode="prompt", origin={"kind": "human"}),
        queued("q2", "q1", prompt=[{"type": "text", "text": "Slowly."}]),
        queued("q3", "q2", prompt="done", commandMode="task-notification"),
        queued("q4", "q3", prompt="done", origin={"kind": "task-notification"}),
        queued("q5", "q4", prompt=7),
        claude("a2", "q5", "Yes.", "assistant"),
    )
    assert [(unit.role, unit.text) for unit in founds(units) if unit.text not in ("", "ok")] == [
        ("user", "Fire it."),
        ("user", "To cone 6."),
        ("user", "Slowly."),
        ("assistant", "Yes."),
    ]
    assert skipped(units) == {"non_message_line": 3}


def test_thinking_is_skipped_unless_included():
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    lines = (
        claude("a1", None, [thought], "assistant"),
        claude("a2", "a1", [thought, {"type": "text", "text": "Yes."}], "assistant"),
    )
    units = session(*lines)
    assert texts(units) == ["Yes."]
    assert skipped(units) == {"thinking_only": 1, "thinking_block": 1}
    more = founds(session(*lines, include=frozenset({"thinking"})))
    assert [(unit.identity, unit.kind) for unit in more] == [
        ("a1:thinking:1", "thinking"),
        ("a2:thinking:1", "thinking"),
        ("a2", "utterance"),
    ]


# --- the tree -----------------------------------------------------------------------------------


REWOUND = (
    claude("u1", None, "Start"),
    claude("a1", "u1", "Ready", "assistant"),
    claude("u2", "a1", "Use lead glaze"),
    claude("a2", "u2", [call("t1"), {"type": "text", "text": "Mixing"}], "assistant"),
    claude("r2", "a2", [result("t1", "mixed")]),
    claude("u3", "a1", "Use a tin glaze"),
    claude("a3", "u3", "Good", "assistant"),
)


def test_abandoned_branch_is_skipped_with_the_identities_it_would_have():
    units = session(*REWOUND)
    assert texts(units) == ["Start", "Ready", "Use a tin glaze", "Good"]
    left = [unit for unit in units if isinstance(unit, Skipped)]
    assert [(unit.reason, unit.identity) for unit in left] == [
        ("inactive_branch", "u2"),
        ("inactive_branch", "a2"),
        ("inactive_branch", "r2"),
    ]


def test_all_branches_come_marked():
    units = founds(session(*REWOUND, all_branches=True))
    assert [unit.active for unit in units] == [True, True, False, False, False, True, True]


def test_results_of_parallel_calls_are_no_abandoned_branch():
    # anthropics/claude-code#37779: the way from leaf to root passes beside the first result.
    message = {"message": {"id": "msg_1"}}
    units = session(
        claude("u1", None, "Write two files"),
        claude("a1", "u1", [call("t1")], "assistant", **message),
        claude("a2", "a1", [call("t2")], "assistant", **message),
        claude("r1", "a1", [result("t1", "one")]),
        claude("r2", "a2", [result("t2", "two")]),
        claude("a3", "r2", "Both done", "assistant"),
    )
    assert ids(units) == ["u1", "a1", "a2", "r1", "r2", "a3"]
    other_way = session(
        claude("u1", None, "Write two files"),
        claude("a1", "u1", [call("t1")], "assistant", **message),
        claude("a2", "a1", [call("t2")], "assistant", **message),
        claude("r2", "a2", [result("t2", "two")]),
        claude("r1", "a1", [result("t1", "one")]),
        claude("a3", "r1", "Both done", "assistant"),
    )
    assert skipped(other_way) == {}


def test_parent_that_was_never_written_loses_nothing():
    # anthropics/claude-code#22526: few messages loaded.
    units = session(
        claude("u1", None, "one"),
        claude("a1", "u1", "two", "assistant"),
        claude("u2", "never-written", "three"),
        claude("a2", "u2", "four", "assistant"),
    )
    assert texts(units) == ["one", "two", "three", "four"]
    assert skipped(units) == {}


def test_one_uuid_on_two_hook_lines_makes_no_endless_loop():
    # anthropics/claude-code#22245, #22178
    hook = {"type": "saved_hook_context", "sessionId": "s-1"}
    units = session(
        {**hook, "uuid": "h1", "parentUuid": None},
        claude("u1", "h1", "one"),
        {**hook, "uuid": "h1", "parentUuid": "u1"},
        claude("u2", "h1", "two"),
    )
    assert skipped(units) == {"non_message_line": 2, "inactive_branch": 1}
    assert texts(units) == ["two"]


def test_cycle_loses_nothing():
    units = session(
        claude("u1", "u3", "one"), claude("u2", "u1", "two"), claude("u3", "u2", "three")
    )
    assert texts(units) == ["one", "two", "three"]


def test_compaction_does_not_cut_off_what_was_before():
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b1",
        "parentUuid": None,
        "sessionId": "s-1",
    }
    before = (*REWOUND, {**boundary, "logicalParentUuid": "a3"}, claude("u4", "b1", "And now?"))
    assert texts(session(*before)) == ["Start", "Ready", "Use a tin glaze", "Good", "And now?"]
    without = (*REWOUND, boundary, claude("u4", "b1", "And now?"))
    assert texts(session(*without)) == texts(session(*before))
    # The logical parent is written again behind the boundary, as a child of it.
    again = (
        *REWOUND[:-1],
        {**boundary, "logicalParentUuid": "a3"},
        claude("a3", "b1", "Good", "assistant"),
        claude("u4", "a3", "And now?"),
    )
    assert texts(session(*again)) == texts(session(*before))


def test_chain_of_parents_may_be_long():
    lines = [claude(f"u{n}", f"u{n - 1}" if n else None, f"text {n}") for n in range(1500)]
    assert len(counted(session(*lines))) == 1500


@pytest.mark.parametrize("parent", [lambda n: n, lambda n: (n + 1) % 3000, lambda n: n - 1])
def test_thousands_of_lines_in_any_shape_lose_nothing(parent):
    lines = [claude(f"u{n}", f"u{parent(n)}", f"text {n}") for n in range(3000)]
    assert len(counted(session(*lines))) == 3000


def test_progress_of_agents_carries_the_chain_and_says_nothing():
    inner = {"type": "user", "message": {"role": "user", "content": "Search"}, "uuid": "x1"}
    data = {"type": "agent_progress", "agentId": "ag7", "message": inner}
    progress = {"type": "progress", "sessionId": "s-1", "data": data}
    units = session(
        claude("u1", None, "Look around"),
        claude("a1", "u1", [call("t1")], "assistant"),
        {**progress, "uuid": "p1", "parentUuid": "a1"},
        {**progress, "uuid": "p2", "parentUuid": "p1"},
        claude("r1", "p2", [result("t1", "Found")]),
        claude("a2", "r1", "I did", "assistant"),
    )
    assert texts(units) == ["Look around", "", "Found", "I did"]
    assert skipped(units) == {"non_message_line": 2}


def test_preserved_messages_are_written_behind_the_boundary_they_lead_to():
    # The boundary names a line that is written only after it, as a child of the summary.
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": None}
    units = session(
        *REWOUND,
        {**boundary, "logicalParentUuid": "a4", "sessionId": "s-1"},
        claude("c1", "b1", "This session is being continued from", isCompactSummary=True),
        claude("a4", "c1", "Kept", "assistant"),
        claude("u5", "a4", "And now?"),
    )
    assert texts(units) == ["Start", "Ready", "Use a tin glaze", "Good", "Kept", "And now?"]
    assert skipped(units) == {"inactive_branch": 3, "system_line": 1, "compact_summary": 1}


def test_sidechain_lines_are_skipped_unless_included():
    lines = (
        claude("u1", None, "Look around"),
        claude("x1", None, "Search", isSidechain=True, agentId="ag7"),
        claude("x2", "x1", "Found", "assistant", isSidechain=True, agentId="ag7"),
        claude("a1", "u1", "I did", "assistant"),
    )
    units = session(*lines)
    assert texts(units) == ["Look around", "I did"]
    assert skipped(units) == {"sidechain": 2}
    more = counted(session(*lines, include=frozenset({"sidechain"})))
    assert [(unit.session, unit.text) for unit in more] == [
        ("s-1", "Look around"),
        ("ag7", "Search"),
        ("ag7", "Found"),
        ("s-1", "I did"),
    ]
    assert more[1].attributes == {"sidechain_of": "s-1"}


# --- copies, torn lines, odd lines --------------------------------------------------------------


def test_line_written_again_is_one_record():
    # anthropics/claude-code#5034, #56196, #66947: history doubled; codemie-ai/codemie-code#350
    first = claude("u1", None, "one")
    units = session(first, first, claude("a1", "u1", "two", "assistant"), {**first, "cwd": "/x"})
    assert texts(units) == ["one", "two"]
    assert skipped(units) == {"duplicate_uuid": 2}


def test_same_line_in_another_file_and_session_has_the_same_identity():
    # Clawdi-AI/clawdi#81: a resumed session holds the old lines under a new sessionId.
    line = claude("u1", None, "one")
    old = founds(read(NAME, as_lines(line), path="a/old.jsonl"))
    new = founds(read(NAME, as_lines({**line, "sessionId": "s-2"}), path="b/new.jsonl"))
    assert old[0].identity == new[0].identity
    assert (old[0].session, new[0].session) == ("s-1", "s-2")


def test_uuid_that_came_malformed_first_is_taken_when_it_comes_valid():
    broken = {**claude("u1", None, "one"), "message": "gone"}
    units = session(broken, claude("u1", None, "one"))
    assert texts(units) == ["one"]
    assert [(bad.line, bad.reason) for bad in bads(units)] == [
        (1, "a line of type user without a message")
    ]


def test_torn_last_line_of_a_live_file_is_no_error():
    data = as_lines(claude("u1", None, "one"), claude("u2", "u1", "two"))
    units = read(NAME, data[:-40])
    assert texts(units) == ["one"]
    assert bads(units) == []
    (torn,) = (unit for unit in units if isinstance(unit, Skipped))
    assert (torn.reason, torn.line) == ("truncated_last_line", 2)
    assert torn.warning
    assert texts(read(NAME, data)) == ["one", "two"]


def test_torn_line_in_the_middle_is_bad_and_reading_goes_on():
    # delexw/claude-code-trace#66: the session failed.
    torn = as_json(claude("u2", "u1", "two"))[:60] + b"\n"
    first, third = as_lines(claude("u1", None, "one")), as_lines(claude("u3", "u2", "three"))
    units = read(NAME, first + torn + third)
    assert texts(units) == ["one", "three"]
    assert [bad.line for bad in bads(units)] == [2]


def test_duplicate_json_key_does_not_refuse_the_line():
    # tuchg/Lucarne#45
    line = as_json(claude("u1", None, "one")).replace(
        b'{"parentUuid"', b'{"sessionId":"x","parentUuid"'
    )
    (unit,) = founds(read(NAME, line + b"\n"))
    assert unit.session == "s-1"


def test_lone_surrogate_and_nul_are_replaced():
    # viggy28/recall#29, simonw/llm#546
    line = as_json(claude("u1", None, "XY")).replace(b"XY", rb"a\ud83d b\u0000c")
    (unit,) = founds(read(NAME, line + b"\n"))
    assert unit.text == "a\ufffd b\ufffdc"


def test_line_without_uuid_gets_an_identity_from_what_it_says():
    lines = (claude(None, None, "one"), claude(None, None, "one"))
    first, second = ids(session(*lines))
    assert second == f"{first}#2"
    assert ids(session(*lines)) == [first, second]


def test_lines_without_uuid_and_session_are_known_by_their_beginning():
    def bare(text, kind="user"):
        message = {"content": [{"type": "text", "text": text}]}
        return {"type": kind, "timestamp": "2024-01-01T10:00:00Z", "message": message}

    one, other = (bare("Fix it"), bare("Done", "assistant")), (bare("Hello"), bare("Done"))
    assert sniff(NAME, as_lines(*one)) >= 0.5
    first, second = founds(session(*one)), founds(session(*other))
    assert [unit.text for unit in first] == ["Fix it", "Done"]
    assert len({unit.session for unit in first}) == 1
    assert first[0].session != second[0].session
    assert ids(session(*one, bare("More")))[:2] == [unit.identity for unit in first]


@pytest.mark.parametrize("value", [5, "text", [1], {"type": 7}, {"type": "user", "message": 3}])
def test_value_that_is_no_line_is_bad(value):
    units = session(claude("u1", None, "one"), value)
    assert texts(units) == ["one"]
    assert [bad.line for bad in bads(units)] == [2]


@pytest.mark.parametrize(
    ("path", "project"),
    [
        ("/home/ida/.claude/projects/-home-ida-pots/s.jsonl", "-home-ida-pots"),
        ("/x/projects/-home-ida-pots/s/subagents/agent-1.jsonl", "-home-ida-pots"),
        ("C:\\Users\\ida\\.claude\\projects\\C--pots\\s.jsonl", "C--pots"),
        ("/home/ida/projects/pots/s.jsonl", "-home-ida-kiln"),
        ("s.jsonl", "-home-ida-kiln"),
    ],
)
def test_project_is_the_folder_or_the_first_cwd(path, project):
    (unit,) = founds(read(NAME, as_lines(claude("u1", None, "one")), path=path))
    assert unit.scope == Scope(project=project)


def test_summary_of_a_line_in_this_file_is_the_title():
    here = {"type": "summary", "summary": "Kiln repair", "leafUuid": "u1"}
    other = {"type": "summary", "summary": "Other", "leafUuid": "zz"}
    (unit,) = founds(session(other, here, claude("u1", None, "one")))
    assert unit.title == "Kiln repair"


def test_title_that_a_line_gives_where_no_summary_is():
    lines = (
        {"type": "ai-title", "aiTitle": "Kiln", "sessionId": "s-1"},
        claude("u1", None, "one"),
    )
    assert founds(session(*lines))[0].title == "Kiln"
    named = {"type": "custom-title", "customTitle": "My kiln", "sessionId": "s-1"}
    assert founds(session(*lines, named))[0].title == "My kiln"


def test_file_that_was_shortened_or_grew_keeps_its_identities():
    whole = ids(session(*REWOUND))
    for length in range(1, len(REWOUND)):
        assert set(ids(session(*REWOUND[:length], all_branches=True))) <= {
            line["uuid"] for line in REWOUND
        }
    assert whole == ids(read(NAME, as_lines(*REWOUND), path="renamed.txt"))


def test_options_do_not_change_identities():
    plain = set(ids(session(*REWOUND)))
    more = session(*REWOUND, all_branches=True, include=frozenset({"thinking", "sidechain"}))
    assert plain <= set(ids(more))


def test_sniff_wants_the_envelope():
    assert sniff(NAME, as_lines(claude("u1", None, "one"))) > 0.9
    long = as_json(claude("u1", None, "x" * 100_000))
    assert sniff(NAME, long) > 0.9  # the uuid stands beyond the head
    assert sniff(NAME, as_lines({"type": "summary", "summary": "x", "leafUuid": "y"})) >= 0.5
    assert sniff(NAME, as_lines({"type": "user", "uuid": "x"})) < 0.5
    assert sniff(NAME, as_lines({"role": "user", "content": "x"})) < 0.5
    assert sniff(NAME, b"") < 0.5
