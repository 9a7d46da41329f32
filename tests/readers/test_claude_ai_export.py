"""Claude.ai's export: lists and trees of messages, texts in two places, attachments, tools."""

from dataclasses import replace
from typing import Any

import pytest

from .build import as_json, bads, call, founds, ids, layouts, read, result, skipped, sniff, texts

NAME = "claude_ai_export"
ROOT = "00000000-0000-4000-8000-000000000000"


def say(uuid: str | None, sender: Any, text: Any, parent: str | None = None, **more: Any) -> Any:
    """A message; with a `parent` it belongs to a tree, as in newer exports."""
    given = {"uuid": uuid, "sender": sender, "text": text, "created_at": None, **more}
    return given if parent is None else {**given, "parent_message_uuid": parent}


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {
        "uuid": "c-1",
        "name": "Looms",
        "created_at": "2026-05-04T10:00:00.000000Z",
        "account": {"uuid": "acc-1"},
        "chat_messages": list(messages),
        **more,
    }


def blocks(*given: Any) -> dict[str, Any]:
    return {"content": list(given)}


def text(given: Any) -> dict[str, Any]:
    return {"type": "text", "text": given}


AT = "2026-05-04T10:0%d:00.250000+02:00"
FORKED = chat(
    say("u1", "human", "Which warp?", ROOT, created_at=AT % 1),
    say("a1", "assistant", "Cotton.", "u1", created_at=AT % 2),
    say("u2", "human", "Why?", "a1", created_at=AT % 3),
    say("a2", "assistant", "Linen.", "u1", created_at=AT % 4),
    say("u3", "human", "Good.", "a2", created_at=AT % 5),
)
SHOWN = ["Which warp?", "Linen.", "Good."]
TALK = [
    FORKED,
    chat(uuid="c-2", name=""),
    chat(
        say("b1", "human", "Look.", attachments=[{"file_name": "a.txt", "extracted_content": "x"}]),
        say("b2", "assistant", "", **blocks({"type": "thinking", "thinking": "Hm."}, text("Yes."))),
        uuid="c-3",
    ),
]


def test_the_last_child_at_a_fork_is_taken():
    units = read(NAME, as_json([FORKED]))
    assert texts(units) == SHOWN
    assert skipped(units) == {"inactive_branch": 2}
    assert ids(units) == ["u1", "a2", "u3"]
    first = founds(units)[0]
    assert (first.session, first.title, first.scope.user) == ("c-1", "Looms", "acc-1")
    assert (first.said_at, first.time_source) == ("2026-05-04T08:01:00.250Z", "exact")
    assert first.native == "u1"


def test_other_branches_come_as_inactive_if_asked_for():
    units = founds(read(NAME, as_json([FORKED]), all_branches=True))
    assert [(unit.identity, unit.active) for unit in units] == [
        ("u1", True),
        ("a1", False),
        ("u2", False),
        ("a2", True),
        ("u3", True),
    ]


def test_the_leaf_on_show_decides_where_it_is_named():
    # The form in which the web interface loads one conversation.
    assert texts(read(NAME, as_json({**FORKED, "current_leaf_message_uuid": "u2"}))) == [
        "Which warp?",
        "Cotton.",
        "Why?",
    ]
    assert texts(read(NAME, as_json({**FORKED, "current_leaf_message_uuid": "gone"}))) == SHOWN


def test_the_order_of_the_file_is_not_that_of_the_thread():
    # CherryHQ/cherry-studio#16164
    turned = {**FORKED, "chat_messages": FORKED["chat_messages"][::-1]}
    assert founds(read(NAME, as_json([turned]))) == founds(read(NAME, as_json([FORKED])))


def test_answers_of_one_second_are_told_apart():
    at = "2026-05-04T10:01:00%sZ"
    given = chat(
        say("u1", "human", "Which?", ROOT, created_at=at % ""),
        say("a2", "assistant", "Late.", "u1", created_at=at % ".700"),
        say("a1", "assistant", "Early.", "u1", created_at=at % ""),
    )
    assert texts(read(NAME, as_json([given]))) == ["Which?", "Late."]


def test_an_edited_first_message_is_a_fork_too():
    given = chat(say("u1", "human", "Wich?", ROOT), say("u2", "human", "Which?", ROOT))
    more = say("a2", "assistant", "This.", "u2")
    units = read(NAME, as_json([{**given, "chat_messages": [*given["chat_messages"], more]}]))
    assert texts(units) == ["Which?", "This."]
    assert skipped(units) == {"inactive_branch": 1}


