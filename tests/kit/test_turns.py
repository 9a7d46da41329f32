"""Turns of a conversation and the units they become."""

from memcli.core.found import Bad, Found, Skipped
from memcli.kit.blocks import Document
from memcli.kit.identity import Histories
from memcli.kit.turns import Conversation, Turn, units


def made(items, histories=None, **about):
    return list(units(items, Conversation(**about), histories or Histories()))


def talk():
    return [Turn("system", "s"), Turn("user", "a"), Turn("assistant", "b")]


def test_list_and_stream_give_the_same_units():
    assert made(talk()) == made(iter(talk()))


def test_session_of_an_unnamed_conversation_is_its_opening():
    one, grown = made(talk()), made([*talk(), Turn("user", "more")])
    other = made([Turn("system", "s"), Turn("user", "other"), Turn("assistant", "b")])
    assert {unit.session for unit in one} == {unit.session for unit in grown}
    assert one[0].session != other[0].session
    assert one[0].identity == other[0].identity  # a known limit: they begin alike


def test_stream_without_a_user_is_not_held_for_ever():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield Turn("assistant", str(len(taken)))

    first = next(units(endless(), Conversation(), Histories()))
    assert first.text == "1"
    assert len(taken) <= 64


def test_what_is_no_turn_passes_through_in_its_place():
    bad, skip = Bad("x", 2), Skipped("preamble", 1)
    for items in (
        [skip, *talk()[:1], bad, *talk()[1:]],
        iter([skip, *talk()[:1], bad, *talk()[1:]]),
    ):
        found = made(items)
        assert [type(unit) for unit in found] == [Skipped, Found, Bad, Found, Found]
    assert made([bad]) == [Skipped("empty_conversation"), bad]


def test_repeated_turns_are_counted_and_not_made_again():
    histories = Histories()
    first = made(talk(), histories)
    again = made([*talk(), Turn("user", "more", line=7)], histories)
    assert again[0] == Skipped("repeated_history", None, 3)
    assert [unit.text for unit in again[1:]] == ["more"]
    assert len(first) == 3


def test_documents_and_thoughts_hang_on_their_turn():
    document = Document("text", {"hash": "h", "type": None, "size": 4})
    turn = Turn("assistant", "a", thinking=["t", ""], documents=[document], said_at=None)
    found = made([turn], thinking=True, said_at="2026-01-01T00:00:00Z")
    assert [getattr(unit, "kind", None) for unit in found] == [
        *("thinking", None, "utterance", "attachment")
    ]
    name = found[2].identity
    assert [found[0].identity, found[3].identity] == [f"{name}:thinking:1", f"{name}:attachment:1"]
    assert {unit.time_source for unit in found if isinstance(unit, Found)} == {"session"}
    assert found[1] == Skipped("thinking_block")
    assert next(unit.identity for unit in made([turn]) if isinstance(unit, Found)) == name


def test_turn_that_says_nothing_is_empty_but_takes_its_place():
    quiet = [Turn("user", "a"), Turn("assistant", ""), Turn("user", "b")]
    found = made(quiet)
    assert found[1] == Skipped("empty")
    assert found[2].identity != made([quiet[0], quiet[2]])[1].identity
