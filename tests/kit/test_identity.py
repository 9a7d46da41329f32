"""Identities that do not depend on the run, the file, options or redaction."""

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from memcli.kit.identity import Chain, Histories, Occurrences, canonical, digest, timed


def test_digest_is_fixed_for_ever():
    # A change here gives every record in every store a new id.
    plain = rb'[1,"a",null,1,["b"],{"c":"\u00e9"}]'
    assert digest("a", None, 1, ["b"], {"c": "é"}) == hashlib.sha256(plain).hexdigest()
    first = hashlib.sha256(rb'[1,"","user","ida","hi",[]]').hexdigest()
    assert Chain().step("user", "ida", " hi\n") == first


def test_digest_tells_parts_apart():
    seen = [
        digest("ab", "c"),
        digest("a", "bc"),
        digest("abc"),
        digest("abc", ""),
        digest("abc", None),
    ]
    assert len(set(seen)) == len(seen)
    assert all(re.fullmatch("[0-9a-f]{64}", text) for text in seen)


def test_chain_covers_what_came_before():
    def ids(*texts, seed=""):
        chain = Chain(seed)
        return [chain.step("user", None, text) for text in texts]

    assert ids("a", "b")[:1] == ids("a")
    assert ids("a", "b")[1] != ids("x", "b")[1]
    assert ids("a") != ids("a", seed="s")
    assert ids("a\r\nb ") == ids("a\nb")


def test_chain_covers_role_speaker_and_calls():
    seen = {
        Chain().step("user", None, "a"),
        Chain().step("tool", None, "a"),
        Chain().step("user", "ida", "a"),
        Chain().step("user", None, "a", ["c1"]),
        Chain().step("user", None, "a", [{"id": "c1", "name": "x", "arguments": {"y": 1}}]),
    }
    assert len(seen) == 5


def test_secrets_enter_identity_as_marks():
    key = "ghp_" + "aB3" * 12
    mark = "[redacted:github_token]"
    assert canonical(f" {key}\r\n") == mark
    assert Chain().step("user", key, key, [key]) == Chain().step("user", mark, mark, [mark])
    assert timed("c", "ida", None, key) == timed("c", "ida", "", mark)


def test_equal_ids_are_numbered():
    names = Occurrences()
    assert [names.name(ident) for ident in "abab"] == ["a", "b", "a#2", "b#2"]
    assert "a" in names
    assert "c" not in names


def taken(histories: Histories, *conversations: str, named: bool = False) -> list[int]:
    """How many leading ids of each conversation were there already; each letter is a step."""
    counts = []
    for text in conversations:
        ids = [text[: number + 1] for number in range(len(text))]
        given = histories.repeated(ids, named=named)
        for ident in ids[given:]:
            histories.occurrences.name(ident)
        counts.append(given)
    return counts


def test_conversation_that_grows_or_shrinks_gives_only_what_is_new():
    assert taken(Histories(), "ab", "abcd", "abcdef") == [0, 2, 4]
    assert taken(Histories(), "abcdef", "abcd", "ab") == [0, 4, 2]
    assert taken(Histories(), "ab", "abcd", "ab") == [0, 2, 2]


def test_conversations_that_only_begin_alike_are_several():
    assert taken(Histories(), "abc", "abd", "abc") == [0, 0, 0]
    assert taken(Histories(), "ab", "abc", "abd") == [0, 2, 0]


def test_named_conversation_is_one_however_often_it_comes():
    assert taken(Histories(), "ab", "ab", "abc", "abd", named=True) == [0, 2, 2, 2]


@given(st.lists(st.text(alphabet="ab", min_size=1, max_size=4), max_size=6))
def test_no_id_is_given_less_than_once(conversations):
    histories = Histories()
    counts = taken(histories, *conversations)
    assert all(0 <= count <= len(text) for count, text in zip(counts, conversations, strict=True))
    for text in conversations:
        assert all(text[: end + 1] in histories.occurrences for end in range(len(text)))