def test_a_parent_in_which_nobody_is_found_makes_no_tree():
    given = chat(say("u1", "human", "one", ROOT), say("a1", "assistant", "two", ROOT))
    assert texts(read(NAME, as_json([given]))) == ["one", "two"]


def test_without_parents_the_file_is_in_order():
    given = chat(
        say("u1", "human", "one", created_at=AT % 9),
        say("a1", "assistant", "two", created_at=AT % 1),
    )
    assert texts(read(NAME, as_json([given]))) == ["one", "two"]


def test_lost_parents_and_cycles_lose_nothing():
    given = chat(
        say("u1", "human", "one", ROOT),
        say("a1", "assistant", "two", "gone"),
        say("u2", "human", "three", "a1"),
        say("x", "human", "four", "y"),
        say("y", "assistant", "five", "x"),
        say("z", "human", "six", "z"),
    )
    units = founds(read(NAME, as_json([given])))
    assert [unit.text for unit in units] == ["one", "two", "three", "four", "five", "six"]
    assert all(unit.active for unit in units)


@pytest.mark.parametrize("depth", [1_500, 100_000])
def test_a_deep_chain_is_no_trouble(depth):
    given = chat(
        *(say(f"m{n}", "human", f"t{n}", f"m{n - 1}" if n else ROOT) for n in range(depth))
    )
    assert texts(read(NAME, as_json([given])))[-1] == f"t{depth - 1}"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # CherryHQ/cherry-studio#18135: every human turn was lost.
        (say("m", "human", "", **blocks(text("Said."))), "Said."),
        (say("m", "human", "Said."), "Said."),
        (say("m", "human", "Said.", content=[]), "Said."),
        (say("m", "human", "Said.", content=None), "Said."),
        # basicmachines-co/basic-memory#236: a TypeError.
        (say("m", "human", None, **blocks(text(None), text("Said."), None)), "Said."),
        (say("m", "human", "Said.", **blocks(text(None))), "Said."),
        (say("m", "human", "Said.", **blocks(text("Said."))), "Said."),
        (say("m", "human", None, content="Said."), "Said."),
        (say("m", "human", "", **blocks(text("One."), text("Two."))), "One.\n\nTwo."),
        (say("m", "human", "", **blocks({"type": "voice_note", "text": "Said."})), "Said."),
        (say("m", "human", "", **blocks(text("Said."), {"type": "token_budget"})), "Said."),
    ],
)
def test_text_is_taken_from_where_it_is(message, expected):
    (unit,) = founds(read(NAME, as_json([chat(message)])))
    assert unit.text == expected
    assert "attachments" not in unit.attributes


@pytest.mark.parametrize("given", ["", None, [], 7])
def test_a_message_without_text_is_counted_as_empty(given):
    units = read(NAME, as_json([chat(say("m", "human", given))]))
    assert not founds(units)
    assert skipped(units) == {"empty": 1}


def test_what_tools_did_stays_with_the_answer():
    web = {"type": "knowledge", "title": "x", "text": "It rains."}
    failed = result("t2", "no", is_error=True)
    message = say(
        "m",
        "assistant",
        "```\nThis block is not supported on your current device yet.\n```",
        **blocks(call("t1", "web", q="rain"), result("t1", [web]), call("t2", "run"), failed),
    )
    (unit,) = founds(read(NAME, as_json([chat(message)])))
    assert (unit.role, unit.kind, unit.text) == ("assistant", "utterance", "")
    assert unit.attributes["calls"] == [
        {"id": "t1", "name": "web", "arguments": {"q": "rain"}, "result": "It rains."},
        {"id": "t2", "name": "run", "arguments": {}, "result": "no", "is_error": True},
    ]


def test_results_without_ids_follow_their_calls_and_lost_ones_stand_alone():
    nameless = {"type": "tool_use", "name": "web", "input": {}}
    answer = {"type": "tool_result", "content": "one"}
    lost = {**result("t9", "two"), "name": "run"}
    message = say("m", "assistant", "", **blocks(nameless, answer, lost))
    (unit,) = founds(read(NAME, as_json([chat(message)])))
    assert unit.attributes["calls"] == [
        {"id": None, "name": "web", "arguments": {}, "result": "one"},
        {"id": "t9", "name": "run", "arguments": None, "result": "two"},
    ]


