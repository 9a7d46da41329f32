"""ChatGPT's export: trees of messages, what is hidden in them, and its layouts."""

from dataclasses import replace
from typing import Any

import pytest

from .build import (
    as_json,
    as_lines,
    bads,
    counted,
    founds,
    ids,
    layouts,
    read,
    skipped,
    sniff,
    texts,
)

NAME = "chatgpt_export"


def say(role: str, text: Any, at: float | None = None, **more: Any) -> dict[str, Any]:
    """A message; a text becomes parts, everything else stands as its content."""
    content = {"content_type": "text", "parts": [text]} if isinstance(text, str) else text
    author = {"role": role, "name": more.pop("name", None), "metadata": {}}
    return {"author": author, "content": content, "create_time": at, "recipient": "all", **more}


def node(parent: str | None, message: Any, *children: str) -> dict[str, Any]:
    return {"parent": parent, "message": message, "children": list(children)}


def chat(mapping: dict[str, Any], leaf: str | None = None, **more: Any) -> dict[str, Any]:
    """A conversation; nodes and messages get their ids from the keys."""
    for key, value in mapping.items():
        value["id"] = key
        if isinstance(value["message"], dict):
            value["message"].setdefault("id", key)
    return {
        "title": "Glazes",
        "create_time": 1_700_000_000.0,
        "conversation_id": "conv-1",
        "mapping": mapping,
        "current_node": leaf,
        **more,
    }


