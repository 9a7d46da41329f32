"""JSON that Python's parser alone would let through or die of."""

import pytest

from memcli.kit.jsonio import MAX_DEPTH, BadJsonError, decode_at, parse


def test_one_value_and_nothing_else():
    assert parse(b' {"a": [1, "\xc3\xa9"]}\r\n') == {"a": [1, "é"]}
    assert parse('{"a": 1, "a": 2}') == {"a": 2}
    assert decode_at('xx{"a": 1} rest', 2) == ({"a": 1}, 10)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('{"a": 1', True),
        ('{"a": "b', True),
        ('{"a": tr', True),
        ("", True),
        ('{"a": nonsense, "b": 1, "c": 22222222222}', False),
        ('{"a": 1} and text', False),
    ],
)
def test_what_is_cut_is_told_from_what_is_wrong(text, cut):
    with pytest.raises(BadJsonError) as caught:
        parse(text)
    assert caught.value.cut is cut


def test_depth_is_bounded():
    def nested(depth):
        return "[" * depth + "]" * depth

    assert parse(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 1000, 100_000):
        with pytest.raises(BadJsonError, match="too deeply"):
            parse(nested(depth))
    assert parse("[" + ",".join(["[]"] * 1000) + "]")


def test_bytes_that_are_no_utf8_are_bad_and_escaped_surrogates_are_not():
    with pytest.raises(BadJsonError, match="not UTF-8"):
        parse(b'{"a": "\xe9"}')
    assert parse(rb'{"a": "\ud83d"}') == {"a": "\ud83d"}
