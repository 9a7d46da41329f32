"""Lines and JSON values cut out of a source."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.core.found import Bad, Skipped
from memcli.kit.arrays import read_arrays
from memcli.kit.frame import byte_lines, read_json, text_lines
from memcli.kit.values import Value
from tests.readers.build import Bytes, as_json, as_lines

PRETTY = json.dumps({"a": 1, "b": [{"c": "} \u2028 {"}, []], "d": {}}, indent=2).encode()


def values(data: bytes, step: int = 65536) -> list:
    return [unit.data for unit in read_json(Bytes(data, step=step)) if isinstance(unit, Value)]


def others(data: bytes) -> list:
    """(word, line) of what is no value."""
    return [
        ("bad" if isinstance(unit, Bad) else unit.reason, unit.line)
        for unit in read_json(Bytes(data))
        if not isinstance(unit, Value)
    ]


# --- lines --------------------------------------------------------------------------------------


def test_lines_end_at_lf_bytes_only():
    # volcengine/OpenViking#3984, datalad/datalad#3523
    text = "a\u2028b\u0085c\x0bd\x0ce\x1cf\ng\r\nh"
    found = list(text_lines(Bytes(text.encode())))
    assert found == [(1, "a\u2028b\u0085c\x0bd\x0ce\x1cf"), (2, "g"), (3, "h")]


def test_last_line_may_end_without_lf():
    found = [(line.number, line.data, line.ended) for line in byte_lines(Bytes(b"a\n\nb"))]
    assert found == [(1, b"a", True), (2, b"", True), (3, b"b", False)]
    assert [line.data for line in byte_lines(Bytes(b"a\n"))] == [b"a"]
    assert list(byte_lines(Bytes(b""))) == []


def test_line_above_the_limit_is_passed_over_without_holding_it():
    data = b"ab\n" + b"x" * 100 + b"\ncd\n" + b"y" * 100
    found = [(line.number, line.data) for line in byte_lines(Bytes(data, step=7), limit=10)]
    assert found == [(1, b"ab"), (2, None), (3, b"cd"), (4, None)]


@given(st.binary(max_size=80), st.integers(1, 9), st.integers(0, 90))
def test_lines_do_not_depend_on_pieces(data, step, limit):
    whole = list(byte_lines(Bytes(data), limit=limit))
    assert list(byte_lines(Bytes(data, step=step), limit=limit)) == whole
    for line in whole:
        assert line.data is None or len(line.data) <= limit


# --- layouts ------------------------------------------------------------------------------------

THREE = [{"n": 1}, {"n": 2, "s": "x\ny"}, {"n": 3}]
LAYOUTS = {
    "lines": as_lines(*THREE),
    "no final newline": as_lines(*THREE)[:-1],
    "blank lines and CRLF": b"\r\n" + as_lines(*THREE).replace(b"\n", b"\r\n\r\n"),
    "array": as_json(THREE),
    "array on lines": b"[\n" + b",\n".join(map(as_json, THREE)) + b"\n]\n",
    "indented array": json.dumps(THREE, indent=4).encode(),
    "objects in a row": b"\n".join(json.dumps(value, indent=2).encode() for value in THREE),
    "mixed": json.dumps(THREE[0], indent=1).encode() + b"\n" + as_lines(*THREE[1:]),
    "no indentation": json.dumps(THREE, indent=0).encode(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("step", [1, 7, 65536])
def test_every_layout_gives_the_values(layout, step):
    assert values(LAYOUTS[layout], step) == THREE
    assert others(LAYOUTS[layout]) == []


def test_values_know_their_line_and_array():
    data = b'[\n{"a":1},\n\n{"a":2}]\n[{"a":3}]'
    found = [(unit.data["a"], unit.line, unit.array) for unit in read_json(Bytes(data))]
    assert found == [(1, 2, 0), (2, 4, 0), (3, 5, 1)]
    rows = PRETTY + b"\n\n" + as_lines({"a": 2})
    assert [unit.line for unit in read_json(Bytes(rows))] == [1, PRETTY.count(b"\n") + 3]


def test_empty_and_blank_sources_give_nothing():
    for data in (b"", b"\n\n", b" \t\r\n", b"\xef\xbb\xbf", b"[]", b"[ ]"):
        assert list(read_json(Bytes(data))) == []


# --- what is broken -----------------------------------------------------------------------------


def test_bad_line_is_listed_and_reading_goes_on():
    data = as_lines({"a": 1}) + b"{nope}\nprose\n" + b'{"b": "\xff"}\n' + as_lines({"c": 3})
    assert values(data) == [{"a": 1}, {"c": 3}]
    assert others(data) == [("bad", 2), ("bad", 3), ("bad", 4)]


def test_torn_last_line_is_a_warning():
    for tail in (b'{"b": "tw', b'{"b": [1,', b'{"b": "t\xc3', b"{"):
        data = as_lines({"a": 1}) + tail
        assert values(data) == [{"a": 1}]
        assert others(data) == [("truncated_last_line", 2)]
    with_newline = as_lines({"a": 1}) + b'{"b": "tw\n'
    assert others(with_newline) == [("bad", 2)]


@pytest.mark.parametrize("cut", [1, 5, 9, 13])
def test_torn_line_followed_by_its_full_copy_is_skipped(cut):
    # openai/codex#24425: the session disappeared.
    full = as_json({"b": "two", "c": [1, 2]})
    for glue in (b"\n", b"\r\n\n"):
        data = as_lines({"a": 1}) + full[:cut] + glue + full + b"\n" + as_lines({"d": 4})
        assert values(data) == [{"a": 1}, {"b": "two", "c": [1, 2]}, {"d": 4}]
        assert others(data) == [("torn_line", 2)]


@pytest.mark.parametrize("cut", [3, 9, 13])
def test_full_copy_glued_to_the_torn_half_is_found(cut):
    full = as_json({"b": "two", "c": [1, 2]})
    data = as_lines({"a": 1}) + full[:cut] + full + b"\n" + as_lines({"d": 4})
    assert values(data) == [{"a": 1}, {"b": "two", "c": [1, 2]}, {"d": 4}]
    assert others(data) == [("torn_line", 2)]


def test_torn_line_does_not_swallow_the_lines_after_it():
    data = b'{"a": [\n' + as_lines({"b": 2}, {"c": 3}, {"d": 4})
    assert values(data) == [{"b": 2}, {"c": 3}, {"d": 4}]
    assert others(data) == [("bad", 1)]
    data = b'{"a": 1,\n' + as_lines({"b": 2}, {"c": 3})
    assert values(data) == [{"b": 2}, {"c": 3}]


def test_object_that_is_cut_off_or_malformed_over_several_lines_is_one_bad_unit():
    cut = b"\n".join(PRETTY.split(b"\n")[:4]) + b"\n"
    assert others(cut) == [("bad", 1)]
    malformed = PRETTY.replace(b'"a": 1', b'"a": one') + b"\n" + as_lines({"z": 1})
    assert others(malformed) == [("bad", 1)]
    assert values(malformed) == [{"z": 1}]


def test_deep_json_is_bad_and_no_crash():
    deep = b'{"a":' * 3000 + b"1" + b"}" * 3000
    for data in (deep + b"\n" + as_json({"b": 1}), b"[" + deep + b', {"b": 1}]'):
        assert values(data) == [{"b": 1}]
        assert [word for word, _ in others(data)] == ["bad"]
    assert others(b"[" * 100_000)
    assert others(b'{"a":' * 100_000)


def test_long_numbers_and_constants_do_not_raise():
    data = b'{"a": ' + b"9" * 6000 + b"}\n" + b'{"b": NaN, "c": -Infinity}\n'
    assert values(data) == [{"b": None, "c": None}]
    assert others(data) == [("bad", 1)]


# --- arrays -------------------------------------------------------------------------------------


def elements(text: str, limit: int = 1000) -> list:
    return [
        unit.data if isinstance(unit, Value) else ("bad", unit.line)
        for unit in read_arrays(iter(text), limit)
    ]


def test_array_goes_on_after_what_cannot_be_read():
    assert elements('[1, {"a": }, 3]') == [1, ("bad", 1), 3]
    assert elements('[1,\n{"a": "],[" x},\n3]') == [1, ("bad", 2), 3]
    assert elements("[1, oops, 3, ]") == [1, ("bad", 1), 3]
    assert elements("[1 2 } 3]") == [1, 2, ("bad", 1), 3]


def test_array_that_is_cut_off_is_bad_once():
    assert elements("[1, 2") == [1, 2, ("bad", 1)]
    assert elements("[1, 2,\n") == [1, 2, ("bad", 2)]
    assert elements('[1, {"a": "b') == [1, ("bad", 1)]
    assert elements("[") == [("bad", 1)]
    assert elements("[1]\nrest") == [1, ("bad", 2)]


def test_element_above_the_limit_is_bad_and_the_next_is_read():
    long = json.dumps({"a": 'x"] \\' * 50_000})
    assert elements(f"[1, {long}, 3]") == [1, ("bad", 1), 3]


def test_numbers_are_not_cut_where_a_piece_ends():
    assert elements("[12345, 1.25e3, true, null]") == [12345, 1250.0, True, None]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.recursive(
            st.none() | st.integers() | st.text(max_size=6),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=5,
    ),
    st.sampled_from([None, 0, 2]),
    st.integers(1, 9),
)
def test_any_array_comes_back_whatever_the_pieces(expected, indent, step):
    text = json.dumps(expected, indent=indent)
    pieces = (text[start : start + step] for start in range(0, len(text), step))
    found = list(read_arrays(pieces))
    assert [unit.data for unit in found if isinstance(unit, Value)] == expected
    assert len(found) == len(expected)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=4), st.text(max_size=6), max_size=3), max_size=5),
    st.lists(st.sampled_from([None, 0, 2]), min_size=5, max_size=5),
    st.booleans(),
)
def test_any_objects_in_a_row_come_back(expected, indents, ascii_only):
    rows = [
        json.dumps(value, indent=indent, ensure_ascii=ascii_only)
        for value, indent in zip(expected, indents, strict=False)
    ]
    found = list(read_json(Bytes("\n".join(rows).encode())))
    assert [unit.data for unit in found if isinstance(unit, Value)] == expected
    assert len(found) == len(expected)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_give_values_or_reasons(data):
    for unit in read_json(Bytes(data)):
        assert isinstance(unit, Value | Skipped | Bad)
        assert (unit.line or 0) >= 1