def thread(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation without forks: m1, m2, ... under a root without a message."""
    mapping = {"root": node(None, None, "m1")}
    for number, message in enumerate(messages, 1):
        before = f"m{number - 1}" if number > 1 else "root"
        mapping[f"m{number}"] = node(before, message, f"m{number + 1}")
    return chat(mapping, f"m{len(messages)}", **more)


def python(code: str, at: float) -> dict[str, Any]:
    content = {"content_type": "code", "language": "python", "text": code}
    return say("assistant", content, at, recipient="python")


def output(text: str, **more: Any) -> dict[str, Any]:
    content = {"content_type": "execution_output", "text": text}
    return say("tool", content, name="python", **more)


def thoughts(*given: str) -> dict[str, Any]:
    listed = [{"summary": "", "content": text} for text in given]
    return say("assistant", {"content_type": "thoughts", "thoughts": listed})


FORKED = chat(
    {
        "root": node(None, None, "ask"),
        "ask": node("root", say("user", "Which cone for celadon?", 10.0e8), "one", "two"),
        "one": node("ask", say("assistant", "Cone 6.", 11.0e8), "doubt"),
        "doubt": node("one", say("user", "Really?", 12.0e8)),
        "two": node("ask", say("assistant", "Cone 10.", 13.0e8), "thanks"),
        "thanks": node("two", say("user", "Thanks.", 14.0e8)),
    },
    "thanks",
)
SHOWN = ["Which cone for celadon?", "Cone 10.", "Thanks."]
TALK = [
    thread(
        say("user", "Draw a kiln.", 10.0e8),
        thoughts("A kiln has a door."),
        python("kiln()", 11.0e8),
        output("ok"),
        say("assistant", "Here.", 12.0e8, metadata={"model_slug": "m-1"}),
    ),
    {**FORKED, "conversation_id": "conv-2"},
]


def test_the_branch_that_ends_at_the_current_node_is_taken():
    units = read(NAME, as_json([FORKED]))
    assert texts(units) == SHOWN
    assert skipped(units) == {"null_message": 1, "inactive_branch": 2}
    found = founds(units)
    assert ids(units) == ["conv-1/ask", "conv-1/two", "conv-1/thanks"]
    assert {unit.session for unit in found} == {"conv-1"}
    assert {unit.title for unit in found} == {"Glazes"}
    assert [unit.native for unit in found] == ["ask", "two", "thanks"]
    assert found[0].said_at == "2001-09-09T01:46:40Z"
    assert {unit.time_source for unit in found} == {"exact"}


def test_what_was_left_comes_before_the_answer_that_stayed():
    units = founds(read(NAME, as_json([FORKED]), all_branches=True))
    assert [(unit.text, unit.active) for unit in units] == [
        ("Which cone for celadon?", True),
        ("Cone 6.", False),
        ("Really?", False),
        ("Cone 10.", True),
        ("Thanks.", True),
    ]


def test_a_branch_that_is_left_later_is_named_for_the_mark():
    units = read(NAME, as_json([FORKED]))
    left = [unit.identity for unit in units if getattr(unit, "reason", "") == "inactive_branch"]
    assert left == ["conv-1/one", "conv-1/doubt"]


@pytest.mark.parametrize("leaf", [None, "gone", 7])
def test_without_a_current_node_the_newest_leaf_is_shown(leaf):
    assert texts(read(NAME, as_json([{**FORKED, "current_node": leaf}]))) == SHOWN


def test_a_regenerated_answer_is_left_if_the_first_one_was_chosen():
    # animalnots/BetterChatGPT-PLUS#53: the picked branch was missing.
    units = read(NAME, as_json([{**FORKED, "current_node": "doubt"}]))
    assert texts(units) == ["Which cone for celadon?", "Cone 6.", "Really?"]


def test_a_leaf_without_time_is_as_old_as_what_it_answers():
    mapping = {**FORKED["mapping"], "thanks": node("two", say("user", "Thanks."))}
    assert texts(read(NAME, as_json([chat(mapping)]))) == SHOWN


def test_times_that_go_backwards_or_are_missing_do_not_change_the_order():
    # danny-avila/LibreChat#11123: the thread came in fragments.
    messages = [say("user", "a", 20.0e8), say("assistant", "b"), say("user", "c", 10.0e8)]
    units = founds(read(NAME, as_json([thread(*messages)])))
    assert [unit.text for unit in units] == ["a", "b", "c"]
    assert [unit.time_source for unit in units] == ["exact", "session", "exact"]


def test_nothing_is_there_but_the_messages():
    # basicmachines-co/basic-memory#1276, danny-avila/LibreChat#15229, mohamed-chs/convoviz#49
    bare = {"author": {"role": "user"}, "content": {"parts": ["Only this."]}}
    given = {"title": None, "mapping": {"n1": {"message": bare}}}
    (unit,) = founds(read(NAME, as_json([given])))
    assert (unit.text, unit.said_at, unit.time_source) == ("Only this.", None, "none")
    assert unit.title is None
    assert unit.identity.endswith("/n1")


def test_unnamed_conversations_are_known_by_their_opening():
    one = {"mapping": {"n1": node(None, say("user", "One."))}}
    two = {"mapping": {"n1": node(None, say("user", "Two."))}}
    units = read(NAME, as_json([one, two]))
    assert len({unit.session for unit in founds(units)}) == 2
    assert ids(read(NAME, as_json([two, one]))) == ids(units)[::-1]
    assert ids(read(NAME, as_json([one]), session="monday")) != ids(units)[:1]


LAYOUTS = layouts(TALK)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_gives_the_same(layout):
    assert sniff(NAME, LAYOUTS[layout]) > 0.9
    units = founds(read(NAME, LAYOUTS[layout]))
    assert [replace(unit, line=1) for unit in units] == founds(read(NAME, as_json(TALK)))
    assert len(units) == 7


def test_a_single_conversation_is_one():
    assert sniff(NAME, as_json(FORKED)) > 0.9
    assert texts(read(NAME, as_json(FORKED))) == SHOWN


def test_the_rest_of_a_wrapper_is_read_and_its_damage_told():
    data = as_json({"conversations": [FORKED]})
    assert texts(read(NAME, data[:-1])) == SHOWN
    assert [unit.reason for unit in bads(read(NAME, data[:-1]))] == ["the object is cut off"]
    assert [unit.reason for unit in bads(read(NAME, data + b"]"))] == [
        "text after the end of the object"
    ]


def test_wrappers_beyond_the_head_are_read_if_the_format_is_named():
    late = {"about": "x" * 100_000, "conversations": [FORKED]}
    assert texts(read(NAME, as_json(late))) == SHOWN
    other = {**FORKED, "conversation_id": "conv-2"}
    assert len(texts(read(NAME, as_lines(FORKED, {"conversations": [other]})))) == 6


HIDDEN = {"is_visually_hidden_from_conversation": True}
PROFILE = {"content_type": "user_editable_context", "user_profile": "I throw pots."}


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (say("user", "x", metadata=HIDDEN), "hidden"),
        (say("critic", "x", metadata=HIDDEN), "hidden"),
        (say("system", "x"), "hidden"),
        (say("user", PROFILE), "hidden"),
        (say("assistant", {"content_type": "model_editable_context"}), "hidden"),
        (say("assistant", "search(x)", recipient="web.run"), "internal_tool_call"),
        (say("tool", "Model set context updated.", name="bio"), "hidden_tool"),
        (say("assistant", ""), "empty"),
        (say("assistant", None), "empty"),
        (say("assistant", {"content_type": "code", "text": ""}), "empty"),
        (thoughts("Hm."), "thinking_block"),
        (thoughts(), "thinking_block"),
        (
            say("assistant", {"content_type": "reasoning_recap", "content": "Thought for 9 s"}),
            "reasoning_recap",
        ),
    ],
)
def test_what_is_not_shown_is_counted_by_its_reason(message, reason):
    units = read(NAME, as_json([thread(message)]))
    assert not founds(units)
    assert skipped(units) == {"null_message": 1, reason: 1}


def test_python_is_shown_with_its_output_and_pictures():
    drawn = {"messages": [{"message_type": "image", "image_url": "file-service://file-9"}, None]}
    plot = thread(python("plot()", 10.0e8), output("", metadata={"aggregate_result": drawn}))
    call, answer = founds(read(NAME, as_json([plot])))
    assert call.text == ""
    assert call.attributes["calls"] == [{"id": "m1", "name": "python", "arguments": "plot()"}]
    assert (answer.kind, answer.role, answer.text) == ("tool_result", "tool", "")
    assert answer.attributes["call_id"] == "m1"
    assert answer.attributes["tool"] == "python"
    assert answer.attributes["attachments"][0]["url"] == "file-service://file-9"


def test_a_tool_without_a_name_is_shown_if_what_called_it_is():
    nameless = say("tool", "42")
    assert texts(read(NAME, as_json([thread(python("x", 1e9), nameless)]))) == ["", "42"]
    unseen = say("assistant", "find", recipient="web")
    assert skipped(read(NAME, as_json([thread(unseen, say("tool", "42"))]))) == {
        "null_message": 1,
        "internal_tool_call": 1,
        "hidden_tool": 1,
    }


def test_an_image_that_a_tool_made_is_kept():
    part = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "sediment://file_7",
        "size_bytes": 9,
        "metadata": {"dalle": {"prompt": "a kiln"}},
    }
    content = {"content_type": "multimodal_text", "parts": [part]}
    (unit,) = founds(read(NAME, as_json([thread(say("tool", content, name="dalle.text2im"))])))
    assert (unit.kind, unit.text) == ("tool_result", "")
    assert unit.attributes["attachments"] == [
        {"hash": None, "type": "image", "size": 9, "url": "sediment://file_7"}
    ]


def test_parts_are_texts_pointers_and_what_was_said_aloud():
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1"},
        "Look.",
        None,
        {"content_type": "audio_transcription", "text": "And listen.", "direction": "in"},
        {
            "content_type": "real_time_user_audio_video_asset_pointer",
            "audio_asset_pointer": {
                "content_type": "audio_asset_pointer",
                "asset_pointer": "sediment://file_2",
                "format": "wav",
                "size_bytes": 5,
            },
            "video_container_asset_pointer": None,
        },
        {"content_type": "something_new"},
    ]
    uploads = [
        {"id": "file-1", "name": "jar.png", "mime_type": "image/png", "size": 3},
        {"id": "file-3", "name": "notes.pdf", "mimeType": "application/pdf", "size": True},
        None,
    ]
    content = {"content_type": "multimodal_text", "parts": parts}
    message = say("user", content, metadata={"attachments": uploads})
    (unit,) = founds(read(NAME, as_json([thread(message)])))
    assert unit.text == "Look.\n\nAnd listen."
    kinds = [(one["type"], one["size"], one.get("name")) for one in unit.attributes["attachments"]]
    assert kinds == [
        ("image/png", 3, "jar.png"),
        ("audio/wav", 5, None),
        ("something_new", None, None),
        ("application/pdf", None, "notes.pdf"),
    ]


def test_a_message_of_nothing_but_an_image_is_a_record():
    part = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    (unit,) = founds(read(NAME, as_json([thread(say("user", {"parts": [part]}))])))
    assert (unit.text, len(unit.attributes["attachments"])) == ("", 1)


@pytest.mark.parametrize(
    "content",
    [
        "Said.",
        ["Said."],
        {"parts": "Said."},
        {"content_type": "tether_browsing_display", "result": "Said.", "summary": ""},
        {"content_type": "system_error", "name": "x", "text": "Said."},
        {"content_type": "code", "parts": None, "text": "Said."},
        {"content_type": 7, "text": "Said."},
    ],
)
def test_text_is_found_wherever_a_type_of_content_has_it(content):
    message = {**say("assistant", "x"), "content": content}
    assert texts(read(NAME, as_json([thread(message)]))) == ["Said."]


def test_of_an_unknown_content_without_text_the_type_is_kept():
    message = say("assistant", {"content_type": "hologram", "voxels": 9})
    (unit,) = founds(read(NAME, as_json([thread(message)])))
    assert unit.attributes["attachments"][0]["type"] == "hologram"


INCLUDED = {"include": frozenset({"custom-instructions"})}


def test_custom_instructions_come_if_asked_for():
    profile = {**PROFILE, "user_instructions": "Be brief."}
    given = thread(say("user", profile, metadata=HIDDEN), say("user", "Hello."))
    assert texts(read(NAME, as_json([given]))) == ["Hello."]
    first, _ = founds(read(NAME, as_json([given]), **INCLUDED))
    assert (first.role, first.text) == ("system", "I throw pots.\n\nBe brief.")


def test_custom_instructions_are_the_users_words_without_the_frame_around_them():
    framed = (
        "The user provided the following about themselves.\nUser profile:\n```I throw pots.\n```"
    )
    open_end = "The user provided how to respond:\n```Be brief, with `code`."
    profile = {**PROFILE, "user_profile": framed, "user_instructions": open_end}
    (unit,) = founds(read(NAME, as_json([thread(say("user", profile))]), **INCLUDED))
    assert unit.text == "I throw pots.\n\nBe brief, with `code`."


def test_custom_instructions_of_older_exports_lie_in_the_metadata():
    about = {
        "is_user_system_message": True,
        "user_context_message_data": {"about_user_message": "I throw pots."},
    }
    given = thread(say("system", "", metadata=about), say("user", "Hello."))
    assert texts(read(NAME, as_json([given]))) == ["Hello."]
    assert skipped(read(NAME, as_json([given])))["hidden"] == 1
    assert texts(read(NAME, as_json([given]), **INCLUDED)) == ["I throw pots.", "Hello."]


def test_a_system_message_of_the_user_that_is_shown_is_kept():
    message = say("system", "Answer in rhyme.", metadata={"is_user_system_message": True})
    (unit,) = founds(read(NAME, as_json([thread(message)])))
    assert (unit.role, unit.text) == ("system", "Answer in rhyme.")


def test_thoughts_come_if_asked_for():
    units = founds(read(NAME, as_json([TALK[0]]), include=frozenset({"thinking"})))
    assert [unit.text for unit in units if unit.kind == "thinking"] == ["A kiln has a door."]


def test_several_roots_and_lost_parents_lose_nothing():
    mapping = {
        "r": node(None, None),
        "u1": node("r", say("user", "one")),
        "a1": node("gone", say("assistant", "two")),
        "u2": node("a1", say("user", "three")),
        "alone": node(None, say("user", "four")),
    }
    units = read(NAME, as_json([chat(mapping, "u2")]))
    assert texts(units) == ["one", "two", "three", "four"]
    assert all(unit.active for unit in founds(units))


def test_a_parent_that_a_node_lost_is_taken_from_the_list_of_children():
    mapping = {**FORKED["mapping"], "two": node(None, say("assistant", "Cone 10."), "thanks")}
    units = read(NAME, as_json([chat(mapping, "thanks")]))
    assert texts(units) == SHOWN
    assert skipped(units)["inactive_branch"] == 2


@pytest.mark.parametrize("leaf", ["b", None])
def test_a_cycle_is_taken_as_a_whole(leaf):
    mapping = {
        "a": node("b", say("user", "one"), "b"),
        "b": node("a", say("assistant", "two"), "a"),
        "own": node("own", say("user", "three"), "own"),
    }
    assert texts(read(NAME, as_json([chat(mapping, leaf)]))) == ["one", "two", "three"]


@pytest.mark.parametrize("depth", [1_500, 100_000])
def test_a_deep_chain_is_no_trouble(depth):
    mapping = {
        str(number): node(str(number - 1) if number else None, say("user", f"t{number}"))
        for number in range(depth)
    }
    units = founds(read(NAME, as_json([chat(mapping, str(depth - 1))])))
    assert [unit.text for unit in units[-2:]] == [f"t{depth - 2}", f"t{depth - 1}"]
    assert len(units) == depth


def test_a_reordered_export_gives_the_same():
    turned = {**FORKED, "mapping": dict(reversed(FORKED["mapping"].items()))}
    assert texts(read(NAME, as_json([turned]))) == SHOWN
    assert ids(read(NAME, as_json(TALK[::-1]))) == [
        *ids(read(NAME, as_json([TALK[1]]))),
        *ids(read(NAME, as_json([TALK[0]]))),
    ]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([7], "a conversation that is no object"),
        ([{"title": "x"}], "a conversation without mapping"),
        ([{"id": "c", "mapping": []}], "mapping is no object (conversation c)"),
        ([chat({"n": node(None, "x")})], "a message that is no object (conversation conv-1)"),
        (
            [thread({**say("user", "x"), "content": 7})],
            "content that is neither text nor parts (conversation conv-1)",
        ),
        (
            [thread(say("critic", "x"))],
            "the role 'critic' is not known; map it with --role (conversation conv-1)",
        ),
    ],
)
def test_what_cannot_be_read_is_bad_and_the_rest_is_stored(given, reason):
    units = read(NAME, as_json([*given, FORKED]))
    assert texts(units) == SHOWN
    assert [unit.reason for unit in bads(units)] == [reason]


def test_a_role_can_be_mapped():
    given = as_json([thread(say("critic", "x"))])
    assert counted(read(NAME, given, roles={"critic": "assistant"}))[0].role == "assistant"


@pytest.mark.parametrize("mapping", [None, {}])
def test_a_conversation_without_messages_is_counted(mapping):
    units = read(NAME, as_json([{"conversation_id": "c", "mapping": mapping}, FORKED]))
    assert skipped(units)["empty_conversation"] == 1
    assert texts(units) == SHOWN


@pytest.mark.parametrize(
    "value",
    [
        {"name": "kiln", "mapping": {"a": "b"}},
        {"mapping": {"properties": {"message": "text"}}},
        {"mappings": "AAAA", "version": 3},
        [{"id": "s1", "conversation_id": "c1", "title": "x", "is_anonymous": True}],
        {"id": "user-1", "email": "ida@example.org", "phone_number": None},
        {"conversations": [{"from": "human", "value": "x"}]},
    ],
)
def test_other_json_is_not_claimed(value):
    assert sniff(NAME, as_json(value)) < 0.5
