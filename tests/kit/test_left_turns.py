"""Turns that are no longer part of their conversation."""

from memcli.core.found import Found, Skipped
from memcli.kit.blocks import Document
from memcli.kit.identity import Histories
from memcli.kit.turns import Conversation, Turn, units

DOCUMENT = Document("glaze notes", {"hash": None, "type": "text", "size": None})


def talk() -> list[Turn]:
    return [
        Turn("user", "Fire the kiln.", native="message-one"),
        Turn(
            "assistant", "Fired.", native="message-two",
            left="removed", thinking=["hot"], documents=[DOCUMENT],
        ),
        Turn("assistant", "Not yet.", native="message-three"),
    ]  # fmt: skip


def test_a_turn_that_was_left_is_counted_once_and_names_all_its_records():
    found = list(units(talk(), Conversation("c"), Histories()))
    left = [unit for unit in found if isinstance(unit, Skipped)]
    assert [(unit.reason, unit.count, unit.identity) for unit in left] == [
        ("removed", 1, "c/message-two"),
        ("removed", 0, "c/message-two:thinking:1"),
        ("removed", 0, "c/message-two:attachment:1"),
    ]
    assert [unit.text for unit in found if isinstance(unit, Found)] == [
        "Fire the kiln.",
        "Not yet.",
    ]


def test_with_all_branches_it_is_inactive_and_the_others_keep_their_names():
    every = list(units(talk(), Conversation("c", all_branches=True), Histories()))
    found = [unit for unit in every if isinstance(unit, Found)]
    assert [(unit.identity, unit.active) for unit in found] == [
        ("c/message-one", True),
        ("c/message-two", False),
        ("c/message-two:attachment:1", False),
        ("c/message-three", True),
    ]
