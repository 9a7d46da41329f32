"""Content blocks, and references to what is not stored."""

import hashlib

import pytest

from memcli.kit import attach
from memcli.kit.blocks import read_content
from memcli.kit.roles import role_of, unknown_role

HELLO = hashlib.sha256(b"hello").hexdigest()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (" a ", "a"),
        (None, ""),
        (5, ""),
        (["a", {"type": "text", "text": "b"}, {"text": "c"}, None, 7], "a\n\nb\n\nc"),
        ({"type": "text", "text": "a"}, "a"),
        ([{"type": "text", "text": None}, {"type": "text"}], ""),
        ([{"type": "of_tomorrow", "text": "new"}], "new"),
    ],
)
def test_text_comes_from_any_shape(content, text):
    assert read_content(content).text == text


def test_unknown_block_without_text_is_a_reference():
    content = read_content([{"type": "of_tomorrow", "title": "T"}, {"type": 5}])
    assert content.attachments == [{"hash": None, "type": "of_tomorrow", "size": None, "name": "T"}]
    assert content.says


def test_results_stand_before_or_behind_the_text():
    one, two = {"type": "tool_result", "tool_use_id": "t"}, {"type": "text", "text": "a"}
    assert read_content([one, two]).results_first
    assert not read_content([two, one]).results_first


def test_image_in_a_result_is_kept_as_reference():
    image = {"type": "image", "source": {"type": "url", "url": "https://p.example/1.png"}}
    (result,) = read_content([{"type": "tool_result", "content": ["seen", image]}]).results
    assert (result.call_id, result.text) == (None, "seen")
    assert result.attachments[0]["url"] == "https://p.example/1.png"


def test_references():
    assert attach.of_bytes(b"hello", "text/plain") == {
        "hash": HELLO,
        "type": "text/plain",
        "size": 5,
    }
    assert attach.of_base64("aGVsbG8=")["hash"] == HELLO
    assert attach.of_base64("a") == {"hash": None, "type": None, "size": None}
    assert attach.of_base64(None, "x")["size"] is None
    assert attach.of_url("data:text/plain;base64,aGVsbG8=") == attach.of_bytes(
        b"hello", "text/plain"
    )
    assert attach.of_url("data:,hello", "x")["hash"] == HELLO
    assert "url" not in attach.of_url("https://p.example/" + "x" * 5000)
    assert attach.of_url(None) == {"hash": None, "type": None, "size": None}


def test_roles():
    words = (
        "user",
        "Human",
        "AI",
        "developer",
        "function",
        "gemini",
        "memory",
        "narrator",
        None,
        5,
    )
    roles = ("user", "user", "assistant", "system", "tool", "assistant", None, None, None, None)
    assert tuple(role_of(word) for word in words) == roles
    assert role_of("Agent", {"agent": "assistant"}) == "assistant"
    assert role_of("user", {"user": "system"}) == "system"
    assert role_of("agent", {"agent": "nobody"}) is None
    assert len(unknown_role("x" * 10_000)) < 200