def test_attached_texts_are_records_and_files_are_references():
    message = say(
        "m",
        "human",
        "",
        attachments=[
            {"file_name": "a.log", "file_size": 9, "file_type": "txt", "extracted_content": "No."},
            {"file_name": "b.bin", "extracted_content": None},
            None,
        ],
        files=[{"file_name": "c.png", "file_uuid": "f", "file_kind": "image"}, 7],
        files_v2=[{"file_name": "c.png", "file_uuid": "f", "file_kind": "image"}],
        created_at=AT % 1,
    )
    said, attached = founds(read(NAME, as_json([chat(message)])))
    assert (said.kind, said.text) == ("utterance", "")
    kept = [(one["name"], one["type"], one["size"]) for one in said.attributes["attachments"]]
    assert kept == [("a.log", "txt", 9), ("b.bin", None, None), ("c.png", "image", None)]
    assert (attached.kind, attached.text, attached.identity) == (
        "attachment",
        "No.",
        "m:attachment:1",
    )
    assert attached.attributes["of"] == "m"
    assert attached.said_at == said.said_at is not None


def test_thoughts_come_if_asked_for():
    message = say("m", "assistant", "", **blocks({"type": "thinking", "thinking": "Hm."}))
    assert skipped(read(NAME, as_json([chat(message)]))) == {"thinking_block": 1}
    (unit,) = founds(read(NAME, as_json([chat(message)]), include=frozenset({"thinking"})))
    assert (unit.kind, unit.text) == ("thinking", "Hm.")


def test_conversations_without_messages_are_counted():
    units = read(NAME, as_json([chat(), chat(chat_messages=None), FORKED]))
    assert skipped(units)["empty_conversation"] == 2
    assert texts(units) == SHOWN


LAYOUTS = layouts(TALK)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_gives_the_same(layout):
    assert sniff(NAME, LAYOUTS[layout]) > 0.9
    units = founds(read(NAME, LAYOUTS[layout]))
    assert [replace(unit, line=1) for unit in units] == founds(read(NAME, as_json(TALK)))
    assert len(units) == 6


def test_a_message_that_comes_twice_is_taken_once_after_it_could_be_read():
    bad = say("m", "robot", "x")
    good, again = say("m", "human", "One."), say("m", "human", "Two.")
    units = read(NAME, as_json([chat(bad, good, again, bad)]))
    assert texts(units) == ["One."]
    assert skipped(units) == {"duplicate_uuid": 1}
    assert len(bads(units)) == 2


def test_messages_and_conversations_without_ids_keep_theirs():
    one = chat(say(None, "human", "Hi."), say(None, "assistant", "Hi."), uuid=None)
    two = chat(say(None, "human", "Ho."), say(None, "human", "Ho."), uuid=None)
    units = read(NAME, as_json([one, two]))
    assert texts(units) == ["Hi.", "Hi.", "Ho.", "Ho."]
    assert len(set(ids(units))) == 4
    assert len({unit.session for unit in founds(units)}) == 2
    assert sorted(ids(read(NAME, as_json([two, one])))) == sorted(ids(units))
    assert not set(ids(read(NAME, as_json([one]), session="monday"))) & set(ids(units))


def test_the_account_may_be_missing():
    for account in (None, {}, {"uuid": None}, "x"):
        (unit,) = founds(read(NAME, as_json([chat(say("m", "human", "Hi."), account=account)])))
        assert unit.scope.user == ""


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (7, "a conversation that is no object"),
        ({"uuid": "c"}, "a conversation without chat_messages"),
        ({"uuid": "c", "chat_messages": "x"}, "chat_messages is no list (conversation c)"),
        (chat(None), "a message that is no object (conversation c-1)"),
        (
            chat(say("m", "robot", "x")),
            "the role 'robot' is not known; map it with --role (conversation c-1)",
        ),
    ],
)
def test_what_cannot_be_read_is_bad_and_the_rest_is_stored(given, reason):
    units = read(NAME, as_json([given, FORKED]))
    assert texts(units) == SHOWN
    assert [unit.reason for unit in bads(units)] == [reason]


@pytest.mark.parametrize(
    "value",
    [
        [{"uuid": "p", "name": "x", "docs": []}],
        [{"uuid": "u", "full_name": "Ida", "email_address": "ida@example.org"}],
        [{"conversations_memory": "x", "account_uuid": "acc"}],
        {"chat_messages": []},
        {"chat_messages": "x", "uuid": "c"},
        {"conversations": []},
    ],
)
def test_other_json_is_not_claimed(value):
    assert sniff(NAME, as_json(value)) < 0.5


def test_an_empty_list_at_the_beginning_is_still_a_conversation():
    # P0luz/Ombre-Brain#101: an array with chat_messages was taken for another JSON.
    assert sniff(NAME, as_json([chat(), chat()])) > 0.9
    assert sniff(NAME, as_json(FORKED)) > 0.9
